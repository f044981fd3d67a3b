//! The launches that copy columns with lists: one finds the ranges of all levels, one copies up to 32 parts.

use gdf_core::{Column, Result};
use gdf_kernels::generated::copying::{
    AffineRows, CopyNested, GatherChecks, NestedLevel, NestedPartKind, NestedRangeForm, NestedRanges, NestedRowRanges,
};
use gdf_kernels::{ColumnIn, ColumnOut, bytes_of};
use gdf_memory::{Access, Buffer, Mailbox};

use super::SourceRows;
use super::output::NestedOutputs;
use super::plan::{Content, Level, NestedPlan, RangeLength};
use crate::Ctx;
use crate::cuda::{CudaColumn, In, Kernel, Out, Rows, describe, open_buffers};
use crate::layout::{byte_len, characters};
use crate::rows::{Bounds, out_of_bounds};

/// The number of mailbox words before the words of the levels.
const VERDICT: usize = 1;
/// The maximum number of parts of a launch.
const PARTS: usize = 32;
/// The number of bytes of the state of a tile of a level.
const ENTRY: usize = 16;

pub(super) struct NestedCopy<'p, 'a> {
    pub(super) plan: &'p NestedPlan<'a>,
    /// The number of rows of the first table, and of the second table.
    pub(super) rows_of_tables: [usize; 2],
    pub(super) rows: SourceRows<'p>,
    pub(super) ctx: Ctx<'p>,
}

/// The nodes and levels in device memory.
struct Uploaded<'a> {
    /// The accesses keep the buffers of all nodes open.
    _accesses: Vec<Access<'a>>,
    memory: Buffer,
    nodes: usize,
    tables: usize,
    /// The number of bytes of an element that the kernel copies, for each node with values.
    widths: Vec<usize>,
}

pub(super) fn copy(job: &NestedCopy<'_, '_>) -> Result<Vec<Column>> {
    let NestedCopy { plan, rows, ctx, .. } = job;
    let (count, nullable) = (rows.count(), rows.nullable());
    let uploaded = Uploaded::new(plan, *ctx)?;
    let is_counted = rows.rows().is_none();
    let arrays = plan.first_array() + plan.levels_with_sizes().len() + usize::from(is_counted);
    let bytes = byte_len(byte_len(count, arrays, ctx.mr)?, size_of::<i64>(), ctx.mr)?;
    let mut numbers = Buffer::uninitialized(bytes, ctx.stream, ctx.mr.temporary)?;
    let mut totals: Vec<_> = rows.rows().into_iter().map(|rows| rows as u64).collect();
    job.find_ranges(&uploaded, &mut numbers, &mut totals)?;
    let mut outputs = NestedOutputs::new(plan, &totals, nullable, *ctx)?;
    job.copy_parts(&uploaded, &mut numbers, &totals, &mut outputs)?;
    outputs.finish(plan, *ctx)
}

impl NestedCopy<'_, '_> {
    /// Finds the ranges of all levels, and appends the number of rows of each level to `totals`.
    fn find_ranges(&self, uploaded: &Uploaded<'_>, numbers: &mut Buffer, totals: &mut Vec<u64>) -> Result<()> {
        let NestedCopy { plan, ctx: Ctx { stream, mr }, .. } = *self;
        let (count, levels) = (self.rows.count(), plan.levels.len());
        let kernel = Kernel::<NestedRanges>::find(stream)?;
        let tiles = kernel.tiles(count);
        let columns = self.open_columns()?;
        let numbers = numbers.write_on(stream)?;
        let memory = uploaded.memory.read_on(stream)?;
        let at_once = Mailbox::MAX_WORDS - VERDICT;
        // Level 0 is scanned only if its rows are counted.
        let start = usize::from(self.rows.rows().is_some());
        let mut first = start;
        while first == start || first <= levels {
            let last = (levels + 1).min(first + at_once);
            let reports = matches!(self.rows, SourceRows::Map(_, Bounds::Report)) && first == start;
            let mailbox = match (reports, last - first) {
                (true, levels) => Some(Mailbox::cleared(stream, VERDICT + levels)?),
                (false, 0) => None,
                (false, levels) => {
                    let mut mailbox = Mailbox::new(stream, VERDICT + levels)?;
                    mailbox.preset(0..VERDICT);
                    Some(mailbox)
                }
            };
            let mut entries = match tiles {
                0 | 1 => None,
                _ => Some(Buffer::zeroed(byte_len((last - first).max(1), tiles * ENTRY, mr)?, stream, mr.temporary)?),
            };
            let entries = entries.as_mut().map(|entries| entries.write_on(stream)).transpose()?;
            let arguments = NestedRanges {
                given: self.given(&columns, reports),
                input: uploaded.input(&memory),
                parent: uploaded.parent(plan, &memory),
                nodes: uploaded.nodes as i64,
                levels: uploaded.levels(&memory),
                first_level: first as i32,
                last_level: last as i32,
                numbers: Out::of(&numbers),
                count: Rows::new(count),
                entries: Out::of_option(entries.as_ref()),
                mailbox: Out::of_option(mailbox.as_ref()),
            };
            // SAFETY: The kernel reads the columns of `given`, and offsets and masks of the nodes at rows of the table.
            // - A map is checked by the kernel, or consists of rows of the table (`Trusted`). The numbers of an affine
            //   source are rows of the table. Ranges are checked by the kernel.
            // - `uploaded` describes the nodes, whose accesses it holds, and the levels.
            // - `numbers` has the arrays of all levels, `entries` an entry for each level and tile, and the mailbox a
            //   word for each level.
            // - The caller holds accesses of this stream to all memory until the launch is enqueued.
            unsafe { kernel.launch(stream, kernel.blocks(count), 1, &arguments)? };
            drop(entries);
            if let Some(mailbox) = mailbox {
                let words = mailbox.wait()?;
                if words[0] != 0
                    && let SourceRows::Map(map, _) = self.rows
                {
                    return Err(out_of_bounds(map, self.rows_of_tables[0], stream)?);
                }
                totals.extend(&words[VERDICT..VERDICT + last - first]);
            }
            first = last.max(start + 1);
        }
        Ok(())
    }

