//! `sort_by_key`: checks the arguments and chooses the backend.

use gdf_core::{Abilities, Result, Table, TableView};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::sort::{KeyColumn, NullOrder, Order, cuda, keys};

use super::sorted_order::order_of;
use crate::Ctx;
use crate::keys::{Purpose, prepare};
use crate::lists::gather_trusted;

/// Implements `gdf_api::sorting::sort_by_key` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn sort_by_key(
    values: TableView<'_>,
    key_table: TableView<'_>,
    orders: &[Order],
    null_orders: &[NullOrder],
    ctx: Ctx<'_>,
) -> Result<Table> {
    let [prepared] = prepare("sort_by_key", [&key_table], Purpose::order(null_orders), ctx.scratch())?;
    let keys = keys("sort_by_key", &prepared.view()?, orders, null_orders, ctx)?;
    sorted(&values, &key_table, &keys, ctx)
}

fn sorted(values: &TableView<'_>, key_table: &TableView<'_>, keys: &[KeyColumn<'_>], ctx: Ctx<'_>) -> Result<Table> {
    let rows = key_table.num_rows();
    check::length(rows, values.num_rows()).map_err(|error| error.in_argument("values"))?;
    check::table(values, ctx)?;
    let has_rows = values.columns().iter().all(|column| Abilities::of(column.data_type()).rows);
    match ctx.stream.device() {
        Device::Cuda(_) if rows > 0 && has_rows => cuda::sort_by_key(values, keys, ctx),
        _ => {
            let order = order_of(keys, rows, rows, ctx.scratch())?;
            gather_trusted(values, order.view(), ctx)
        }
    }
}
