//! Filters the pairs of a join by a condition.

use gdf_compute::binaryop::{self, BinaryOperator};
use gdf_compute::expression::{Condition, PairCondition};
use gdf_compute::filling::row_numbers;
use gdf_compute::stream_compaction::apply_boolean_mask;
use gdf_core::{Column, ColumnView, DataType, Result, Table, TableView};
use gdf_engine::check;
use gdf_engine::keys::row_indices;

use super::JoinKind;
use super::conditional::{in_order, marked, no_rows, pairs_where, row_number, rows_where, tile_pairs};
use crate::Ctx;

/// Implements `gdf_api::join::filter_join_pairs` with the stream and the resources of `ctx`.
pub fn filter_join_pairs(
    kind: JoinKind,
    [left, right]: [&TableView<'_>; 2],
    rows: [ColumnView<'_>; 2],
    condition: Condition<'_>,
    ctx: Ctx<'_>,
) -> Result<(Column, Column)> {
    let scratch = ctx.scratch();
    for (argument, table, rows) in [("left_rows", left, rows[0]), ("right_rows", right, rows[1])] {
        check::column(rows, ctx).map_err(|error| error.in_argument(argument))?;
        check::types(&row_indices(table.num_rows()), rows.data_type()).map_err(|error| error.in_argument(argument))?;
    }
    check::length(rows[0].len(), rows[1].len()).map_err(|error| error.in_argument("right_rows"))?;
    let condition = PairCondition::new(condition, left, right, scratch)?;
    let [is_left, is_right] = [is_row(left, rows[0], scratch)?, is_row(right, rows[1], scratch)?];
    let is_pair =
        binaryop::of(&is_left, BinaryOperator::NullLogicalAnd, (&is_right).into(), &DataType::Boolean, scratch)?;
    let pairs = apply_boolean_mask(TableView::try_new(rows.to_vec())?, is_pair.view(), scratch)?;
    let kept = pairs_where(&condition, &condition.left().view(), pairs, tile_pairs(&condition), scratch)?;
    let (kept_left, kept_right) = (kept.column(0)?.clone(), kept.column(1)?.clone());
    let mut parts = vec![(kept_left.clone(), kept_right.clone())];
    if kind != JoinKind::Inner {
        let lost = lost_rows(left, (rows[0], &is_left), &kept_left, scratch)?;
        let nothing = no_rows(right.num_rows(), lost.len(), scratch)?;
        parts.push((lost, nothing));
    }
    if kind == JoinKind::Full {
        let lost = lost_rows(right, (rows[1], &is_right), &kept_right, scratch)?;
        let nothing = no_rows(left.num_rows(), lost.len(), scratch)?;
        parts.push((nothing, lost));
    }
    Ok((in_order(parts.iter().map(|part| &part.0), ctx)?, in_order(parts.iter().map(|part| &part.1), ctx)?))
}

/// Returns whether each number is a row of the table.
fn is_row(table: &TableView<'_>, rows: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let count = row_number(table.num_rows(), rows.data_type());
    binaryop::of(&rows.to_column(), BinaryOperator::Less, count.into(), &DataType::Boolean, ctx)
}

/// Returns the rows of the table that occur in the pairs but not in the kept pairs, in ascending order.
fn lost_rows(
    table: &TableView<'_>,
    (rows, is_row): (ColumnView<'_>, &Column),
    kept: &Column,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let rows: Table = apply_boolean_mask(TableView::from(rows), is_row.view(), ctx)?;
    let marks = Column::full_on(false, table.num_rows(), ctx.stream, ctx.mr.temporary)?;
    let marks = marked(&marks, rows.column(0)?, true, ctx)?;
    let marks = marked(&marks, kept, false, ctx)?;
    rows_where(&row_numbers(table.num_rows(), ctx)?, &marks, ctx)
}
