//! Probes the hash table of the build side on CUDA. In two cases a single launch finds and writes the matches:
//!
//! - There are few probe rows. The outputs have memory for somewhat more rows than the larger side has. If the matches
//!   do not fit in these outputs, the join takes the general path.
//! - Each probe row has at most one result (`tiles`). The outputs have memory for the probe rows.
//!
//! Joins of many probe rows mark the rows with a match first (`marks`) if the result needs no other rows.

mod bits;
mod marks;
mod table;
mod tiles;

use gdf_core::{Column, ColumnView, DataType, Error, Result};
use gdf_engine::cuda::{Grid, Kernel, Memory, Out, Rows, Tiles, Values};
use gdf_engine::keys::{KeySide, OpenKeys, row_indices};
use gdf_kernels::Arguments;
use gdf_kernels::generated::common::{KEY_COLUMNS, RowTable};
use gdf_kernels::generated::join::{
    self as kernels, Emit, FoundRows, IndicesOut, MatchPacked, MatchRows, MatchesOut, ProbePacked, ProbeRows,
};
use gdf_memory::{AccessMut, Buffer, Mailbox};

pub(in crate::join) use self::bits::set_bits;
pub(in crate::join) use self::marks::filter_by_bits;
use self::table::OpenTable;
pub(super) use self::table::Table;
use crate::Ctx;
use crate::join::hash_join::{JoinKind, Kind, Request};
use crate::vouch;

fn kernel_kind(kind: Kind) -> kernels::Kind {
    match kind {
        Kind::Inner => kernels::Kind::Inner,
        Kind::Left => kernels::Kind::Left,
        Kind::Semi => kernels::Kind::Semi,
        Kind::Anti => kernels::Kind::Anti,
    }
}

fn width(data_type: &DataType) -> usize {
    if *data_type == DataType::UInt32 { 4 } else { 8 }
}

/// The layout of the scratch memory to which the probing launches write the matches.
#[derive(Clone, Copy, Debug)]
struct ScratchLayout {
    /// The number of rows of the probe side, followed by the number of rows of the build side.
    rows: [usize; 2],
    tiles: [usize; 2],
    /// Whether row numbers are requested.
    rows_requested: bool,
    marks: usize,
}

impl ScratchLayout {
    fn positions(&self, side: usize) -> usize {
        self.tiles[..side].iter().sum::<usize>() * 8
    }

    fn starts(&self, side: usize) -> usize {
        // Kernels read the starts of a tile as vectors, which must be aligned to 16 bytes.
        self.positions(2).next_multiple_of(16) + self.rows[..side].iter().map(|rows| aligned(*rows)).sum::<usize>()
    }

    fn counts(&self) -> usize {
        if self.rows_requested { self.starts(2) } else { self.starts(0) }
    }

    fn marks(&self) -> usize {
        self.counts() + if self.rows_requested { aligned(self.rows[0]) } else { 0 }
    }

    fn bytes(&self) -> usize {
        self.marks() + self.marks
    }
}

fn aligned(rows: usize) -> usize {
    rows.next_multiple_of(4) * 4
}

struct Lookup<'p, 'a> {
    table: &'p Table,
    build: &'p KeySide<'a>,
    probe: &'p KeySide<'p>,
    request: Request,
    /// A boolean column that is true for the probe rows that take part.
    selected: Option<ColumnView<'p>>,
    ctx: Ctx<'p>,
}

struct Found {
    sizes: [usize; 2],
    layout: ScratchLayout,
    memory: Buffer,
}

pub(in crate::join) fn join(
    table: &Table,
    build: &KeySide<'_>,
    probe: &KeySide<'_>,
    request: Request,
    ctx: Ctx<'_>,
) -> Result<(Column, Option<Column>)> {
    let numbered = table.numbered(probe, ctx.scratch())?;
    let (build, probe) = &table.sides(build, probe, numbered.as_ref())?;
    let lookup = Lookup { table, build, probe, request, selected: None, ctx };
    if let Some(columns) = lookup.by_marks()? {
        return Ok(columns);
    }
    lookup.of_few_rows()
}

/// Joins the probe rows for which `selected` is true, if the kernel that takes masks can do this join.
pub(in crate::join) fn join_selected(
    table: &Table,
    build: &KeySide<'_>,
    probe: &KeySide<'_>,
    selected: ColumnView<'_>,
    request: Request,
    ctx: Ctx<'_>,
) -> Result<Option<(Column, Option<Column>)>> {
    let numbered = table.numbered(probe, ctx.scratch())?;
    let (build, probe) = &table.sides(build, probe, numbered.as_ref())?;
    let lookup = Lookup { table, build, probe, request, selected: Some(selected), ctx };
    if let Some(columns) = lookup.by_marks()? {
        return Ok(Some(columns));
    }
    lookup.in_tiles()
}

