//! The matches of each left row: their number, or the only match.

use gdf_compute::binaryop::{self, BinaryOperator};
use gdf_compute::copying::copy_if_else;
use gdf_compute::search::{lower_bound, upper_bound};
use gdf_compute::sorting::sort;
use gdf_compute::stream_compaction::{DuplicateKeepOption, NanEquality, distinct_indices};
use gdf_compute::unary::cast;
use gdf_core::{Column, DataType, Error, Result, TableView};

use super::conditional::row_number;
use super::{JoinKind, JoinTable, NullEquality, join};
use crate::Ctx;
use crate::vouch::gather_trusted;

/// Returns the number of the matching right row of each left row, or [`JOIN_NO_MATCH`](super::JOIN_NO_MATCH).
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument) if a left row has several matches.
/// * The errors of [`JoinTable::join`].
pub fn lookup(table: &JoinTable<'_>, left: &TableView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let (rows, matches) = table.join(JoinKind::Left, left.clone(), ctx)?;
    // A left join has a result for each left row, and more results only if a left row has several matches.
    if rows.len() != left.num_rows() {
        return Err(Error::invalid_argument(
            "a row matches several rows of the hash table; make the rows of the table distinct, or use `left_join`",
        )
        .in_argument("left"));
    }
    Ok(matches)
}

/// The sorted rows that equal each searched row, as columns of `Int64`.
pub(super) struct Equal {
    /// The number of the first of these rows.
    pub(super) first: Column,
    pub(super) counts: Column,
}

/// Returns the rows of `sorted` that equal each row of `searched`. The rows are sorted in the default order.
///
/// # Errors
/// * The errors of `lower_bound`.
pub(super) fn equal_rows(sorted: &TableView<'_>, searched: &TableView<'_>, ctx: Ctx<'_>) -> Result<Equal> {
    let long = |column: Column| cast(column.view(), &DataType::Int64, ctx);
    let first = long(lower_bound(sorted, searched, &[], &[], ctx)?)?;
    let end = long(upper_bound(sorted, searched, &[], &[], ctx)?)?;
    let counts = binaryop::of(&end, BinaryOperator::Sub, (&first).into(), &DataType::Int64, ctx)?;
    Ok(Equal { first, counts })
}

/// Returns the number of matches of each left row.
///
/// # Errors
/// * The errors of [`JoinTable::join`].
pub fn match_counts(table: &JoinTable<'_>, left: &TableView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let (right, scratch) = (table.keys(), ctx.scratch());
    table.check(left, scratch)?;
    if left.num_rows() == 0 || right.num_rows() == 0 {
        return Column::full_on(0_i64, left.num_rows(), ctx.stream, ctx.mr.output);
    }
    let (any, nans) = (DuplicateKeepOption::Any, NanEquality::AllEqual);
    let rows = distinct_indices(right.clone(), any, NullEquality::Equal, nans, scratch)?;
    let distinct = gather_trusted(right, rows.view(), scratch)?;
    let numbers = |side: &TableView<'_>| join(JoinKind::Left, side.clone(), &distinct, table.nulls(), scratch);
    let (numbers_of_left, numbers_of_right) = (numbers(left)?.1, numbers(right)?.1);
    let sorted = sort(TableView::from(numbers_of_right.view()), &[], &[], scratch)?;
    let Equal { counts, .. } = equal_rows(&sorted.view(), &TableView::from(numbers_of_left.view()), scratch)?;
    // If nulls are unequal, null keys of both sides have the number that means "no row". They do not match each other.
    let keys = row_number(distinct.num_rows(), numbers_of_left.data_type());
    let is_key = binaryop::of(&numbers_of_left, BinaryOperator::Less, keys.into(), &DataType::Boolean, scratch)?;
    copy_if_else((&counts).into(), 0_i64.into(), is_key.view(), ctx)
}
