//! `sorted_order`: checks the arguments and chooses the backend.

use gdf_core::{Column, Result, TableView};
use gdf_driver::Device;
use gdf_engine::keys::row_indices;
use gdf_engine::sort::{KeyColumn, NullOrder, Order, check_has_keys, cuda, host, keys};

use crate::Ctx;
use crate::keys::{Purpose, prepare};

/// Implements `gdf_api::sorting::sorted_order` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn sorted_order(table: TableView<'_>, orders: &[Order], null_orders: &[NullOrder], ctx: Ctx<'_>) -> Result<Column> {
    let [prepared] = prepare("sorted_order", [&table], Purpose::order(null_orders), ctx.scratch())?;
    let keys = keys("sorted_order", &prepared.view()?, orders, null_orders, ctx)?;
    order_of(&keys, table.num_rows(), table.num_rows(), ctx)
}

/// Checks that the columns of `table` can be sorted by these orders. The function reads only the types of the columns.
///
/// # Errors
/// * The errors of [`sorted_order`].
pub fn check_keys(
    operation: &'static str,
    table: &TableView<'_>,
    orders: &[Order],
    null_orders: &[NullOrder],
    ctx: Ctx<'_>,
) -> Result<()> {
    check_has_keys(table)?;
    let [prepared] = prepare(operation, [&table.slice(0, 0)?], Purpose::order(null_orders), ctx.scratch())?;
    keys(operation, &prepared.view()?, orders, null_orders, ctx).map(drop)
}

/// Returns the numbers of the first `count` rows in the order of `keys`.
pub(super) fn order_of(keys: &[KeyColumn<'_>], rows: usize, count: usize, ctx: Ctx<'_>) -> Result<Column> {
    if count == 0 {
        return Column::empty_on(&row_indices(rows), ctx.stream.device());
    }
    match ctx.stream.device() {
        Device::Cpu => host::sorted_order(keys, rows, count, ctx),
        Device::Cuda(_) => cuda::sorted_order(keys, rows, count, ctx),
    }
}
