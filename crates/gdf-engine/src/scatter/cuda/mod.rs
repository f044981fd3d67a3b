//! `scatter` on CUDA.

mod windows;

use gdf_core::{Column, Error, Result};
use gdf_driver::Stream;
use gdf_kernels::generated::common::CopyKind;
use gdf_kernels::generated::copying::{
    self as kernels, GatherChecks, ScatterClear, ScatterColumn, ScatterColumns, ScatterCopy, ScatterDirect,
    ScatterInverseMap, ScatterInvert, ScatterSizes,
};
use gdf_kernels::{Arguments, ColumnIn, TABLE_COLUMNS, TableIn};
use gdf_memory::{Buffer, Mailbox};

use self::windows::{Plain, Windows};
use super::plan::{SCATTER, Scatter, ScatterSource};
use crate::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, In, Kernel, Out, Rows, Tiles, in_table, open_outputs, out_table};
use crate::layout::{RowKind, characters, counted_bytes};
use crate::limits::cuda as limits;
use crate::rows::cuda::{copy_descriptor, row_output};
use crate::rows::out_of_bounds;

/// The maximum number of columns of the result of a launch.
const COLUMNS: usize = TABLE_COLUMNS / 2;
/// The number of mailbox words before the words of the string columns. The first word is set if the map has an
/// element that is out of bounds.
const VERDICT: usize = 1;
/// Up to this number of rows, a single block clears and fills the inverse map.
const SMALL: usize = limits::SCATTER_BLOCK_ROWS;
/// Up to this number of rows, one block per column both copies the target and writes the source rows to the copy.
const COPIED_AT_ONCE: usize = limits::SCATTER_COPIED_ROWS;

fn check(report: bool) -> i32 {
    (if report { GatherChecks::Report } else { GatherChecks::Null }) as i32
}

fn describe(put: &ScatterSource<'_>, source: &ColumnIn<'_>, target: &ColumnIn<'_>, slot: usize) -> ScatterColumn {
    let (source_bytes, target_bytes) = (characters(put.source.view()), characters(put.target));
    let both = [copy_descriptor(put.kind, source, source_bytes), copy_descriptor(put.kind, target, target_bytes)];
    let any_width = both.iter().find(|copy| copy.kind == CopyKind::AnyWidth as i32);
    let copy = any_width.unwrap_or(&both[0]);
    ScatterColumn { source_bytes: copy.bytes, target_bytes, kind: copy.kind, slot: slot as i32 }
}

struct OpenPuts<'a> {
    copy: ScatterColumns,
    columns: Vec<CudaColumn<'a>>,
}

impl<'a> OpenPuts<'a> {
    /// Opens some columns.
    fn open(puts: &[(&ScatterSource<'a>, usize)], stream: &Stream) -> Result<Self> {
        let mut columns = Vec::with_capacity(2 * puts.len());
        let mut copy = ScatterColumns::default();
        for (slot, &(put, sums)) in copy.at.iter_mut().zip(puts) {
            let source = CudaColumn::open_input(put.source, stream)?;
            let target = CudaColumn::open(put.target, stream)?;
            *slot = describe(put, &source.desc(), &target.desc(), sums);
            columns.extend([source, target]);
        }
        Ok(Self { copy, columns })
    }

    fn table(&self) -> Result<TableIn<'_, TABLE_COLUMNS>> {
        in_table(&self.columns)
    }
}

struct Sizes {
    positions: Buffer,
    bytes: Vec<usize>,
}

struct Work<'w, 'a> {
    scatter: &'w Scatter<'a>,
    ctx: Ctx<'w>,
}

/// Scatters all columns.
pub(super) fn scatter(scatter: &Scatter<'_>, ctx: Ctx<'_>) -> Result<Option<Vec<Column>>> {
    let work = Work { scatter, ctx };
    if scatter.rows == 0 {
        work.check_only()?;
        return Ok(None);
    }
    if work.is_direct()? {
        return work.direct().map(Some);
    }
    work.by_inverse().map(Some)
}

impl<'a> Work<'_, 'a> {
    fn run<A: Arguments>(&self, kernel: &Kernel<A::Static>, blocks: u32, columns: u32, arguments: &A) -> Result<()> {
        // SAFETY: the map has an integer type. The inverse either has a word for each row of the targets or has no
        // words. The words of the inverse are clear or were written by the launch before, and contain only rows of the
        // sources. A source has at least as many rows as the map has elements, or one row for all elements. Targets and
        // outputs have the same number of rows, and the types and widths that `columns` states. If the inverse has no
        // words, the addresses of targets and outputs are multiples of these widths (`is_direct`). The counts have an
        // array of tiles for each slot. The character buffer of a string output has as many bytes as the counts add up
        // to. The windows have memory for as many rows and values as the map has elements. The progress of the windows
        // is in the state in which the launch before leaves the progress. The number of windows is at most the allowed
        // number. A mailbox has the word of the verdict if there is a verdict, and one word for each string column. All
        // buffers, columns and mailboxes are open on this stream until the launch is enqueued.
        unsafe { kernel.launch(self.ctx.stream, blocks, columns, arguments)? };
        Ok(())
    }

