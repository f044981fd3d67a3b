//! In-place writes on CUDA, in one launch.

use std::ops::Range;

use gdf_core::{ColumnParts, Result};
use gdf_engine::cuda::{CudaColumn, Kernel, Out};
use gdf_engine::input::Input;
use gdf_kernels::generated::copying::WriteRows;

use crate::Ctx;

pub(super) fn write(
    source: Input<'_>,
    parts: &mut ColumnParts,
    rows: Range<usize>,
    width: usize,
    ctx: Ctx<'_>,
) -> Result<()> {
    let column = CudaColumn::open_input(source, ctx.stream)?;
    let validity = parts.validity.as_mut().map(|mask| mask.write_on(ctx.stream)).transpose()?;
    let data = parts.buffers[0].write_on(ctx.stream)?;
    let kernel = Kernel::find(ctx.stream)?;
    let (input, data) = (column.desc(), Out::<u8>::of(&data));
    // The values of a column of fixed-size binary may lie at an unaligned address.
    let aligned = (input.data.address() | data.address()).is_multiple_of(width.clamp(1, 8) as u64);
    let arguments = WriteRows {
        input,
        data,
        validity: Out::of_option(validity.as_ref()),
        begin: rows.start as i64,
        length: rows.len() as i64,
        width: width as i32,
        aligned: i32::from(aligned),
    };
    // SAFETY: The source is broadcast or has as many rows as `rows`. The source has the type of the target and
    // therefore its width. The buffers of the target have at least `rows.end` rows and are open on this stream. If
    // `aligned` is not 0, both addresses are multiples of min(width, 8), which the test above has found. All accesses
    // are held until the launch is enqueued.
    unsafe { kernel.launch(ctx.stream, kernel.blocks(rows.len()), 1, &arguments)? };
    Ok(())
}
