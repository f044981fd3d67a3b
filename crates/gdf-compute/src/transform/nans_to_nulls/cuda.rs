//! `nans_to_nulls` on CUDA: one launch that reads values and mask, and counts.

use gdf_core::{ColumnView, NullCount, Result};
use gdf_engine::cuda::{CudaColumn, CudaOutput, Kernel};
use gdf_kernels::generated::unary::NansToNulls;
use gdf_memory::Buffer;

use crate::Ctx;

/// Of floats of which there are some, checked.
pub(super) fn mask(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<(Option<Buffer>, NullCount)> {
    let len = column.len();
    let input = CudaColumn::open(column, ctx.stream)?;
    let mut output = CudaOutput::mask(len, ctx)?;
    let open = output.open(ctx.stream)?;
    let kernel = Kernel::find(ctx.stream)?;
    let arguments = NansToNulls { input: input.desc(), out: open.desc() };
    // SAFETY: floats (the caller has checked), and a mask and a count that were made for as many rows; all are held until the
    // launch is enqueued.
    unsafe { kernel.launch(ctx.stream, kernel.streaming_blocks(len), 1, &arguments)? };
    drop((input, open));
    let mask = output.into_buffers()?;
    Ok((mask.validity, mask.null_count))
}
