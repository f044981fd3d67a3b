//! Sorts the rows that a mask selects.

use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_engine::check;
use gdf_engine::mask::check_selection;
use gdf_engine::sequence::row_numbers;

use super::{NullOrder, Order, sort_by_key};
use crate::Ctx;
use crate::lists::gather_trusted;
use crate::stream_compaction::apply_boolean_mask;

/// Implements `gdf_api::sorting::sorted_order_where` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn sorted_order_where(
    table: TableView<'_>,
    mask: ColumnView<'_>,
    orders: &[Order],
    null_orders: &[NullOrder],
    ctx: Ctx<'_>,
) -> Result<Column> {
    let rows = table.num_rows();
    check_selection(mask, rows, ctx)?;
    let (numbers, scratch) = (row_numbers(rows, ctx.scratch())?, ctx.scratch());
    let columns = table.columns().iter().copied().chain([numbers.view()]).collect();
    let selected = apply_boolean_mask(TableView::try_with_rows(columns, rows)?, mask, scratch)?;
    let (count, mut keys) = (selected.num_rows(), selected.into_columns());
    let numbers = Table::try_with_rows(keys.drain(table.num_columns()..).collect(), count)?;
    let keys = Table::try_with_rows(keys, count)?;
    let sorted = sort_by_key(numbers.view(), keys.view(), orders, null_orders, ctx)?;
    sorted.column(0).cloned()
}

/// Implements `gdf_api::sorting::sort_by_key_where` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn sort_by_key_where(
    values: TableView<'_>,
    keys: TableView<'_>,
    mask: ColumnView<'_>,
    orders: &[Order],
    null_orders: &[NullOrder],
    ctx: Ctx<'_>,
) -> Result<Table> {
    check::length(keys.num_rows(), values.num_rows()).map_err(|error| error.in_argument("values"))?;
    check::table(&values, ctx)?;
    let order = sorted_order_where(keys, mask, orders, null_orders, ctx.scratch())?;
    gather_trusted(&values, order.view(), ctx)
}
