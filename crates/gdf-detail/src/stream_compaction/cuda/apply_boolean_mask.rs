//! `apply_boolean_mask` on CUDA: one launch counts what each tile selects, the host waits for the totals, and a second
//! launch moves the rows. Few tiles are counted by every block for itself: results get room for all rows, the launch that
//! moves them says how many there are, and what would waste most of that room is copied out of it. A kernel of its own moves
//! what few rows a mask selects.

use gdf_core::{ColumnView, DataType, Error, Result, Table};
use gdf_kernels::generated::stream_compaction::{
    APPLY_BOOLEAN_MASK_FEW_TILES as FEW_TILES, ApplyBooleanMask, ApplyBooleanMaskCount, ApplyBooleanMaskKernel,
};
use gdf_memory::{Buffer, Mailbox};

use super::super::APPLY_BOOLEAN_MASK;
use crate::context::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, In, Kernel, LaunchBatch, MAX_CAPACITY, Out, Scratch, row_output};
use crate::rows::{Leaf, OutputBuffers, RowKind, RowPlan, check_offsets};

/// One in so many rows, or fewer, are copied out of a result that has room for all.
const SPARSE: usize = 4;
/// One in so many rows, or fewer, are moved by warps with a tile each.
const SCATTERED: usize = 64;

pub(in super::super) fn apply_boolean_mask(plan: &RowPlan<'_>, mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    if mask.is_empty() {
        return plan.empty(ctx);
    }
    let kernel = Kernel::choose(ApplyBooleanMaskKernel::Dense, ctx.stream)?;
    let scattered = Kernel::choose(ApplyBooleanMaskKernel::Sparse, ctx.stream)?;
    let compaction =
        Compaction { plan, mask, rows: mask.len(), tiles: kernel.tiles(mask.len()), kernel, scattered, ctx };
    let is = |requested: fn(RowKind) -> bool| plan.leaves().iter().any(|leaf| requested(leaf.kind));
    let strings = is(|kind| matches!(kind, RowKind::Strings { .. }));
    let data = is(|kind| kind != RowKind::Null);
    let width = |leaf: &Leaf<'_>| if let RowKind::Bytes(width) = leaf.kind { width } else { 1 };
    let capacity = plan.leaves().iter().map(width).fold(0_usize, usize::saturating_add).saturating_mul(mask.len());
    let few = compaction.tiles <= FEW_TILES && capacity <= MAX_CAPACITY;
    if few && data && !strings { compaction.few_tiles() } else { compaction.tiles() }
}

struct Compaction<'p, 'a> {
    plan: &'p RowPlan<'a>,
    mask: ColumnView<'p>,
    rows: usize,
    tiles: usize,
    /// The kernel that moves the rows, and the same for few rows.
    kernel: Kernel<ApplyBooleanMask>,
    scattered: Kernel<ApplyBooleanMask>,
    ctx: Ctx<'p>,
}

/// What the first launch finds out.
struct Counted {
    /// Per slot an array of the first positions of tiles: slot 0 of rows, the others of the bytes of strings.
    positions: Buffer,
    rows: usize,
    /// Bytes of the result, by leaf.
    bytes: Vec<usize>,
    /// By leaf.
    slots: Vec<usize>,
}

impl Compaction<'_, '_> {
    fn few_tiles(self) -> Result<Table> {
        let mailbox = Mailbox::new(self.ctx.stream, 1)?;
        let mut outputs = self.outputs(self.rows, &[])?;
        self.launch(&self.kernel, &mut outputs, None, Out::of(&mailbox))?;
        let [rows, ..] = mailbox.wait()?;
        let rows = size(rows)?.min(self.rows);
        let copies = self.tiles > 1 && rows <= self.rows / SPARSE;
        let output_buffers = self.plan.leaves().iter().zip(outputs).map(|(leaf, output)| {
            let output_buffers = self.output_buffers(leaf, output)?;
            let output_buffers = truncate(leaf, output_buffers, rows)?;
            if copies { self.copied(output_buffers) } else { Ok(output_buffers) }
        });
        let output_buffers = output_buffers.collect::<Result<Vec<_>>>()?;
        self.plan.finish(rows, self.ctx.stream.device(), output_buffers)
    }

