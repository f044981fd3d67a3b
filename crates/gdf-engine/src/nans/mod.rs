//! NaN: whether rows are NaN, and nulls in place of NaN. The result of [`nans_to_nulls`] shares the values of the column
//! and has a new mask.

mod cuda;
mod is_nan;

use gdf_core::{Column, ColumnView, Error, Result, is_floating, physical_type};
use gdf_driver::Device;

pub use self::is_nan::{is_nan, is_not_nan};
use crate::check;
use crate::mask::valid_and_true;
use crate::{Ctx, vouch};

/// Implements `gdf_api::transform::nans_to_nulls` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn nans_to_nulls(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let width = physical_type(column.data_type()).width().filter(|_| is_floating(column.data_type()));
    let width = width.ok_or_else(|| Error::unsupported("nans_to_nulls", column.data_type()))?;
    let mask = match ctx.stream.device() {
        Device::Cuda(_) if !column.is_empty() => {
            check::column(column, ctx)?;
            cuda::mask(column, ctx)?
        }
        _ => valid_and_true(column, is_not_nan(column, ctx.scratch())?.view(), ctx)?.into_parts(),
    };
    let mut parts = column.to_column().into_parts();
    parts.buffers[0] = parts.buffers[0].slice(parts.offset * width, parts.len * width)?;
    parts.offset = 0;
    (parts.validity, parts.null_count) = mask;
    vouch::result(parts)
}
