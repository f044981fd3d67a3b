//! `gather` on CUDA: one launch for all columns. With strings, a launch before it finds the size of each tile of the
//! result, and the host waits for the totals; with reported bounds, for the verdict. Few rows of strings are moved by one
//! launch, into room for somewhat longer ones than the input has on average; only if that is too little, by two.

use gdf_core::{ColumnView, DataType, Error, Result, Table};
use gdf_kernels::generated::copying::{Gather, GatherChecks, GatherFew, GatherKernel, GatherSizes};
use gdf_memory::{Buffer, Mailbox};

use super::super::gather::{Bounds, GATHER};
use super::out_of_bounds;
use crate::context::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, In, Kernel, LaunchBatch, MAX_CAPACITY, Out, Scratch, row_output};
use crate::rows::{Leaf, OutputBuffers, RowKind, RowPlan, check_offsets};

/// Words of a mailbox before those of strings: whether the map is refused.
const VERDICT: usize = 1;
/// Room for characters beyond what is guessed: few rows may be longer than others.
const SPARE_BYTES: usize = 4096;

pub(in super::super) fn gather(
    plan: &RowPlan<'_>,
    rows: usize,
    map: ColumnView<'_>,
    bounds: Bounds,
    ctx: Ctx<'_>,
) -> Result<Table> {
    if map.is_empty() {
        return plan.empty(ctx);
    }
    let gathering = Gathering { plan, rows, map, bounds, ctx };
    if let Some(output_buffers) = gathering.at_once()? {
        return plan.finish(map.len(), ctx.stream.device(), output_buffers);
    }
    let sizes = gathering.measure()?;
    // The launch that measures checks the map, too.
    let report = bounds == Bounds::Report && sizes.is_none();
    let mut outputs = gathering.outputs(sizes.as_ref().map_or(&[], |sizes| &sizes.bytes))?;
    let mailbox = if report { Some(Mailbox::cleared(ctx.stream, VERDICT)?) } else { None };
    gathering.launch(&mut outputs, sizes.as_ref(), mailbox.as_ref())?;
    if let Some(mailbox) = mailbox {
        gathering.verdict(&mailbox.wait()?)?;
    }
    let output_buffers = gathering.output_buffers(outputs)?;
    plan.finish(map.len(), ctx.stream.device(), output_buffers)
}

/// Room for the characters of `rows` rows of a leaf: a quarter more than as many have on average.
fn byte_capacity(leaf: &Leaf<'_>, rows: usize) -> usize {
    let RowKind::Strings { .. } = leaf.kind else { return 0 };
    let [offsets, characters, ..] = leaf.view.buffers() else { return 0 };
    if characters.foreign_owner().is_some() {
        // its length is only a bound
        return SPARE_BYTES;
    }
    let wide = matches!(leaf.view.data_type(), DataType::LargeUtf8 | DataType::LargeBinary);
    let all = (offsets.len() / if wide { 8 } else { 4 }).saturating_sub(1).max(1);
    let guess = characters.len() as u128 * rows as u128 / all as u128;
    usize::try_from(guess + guess / 4).unwrap_or(usize::MAX).saturating_add(SPARE_BYTES)
}

struct Gathering<'p, 'a> {
    plan: &'p RowPlan<'a>,
    rows: usize,
    map: ColumnView<'p>,
    bounds: Bounds,
    ctx: Ctx<'p>,
}

/// What the first launch finds out of strings.
struct Sizes {
    /// Per slot an array of the first positions of tiles.
    positions: Buffer,
    /// Bytes of the result, by leaf.
    bytes: Vec<usize>,
    /// By leaf.
    slots: Vec<usize>,
}

impl Gathering<'_, '_> {
    fn check(&self, report: bool) -> i32 {
        let check = match self.bounds {
            Bounds::Trust => GatherChecks::Trust,
            Bounds::Report if report => GatherChecks::Report,
            Bounds::Nullify | Bounds::Report => GatherChecks::Null,
        };
        check as i32
    }

    /// Room for the characters of each leaf, if there are strings and it is not much.
    fn capacities(&self) -> Option<Vec<usize>> {
        let capacities: Vec<usize> =
            self.plan.leaves().iter().map(|leaf| byte_capacity(leaf, self.map.len())).collect();
        let all = capacities.iter().fold(0_usize, |sum, capacity| sum.saturating_add(*capacity));
        (1..=MAX_CAPACITY).contains(&all).then_some(capacities)
    }