    /// Opens the columns of row numbers.
    fn open_columns(&self) -> Result<Vec<CudaColumn<'_>>> {
        let views = match &self.rows {
            SourceRows::Map(map, _) | SourceRows::Mask(map) => vec![*map],
            SourceRows::Affine(_) => Vec::new(),
            SourceRows::Ranges(ranges) => ranges.begins.into_iter().chain([ranges.ends]).chain(ranges.sizes).collect(),
        };
        views.into_iter().map(|view| CudaColumn::open(view, self.ctx.stream)).collect()
    }

    fn given<'c>(&self, columns: &'c [CudaColumn<'_>], reports: bool) -> NestedRowRanges<'c> {
        let column = |at: usize| columns.get(at).map_or_else(ColumnIn::default, CudaColumn::desc);
        let none = AffineRows { divisor: 1, length: 1, ..AffineRows::default() };
        let (form, check, affine) = match self.rows {
            SourceRows::Map(_, Bounds::Trust(_)) => (NestedRangeForm::ByMap, GatherChecks::Trust, none),
            SourceRows::Map(_, Bounds::Report) if reports => (NestedRangeForm::ByMap, GatherChecks::Report, none),
            SourceRows::Map(..) => (NestedRangeForm::ByMap, GatherChecks::Null, none),
            SourceRows::Affine(rows) => (NestedRangeForm::ByAffine, GatherChecks::Trust, rows),
            SourceRows::Mask(_) => (NestedRangeForm::ByMask, GatherChecks::Trust, none),
            SourceRows::Ranges(_) if self.plan.tables() > 1 => (NestedRangeForm::ByRanges, GatherChecks::Trust, none),
            SourceRows::Ranges(_) => (NestedRangeForm::ByRanges, GatherChecks::Null, none),
        };
        NestedRowRanges {
            map: column(0),
            ends: column(1),
            sizes: column(2),
            affine,
            rows: Rows::new(self.rows_of_tables[0].saturating_add(self.rows_of_tables[1])),
            split: self.rows_of_tables[0] as i64,
            form: form as i32,
            check: check as i32,
        }
    }

    /// Copies all parts, up to 32 in a launch.
    fn copy_parts(
        &self,
        uploaded: &Uploaded<'_>,
        numbers: &mut Buffer,
        totals: &[u64],
        outputs: &mut NestedOutputs,
    ) -> Result<()> {
        let NestedCopy { plan, ctx, .. } = *self;
        let stream = ctx.stream;
        let kernel = Kernel::<CopyNested>::find(stream)?;
        let open = outputs.open(ctx)?;
        let (parts, out): (Vec<_>, Vec<_>) =
            NestedOutputs::parts(plan, totals, &uploaded.widths, &open).into_iter().unzip();
        if parts.is_empty() {
            return Ok(());
        }
        let bytes = [bytes_of(&out), bytemuck::cast_slice(&parts)].concat();
        let described = Buffer::from_host(&bytes, stream, ctx.mr.temporary)?;
        let (described, memory) = (described.read_on(stream)?, uploaded.memory.read_on(stream)?);
        let row_ends = match &self.rows {
            SourceRows::Ranges(ranges) => Some(CudaColumn::open(ranges.ends, stream)?),
            _ => None,
        };
        let numbers = numbers.write_on(stream)?;
        for first in (0..parts.len()).step_by(PARTS) {
            let chosen = &parts[first..parts.len().min(first + PARTS)];
            let units = chosen.iter().map(|part| units(part.kind, part.count as usize)).max().unwrap_or(0);
            let arguments = CopyNested {
                input: uploaded.input(&memory),
                parent: uploaded.parent(plan, &memory),
                nodes: uploaded.nodes as i64,
                parts: In::<ColumnOut>::of(&described).element(out.len()).cast(),
                out: In::of(&described),
                first_part: first as i32,
                numbers: Out::of(&numbers),
                count: Rows::new(self.rows.count()),
                row_ends: match (&row_ends, self.rows.rows()) {
                    (Some(ends), _) => {
                        let ends = ends.desc();
                        ends.data.cast::<i64>().element(ends.offset as usize)
                    }
                    (None, None) => In::of(&numbers).element(plan.array_of_row_ends() * self.rows.count()),
                    (None, Some(_)) => In::NULL,
                },
            };
            // SAFETY: The kernel reads the ranges that the first kernel has found, which lie in the nodes, and writes
            // all rows of the outputs, which have been allocated for the totals of these ranges. The accesses to
            // nodes, outputs, ranges and descriptors are alive until the launch is enqueued.
            unsafe { kernel.launch(stream, kernel.blocks(units.max(1)), chosen.len() as u32, &arguments)? };
        }
        Ok(())
    }
}

