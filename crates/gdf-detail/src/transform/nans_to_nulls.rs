//! `nans_to_nulls`: the values as they are, under another mask.

use gdf_core::{Column, ColumnView, DataType, Error, NullCount, Result, is_floating, physical_type};
use gdf_driver::Device;
use gdf_kernels::generated::unary::NansToNulls;
use gdf_memory::Buffer;

use crate::Ctx;
use crate::check;
use crate::cuda::{CudaColumn, CudaOutput, Kernel, Scratch};
use crate::null_mask::valid_and_true;
use crate::unary::is_not_nan;
use crate::vouch;

/// `gdf_api::transform::nans_to_nulls` on the stream and from the resources of `ctx`.
pub fn nans_to_nulls(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let width = physical_type(column.data_type()).width().filter(|_| is_floating(column.data_type()));
    let width = width.ok_or_else(|| Error::unsupported("nans_to_nulls", column.data_type()))?;
    let mask = match ctx.stream.device() {
        Device::Cuda(_) if !column.is_empty() => mask_on_cuda(column, ctx)?,
        _ => valid_and_true(column, is_not_nan(column, ctx.scratch())?.view(), ctx)?.into_parts(),
    };
    let mut parts = column.to_column().into_parts();
    parts.buffers[0] = parts.buffers[0].slice(parts.offset * width, parts.len * width)?;
    parts.offset = 0;
    (parts.validity, parts.null_count) = mask;
    vouch::result(parts)
}

fn mask_on_cuda(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<(Option<Buffer>, NullCount)> {
    check::column(column, ctx)?;
    let len = column.len();
    let input = CudaColumn::open(column, ctx.stream)?;
    let mut output = CudaOutput::mask_only(&DataType::Null, len, true, ctx)?;
    let open = output.open(ctx.stream)?;
    let kernel = Kernel::find(ctx.stream)?;
    let arguments = NansToNulls { input: input.desc, out: open.desc, scratch: Scratch::of(ctx.stream)? };
    // SAFETY: floats (the caller has checked), and a mask and a count that were made for as many rows; all are held until the
    // launch is enqueued.
    unsafe { kernel.launch(ctx.stream, kernel.streaming_blocks(len), 1, &arguments)? };
    drop((input, open));
    let mask = output.into_buffers()?;
    Ok((mask.validity, mask.null_count))
}
