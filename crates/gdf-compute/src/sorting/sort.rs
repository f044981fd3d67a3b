//! `sort`: checks the arguments and chooses the backend.

use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_driver::Device;
use gdf_engine::sort::{KeyColumn, NullOrder, Order, cuda, host, keys};

use super::sorted_order::order_of;
use crate::Ctx;
use crate::keys::{Purpose, prepare};
use crate::lists::gather_trusted;
use crate::vouch;

/// Implements `gdf_api::sorting::sort` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn sort(table: TableView<'_>, orders: &[Order], null_orders: &[NullOrder], ctx: Ctx<'_>) -> Result<Table> {
    let [prepared] = prepare("sort", [&table], Purpose::order(null_orders), ctx.scratch())?;
    let keys = keys("sort", &prepared.view()?, orders, null_orders, ctx)?;
    let result = if prepared.is_unchanged() { sorted(&keys, &table, ctx) } else { in_order(&keys, &table, ctx) }?;
    if let (Some(first), true) = (result.columns().first(), orders.first() != Some(&Order::Descending)) {
        vouch::ascending(first.view());
    }
    Ok(result)
}

fn sorted(keys: &[KeyColumn<'_>], table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let rows = table.num_rows();
    match ctx.stream.device() {
        Device::Cpu if rows > 0 => match host::sort_keys(keys, rows, ctx)? {
            Some(sorted) => Ok(sorted),
            None => in_order(keys, table, ctx),
        },
        Device::Cuda(_) if rows > 0 => cuda::sort(keys, table, ctx),
        _ => in_order(keys, table, ctx),
    }
}

fn in_order(keys: &[KeyColumn<'_>], table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let order = order_of(keys, table.num_rows(), table.num_rows(), ctx.scratch())?;
    gather_trusted(table, order.view(), ctx)
}

/// Returns the values at `positions` of the column in ascending order, nulls last. `positions` are distinct and ascend.
pub fn sorted_rows_at(column: ColumnView<'_>, positions: &[usize], ctx: Ctx<'_>) -> Result<Option<Column>> {
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
