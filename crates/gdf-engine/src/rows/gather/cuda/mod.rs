//! `gather` on CUDA. A launch copies up to 32 columns.
//!
//! - If there are string columns, earlier launches compute the sizes of the result's tiles. The host waits for the
//!   totals, allocates the result, and launches the copy.
//! - If out-of-bounds elements are errors, the host waits for the check of the map.
//! - If there are string columns and the result has few rows, a single launch copies the rows to buffers. The size of
//!   the buffers is computed from the average length of a row, with some reserve. If the buffers are too small, the
//!   rows are copied as in the first case.

mod out_of_bounds;

use gdf_core::{ColumnView, Result, Table, physical_type};
use gdf_kernels::generated::copying::{Gather, GatherChecks, GatherFew, GatherKernel, GatherSizes};
use gdf_memory::Mailbox;

pub use self::out_of_bounds::out_of_bounds;
use super::plan::Bounds;
use crate::Ctx;
use crate::cuda::{CudaColumn, Grid, In, Kernel, Out, Rows, Tiles};
use crate::layout::{OutputBuffers, RowKind};
use crate::rows::cuda::{LaunchBatch, MAX_CAPACITY, Measure, RowOutputs, SizePlaces, StringSizes};
use crate::rows::{Leaf, RowPlan};

/// The number of mailbox words before the words of the string columns.
const VERDICT: usize = 1;
/// The number of bytes that are added to the estimated number of characters.
const SPARE_BYTES: usize = 4096;

pub(super) fn gather(
    plan: &RowPlan<'_>,
    rows: usize,
    map: ColumnView<'_>,
    bounds: Bounds,
    ctx: Ctx<'_>,
) -> Result<Table> {
    let gathering = GatherJob { plan, rows, map, bounds, ctx };
    if let Some(output_buffers) = gathering.at_once()? {
        return plan.finish(map.len(), ctx.stream.device(), output_buffers);
    }
    let sizes = gathering.measure()?;
    // The launch that measures strings has already checked the map.
    let report = bounds == Bounds::Report && sizes.is_none();
    let mut outputs = gathering.outputs(sizes.as_ref().map_or(&[], |sizes| &sizes.bytes))?;
    let mailbox = if report { Some(Mailbox::cleared(ctx.stream, VERDICT)?) } else { None };
    gathering.copy(&mut outputs, sizes.as_ref(), mailbox.as_ref())?;
    if let Some(mailbox) = mailbox {
        gathering.verdict(&mailbox.wait()?)?;
    }
    outputs.finish(plan, map.len(), ctx)
}

/// Returns the number of bytes to allocate for the text of `rows` rows of a leaf.
fn byte_capacity(leaf: &Leaf<'_>, rows: usize) -> usize {
    let RowKind::Strings { .. } = leaf.kind else { return 0 };
    let [offsets, characters, ..] = leaf.view.buffers() else { return 0 };
    if characters.foreign_owner().is_some() {
        // If another library has allocated the buffer, its length is only an upper bound of the length of the text.
        return SPARE_BYTES;
    }
    let wide = physical_type(leaf.view.data_type()).is_large();
    let all = (offsets.len() / if wide { 8 } else { 4 }).saturating_sub(1).max(1);
    let guess = characters.len() as u128 * rows as u128 / all as u128;
    usize::try_from(guess + guess / 4).unwrap_or(usize::MAX).saturating_add(SPARE_BYTES)
}

struct GatherJob<'p, 'a> {
    plan: &'p RowPlan<'a>,
    rows: usize,
    map: ColumnView<'p>,
    bounds: Bounds,
    ctx: Ctx<'p>,
}

impl GatherJob<'_, '_> {
    fn check(&self, report: bool) -> i32 {
        let check = match self.bounds {
            Bounds::Trust(_) => GatherChecks::Trust,
            Bounds::Report if report => GatherChecks::Report,
            Bounds::Nullify | Bounds::Report => GatherChecks::Null,
        };
        check as i32
    }

    /// Returns the number of bytes to allocate for the text of each leaf, as [`byte_capacity`] estimates it.
    fn capacities(&self) -> Option<Vec<usize>> {
        let capacities: Vec<usize> =
            self.plan.leaves().iter().map(|leaf| byte_capacity(leaf, self.map.len())).collect();
        let all = capacities.iter().fold(0_usize, |sum, capacity| sum.saturating_add(*capacity));
        (1..=MAX_CAPACITY).contains(&all).then_some(capacities)
    }