    fn has_map(&self) -> bool {
        !self.scatter.map.is_empty()
    }

    fn verdict(&self, words: &[u64]) -> Result<()> {
        if words[0] == 0 { Ok(()) } else { Err(out_of_bounds(self.scatter.map, self.scatter.rows, self.ctx.stream)?) }
    }

    /// Inverts the map by one or two launches.
    fn invert(&self, inverse: ScatterInverseMap<'_>, mailbox: Out<'_, u64>) -> Result<()> {
        let Work { scatter, ctx: Ctx { stream, .. }, .. } = *self;
        if !self.has_map() {
            return Ok(());
        }
        let kernel = Kernel::find(stream)?;
        let map = CudaColumn::open(scatter.map, stream)?;
        let small = scatter.rows.max(scatter.map.len()) <= SMALL;
        let rows = Rows::new(scatter.rows);
        if !small && scatter.rows > 0 {
            let clear = Kernel::find(stream)?;
            self.run(&clear, clear.blocks(scatter.rows), 1, &ScatterClear { inverse, rows })?;
        }
        let blocks = if small { 1 } else { kernel.spread_blocks(scatter.map.len()) };
        let (check, clears) = (check(scatter.report), i32::from(small));
        let arguments = ScatterInvert { map: map.desc(), rows, check, inverse, clears, mailbox };
        self.run(&kernel, blocks, 1, &arguments)
    }

    /// Checks the map of a target without rows, for which every element that is not null is out of bounds.
    fn check_only(&self) -> Result<()> {
        if !self.has_map() || !self.scatter.report {
            return Ok(());
        }
        let mailbox = Mailbox::cleared(self.ctx.stream, VERDICT)?;
        self.invert(ScatterInverseMap::default(), Out::of(&mailbox))?;
        self.verdict(&mailbox.wait()?)
    }

    /// Returns whether the map need not be inverted, because every column has plain values of up to eight bytes without
    /// nulls, at addresses that are multiples of the width.
    fn is_direct(&self) -> Result<bool> {
        for put in &self.scatter.columns {
            let plain = !put.nullable && matches!(put.kind, RowKind::Bytes(1 | 2 | 4 | 8));
            if !plain {
                return Ok(false);
            }
            let source = CudaColumn::open_input(put.source, self.ctx.stream)?;
            let target = CudaColumn::open(put.target, self.ctx.stream)?;
            if describe(put, &source.desc(), &target.desc(), 0).kind <= 0 {
                return Ok(false);
            }
        }
        Ok(!self.scatter.columns.is_empty())
    }

