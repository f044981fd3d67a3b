//! `is_sorted`: checks the arguments and chooses the backend.

use gdf_core::{Result, TableView};
use gdf_driver::Device;
use gdf_engine::sort::{NullOrder, Order, cuda, host, keys};

use crate::Ctx;
use crate::keys::{Purpose, prepare};
use crate::vouch;

/// Implements `gdf_api::sorting::is_sorted` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn is_sorted(table: TableView<'_>, orders: &[Order], null_orders: &[NullOrder], ctx: Ctx<'_>) -> Result<bool> {
    let [prepared] = prepare("is_sorted", [&table], Purpose::order(null_orders), ctx.scratch())?;
    let keys = keys("is_sorted", &prepared.view()?, orders, null_orders, ctx)?;
    let only = match table.columns() {
        [column] if orders.first() != Some(&Order::Descending) => Some(*column),
        _ => None,
    };
    if table.num_rows() < 2 || only.is_some_and(|column| column.is_known_ascending()) {
        return Ok(true);
    }
    let is_sorted = match ctx.stream.device() {
        Device::Cpu => host::is_sorted(&keys, table.num_rows(), ctx.stream),
        Device::Cuda(_) => cuda::is_sorted(&keys, table.num_rows(), ctx.stream),
    }?;
    if let (true, Some(column)) = (is_sorted, only) {
        vouch::ascending(column);
    }
    Ok(is_sorted)
}