    /// Copies few rows of a table with strings in one launch.
    fn at_once(&self) -> Result<Option<Vec<OutputBuffers>>> {
        let GatherJob { plan, ctx: Ctx { stream, .. }, .. } = *self;
        let kernel = Kernel::<GatherFew>::find(stream)?;
        if self.map.len() > kernel.rows_at_once() {
            return Ok(None);
        }
        let Some(capacities) = self.capacities() else { return Ok(None) };
        let leaves = (0..plan.leaves().len()).filter(|&at| plan.leaves()[at].kind != RowKind::Null);
        let batches = LaunchBatch::distribute(plan, leaves, 0)?;
        let [batch] = &*batches else { return Ok(None) };
        let (blocks, columns) = (kernel.spread_blocks(self.map.len()), batch.columns());
        if blocks as usize * columns > kernel.resident() {
            return Ok(None);
        }
        let mut outputs = self.outputs(&capacities)?;
        let mailbox = Mailbox::cleared(stream, VERDICT + columns)?;
        let map = CudaColumn::open(self.map, stream)?;
        // For a text column, the kernel expects the capacity of the buffer in bytes, instead of the slot of the column.
        let sizes = SizePlaces { slots: &capacities, first_word: VERDICT };
        batch.launch(plan, sizes, Some(&mut outputs), stream, |open| {
            let arguments = GatherFew {
                map: map.desc(),
                rows: Rows::new(self.rows),
                check: self.check(true),
                input: open.input,
                out: open.out,
                copy: open.copy,
                mailbox: Out::of(&mailbox),
            };
            open.run(&kernel, Grid::Cooperative(blocks, open.columns()), &arguments)
        })?;
        let words = mailbox.wait()?;
        self.verdict(&words)?;
        let mut output_buffers = outputs.into_buffers(plan, self.ctx)?;
        for (position, leaf) in batch.copied().filter(|(_, leaf)| plan.leaves()[*leaf].kind.is_strings()) {
            let bytes = usize::try_from(words[VERDICT + position]).unwrap_or(usize::MAX);
            if bytes > capacities[leaf] {
                return Ok(None);
            }
            if let Some(characters) = output_buffers[leaf].buffers.get_mut(1) {
                *characters = characters.slice(0, bytes)?;
            }
        }
        Ok(Some(output_buffers))
    }

    /// Measures all string columns, up to 32 per launch and wait.
    fn measure(&self) -> Result<Option<StringSizes>> {
        let GatherJob { plan, ctx: Ctx { stream, .. }, .. } = *self;
        if plan.strings().is_empty() {
            return Ok(None);
        }
        let kernel = Kernel::find(stream)?;
        let (share, tiles) = self.tiles()?;
        let map = CudaColumn::open(self.map, stream)?;
        let sizes = Measure { reserved: 0, tiles, first_word: VERDICT, ctx: self.ctx }.run(
            plan,
            |batch, _| Ok(Mailbox::cleared(stream, VERDICT + batch.columns())?),
            |open, index, counts, mailbox| {
                let arguments = GatherSizes {
                    map: map.desc(),
                    rows: Rows::new(self.rows),
                    check: self.check(index == 0),
                    input: open.input,
                    copy: open.copy,
                    counts,
                    share: share as i32,
                    tiles: Tiles::new(tiles),
                    mailbox,
                };
                open.run(&kernel, Grid::Columns(kernel.spread_blocks(self.map.len()), open.columns()), &arguments)
            },
            |_, words| self.verdict(words),
        )?;
        Ok(Some(sizes))
    }

    /// Returns the error of the first element that is out of bounds, if the launch has reported that there is one.
    fn verdict(&self, words: &[u64]) -> Result<()> {
        if words[0] == 0 { Ok(()) } else { Err(out_of_bounds(self.map, self.rows, self.ctx.stream)?) }
    }

    fn tiles(&self) -> Result<(usize, usize)> {
        let kernel = Kernel::<Gather>::choose(GatherKernel::Fixed, self.ctx.stream)?;
        let share = kernel.share(self.map.len());
        Ok((share, self.map.len().div_ceil(share * kernel.threads())))
    }

    fn outputs(&self, bytes: &[usize]) -> Result<RowOutputs> {
        let nulls = self.bounds == Bounds::Nullify || self.map.has_validity();
        let outputs = RowOutputs::new(self.plan, self.map.len(), bytes, self.ctx)?;
        if nulls { outputs.nullable(self.ctx) } else { Ok(outputs) }
    }

    /// Copies all leaves that have outputs, up to 32 per launch.
    fn copy(&self, outputs: &mut RowOutputs, sizes: Option<&StringSizes>, mailbox: Option<&Mailbox>) -> Result<()> {
        let GatherJob { plan, ctx: Ctx { stream, .. }, .. } = *self;
        let leaves = outputs.leaves();
        if leaves.is_empty() && mailbox.is_none() {
            return Ok(());
        }
        let fixed = Kernel::choose(GatherKernel::Fixed, stream)?;
        let text = Kernel::choose(GatherKernel::Text, stream)?;
        let map = CudaColumn::open(self.map, stream)?;
        let positions = sizes.map(|sizes| sizes.positions.read_on(stream)).transpose()?;
        let slots = sizes.map_or(&[][..], |sizes| &sizes.slots);
        let (share, tiles) = self.tiles()?;
        for (index, batch) in LaunchBatch::distribute(plan, leaves, 0)?.iter().enumerate() {
            let mailbox = mailbox.filter(|_| index == 0);
            let mut kinds = batch.copied().map(|(_, leaf)| plan.leaves()[leaf].kind);
            let all_text = batch.copied().next().is_some() && kinds.all(RowKind::is_strings);
            let kernel = if all_text { &text } else { &fixed };
            batch.launch(plan, SizePlaces { slots, first_word: 0 }, Some(outputs), stream, |open| {
                let arguments = Gather {
                    map: map.desc(),
                    rows: Rows::new(self.rows),
                    check: self.check(mailbox.is_some()),
                    input: open.input,
                    out: open.out,
                    copy: open.copy,
                    counts: In::of_option(positions.as_ref()),
                    share: share as i32,
                    tiles: Tiles::new(tiles),
                    mailbox: Out::of_option(mailbox),
                };
                open.run(kernel, Grid::Columns(kernel.spread_blocks(self.map.len()), open.columns()), &arguments)
            })?;
        }
        Ok(())
    }
}
