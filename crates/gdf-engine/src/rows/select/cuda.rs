//! `apply_boolean_mask` on CUDA. A first launch counts the selected rows of each tile. The host waits for the totals,
//! and a second launch copies the rows.
//!
//! If there are few tiles and no string columns, a single launch suffices, in which every block counts the rows of all
//! tiles itself.

use gdf_core::{Column, ColumnView, DataType, Error, Result, Table, TableView};
use gdf_kernels::generated::stream_compaction::{
    APPLY_BOOLEAN_MASK_FEW_TILES as FEW_TILES, ApplyBooleanMask, ApplyBooleanMaskCount, ApplyBooleanMaskKernel,
    SelectedRows,
};
use gdf_memory::Mailbox;

use crate::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, Grid, In, Kernel, Out, Tiles, Values};
use crate::layout::{OutputBuffers, RowKind, row_indices};
use crate::rows::cuda::{LaunchBatch, MAX_CAPACITY, Measure, RowOutputs, SizePlaces, StringSizes};
use crate::rows::{Leaf, RowPlan};

/// If at most one of `SPARSE` rows is selected, the result of the single launch is copied to smaller buffers.
const SPARSE: usize = 4;
/// The kernel for few selected rows is used only if at most one of `SCATTERED` rows is selected. `is_scattered` has the
/// other conditions.
const SCATTERED: usize = 12;

pub(super) fn select(plan: &RowPlan<'_>, mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let compaction = Compaction::new(plan, mask, ctx)?;
    let strings = !plan.strings().is_empty();
    let data = plan.leaves().iter().any(|leaf| leaf.kind != RowKind::Null);
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
    /// The kernel that copies the rows. `scattered` is the kernel for few selected rows.
    kernel: Kernel<ApplyBooleanMask<'static>>,
    scattered: Kernel<ApplyBooleanMask<'static>>,
    ctx: Ctx<'p>,
}

impl<'p, 'a> Compaction<'p, 'a> {
    fn new(plan: &'p RowPlan<'a>, mask: ColumnView<'p>, ctx: Ctx<'p>) -> Result<Self> {
        let has_bits = |(at, leaf): (usize, &Leaf<'_>)| leaf.kind == RowKind::Bits || plan.nullable(at);
        let has_bits = plan.leaves().iter().enumerate().any(has_bits);
        let kernel = if has_bits { ApplyBooleanMaskKernel::Bits } else { ApplyBooleanMaskKernel::Values };
        let kernel = Kernel::choose(kernel, ctx.stream)?;
        let scattered = Kernel::choose(ApplyBooleanMaskKernel::Sparse, ctx.stream)?;
        Ok(Compaction { plan, mask, rows: mask.len(), tiles: kernel.tiles(mask.len()), kernel, scattered, ctx })
    }

    fn few_tiles(self) -> Result<Table> {
        let mailbox = Mailbox::new(self.ctx.stream, 1)?;
        let mut outputs = RowOutputs::new(self.plan, self.rows, &[], self.ctx)?;
        self.launch(&self.kernel, &mut outputs, None, Out::of(&mailbox))?;
        let [rows, ..] = mailbox.wait()?;
        let rows = size(rows)?.min(self.rows);
        let copies = self.tiles > 1 && rows <= self.rows / SPARSE;
        let output_buffers = outputs.into_buffers(self.plan, self.ctx)?;
        let output_buffers = self.plan.leaves().iter().zip(output_buffers).map(|(leaf, output_buffers)| {
            let output_buffers = truncate(leaf, output_buffers, rows)?;
            if copies { self.copied(output_buffers) } else { Ok(output_buffers) }
        });
        let output_buffers = output_buffers.collect::<Result<Vec<_>>>()?;
        self.plan.finish(rows, self.ctx.stream.device(), output_buffers)
    }

    fn tiles(self) -> Result<Table> {
        let (rows, sizes) = self.count()?;
        let mut outputs = RowOutputs::new(self.plan, rows, &sizes.bytes, self.ctx)?;
        let kernel = if self.is_scattered(rows) { &self.scattered } else { &self.kernel };
        self.launch(kernel, &mut outputs, Some((rows, &sizes)), Out::NULL)?;
        outputs.finish(self.plan, rows, self.ctx)
    }

    /// Returns whether the kernel for few selected rows is used.
    fn is_scattered(&self, selected: usize) -> bool {
        let leaves = self.plan.leaves().iter().enumerate();
        let mut output_buffers = leaves.filter(|(_, leaf)| leaf.kind != RowKind::Null || leaf.view.has_validity());
        // The values of a column of fixed-size binary may lie at an unaligned address.
        let plain = |leaf: &Leaf<'_>| {
            matches!(leaf.kind, RowKind::Bytes(1 | 2 | 4 | 8 | 16 | 32))
                && !matches!(leaf.view.data_type(), DataType::FixedSizeBinary(_))
        };
        selected <= self.rows / SCATTERED && output_buffers.all(|(at, leaf)| plain(leaf) && !self.plan.nullable(at))
    }

