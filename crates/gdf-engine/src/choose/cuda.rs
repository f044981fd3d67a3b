//! `copy_if_else` on CUDA.

use gdf_core::{Column, ColumnView, Result};
use gdf_driver::Stream;
use gdf_kernels::generated::copying::{CopyIfElse, CopyIfElseSizes, CopyIfElseStrings};
use gdf_kernels::{Arguments, KernelType};
use gdf_memory::{Buffer, Mailbox};

use super::Condition;
use crate::Ctx;
use crate::cuda::{Bytes, CudaColumn, CudaOutput, Kernel, Memory, Out};
use crate::elementwise::{Inputs, Launch, Nulls};
use crate::layout::{RowKind, counted_bytes};

/// Selects rows of fixed width, or booleans.
pub(super) fn select(launch: &Launch<'_, 3>, kind: RowKind, choice: Condition<'_>) -> Result<()> {
    let Launch { inputs: [condition, lhs, rhs], mut out, .. } = *launch;
    let width = if let RowKind::Bytes(width) = kind { width } else { 0 };
    // If the address of a row is not a multiple of the width, the kernel for rows of any width copies the row byte by
    // byte.
    let aligned = (lhs.data.address() | rhs.data.address()).is_multiple_of(width.clamp(1, 8) as u64);
    if kind != RowKind::Bits && !aligned {
        out.data_type = KernelType::FixedBinary as i32;
    }
    let (by_validity, width) = (i32::from(choice.by_validity()), width as i64);
    launch.run_only(&CopyIfElse { lhs, rhs, condition, by_validity, width, out })
}

/// Returns the length of the character buffer of a string column.
fn chars(view: ColumnView<'_>) -> Bytes {
    view.buffers().get(1).map_or(Bytes::ZERO, |chars| Bytes::new(chars.len()))
}

pub(super) fn strings(
    inputs: Inputs<'_, 3>,
    kind: RowKind,
    choice: Condition<'_>,
    nulls: Nulls,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let [condition, left, right] = inputs.operands;
    let rows = condition.view().len();
    let opened = [
        CudaColumn::open_input(left, ctx.stream)?,
        CudaColumn::open_input(right, ctx.stream)?,
        CudaColumn::open_input(condition, ctx.stream)?,
    ];
    let [lhs, rhs, condition] = [opened[0].desc(), opened[1].desc(), opened[2].desc()];
    let by_validity = i32::from(choice.by_validity());
    let sizes = Kernel::<CopyIfElseSizes>::find(ctx.stream)?;
    let write = Kernel::find(ctx.stream)?;
    let (lhs_bytes, rhs_bytes) = (chars(left.view()), chars(right.view()));
    let mailbox = Mailbox::new(ctx.stream, 1)?;
    let mut positions = Buffer::uninitialized(sizes.tiles(rows) * 8, ctx.stream, ctx.mr.temporary)?;
    let access = positions.write_on(ctx.stream)?;
    let (counts, total) = (Memory::of(&access).array(0, sizes.tiles(rows))?, Out::of(&mailbox));
    let arguments = CopyIfElseSizes { lhs, rhs, condition, by_validity, lhs_bytes, rhs_bytes, counts, mailbox: total };
    run(&sizes, rows, &arguments, ctx.stream)?;
    let bytes = counted_bytes(kind, mailbox.wait()?[0])?;
    let mut output = CudaOutput::strings(left.data_type(), rows, bytes, ctx)?.nullable(inputs.nullable(nulls), ctx)?;
    let open = output.open(ctx.stream)?;
    let (out, counts) = (open.desc(), counts.read());
    let arguments = CopyIfElseStrings { lhs, rhs, condition, by_validity, lhs_bytes, rhs_bytes, out, counts };
    run(&write, rows, &arguments, ctx.stream)?;
    drop((opened, open, access));
    output.finish(ctx.stream)
}

/// Enqueues one of the two launches for strings.
fn run<A: Arguments>(kernel: &Kernel<A::Static>, rows: usize, arguments: &A, stream: &Stream) -> Result<()> {
    // SAFETY: the condition and the inputs that are not broadcast have `rows` rows, as the caller has checked. There
    // is a count for each tile of the launch policy, which both kernels share, and the mailbox has a word. The output
    // was made for `rows` rows and for the bytes that the first launch has counted. Nothing has written to the inputs
    // or the counts since then. The caller holds inputs, counts, mailbox and output until the launch is enqueued.
    unsafe { kernel.launch(stream, kernel.blocks(rows), 1, arguments)? };
    Ok(())
}
