//! `reverse` and `sort_lists`: change the order of the elements of each list.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::filling::sequence;
use gdf_compute::lists::gather_column;
use gdf_compute::sorting::{NullOrder, Order, sorted_order};
use gdf_core::{Column, ColumnView, DataType, Result, TableView};

use super::elements::{Elements, Hidden};
use super::keys::key_columns;
use crate::Ctx;

/// Returns the elements of each list from the last to the first.
///
/// Implements `gdf_api::lists::reverse` with the stream and the memory resources of `ctx`.
pub fn reverse(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let (scratch, long) = (ctx.scratch(), &DataType::Int64);
    let lists = Elements::open("reverse", column, &[], Hidden::Purged, scratch)?;
    // For a list from row `begin` to row `end`, row `row` of the result is row `begin + end - 1 - row` of the elements.
    let sums = of(&lists.begins()?, Op::Add, (&lists.ends()?).into(), long, scratch)?;
    let sums = gather_column(sums.view(), lists.parents(scratch)?.view(), scratch)?;
    let rows = sequence(1_i64.into(), 1_i64.into(), lists.values.len(), scratch)?;
    let map = of(&sums, Op::Sub, (&rows).into(), long, scratch)?;
    lists.gathered(map.view(), ctx)
}

/// Returns the elements of each list in sorted order. Equal elements keep their order.
///
/// Implements `gdf_api::lists::sort_lists` with the stream and the memory resources of `ctx`.
pub fn sort_lists(column: ColumnView<'_>, order: Order, null_order: NullOrder, ctx: Ctx<'_>) -> Result<Column> {
    const OPERATION: &str = "sort_lists";
    let scratch = ctx.scratch();
    let lists = Elements::open(OPERATION, column, &[], Hidden::Purged, scratch)?;
    let mut keys = vec![lists.parents(scratch)?];
    keys.extend(key_columns(OPERATION, lists.values.view(), |abilities| abilities.sortable, scratch)?);
    let keys = TableView::try_new(keys.iter().map(Column::view).collect())?;
    let mut orders = vec![order; keys.num_columns()];
    orders[0] = Order::Ascending;
    let map = sorted_order(keys.clone(), &orders, &vec![null_order; keys.num_columns()], scratch)?;
    lists.gathered(map.view(), ctx)
}
