//! `apply_boolean_mask`: checks, and the choice of backend.

mod cuda;
mod host;

use gdf_core::{ColumnView, Result, Table, TableView};
use gdf_driver::Device;

use crate::check;
use crate::context::Ctx;
use crate::engine::rows::RowPlan;
use crate::engine::rows::host::copy_table;
use crate::host::HostColumn;

/// The rows of `table` whose element of `mask` is true and not null, in their order.
///
/// CUDA: 2 launches and 1 wait; 1 launch and 1 wait for up to 131,072 rows of at most 16 MiB without strings or binary,
/// whose results get memory for all rows, and are copied out of it where three quarters or more are left over. Each 32 columns more
/// cost a launch more; each 31 string or binary columns (first 31) a launch and a wait more. Nothing without rows.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when `mask` is not boolean.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
/// * [`Unsupported`](gdf_core::Error::Unsupported) for lists, maps, unions and run-end encoded columns.
/// * Driver and memory errors.
pub fn apply_boolean_mask(table: TableView<'_>, mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    check::boolean(&mask)?;
    check::length(table.num_rows(), mask.len())?;
    check::column(mask, ctx)?;
    check::table(&table, ctx)?;
    let plan = RowPlan::new("apply_boolean_mask", &table)?;
    if mask.is_empty() {
        return plan.empty(ctx);
    }
    match ctx.stream.device() {
        Device::Cpu => copy_table(&plan, &host::Selection::new(&HostColumn::open(mask, ctx.stream)?)?, ctx),
        Device::Cuda(_) => cuda::apply_boolean_mask(&plan, mask, ctx),
    }
}