pub(in crate::join) fn join_size(
    table: &Table,
    build: &KeySide<'_>,
    probe: &KeySide<'_>,
    request: Request,
    ctx: Ctx<'_>,
) -> Result<usize> {
    let numbered = table.numbered(probe, ctx.scratch())?;
    let (build, probe) = &table.sides(build, probe, numbered.as_ref())?;
    let found = Lookup { table, build, probe, request, selected: None, ctx }.find(false)?;
    Ok(found.sizes.iter().sum())
}

/// Returns the rows of the build side without a match, as a full join finds them.
pub(in crate::join) fn unmatched_rows(
    table: &Table,
    build: &KeySide<'_>,
    probe: &KeySide<'_>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let numbered = table.numbered(probe, ctx.scratch())?;
    let (build, probe) = &table.sides(build, probe, numbered.as_ref())?;
    let lookup = Lookup { table, build, probe, request: JoinKind::Full.into(), selected: None, ctx };
    let mut found = lookup.find(true)?;
    found.sizes[0] = 0;
    // The left column has only the row number that means "no row".
    let (_, right) = lookup.write(&found)?;
    right.ok_or_else(|| Error::internal("a full join returned no right row numbers"))
}

impl Lookup<'_, '_> {
    /// Opens the key columns of the build side if keys are not packed, because the kernels then compare the columns.
    fn open_build(&self) -> Result<Option<OpenKeys<'_>>> {
        self.build.packing.is_none().then(|| OpenKeys::of_side(self.build, self.ctx.stream)).transpose()
    }

    fn types(&self) -> (DataType, DataType) {
        (row_indices(self.probe.rows()), row_indices(self.build.rows()))
    }

    fn buffers(&self, results: usize) -> Result<(Buffer, Option<Buffer>)> {
        let (left, right) = self.types();
        let buffer = |data_type: &DataType| -> Result<Buffer> {
            Ok(Buffer::uninitialized(results.saturating_mul(width(data_type)), self.ctx.stream, self.ctx.mr.output)?)
        };
        Ok((buffer(&left)?, self.request.has_pairs().then(|| buffer(&right)).transpose()?))
    }

    fn outputs<'m>(
        &self,
        left: &'m AccessMut<'_>,
        right: Option<&'m AccessMut<'_>>,
        skip: usize,
        results: usize,
    ) -> Result<[IndicesOut<'m>; 2]> {
        let out = |access: Option<&'m AccessMut<'_>>, data_type: DataType| -> Result<IndicesOut<'m>> {
            let (width, memory) = (width(&data_type), access.map(Memory::of));
            let first = memory.map(|memory| memory.skip(skip * width).rows(results, width)).transpose()?;
            Ok(IndicesOut { first: first.unwrap_or_default(), wide: i32::from(width == 8), unused: 0 })
        };
        let (left_type, right_type) = self.types();
        Ok([out(Some(left), left_type)?, out(right, right_type)?])
    }

    fn sides(&self) -> [(&KeySide<'_>, kernels::Kind); 2] {
        [(self.probe, kernel_kind(self.request.kind)), (self.build, kernels::Kind::Unmatched)]
    }

    fn input<'o>(
        &self,
        keys: &'o OpenKeys<'_>,
        side: &KeySide<'_>,
        kind: kernels::Kind,
        table: &'o OpenTable<'_>,
    ) -> Result<kernels::Lookup<'o>> {
        let (rows, kind) = (Rows::new(side.rows()), kind as i32);
        Ok(kernels::Lookup {
            keys: keys.desc(),
            table: table.desc()?,
            rows,
            grouped: table.grouped()?,
            kind,
            unused: 0,
        })
    }

    fn run<A: Arguments>(&self, kernel: &Kernel<A::Static>, grid: Grid, arguments: &A) -> Result<()> {
        // SAFETY: The kernels read the keys, the table and the scratch arrays, and write scratch arrays, outputs and
        // the mailbox.
        // - The keys have `rows` rows (`OpenKeys`), and so has the mask of the selected rows, if there is one.
        // - If there are bits of values, they have the number of words that their number of bits needs. A cooperative
        //   launch has at least as many threads as rows.
        // - The table has been filled from keys of the same types. The table also contains its grouped rows. If there
        //   are marks, the table is not a set.
        // - The arrays of starts, counts, marks and positions have an element for each row or tile of the layout.
        //   Marks are initially zero.
        // - Outputs have room for the number of results that the arguments state, or that the probing launch has
        //   counted. The outputs of a launch that finds at most one result for each row have room for all rows.
        // - The states of tiles are zero. If they are not allocated, they fit in the scratch memory of the stream.
        // - `Memory` has checked the sizes of the arrays and outputs.
        // - The mailbox has a word for each side.
        // - All memory is open on this stream until the launch is enqueued.
        unsafe { kernel.launch_grid(self.ctx.stream, grid, arguments)? };
        Ok(())
    }

    fn columns(&self, results: usize, left: Buffer, right: Option<Buffer>) -> Result<(Column, Option<Column>)> {
        let column = |data_type, buffer| vouch::numbers(data_type, buffer, results, self.ctx.stream);
        let (left_type, right_type) = self.types();
        Ok((column(left_type, left)?, right.map(|right| column(right_type, right)).transpose()?))
    }

    /// Joins the probe rows without marks.
    fn of_few_rows(&self) -> Result<(Column, Option<Column>)> {
        if let Some(columns) = self.at_once()? {
            return Ok(columns);
        }
        if let Some(columns) = self.in_tiles()? {
            return Ok(columns);
        }
        let found = self.find(true)?;
        self.write(&found)
    }

    /// Joins few probe rows in one launch.
    fn at_once(&self) -> Result<Option<(Column, Option<Column>)>> {
        if self.build.packing.is_some() {
            return self
                .match_by(&Kernel::find(self.ctx.stream)?, |kernel, grid, packed, _| self.run(kernel, grid, &packed));
        }
        self.match_by(&Kernel::find(self.ctx.stream)?, |kernel, grid, packed, build| {
            let MatchPacked { input, out, mailbox } = packed;
            self.run(kernel, grid, &MatchRows { input, build, out, mailbox })
        })
    }

    /// Implements [`at_once`](Self::at_once) for a kernel.
    fn match_by<S: Arguments<Static = S>>(
        &self,
        kernel: &Kernel<S>,
        launch: impl FnOnce(&Kernel<S>, Grid, MatchPacked<'_>, RowTable<'_, KEY_COLUMNS>) -> Result<()>,
    ) -> Result<Option<(Column, Option<Column>)>> {
        let Self { ctx: Ctx { stream, .. }, request, .. } = *self;
        let (rows, most) = (self.probe.rows(), kernel.rows_at_once());
        if rows == 0 || rows > most || request.full {
            return Ok(None);
        }
        // If few keys occur more than once, there are only slightly more results than rows of the larger side.
        let larger = self.build.rows().clamp(rows, most);
        let capacity = if request.has_pairs() { larger + larger / 4 } else { rows };
        let (mut left, mut right) = self.buffers(capacity)?;
        let mailbox = Mailbox::new(stream, 1)?;
        let left_access = left.write_on(stream)?;
        let right_access = right.as_mut().map(|right| right.write_on(stream)).transpose()?;
        let table = self.table.open(stream)?;
        let [left_out, right_out] = self.outputs(&left_access, right_access.as_ref(), 0, capacity)?;
        let keys = OpenKeys::of_side(self.probe, stream)?;
        let packed = MatchPacked {
            input: self.input(&keys, self.probe, kernel_kind(request.kind), &table)?,
            out: MatchesOut { left: left_out, right: right_out, capacity: capacity as i64 },
            mailbox: Out::of(&mailbox),
        };
        let build = self.open_build()?;
        let build = build.as_ref().map(|build| build.desc().rows).unwrap_or_default();
        launch(kernel, Grid::Cooperative(kernel.spread_blocks(rows), 1), packed, build)?;
        drop((left_access, right_access));
        let [results, ..] = mailbox.wait()?;
        let Some(results) = usize::try_from(results).ok().filter(|results| *results <= capacity) else {
            // There are more results than rows, so rows have several results.
            self.table.remember_several_results();
            return Ok(None);
        };
        let (left_type, right_type) = self.types();
        let left = left.slice(0, results * width(&left_type))?;
        let right = right.map(|right| right.slice(0, results * width(&right_type))).transpose()?;
        Ok(Some(self.columns(results, left, right)?))
    }

    fn find(&self, rows_requested: bool) -> Result<Found> {
        if self.build.packing.is_some() {
            return self.find_by(&Kernel::find(self.ctx.stream)?, rows_requested, |kernel, grid, packed, _| {
                self.run(kernel, grid, &packed)
            });
        }
        self.find_by(&Kernel::find(self.ctx.stream)?, rows_requested, |kernel, grid, packed, build| {
            let ProbePacked { input, found, mailbox } = packed;
            self.run(kernel, grid, &ProbeRows { input, build, found, mailbox })
        })
    }

    fn find_by<S: Arguments<Static = S>>(
        &self,
        kernel: &Kernel<S>,
        rows_requested: bool,
        launch: impl Fn(&Kernel<S>, Grid, ProbePacked<'_>, RowTable<'_, KEY_COLUMNS>) -> Result<()>,
    ) -> Result<Found> {
        let Self { ctx: Ctx { stream, .. }, request, .. } = *self;
        let rows = [self.probe.rows(), if request.full { self.build.rows() } else { 0 }];
        let layout = ScratchLayout { rows, tiles: rows.map(|rows| kernel.tiles(rows)), rows_requested, marks: rows[1] };
        let mut memory = Buffer::uninitialized(layout.bytes(), stream, self.ctx.mr.temporary)?;
        if rows == [0, 0] {
            return Ok(Found { sizes: [0, 0], layout, memory });
        }
        let mut access = memory.write_on(stream)?;
        access.fill(layout.marks()..layout.bytes(), 0)?;
        let scratch_memory = Memory::of(&access);
        let table = self.table.open(stream)?;
        let mut mailbox = Mailbox::new(stream, 2)?;
        for side in (0..2).filter(|&side| rows[side] == 0) {
            mailbox.preset(side..side + 1);
        }
        let marks = if request.full { scratch_memory.array(layout.marks(), layout.marks)? } else { Out::NULL };
        let starts = |side: usize| match rows_requested {
            true => scratch_memory.array(layout.starts(side), rows[side]),
            false => Ok(Out::NULL),
        };
        let counted = if rows_requested { rows[0] } else { 0 };
        let build = self.open_build()?;
        let build = build.as_ref().map(|build| build.desc().rows).unwrap_or_default();
        for (index, (side, kind)) in self.sides().into_iter().enumerate().filter(|(index, _)| rows[*index] > 0) {
            let keys = OpenKeys::of_side(side, stream)?;
            let packed = ProbePacked {
                input: self.input(&keys, side, kind, &table)?,
                found: FoundRows {
                    starts: starts(index)?,
                    counts: scratch_memory.array(layout.counts(), counted)?,
                    marks,
                    tile_counts: scratch_memory.array(layout.positions(index), layout.tiles[index])?,
                    tiles: Tiles::new(layout.tiles[index]),
                },
                mailbox: Out::<u64>::of(&mailbox).element(index),
            };
            launch(kernel, Grid::Blocks(kernel.blocks(rows[index])), packed, build)?;
        }
        drop(access);
        let words = mailbox.wait()?;
        let sizes = [words[0], words[1]].map(|word| usize::try_from(word).unwrap_or(usize::MAX));
        Ok(Found { sizes, layout, memory })
    }

    fn write(&self, found: &Found) -> Result<(Column, Option<Column>)> {
        let Self { ctx: Ctx { stream, .. }, .. } = *self;
        let total = found.sizes.iter().fold(0_usize, |sum, size| sum.saturating_add(*size));
        let (mut left, mut right) = self.buffers(total)?;
        if total > 0 {
            let left_access = left.write_on(stream)?;
            let right_access = right.as_mut().map(|right| right.write_on(stream)).transpose()?;
            let memory = found.memory.read_on(stream)?;
            let table = self.table.open(stream)?;
            for side in 0..found.sizes.len() {
                let skip = if side == 0 { 0 } else { found.sizes[0] };
                let outputs = self.outputs(&left_access, right_access.as_ref(), skip, found.sizes[side])?;
                self.emit(found, side, Values::of(&memory), &table, outputs)?;
            }
        }
        self.columns(total, left, right)
    }

    fn emit(
        &self,
        found: &Found,
        side: usize,
        memory: Values<'_>,
        table: &OpenTable<'_>,
        [left_out, right_out]: [IndicesOut<'_>; 2],
    ) -> Result<()> {
        let (layout, total) = (&found.layout, found.sizes[side]);
        if total == 0 {
            return Ok(());
        }
        let kernel = Kernel::find(self.ctx.stream)?;
        let arguments = Emit {
            table: table.desc()?,
            kind: self.sides()[side].1 as i32,
            rows: Rows::new(layout.rows[side]),
            starts: memory.array(layout.starts(side), layout.rows[side])?,
            counts: memory.array(layout.counts(), layout.rows[0])?,
            grouped: table.grouped()?,
            positions: memory.array(layout.positions(side), layout.tiles[side])?,
            tiles: Tiles::new(layout.tiles[side]),
            total: total as i64,
            left_out,
            right_out,
        };
        // The work of a launch grows with the number of rows, even if rows have no result.
        let work = total.saturating_add(layout.rows[side]);
        self.run(&kernel, Grid::Blocks(kernel.blocks(work)), &arguments)
    }
}