    fn tiles(self) -> Result<Table> {
        let counted = self.count()?;
        let mut outputs = self.outputs(counted.rows, &counted.bytes)?;
        let kernel = if self.is_scattered(counted.rows) { &self.scattered } else { &self.kernel };
        self.launch(kernel, &mut outputs, Some(&counted), Out::NULL)?;
        let output_buffers =
            self.plan.leaves().iter().zip(outputs).map(|(leaf, output)| self.output_buffers(leaf, output));
        let output_buffers = output_buffers.collect::<Result<Vec<_>>>()?;
        self.plan.finish(counted.rows, self.ctx.stream.device(), output_buffers)
    }

    /// Whether so few rows are selected, and all columns such, that warps move them.
    fn is_scattered(&self, selected: usize) -> bool {
        let leaves = self.plan.leaves().iter().enumerate();
        let mut output_buffers = leaves.filter(|(_, leaf)| leaf.kind != RowKind::Null || leaf.view.has_validity());
        // Bytes of any number may lie at any address.
        let plain = |leaf: &Leaf<'_>| {
            matches!(leaf.kind, RowKind::Bytes(1 | 2 | 4 | 8 | 16 | 32))
                && !matches!(leaf.view.data_type(), DataType::FixedSizeBinary(_))
        };
        selected <= self.rows / SCATTERED && output_buffers.all(|(at, leaf)| plain(leaf) && !self.plan.nullable(at))
    }

    /// Counts rows, and the bytes of all string columns (of 31 per launch and wait).
    fn count(&self) -> Result<Counted> {
        let Compaction { plan, ctx: Ctx { stream, .. }, .. } = *self;
        let kernel = Kernel::find(stream)?;
        let leaves = plan.leaves();
        let is_string = |leaf: &Leaf<'_>| matches!(leaf.kind, RowKind::Strings { .. });
        let strings = (0..leaves.len()).filter(|&at| is_string(&leaves[at]));
        let mut slots = vec![0; leaves.len()];
        for (slot, leaf) in strings.clone().enumerate() {
            slots[leaf] = slot + 1;
        }
        let arrays = 1 + strings.clone().count();
        let mut positions = Buffer::uninitialized(arrays * self.tiles * 8, stream, self.ctx.mr.temporary)?;
        let access = positions.write_on(stream)?;
        let mask = CudaColumn::open(self.mask, stream)?;

        let batches = LaunchBatch::distribute(APPLY_BOOLEAN_MASK, plan, strings, 1)?;
        let mut mailboxes = Vec::with_capacity(batches.len());
        for (index, batch) in batches.iter().enumerate() {
            let open = batch.open(plan, &slots, 0, stream)?;
            let mut mailbox = Mailbox::new(stream, batch.columns())?;
            for position in batch.uncopied().filter(|&position| index > 0 || position > 0) {
                mailbox.preset(position..position + 1);
            }
            // Rows are counted by a warp per tile, bytes by a block.
            let has_strings = batch.copied().next().is_some();
            let blocks = kernel.blocks(if has_strings { self.rows } else { self.rows.div_ceil(8) });
            let arguments = ApplyBooleanMaskCount {
                mask: mask.desc,
                rows: i32::from(index == 0),
                input: open.table,
                copy: open.copy,
                counts: Out::of(&access),
                tiles: self.tiles as i64,
                scratch: Scratch::of(stream)?,
                mailbox: Out::of(&mailbox),
            };
            // SAFETY: `counts` has an array of `tiles` words for slot 0 and for each slot that a moved column names, tiles
            // being those of the policy that both kernels share; the mailbox has a word for every column of the group, and
            // only slot 0 and strings are written. Inputs have the mask's length (checked by the caller); all are held
            // until the launch is enqueued.
            unsafe { kernel.launch(stream, blocks, batch.columns() as u32, &arguments)? };
            mailboxes.push(mailbox);
        }
        drop(access);

        let mut counted = Counted { positions, rows: 0, bytes: vec![0; leaves.len()], slots };
        for (index, (batch, mailbox)) in batches.iter().zip(mailboxes).enumerate() {
            let words = mailbox.wait()?;
            if index == 0 {
                counted.rows = size(words[0])?.min(self.rows);
            }
            for (position, leaf) in batch.copied() {
                check_offsets(leaves[leaf].kind, words[position])?;
                counted.bytes[leaf] = size(words[position])?;
            }
        }
        Ok(counted)
    }

    fn outputs(&self, rows: usize, bytes: &[usize]) -> Result<Vec<Option<CudaOutput>>> {
        let leaves = self.plan.leaves().iter().enumerate();
        let output = |(at, leaf): (usize, &Leaf<'_>)| {
            let bytes = bytes.get(at).copied().unwrap_or(0);
            row_output(leaf, rows, bytes, self.plan.nullable(at), self.ctx)
        };
        leaves.map(output).collect()
    }

    /// Moves all leaves that have outputs, 32 per launch, by what was counted, or by what each block counts itself.
    fn launch(
        &self,
        kernel: &Kernel<ApplyBooleanMask>,
        outputs: &mut [Option<CudaOutput>],
        counted: Option<&Counted>,
        mailbox: Out<u64>,
    ) -> Result<()> {
        let leaves: Vec<_> = (0..outputs.len()).filter(|&at| outputs[at].is_some()).collect();
        if leaves.is_empty() {
            return Ok(());
        }
        let mask = CudaColumn::open(self.mask, self.ctx.stream)?;
        let positions = counted.map(|counted| counted.positions.read_on(self.ctx.stream)).transpose()?;
        let slots = counted.map_or(&[][..], |counted| &counted.slots);
        for (index, batch) in LaunchBatch::distribute(APPLY_BOOLEAN_MASK, self.plan, leaves, 0)?.into_iter().enumerate()
        {
            let open = batch.open(self.plan, slots, 0, self.ctx.stream)?;
            let out = batch.open_outputs(outputs, self.ctx.stream)?;
            let arguments = ApplyBooleanMask {
                mask: mask.desc,
                input: open.table,
                out: out.table,
                copy: open.copy,
                counts: In::of_option(positions.as_ref()),
                tiles: self.tiles as i64,
                total: counted.map_or(0, |counted| counted.rows as i64),
                scratch: Scratch::of(self.ctx.stream)?,
                mailbox: if index == 0 { mailbox } else { Out::NULL },
            };
            // SAFETY: with counts, they and `total` are the count kernel's for the same mask and tiles, and outputs have
            // room for `total` rows and for the bytes it counted; without, there are few tiles and no strings, outputs have
            // room for all rows, and the mailbox, if any, has a word. The kernel for few rows gets counts, and columns of
            // such widths without masks. All are held until the launch is enqueued.
            unsafe { kernel.launch(self.ctx.stream, kernel.blocks(self.rows), batch.columns() as u32, &arguments)? };
        }
        Ok(())
    }

    fn copied(&self, mut output_buffers: OutputBuffers) -> Result<OutputBuffers> {
        for buffer in output_buffers.buffers.iter_mut().chain(&mut output_buffers.validity) {
            *buffer = buffer.deep_copy(self.ctx.stream, self.ctx.mr.output)?;
        }
        Ok(output_buffers)
    }

    fn output_buffers(&self, leaf: &Leaf<'_>, output: Option<CudaOutput>) -> Result<OutputBuffers> {
        output.map_or_else(|| OutputBuffers::empty(leaf, self.ctx), CudaOutput::into_moved)
    }
}

/// The first `rows` rows of a result that has room for more.
fn truncate(leaf: &Leaf<'_>, mut output_buffers: OutputBuffers, rows: usize) -> Result<OutputBuffers> {
    for buffer in &mut output_buffers.buffers {
        let bytes = match leaf.kind {
            RowKind::Bytes(width) => rows * width,
            _ => rows.div_ceil(8),
        };
        *buffer = buffer.slice(0, bytes)?;
    }
    output_buffers.validity = output_buffers.validity.map(|mask| mask.slice(0, rows.div_ceil(8))).transpose()?;
    Ok(output_buffers)
}

fn size(words: u64) -> Result<usize> {
    usize::try_from(words).map_err(|_| Error::InvalidData { what: "a size that no address space has" })
}
