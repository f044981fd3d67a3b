//! The elementwise engine computes a row of the result from each row of one to three inputs. README.md describes the
//! engine.

mod attempts;
mod cuda;
mod host;
mod plan;

use gdf_core::{Column, ColumnView, DataType, NullCount, Result};
use gdf_driver::Device;
use gdf_memory::Buffer;

pub use self::cuda::Launch;
pub use self::host::{BitWords, Block, Rows, Stored, map as on_host, pack, pack_stored, read_rows};
pub use self::plan::{Inputs, Nulls, SharedMask};
use crate::Ctx;
use crate::vouch;

/// Computes a column of `output_type`, which is fixed-width or boolean. `host` computes the column from the rows of the
/// inputs on the CPU. `device` launches the kernel that computes the rows on CUDA.
///
/// # Errors
/// * Errors of `host` and `device`; driver and memory errors.
pub fn map<const N: usize>(
    inputs: Inputs<'_, N>,
    output_type: &DataType,
    nulls: Nulls,
    ctx: Ctx<'_>,
    host: impl Fn(&Rows<'_, N>) -> Result<Column>,
    device: impl Fn(&Launch<'_, N>) -> Result<()>,
) -> Result<Column> {
    if inputs.rows == 0 {
        return empty(inputs, output_type, nulls, ctx);
    }
    match ctx.stream.device() {
        Device::Cpu => host::map(inputs, output_type, nulls, ctx, &host),
        Device::Cuda(_) => cuda::map(inputs, output_type, nulls, ctx, &device),
    }
}

/// Computes a column from one column in the same way as [`map`].
///
/// # Errors
/// * The errors of [`Inputs::new`] and [`map`].
pub fn map_column(
    column: ColumnView<'_>,
    output_type: &DataType,
    nulls: Nulls,
    ctx: Ctx<'_>,
    host: impl Fn(&Rows<'_, 1>) -> Result<Column>,
    device: impl Fn(&Launch<'_, 1>) -> Result<()>,
) -> Result<Column> {
    map(Inputs::new([column.into()], ctx)?, output_type, nulls, ctx, host, device)
}

fn empty<const N: usize>(inputs: Inputs<'_, N>, output_type: &DataType, nulls: Nulls, ctx: Ctx<'_>) -> Result<Column> {
    let column = Column::empty_on(output_type, ctx.stream.device())?;
    if nulls != Nulls::Share || !inputs.operands.iter().any(|operand| operand.has_validity()) {
        return Ok(column);
    }
    let mask = Buffer::uninitialized(0, ctx.stream, ctx.mr.output)?;
    vouch::result(column.into_parts().validity(Some(mask), NullCount::Known(0)))
}
