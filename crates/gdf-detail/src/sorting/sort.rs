//! `sort`: checks, and the choice of backend.

use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_driver::Device;

use super::sorted_order::order_of;
use crate::Ctx;
use crate::copying::rows_in_order;
use crate::engine::sort::{KeyColumn, NullOrder, Order, cuda, host, keys};

/// `gdf_api::sorting::sort` on the stream and from the resources of `ctx`.
pub fn sort(table: TableView<'_>, orders: &[Order], null_orders: &[NullOrder], ctx: Ctx<'_>) -> Result<Table> {
    let keys = keys("sort", &table, orders, null_orders, ctx)?;
    sorted(&keys, &table, ctx)
}

fn sorted(keys: &[KeyColumn<'_>], table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let rows = table.num_rows();
    if rows == 0 {
        let order = order_of(keys, rows, rows, ctx.scratch())?;
        return rows_in_order(table, &order, ctx);
    }
    match ctx.stream.device() {
        Device::Cpu => match host::sort_keys(keys, rows, ctx)? {
            Some(sorted) => Ok(sorted),
            None => {
                let order = order_of(keys, rows, rows, ctx.scratch())?;
                rows_in_order(table, &order, ctx)
            }
        },
        Device::Cuda(_) => cuda::sort(keys, table, ctx),
    }
}

/// The rows at `positions`, distinct and in ascending order, of the sorted column, nulls last, if that is quicker than to sort it.
pub(crate) fn sorted_rows_at(column: ColumnView<'_>, positions: &[usize], ctx: Ctx<'_>) -> Result<Option<Column>> {
    let table = TableView::try_new(vec![column])?;
    let keys = keys("sort", &table, &[Order::Ascending], &[NullOrder::After], ctx)?;
    match ctx.stream.device() {
        Device::Cpu => Ok(host::select_keys(&keys, table.num_rows(), positions, ctx)?.map(only_column).transpose()?),
        Device::Cuda(_) => Ok(None),
    }
}

fn only_column(table: Table) -> Result<Column> {
    Ok(table.column(0)?.clone())
}
