//! The CUDA half: one launch.

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
    let arguments = WriteRows {
        input: column.desc(),
        data: Out::of(&data),
        validity: Out::of_option(validity.as_ref()),
        begin: rows.start as i64,
        length: rows.len() as i64,
        width: width as i32,
    };
    // SAFETY: the source has as many rows or is broadcast, of the type and so of the width of the target, whose buffers
    // have `rows.end` rows, are aligned to their width (checked when the column was made), and are open on this stream.
    unsafe { kernel.launch(ctx.stream, kernel.blocks(rows.len()), 1, &arguments)? };
    Ok(())
}
