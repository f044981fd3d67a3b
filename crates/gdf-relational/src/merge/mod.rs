//! `merge`: the rows of sorted tables as one sorted table.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::concatenate::{concatenate, concatenate_columns};
use gdf_compute::copying::{OutOfBoundsPolicy, scatter};
use gdf_compute::filling::row_numbers;
use gdf_compute::lists::may_share_values;
use gdf_compute::search::{lower_bound, upper_bound};
use gdf_compute::sorting::{NullOrder, Order, check_keys, sorted_order};
use gdf_core::{Column, Error, Result, Table, TableView};
use gdf_engine::cast::cast;
use gdf_engine::check;
use gdf_engine::keys::{MAX_KEYS, row_indices};

use crate::Ctx;
use crate::vouch::gather_trusted;

/// Up to this number of tables, the rows of each table are searched in each other table.
const MAX_SEARCHED: usize = 4;

/// Implements `gdf_api::merge::merge` with the stream and the memory resources of `ctx`. Returns the errors of that
/// function.
pub fn merge(
    tables: &[TableView<'_>],
    keys: &[usize],
    orders: &[Order],
    null_orders: &[NullOrder],
    ctx: Ctx<'_>,
) -> Result<Table> {
    tables.iter().try_for_each(|table| check::table(table, ctx))?;
    if keys.is_empty() {
        return Err(Error::invalid_argument("there are no keys; pass at least 1 column").in_argument("keys"));
    }
    let key_tables = tables.iter().map(|table| table.select(keys)).collect::<Result<Vec<_>>>()?;
    if let Some(first) = key_tables.first() {
        check_keys("merge", first, orders, null_orders, ctx)?;
    }
    let given: Vec<_> = key_tables.into_iter().filter(|table| table.num_rows() > 0).collect();
    if given.len() < 2 {
        return concatenate(tables, ctx);
    }
    let is_shared = tables.iter().flat_map(|table| table.columns()).any(|column| may_share_values(column.data_type()));
    let all = concatenate(tables, if is_shared { ctx } else { ctx.scratch() })?;
    let order = if given.len() <= MAX_SEARCHED && keys.len() <= MAX_KEYS {
        searched_order(&given, all.num_rows(), orders, null_orders, ctx.scratch())?
    } else {
        sorted_order(all.view().select(keys)?, orders, null_orders, ctx.scratch())?
    };
    gather_trusted(&all.view(), order.view(), ctx)
}

/// Returns the sorted order of the rows of all tables.
fn searched_order(
    tables: &[TableView<'_>],
    rows: usize,
    orders: &[Order],
    null_orders: &[NullOrder],
    ctx: Ctx<'_>,
) -> Result<Column> {
    let number = row_indices(rows);
    let mut places = Vec::new();
    for (i, table) in tables.iter().enumerate() {
        let mut place = cast(row_numbers(table.num_rows(), ctx)?.view(), &number, ctx)?;
        for (other, others) in tables.iter().enumerate().filter(|(other, _)| *other != i) {
            let search = if other < i { upper_bound } else { lower_bound };
            let before = search(others, table, orders, null_orders, ctx)?;
            place = of(&place, Op::Add, (&before).into(), &number, ctx)?;
        }
        places.push(place);
    }
    let places: Vec<_> = places.iter().map(Column::view).collect();
    let places = concatenate_columns(&places, ctx)?;
    // If a table is not sorted, two rows may have the same position, and another position has no row.
    let numbers = row_numbers(rows, ctx)?;
    let numbers = TableView::from(numbers.view());
    scatter(numbers.clone(), places.view(), numbers, OutOfBoundsPolicy::Nullify, ctx)?.column(0).cloned()
}