    fn outputs(&self, bytes: &[usize]) -> Result<Vec<CudaOutput>> {
        let (rows, ctx) = (self.scatter.rows, self.ctx);
        let mut bytes = bytes.iter().copied();
        let output = |put: &ScatterSource<'a>| {
            let bytes = if put.kind.is_strings() { bytes.next().unwrap_or(0) } else { 0 };
            let data_type = put.target.data_type();
            let output = row_output(data_type, put.kind, rows, bytes, ctx)?;
            output.ok_or_else(|| Error::unsupported(SCATTER, data_type))?.nullable(put.nullable, ctx)
        };
        self.scatter.columns.iter().map(output).collect()
    }

    fn finish(&self, outputs: Vec<CudaOutput>) -> Result<Vec<Column>> {
        outputs.into_iter().map(|output| output.finish(self.ctx.stream)).collect()
    }

    fn by_inverse(&self) -> Result<Vec<Column>> {
        let Work { scatter, ctx } = *self;
        let wide = scatter.map.len() >= u32::MAX as usize;
        let word = if wide { 8 } else { 4 };
        let bytes = if self.has_map() { crate::layout::byte_len(scatter.rows, word, ctx.mr)? } else { 0 };
        let mut buffer = Buffer::uninitialized(bytes, ctx.stream, ctx.mr.temporary)?;
        let access = buffer.write_on(ctx.stream)?;
        let words = if self.has_map() { Out::of(&access) } else { Out::NULL };
        let inverse = ScatterInverseMap { words, wide: i32::from(wide), unused: 0 };
        let strings: Vec<&ScatterSource<'a>> = scatter.columns.iter().filter(|put| put.kind.is_strings()).collect();
        let requested = VERDICT + strings.len().min(COLUMNS);
        let waits = (scatter.report && self.has_map()) || !strings.is_empty();
        let mut mailbox = if waits { Some(Mailbox::cleared(ctx.stream, requested)?) } else { None };
        self.invert(inverse, Out::of_option(mailbox.as_ref()))?;
        let mut sizes = None;
        if !strings.is_empty()
            && let Some(first) = mailbox.take()
        {
            sizes = Some(self.measure(&strings, inverse, first)?);
        }
        let mut outputs = self.outputs(sizes.as_ref().map_or(&[], |sizes| &sizes.bytes))?;
        self.put(inverse, sizes.as_ref(), &mut outputs)?;
        if let Some(mailbox) = mailbox {
            self.verdict(&mailbox.wait()?)?;
        }
        drop(access);
        self.finish(outputs)
    }

    /// Computes the sizes of the string columns, with one launch and one wait for every 16 columns.
    fn measure(&self, strings: &[&ScatterSource<'a>], inverse: ScatterInverseMap<'_>, first: Mailbox) -> Result<Sizes> {
        let Work { scatter, ctx } = *self;
        let kernel = Kernel::<ScatterSizes>::find(ctx.stream)?;
        let tiles = kernel.tiles(scatter.rows);
        let mut positions = Buffer::uninitialized(strings.len() * tiles * 8, ctx.stream, ctx.mr.temporary)?;
        let access = positions.write_on(ctx.stream)?;
        let mut first = Some(first);
        let mut mailboxes = Vec::with_capacity(strings.len().div_ceil(COLUMNS));
        for (group, puts) in strings.chunks(COLUMNS).enumerate() {
            let puts: Vec<_> = puts.iter().copied().zip(group * COLUMNS..).collect();
            let open = OpenPuts::open(&puts, ctx.stream)?;
            let mailbox = match first.take() {
                Some(first) => first,
                None => Mailbox::cleared(ctx.stream, VERDICT + puts.len())?,
            };
            let arguments = ScatterSizes {
                inverse,
                rows: Rows::new(scatter.rows),
                input: open.table()?,
                columns: open.copy,
                counts: Out::of(&access),
                tiles: Tiles::new(tiles),
                mailbox: Out::of(&mailbox).element(VERDICT),
            };
            let blocks = kernel.blocks(scatter.rows);
            self.run(&kernel, blocks, puts.len() as u32, &arguments)?;
            mailboxes.push(mailbox);
        }
        drop(access);
        let mut bytes = Vec::with_capacity(strings.len());
        for (puts, mailbox) in strings.chunks(COLUMNS).zip(mailboxes) {
            let words = mailbox.wait()?;
            self.verdict(&words[..VERDICT])?;
            for (put, &size) in puts.iter().zip(&words[VERDICT..]) {
                bytes.push(counted_bytes(put.kind, size)?);
            }
        }
        Ok(Sizes { positions, bytes })
    }

    fn put(&self, inverse: ScatterInverseMap<'_>, sizes: Option<&Sizes>, outputs: &mut [CudaOutput]) -> Result<()> {
        let Work { scatter, ctx: Ctx { stream, .. }, .. } = *self;
        let kernel = Kernel::<kernels::Scatter>::find(stream)?;
        let positions = sizes.map(|sizes| sizes.positions.read_on(stream)).transpose()?;
        let counts = In::of_option(positions.as_ref());
        let tiles = Tiles::new(kernel.tiles(scatter.rows));
        let mut slot = 0;
        for (puts, outputs) in scatter.columns.chunks(COLUMNS).zip(outputs.chunks_mut(COLUMNS)) {
            let with_slots = puts.iter().map(|put| {
                let own = slot;
                slot += usize::from(put.kind.is_strings());
                (put, own)
            });
            let open = OpenPuts::open(&with_slots.collect::<Vec<_>>(), stream)?;
            let written = open_outputs(outputs, stream)?;
            let out = out_table(&written)?;
            let arguments = kernels::Scatter { inverse, input: open.table()?, out, columns: open.copy, counts, tiles };
            let blocks = kernel.blocks(scatter.rows);
            self.run(&kernel, blocks, puts.len() as u32, &arguments)?;
        }
        Ok(())
    }

    /// Copies the targets, and then writes the source rows to their positions.
    fn direct(&self) -> Result<Vec<Column>> {
        let Work { scatter, ctx } = *self;
        let mut outputs = self.outputs(&[])?;
        let copy = Kernel::find(ctx.stream)?;
        let write = Kernel::find(ctx.stream)?;
        let map = CudaColumn::open(scatter.map, ctx.stream)?;
        let mailbox =
            if scatter.report && self.has_map() { Some(Mailbox::cleared(ctx.stream, VERDICT)?) } else { None };
        let at_once = self.has_map() && scatter.rows.max(scatter.map.len()) <= COPIED_AT_ONCE;
        let groups = scatter.columns.chunks(COLUMNS).zip(outputs.chunks_mut(COLUMNS));
        for (index, (puts, outputs)) in groups.enumerate() {
            let open = OpenPuts::open(&puts.iter().map(|put| (put, 0)).collect::<Vec<_>>(), ctx.stream)?;
            let written = open_outputs(outputs, ctx.stream)?;
            let out = out_table(&written)?;
            let columns = puts.len() as u32;
            let widest = open.copy.at.iter().map(|column| column.kind).max().unwrap_or(0);
            let windows = Windows::new(scatter.rows, scatter.map.len(), usize::try_from(widest).unwrap_or(0));
            if !at_once && windows.is_none() {
                let bytes = scatter.rows.saturating_mul(usize::try_from(widest).unwrap_or(0));
                let arguments = ScatterCopy { input: open.table()?, out, columns: open.copy };
                self.run(&copy, copy.blocks(bytes), columns, &arguments)?;
            }
            let report = Out::of_option(mailbox.as_ref().filter(|_| index == 0));
            if let Some(windows) = windows {
                let plain = |at: usize| {
                    let (source, target) = (open.columns[2 * at].desc(), open.columns[2 * at + 1].desc());
                    Plain { source, target, out: written[at].desc(), width: open.copy.at[at].kind }
                };
                let columns: Vec<_> = (0..puts.len()).map(plain).collect();
                windows.write(self, &columns, report)?;
                continue;
            }
            let arguments = ScatterDirect {
                map: map.desc(),
                rows: Rows::new(scatter.rows),
                check: check(!report.is_null()),
                copies: i32::from(at_once),
                input: open.table()?,
                out,
                columns: open.copy,
                mailbox: report,
            };
            let blocks = if at_once { 1 } else { write.spread_blocks(scatter.map.len()) };
            self.run(&write, blocks, columns, &arguments)?;
        }
        if let Some(mailbox) = mailbox {
            self.verdict(&mailbox.wait()?)?;
        }
        self.finish(outputs)
    }
}