/// Returns the number of items of threads that a part has work for.
fn units(kind: i32, count: usize) -> usize {
    const UNIT: usize = 16;
    match kind {
        1.. => count.saturating_mul(kind as usize).div_ceil(UNIT),
        kind if kind == NestedPartKind::Offsets as i32 => count,
        // Each thread writes one word of bits per tile, and a tile is that of four items.
        _ => count.div_ceil(32) * 4,
    }
}

impl<'a> Uploaded<'a> {
    fn new(plan: &NestedPlan<'a>, ctx: Ctx<'_>) -> Result<Self> {
        let tables = plan.tables();
        let (mut accesses, mut widths) = (Vec::new(), Vec::new());
        for table in 0..tables {
            for node in &plan.nodes {
                open_buffers(node.views[table], ctx.stream, |access| accesses.push(access))?;
            }
        }
        let mut open = accesses.iter();
        let mut columns = Vec::with_capacity(tables * plan.nodes.len());
        for table in 0..tables {
            for node in &plan.nodes {
                columns.push(describe(node.views[table], &mut open));
            }
        }
        for (at, node) in plan.nodes.iter().enumerate() {
            let own = || (0..tables).map(|table| table * plan.nodes.len() + at);
            let mut width = 0;
            match node.content {
                Content::Values(bytes) => {
                    let fits = |width: &usize| {
                        bytes.is_multiple_of(*width)
                            && own().all(|at| columns[at].data.address().is_multiple_of(*width as u64))
                    };
                    width = [8, 4, 2].into_iter().find(fits).unwrap_or(1);
                }
                Content::Offsets { is_text, .. } => {
                    for (at, view) in own().zip(&node.views) {
                        let column = &mut columns[at];
                        if column.offsets.is_null() {
                            column.offsets = column.data;
                        }
                        let elements = if is_text { characters(*view).get() } else { view.child(0)?.len() };
                        column.length = elements as i64;
                    }
                }
                Content::Bits | Content::Nothing => {}
            }
            widths.push(width);
        }
        let sizes = plan.levels_with_sizes();
        let level = |(at, level): (usize, &Level)| NestedLevel {
            node: level.node as i32,
            above: level.above as i32,
            scale: level.scale as i64,
            masked: i32::from(plan.length == RangeLength::One && level.above == 0 && level.scale == 1),
            sizes: sizes.iter().position(|of| *of == at + 1).map_or(0, |i| (plan.first_array() + i) as i32),
        };
        // Level 0 has ends in place of sizes.
        let rows = NestedLevel { sizes: plan.array_of_row_ends() as i32, ..NestedLevel::default() };
        let levels: Vec<_> = [rows].into_iter().chain(plan.levels.iter().enumerate().map(level)).collect();
        let parents: Vec<i32> = plan.nodes.iter().map(|node| node.parent.map_or(-1, |parent| parent as i32)).collect();
        let bytes = [bytes_of(&columns), bytemuck::cast_slice(&levels), bytemuck::cast_slice(&parents)].concat();
        let memory = Buffer::from_host(&bytes, ctx.stream, ctx.mr.temporary)?;
        drop((open, columns));
        Ok(Self { _accesses: accesses, memory, nodes: plan.nodes.len(), tables, widths })
    }

    fn input<'m>(&self, memory: &'m Access<'_>) -> In<'m, ColumnIn<'m>> {
        In::of(memory)
    }

    fn levels<'m>(&self, memory: &'m Access<'_>) -> In<'m, NestedLevel> {
        self.input(memory).element(self.nodes * self.tables).cast()
    }

    fn parent<'m>(&self, plan: &NestedPlan<'_>, memory: &'m Access<'_>) -> In<'m, i32> {
        self.levels(memory).element(plan.levels.len() + 1).cast()
    }
}

impl NestedPlan<'_> {
    fn tables(&self) -> usize {
        self.nodes.first().map_or(0, |node| node.views.len())
    }

    /// Returns the number of arrays of begins and ends, after which the arrays of sizes follow.
    fn first_array(&self) -> usize {
        1 + 2 * self.levels.len()
    }

    /// Returns the number of the array of the ends of level 0, which follows the arrays of sizes.
    fn array_of_row_ends(&self) -> usize {
        self.first_array() + self.levels_with_sizes().len()
    }

    /// Returns the levels that have levels below them.
    fn levels_with_sizes(&self) -> Vec<usize> {
        (1..=self.levels.len()).filter(|&at| self.levels.iter().any(|level| level.above == at)).collect()
    }
}
