//! `copy_if_else` on CUDA: one launch; for strings a launch, a wait for their size, and another launch.

use gdf_core::{Column, ColumnView, Result};
use gdf_kernels::KernelType;
use gdf_kernels::generated::copying::{CopyIfElse, CopyIfElseSizes, CopyIfElseStrings};
use gdf_memory::{Buffer, Mailbox};

use super::super::copy_if_else::{Condition, Selection};
use crate::context::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, Kernel, Out, Scratch};
use crate::rows::{RowKind, check_offsets};

/// Open for kernels. Keep it until the launch is enqueued.
struct Inputs<'a> {
    lhs: CudaColumn<'a>,
    rhs: CudaColumn<'a>,
    condition: CudaColumn<'a>,
    by_validity: i32,
}

pub(in super::super) fn copy_if_else(selection: Selection<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let inputs = Inputs {
        lhs: CudaColumn::open_operand(selection.lhs, ctx.stream)?,
        rhs: CudaColumn::open_operand(selection.rhs, ctx.stream)?,
        condition: CudaColumn::open(selection.condition.view(), ctx.stream)?,
        by_validity: i32::from(matches!(selection.condition, Condition::Valid(_))),
    };
    match selection.kind {
        RowKind::Strings { .. } => strings(selection, &inputs, ctx),
        RowKind::Bytes(width) => fixed_width(selection, &inputs, width, ctx),
        _ => fixed_width(selection, &inputs, 0, ctx),
    }
}

fn fixed_width(selection: Selection<'_>, inputs: &Inputs<'_>, width: usize, ctx: Ctx<'_>) -> Result<Column> {
    let Selection { rows, nullable, .. } = selection;
    let (lhs, rhs) = (inputs.lhs.desc, inputs.rhs.desc);
    let kernel = Kernel::find(ctx.stream)?;
    let mut output = CudaOutput::fixed_width(selection.lhs.data_type(), rows, nullable, ctx)?;
    let open = output.open(ctx.stream)?;
    let mut out = open.desc;
    // Rows that are less aligned than their width asks for are moved byte by byte, as those of no particular width.
    let aligned = (lhs.data.address() | rhs.data.address()).is_multiple_of(width.clamp(1, 8) as u64);
    if selection.kind != RowKind::Bits && !aligned {
        out.data_type = KernelType::FixedBinary as i32;
    }
    let arguments = CopyIfElse {
        lhs,
        rhs,
        condition: inputs.condition.desc,
        by_validity: inputs.by_validity,
        width: width as i64,
        out,
        scratch: Scratch::of(ctx.stream)?,
    };
    // SAFETY: inputs that are not broadcast, and the condition, have `rows` rows, as does the output; types are the
    // same and of that width, or boolean; the condition is boolean unless its validity counts (all checked by the
    // caller). Less aligned rows have no particular width.
    unsafe { kernel.launch(ctx.stream, kernel.streaming_blocks(rows), 1, &arguments)? };
    drop(open);
    output.finish(ctx.stream)
}

/// Length of a string column's character buffer.
fn chars(view: ColumnView<'_>) -> i64 {
    view.buffers().get(1).map_or(0, |chars| chars.len() as i64)
}

fn strings(selection: Selection<'_>, inputs: &Inputs<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let Selection { rows, nullable, kind, .. } = selection;
    let (lhs, rhs, condition, by_validity) =
        (inputs.lhs.desc, inputs.rhs.desc, inputs.condition.desc, inputs.by_validity);
    let sizes = Kernel::<CopyIfElseSizes>::find(ctx.stream)?;
    let write = Kernel::find(ctx.stream)?;
    let scratch = Scratch::of(ctx.stream)?;
    let (lhs_bytes, rhs_bytes) = (chars(selection.lhs.view()), chars(selection.rhs.view()));
    let mailbox = Mailbox::new(ctx.stream, 1)?;
    let mut positions = Buffer::uninitialized(sizes.tiles(rows) * 8, ctx.stream, ctx.mr.temporary)?;
    let access = positions.write_on(ctx.stream)?;
    let (counts, total) = (Out::of(&access), Out::of(&mailbox));
    let arguments =
        CopyIfElseSizes { lhs, rhs, condition, by_validity, lhs_bytes, rhs_bytes, counts, scratch, mailbox: total };
    // SAFETY: inputs that are not broadcast, and the condition, have `rows` rows (checked by the caller); there is a
    // count per tile of the policy and a word in the mailbox.
    unsafe { sizes.launch(ctx.stream, sizes.blocks(rows), 1, &arguments)? };
    let bytes = mailbox.wait()?[0];
    check_offsets(kind, bytes)?;
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    let mut output = CudaOutput::strings(selection.lhs.data_type(), rows, bytes, nullable, ctx)?;
    let open = output.open(ctx.stream)?;
    let (out, counts) = (open.desc, counts.read());
    let arguments = CopyIfElseStrings { lhs, rhs, condition, by_validity, lhs_bytes, rhs_bytes, out, counts, scratch };
    // SAFETY: as above; the output was made for `rows` rows and the bytes that the sizes kernel has counted; nothing
    // has written the inputs or the counts since.
    unsafe { write.launch(ctx.stream, write.blocks(rows), 1, &arguments)? };
    drop((open, access));
    output.finish(ctx.stream)
}
