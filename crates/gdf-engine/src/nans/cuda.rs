//! `nans_to_nulls` on CUDA. One launch reads the values and the mask, writes the new mask, and counts the nulls.

use gdf_core::{ColumnView, NullCount, Result};
use gdf_kernels::generated::unary::NansToNulls;
use gdf_memory::Buffer;

use crate::Ctx;
use crate::cuda::{CudaColumn, CudaOutput, Kernel};

/// Returns the new mask and its null count.
pub(super) fn mask(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<(Option<Buffer>, NullCount)> {
    let len = column.len();
    let input = CudaColumn::open(column, ctx.stream)?;
    let mut output = CudaOutput::mask(len, ctx)?;
    let open = output.open(ctx.stream)?;
    let kernel = Kernel::find(ctx.stream)?;
    let arguments = NansToNulls { input: input.desc(), out: open.desc() };
    // SAFETY: The caller has checked that the input has floats. The output is a mask and a count for the number of rows
    // of the input. Input and output are held until the launch is enqueued.
    unsafe { kernel.launch(ctx.stream, kernel.streaming_blocks(len), 1, &arguments)? };
    drop((input, open));
    let mask = output.into_buffers()?;
    Ok((mask.validity, mask.null_count))
}
