//! Selects the rows of a table by a boolean mask.

mod cuda;
mod host;

use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_driver::Device;

use super::RowPlan;
use super::host::copy_table;
use crate::Ctx;
use crate::host::HostColumn;
use crate::layout::row_indices;
use crate::vouch;

/// Returns the rows of `table` whose element of `mask` is true and not null. The caller has checked both inputs. `mask`
/// has as many rows as `table`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) under the conditions of [`RowPlan::new`]; driver and memory errors.
pub fn select(table: &TableView<'_>, mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let plan = RowPlan::new("apply_boolean_mask", table)?;
    if mask.is_empty() {
        return plan.empty(ctx);
    }
    let selected = match ctx.stream.device() {
        Device::Cpu => copy_table(&plan, &host::Selection::new(&HostColumn::open(mask, ctx.stream)?)?, ctx),
        Device::Cuda(_) => cuda::select(&plan, mask, ctx),
    }?;
    for (column, of) in selected.columns().iter().zip(table.columns()) {
        vouch::order_of(column.view(), *of);
    }
    Ok(selected)
}

/// Returns the numbers of the rows whose element of `mask` is true and not null, in ascending order. The caller has
/// checked the mask.
///
/// # Errors
/// * Driver and memory errors.
pub fn selected_rows(mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    if mask.is_empty() {
        return Column::empty_on(&row_indices(0), ctx.stream.device());
    }
    let rows = match ctx.stream.device() {
        Device::Cpu => host::Selection::new(&HostColumn::open(mask, ctx.stream)?)?.numbers(ctx),
        Device::Cuda(_) => cuda::selected_rows(mask, ctx),
    }?;
    vouch::ascending(rows.view());
    vouch::distinct(rows.view());
    Ok(rows)
}
