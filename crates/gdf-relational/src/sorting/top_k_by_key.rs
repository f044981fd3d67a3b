//! `top_k_by_key`: the first rows of a table in the order of keys.

use gdf_compute::sorting::{NullOrder, Order, sorted_order_head};
use gdf_core::{Result, Table, TableView};
use gdf_engine::check;

use crate::Ctx;
use crate::vouch::gather_trusted;

/// Implements `gdf_api::sorting::top_k_by_key` with the stream and the memory resources of `ctx`. Returns the errors of
/// that function.
pub fn top_k_by_key(
    values: &TableView<'_>,
    keys: &TableView<'_>,
    k: usize,
    orders: &[Order],
    null_orders: &[NullOrder],
    ctx: Ctx<'_>,
) -> Result<Table> {
    check::length(keys.num_rows(), values.num_rows()).map_err(|error| error.in_argument("values"))?;
    check::table(values, ctx)?;
    let first = sorted_order_head(keys.clone(), orders, null_orders, k, ctx.scratch())?;
    gather_trusted(values, first.view(), ctx)
}
