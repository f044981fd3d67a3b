//! The result has a row for each row of the input: see README.md.

mod cuda;
mod host;

use gdf_core::{Column, ColumnView, DataType, Result};
use gdf_driver::Device;

pub(crate) use self::cuda::Launch;
pub(crate) use self::host::Rows;
use crate::check;
use crate::context::Ctx;

/// Which rows of the result are null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nulls {
    /// Those of the input.
    Keep,
    /// None.
    Never,
}

/// A column of `output_type`, fixed-width or boolean, made of each row of `column` by `host` or by the kernel that `device`
/// launches. Without rows neither is called.
///
/// # Errors
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch), [`BrokenData`](gdf_core::Error::BrokenData); those of `host` and
///   `device`; driver and memory errors.
pub(crate) fn map(
    column: ColumnView<'_>,
    output_type: &DataType,
    nulls: Nulls,
    ctx: Ctx<'_>,
    host: impl FnOnce(&Rows<'_>) -> Result<Column>,
    device: impl FnOnce(&Launch<'_>) -> Result<()>,
) -> Result<Column> {
    check::column(column, ctx)?;
    if column.is_empty() {
        return Column::empty(output_type, ctx.stream.device());
    }
    match ctx.stream.device() {
        Device::Cpu => host(&Rows::open(column, output_type, nulls, ctx)?),
        Device::Cuda(_) => cuda::map(column, output_type, nulls, ctx, device),
    }
}