    /// Counts the selected rows in slot 0, and the bytes of each string column in a further slot. Each launch counts up
    /// to 31 string columns and is followed by a wait.
    fn count(&self) -> Result<(usize, StringSizes)> {
        let kernel = Kernel::find(self.ctx.stream)?;
        let mask = CudaColumn::open(self.mask, self.ctx.stream)?;
        let mut rows = 0;
        let sizes = Measure { reserved: 1, tiles: self.tiles, first_word: 0, ctx: self.ctx }.run(
            self.plan,
            |batch, index| {
                let mut mailbox = Mailbox::new(self.ctx.stream, batch.columns())?;
                for position in batch.uncopied().filter(|&position| index > 0 || position > 0) {
                    mailbox.preset(position..position + 1);
                }
                Ok(mailbox)
            },
            |open, index, counts, mailbox| {
                // One warp counts the rows of a tile. One block counts the bytes of a tile.
                let has_strings = open.batch.copied().next().is_some();
                let blocks = kernel.blocks(if has_strings { self.rows } else { self.rows.div_ceil(8) });
                let arguments = ApplyBooleanMaskCount {
                    mask: mask.desc(),
                    selected: i32::from(index == 0),
                    input: open.input,
                    copy: open.copy,
                    counts,
                    tiles: Tiles::new(self.tiles),
                    mailbox,
                };
                open.run(&kernel, Grid::Columns(blocks, open.columns()), &arguments)
            },
            |index, words| {
                if index == 0 {
                    rows = size(words[0])?.min(self.rows);
                }
                Ok(())
            },
        )?;
        Ok((rows, sizes))
    }

    /// Copies all leaves that have outputs, up to 32 per launch.
    fn launch(
        &self,
        kernel: &Kernel<ApplyBooleanMask<'static>>,
        outputs: &mut RowOutputs,
        counted: Option<(usize, &StringSizes)>,
        mailbox: Out<'_, u64>,
    ) -> Result<()> {
        let leaves = outputs.leaves();
        if leaves.is_empty() {
            return Ok(());
        }
        let stream = self.ctx.stream;
        let mask = CudaColumn::open(self.mask, stream)?;
        let positions = counted.map(|(_, sizes)| sizes.positions.read_on(stream)).transpose()?;
        let slots = counted.map_or(&[][..], |(_, sizes)| &sizes.slots);
        for (index, batch) in LaunchBatch::distribute(self.plan, leaves, 0)?.into_iter().enumerate() {
            batch.launch(self.plan, SizePlaces { slots, first_word: 0 }, Some(outputs), stream, |open| {
                let arguments = ApplyBooleanMask {
                    mask: mask.desc(),
                    input: open.input,
                    out: open.out,
                    copy: open.copy,
                    counts: In::of_option(positions.as_ref()),
                    tiles: Tiles::new(self.tiles),
                    total: counted.map_or(0, |(rows, _)| rows as i64),
                    mailbox: if index == 0 { mailbox } else { Out::NULL },
                };
                open.run(kernel, Grid::Columns(kernel.blocks(self.rows), open.columns()), &arguments)
            })?;
        }
        Ok(())
    }

    fn copied(&self, mut output_buffers: OutputBuffers) -> Result<OutputBuffers> {
        for buffer in output_buffers.buffers.iter_mut().chain(&mut output_buffers.validity) {
            *buffer = buffer.deep_copy(self.ctx.stream, self.ctx.mr.output)?;
        }
        Ok(output_buffers)
    }
}

/// Returns the numbers of the selected rows. **Waits** for the number of selected rows.
pub(super) fn selected_rows(mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let Ctx { stream, .. } = ctx;
    let rows = mask.len();
    let plan = RowPlan::new("selected_rows", &TableView::try_with_rows(Vec::new(), rows)?)?;
    let compaction = Compaction::new(&plan, mask, ctx)?;
    let (selected, sizes) = compaction.count()?;
    let mut output = CudaOutput::fixed_width(&row_indices(rows), selected, ctx)?;
    if selected == 0 {
        return output.finish(stream);
    }
    let kernel = Kernel::<SelectedRows>::find(stream)?;
    let (open, column) = (output.open(stream)?, CudaColumn::open(mask, stream)?);
    let positions = sizes.positions.read_on(stream)?;
    let arguments = SelectedRows {
        mask: column.desc(),
        counts: Values::of(&positions).array(0, compaction.tiles)?,
        tiles: Tiles::new(compaction.tiles),
        out: open.desc(),
    };
    // SAFETY: the mask has `rows` rows. The counts have a word for each of its tiles, and were made from this mask. The
    // output has a number for each selected row. All memory is open on this stream until after the launch.
    unsafe { kernel.launch(stream, kernel.blocks(rows), 1, &arguments)? };
    drop((positions, column, open));
    output.finish(stream)
}

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
    usize::try_from(words).map_err(|_| Error::internal("the number of rows exceeds the address space"))
}