    /// Few rows of a table with strings, with one launch. None if it is not such a table, or there was too little room.
    fn at_once(&self) -> Result<Option<Vec<OutputBuffers>>> {
        let Gathering { plan, ctx: Ctx { stream, .. }, .. } = *self;
        let kernel = Kernel::<GatherFew>::find(stream)?;
        if self.map.len() > kernel.rows_at_once() {
            return Ok(None);
        }
        let Some(capacities) = self.capacities() else { return Ok(None) };
        let leaves = (0..plan.leaves().len()).filter(|&at| plan.leaves()[at].kind != RowKind::Null);
        let batches = LaunchBatch::distribute(GATHER, plan, leaves, 0)?;
        let [batch] = &*batches else { return Ok(None) };
        let (blocks, columns) = (kernel.spread_blocks(self.map.len()), batch.columns());
        if blocks as usize * columns > kernel.resident() {
            return Ok(None);
        }
        let mut outputs = self.outputs(&capacities)?;
        let mailbox = Mailbox::cleared(stream, VERDICT + columns)?;
        let map = CudaColumn::open(self.map, stream)?;
        let open = batch.open(plan, &capacities, VERDICT, stream)?;
        let out = batch.open_outputs(&mut outputs, stream)?;
        let arguments = GatherFew {
            map: map.desc,
            rows: self.rows as i64,
            check: self.check(true),
            input: open.table,
            out: out.table,
            copy: open.copy,
            scratch: Scratch::of(stream)?,
            mailbox: Out::of(&mailbox),
        };
        // SAFETY: the map is of integers and the table has `rows` rows (checked by the caller); all outputs have as
        // many rows as the map, those of strings the room that the slot says, and the blocks a thread for each; the
        // mailbox has the verdict's word and one for every place of the group. Unchecked elements are within bounds by
        // the promise of `gather_unchecked`.
        unsafe { kernel.launch_cooperative(stream, blocks, columns as u32, &arguments)? };
        drop(out);
        let words = mailbox.wait()?;
        self.verdict(&words)?;
        let mut output_buffers = self.output_buffers(outputs)?;
        for (position, leaf) in batch.copied() {
            if matches!(plan.leaves()[leaf].kind, RowKind::Strings { .. }) {
                let bytes = usize::try_from(words[VERDICT + position]).unwrap_or(usize::MAX);
                if bytes > capacities[leaf] {
                    return Ok(None);
                }
                if let Some(characters) = output_buffers[leaf].buffers.get_mut(1) {
                    *characters = characters.slice(0, bytes)?;
                }
            }
        }
        Ok(Some(output_buffers))
    }

    /// Measures all string columns, 32 per launch and wait; none if there are none.
    fn measure(&self) -> Result<Option<Sizes>> {
        let Gathering { plan, ctx: Ctx { stream, .. }, .. } = *self;
        let leaves = plan.leaves();
        let is_string = |at: &usize| matches!(leaves[*at].kind, RowKind::Strings { .. });
        let strings: Vec<_> = (0..leaves.len()).filter(is_string).collect();
        if strings.is_empty() {
            return Ok(None);
        }
        let mut slots = vec![0; leaves.len()];
        for (slot, &leaf) in strings.iter().enumerate() {
            slots[leaf] = slot;
        }
        let kernel = Kernel::find(stream)?;
        let (share, tiles) = self.tiles()?;
        let mut positions = Buffer::uninitialized(strings.len() * tiles * 8, stream, self.ctx.mr.temporary)?;
        let access = positions.write_on(stream)?;
        let map = CudaColumn::open(self.map, stream)?;
        let (counts, scratch) = (Out::of(&access), Scratch::of(stream)?);

        let batches = LaunchBatch::distribute(GATHER, plan, strings, 0)?;
        let mut mailboxes = Vec::with_capacity(batches.len());
        for (index, batch) in batches.iter().enumerate() {
            let open = batch.open(plan, &slots, VERDICT, stream)?;
            let mailbox = Mailbox::cleared(stream, VERDICT + batch.columns())?;
            let arguments = GatherSizes {
                map: map.desc,
                rows: self.rows as i64,
                check: self.check(index == 0),
                input: open.table,
                copy: open.copy,
                counts,
                share: share as i32,
                tiles: tiles as i64,
                scratch,
                mailbox: Out::of(&mailbox),
            };
            let blocks = kernel.spread_blocks(self.map.len());
            // SAFETY: the map is of integers and the table has `rows` rows (checked by the caller); `counts` has an
            // array of `tiles` words, as many as cover the map, for each slot that a moved column names; the mailbox
            // has the verdict's word and one for every place of the group. Unchecked elements are within bounds by the
            // promise of `gather_unchecked`.
            unsafe { kernel.launch(stream, blocks, batch.columns() as u32, &arguments)? };
            mailboxes.push(mailbox);
        }
        drop(access);

        let mut sizes = Sizes { positions, bytes: vec![0; leaves.len()], slots };
        for (batch, mailbox) in batches.iter().zip(mailboxes) {
            let words = mailbox.wait()?;
            self.verdict(&words)?;
            for (position, leaf) in batch.copied() {
                let bytes = words[VERDICT + position];
                check_offsets(leaves[leaf].kind, bytes)?;
                sizes.bytes[leaf] = usize::try_from(bytes).map_err(|_| Error::OffsetOverflow { needed: bytes })?;
            }
        }
        Ok(Some(sizes))
    }

