//! The bounds of the values of columns of numbers.

use gdf_core::{ColumnView, OrderBounds, Result};
use gdf_driver::Device;

use super::cuda;
use crate::Ctx;
use crate::host::HostColumn;
use crate::keys::host;

/// Returns order numbers between which all valid values of each column lie. If a column has no stored bounds, the
/// values are measured. The values must be integers of at most 64 bits.
///
/// # Errors
/// * Driver and memory errors.
pub fn value_bounds(columns: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Vec<OrderBounds>> {
    if let Some(outer) = columns.iter().map(|column| column.outer_bounds()).collect() {
        return Ok(outer);
    }
    match ctx.stream.device() {
        Device::Cpu => columns.iter().map(|column| host::bounds(&HostColumn::open(*column, ctx.stream)?)).collect(),
        Device::Cuda(_) => cuda::ranges(columns, ctx),
    }
}
