//! Selects the rows of a table by a boolean mask.

mod cuda;
mod host;

use gdf_core::{Abilities, Column, ColumnView, Result, Table, TableView};
use gdf_driver::Device;

use super::host::copy_table;
use super::nested::{SourceRows, beside_flat};
use super::{Bounds, RowPlan};
use crate::Ctx;
use crate::host::HostColumn;
use crate::layout::row_indices;
use crate::limits::cuda as limits;
use crate::vouch;

const OPERATION: &str = "apply_boolean_mask";

/// Returns the rows of `table` whose element of `mask` is true and not null. The caller has checked both inputs. `mask`
/// has as many rows as `table`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) under the conditions of [`RowPlan::new`]; driver and memory errors.
pub fn select(table: &TableView<'_>, mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let selected = match ctx.stream.device() {
        Device::Cpu => {
            let plan = RowPlan::with_lists(OPERATION, table)?;
            if mask.is_empty() {
                return plan.empty(ctx);
            }
            copy_table(&plan, &host::Selection::new(&HostColumn::open(mask, ctx.stream)?)?, ctx)?
        }
        Device::Cuda(_) => {
            let has_lists = table.columns().iter().any(|column| Abilities::of(column.data_type()).lists);
            if has_lists { with_lists(table, mask, ctx)? } else { on_cuda(table, mask, ctx)? }
        }
    };
    for (column, of) in selected.columns().iter().zip(table.columns()) {
        vouch::order_of(column.view(), *of);
    }
    Ok(selected)
}

fn on_cuda(table: &TableView<'_>, mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let plan = RowPlan::new(OPERATION, table)?;
    if mask.is_empty() { plan.empty(ctx) } else { cuda::select(&plan, mask, ctx) }
}

/// Selects the rows of a table that has columns of lists. If there are few rows, each row is a range that may be empty.
/// Otherwise, the columns of lists are gathered by the numbers of the selected rows.
fn with_lists(table: &TableView<'_>, mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    if mask.len() <= limits::SELECT_LISTS_BY_MASK_ROWS {
        return beside_flat(OPERATION, table, SourceRows::Mask(mask), ctx, |table| on_cuda(table, mask, ctx));
    }
    let numbers = selected_rows(mask, ctx.scratch())?;
    let rows = SourceRows::Map(numbers.view(), Bounds::trusted());
    beside_flat(OPERATION, table, rows, ctx, |table| on_cuda(table, mask, ctx))
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