    /// The error of the first element that is out of bounds, if a launch refused the map.
    fn verdict(&self, words: &[u64]) -> Result<()> {
        if words[0] == 0 { Ok(()) } else { Err(out_of_bounds(self.map, self.rows, self.ctx.stream)?) }
    }

    /// Rows of each thread in a tile of the launch that moves, and how many tiles there are.
    fn tiles(&self) -> Result<(usize, usize)> {
        let kernel = Kernel::<Gather>::choose(GatherKernel::Fixed, self.ctx.stream)?;
        let share = kernel.share(self.map.len());
        Ok((share, self.map.len().div_ceil(share * kernel.threads())))
    }

    fn output_buffers(&self, outputs: Vec<Option<CudaOutput>>) -> Result<Vec<OutputBuffers>> {
        let output_buffers = self.plan.leaves().iter().zip(outputs).map(|(leaf, output)| match output {
            Some(output) => output.into_moved(),
            None => OutputBuffers::empty(leaf, self.ctx),
        });
        output_buffers.collect()
    }

    /// Outputs of all leaves, `bytes` of characters by leaf.
    fn outputs(&self, bytes: &[usize]) -> Result<Vec<Option<CudaOutput>>> {
        let nulls = self.bounds == Bounds::Nullify || self.map.has_validity();
        let leaves = self.plan.leaves().iter().enumerate();
        let output = |(at, leaf): (usize, &Leaf<'_>)| {
            let bytes = bytes.get(at).copied().unwrap_or(0);
            row_output(leaf, self.map.len(), bytes, nulls || self.plan.nullable(at), self.ctx)
        };
        leaves.map(output).collect()
    }

    /// Moves all leaves that have outputs, 32 per launch. With a mailbox, the map is checked even if there are none.
    fn launch(
        &self,
        outputs: &mut [Option<CudaOutput>],
        sizes: Option<&Sizes>,
        mailbox: Option<&Mailbox>,
    ) -> Result<()> {
        let Gathering { plan, ctx: Ctx { stream, .. }, .. } = *self;
        let leaves: Vec<_> = (0..outputs.len()).filter(|&at| outputs[at].is_some()).collect();
        if leaves.is_empty() && mailbox.is_none() {
            return Ok(());
        }
        let kernel = Kernel::choose(GatherKernel::Fixed, stream)?;
        let text = Kernel::choose(GatherKernel::Text, stream)?;
        let is_text = |leaf: usize| matches!(plan.leaves()[leaf].kind, RowKind::Strings { .. });
        let map = CudaColumn::open(self.map, stream)?;
        let positions = sizes.map(|sizes| sizes.positions.read_on(stream)).transpose()?;
        let counts = In::of_option(positions.as_ref());
        let slots = sizes.map_or(&[][..], |sizes| &sizes.slots);
        let (share, tiles) = self.tiles()?;
        let scratch = Scratch::of(stream)?;
        for (index, batch) in LaunchBatch::distribute(GATHER, plan, leaves, 0)?.iter().enumerate() {
            let open = batch.open(plan, slots, 0, stream)?;
            let out = batch.open_outputs(outputs, stream)?;
            let mailbox = mailbox.filter(|_| index == 0);
            let columns = batch.columns().max(1) as u32;
            let all_text = batch.copied().next().is_some() && batch.copied().all(|(_, leaf)| is_text(leaf));
            let kernel = if all_text { &text } else { &kernel };
            let arguments = Gather {
                map: map.desc,
                rows: self.rows as i64,
                check: self.check(mailbox.is_some()),
                input: open.table,
                out: out.table,
                copy: open.copy,
                counts,
                share: share as i32,
                tiles: tiles as i64,
                scratch,
                mailbox: Out::of_option(mailbox),
            };
            let blocks = kernel.spread_blocks(self.map.len());
            // SAFETY: the map is of integers and the table has `rows` rows (checked by the caller); `tiles` of `share`
            // rows per thread cover the map. With strings, `counts` is as the sizes kernel left it for the same map and
            // tiles, and their outputs have room for the bytes it counted; all outputs have as many rows as the map.
            // The mailbox has a word where `check` is to report. Unchecked elements are within bounds by the promise of
            // `gather_unchecked`.
            unsafe { kernel.launch(stream, blocks, columns, &arguments)? };
        }
        Ok(())
    }
}
