//! `sort`: checks, and the choice of backend.

use gdf_core::{Result, Table, TableView};
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
