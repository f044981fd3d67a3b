//! `top_k`: checks the arguments and chooses the backend.

use gdf_core::{Column, ColumnView, Error, Result, TableView};
use gdf_driver::Device;
use gdf_engine::sort::{KeyColumn, NullOrder, Order, cuda, keys};

use super::sorted_order::order_of;
use crate::Ctx;
use crate::keys::{Purpose, prepare};
use crate::lists::gather_trusted;

/// Implements `gdf_api::sorting::top_k` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn top_k(column: ColumnView<'_>, k: usize, order: Order, ctx: Ctx<'_>) -> Result<Column> {
    let table = TableView::try_new(vec![column])?;
    let [prepared] = prepare("top_k", [&table], Purpose::order(&nulls_last(order)), ctx.scratch())?;
    let keys = key_of("top_k", &prepared.view()?, order, ctx)?;
    let count = k.min(column.len());
    let missing = Error::column_count(1, 0);
    if let ([key], Device::Cuda(_), true) = (&keys[..], ctx.stream.device(), prepared.is_unchanged()) {
        if let Some(first) = cuda::first_values(key, count, ctx)? {
            return Ok(first);
        }
        // All values are sorted without row numbers, and are not gathered.
        if count > 0 && count == column.len() {
            return cuda::sort(&keys, &table, ctx)?.into_columns().pop().ok_or(missing);
        }
    }
    let first = first_rows(&keys, column.len(), count, ctx.scratch())?;
    let sorted = gather_trusted(&table, first.view(), ctx)?;
    sorted.into_columns().pop().ok_or(missing)
}

/// Implements `gdf_api::sorting::top_k_order` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn top_k_order(column: ColumnView<'_>, k: usize, order: Order, ctx: Ctx<'_>) -> Result<Column> {
    let (table, null_orders) = (TableView::from(column), nulls_last(order));
    let [prepared] = prepare("top_k_order", [&table], Purpose::order(&null_orders), ctx.scratch())?;
    let keys = key_of("top_k_order", &prepared.view()?, order, ctx)?;
    first_rows(&keys, column.len(), k.min(column.len()), ctx)
}

/// Returns the numbers of the first `count` rows of a table in sorted order: the first rows of
/// [`sorted_order`](super::sorted_order()).
///
/// # Errors
/// * The errors of [`sorted_order`](super::sorted_order()).
pub fn sorted_order_head(
    table: TableView<'_>,
    orders: &[Order],
    null_orders: &[NullOrder],
    count: usize,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let [prepared] = prepare("sorted_order", [&table], Purpose::order(null_orders), ctx.scratch())?;
    let keys = keys("sorted_order", &prepared.view()?, orders, null_orders, ctx)?;
    first_rows(&keys, table.num_rows(), count.min(table.num_rows()), ctx)
}

/// Returns the column as a sort key.
fn key_of<'a>(
    operation: &'static str,
    column: &TableView<'a>,
    order: Order,
    ctx: Ctx<'_>,
) -> Result<Vec<KeyColumn<'a>>> {
    keys(operation, column, &[order], &nulls_last(order), ctx)
}

fn nulls_last(order: Order) -> [NullOrder; 1] {
    [if order == Order::Ascending { NullOrder::After } else { NullOrder::Before }]
}

fn first_rows(keys: &[KeyColumn<'_>], rows: usize, count: usize, ctx: Ctx<'_>) -> Result<Column> {
    if let ([key], Device::Cuda(_)) = (keys, ctx.stream.device())
        && let Some(first) = cuda::first_rows(key, rows, count, ctx)?
    {
        return Ok(first);
    }
    order_of(keys, rows, count, ctx)
}
