//! The number of matches of each left row of a join by a condition.

use gdf_compute::expression::Condition;
use gdf_compute::filling::{from_scalar, sequence};
use gdf_core::{Column, Result, TableView};

use super::NestedLoops;
use super::groups::{Groups, in_order, row_number};
use super::mixed::EqualKeys;
use crate::Ctx;
use crate::join::JoinKeys;
use crate::join::hash_join::Kind;
use crate::join::matches::equal_rows;

/// Returns the number of right rows for which the condition is true, for each left row.
///
/// # Errors
/// * The errors of [`conditional_join`](super::conditional_join).
pub fn conditional_match_counts(
    left: &TableView<'_>,
    right: &TableView<'_>,
    condition: Condition<'_>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    counts(&NestedLoops::new(left, right, condition, ctx)?, ctx)
}

/// Returns the number of right rows that have equal keys and for which the condition is true, for each left row.
///
/// # Errors
/// * The errors of [`mixed_join`](super::mixed_join).
pub fn mixed_match_counts(
    left: &TableView<'_>,
    right: &TableView<'_>,
    on: &JoinKeys<'_>,
    condition: Condition<'_>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    counts(&EqualKeys::new(left, right, on, condition, ctx)?, ctx)
}

fn counts(groups: &impl Groups, ctx: Ctx<'_>) -> Result<Column> {
    if groups.left_rows() == 0 || groups.right_rows() == 0 {
        return from_scalar(0_i64.into(), groups.left_rows(), ctx);
    }
    let scratch = ctx.scratch();
    let mut parts = Vec::new();
    for range in groups.ranges(Kind::Inner, ctx)? {
        let matches = groups.rows(range.clone(), Kind::Inner, scratch)?.left;
        if matches.is_empty() {
            parts.push(Column::full_on(0_i64, range.len(), ctx.stream, ctx.mr.temporary)?);
            continue;
        }
        let number = |number: usize| row_number(number, matches.data_type());
        let rows = sequence(number(range.start).into(), number(1).into(), range.len(), scratch)?;
        // The left numbers of the pairs ascend, so the pairs of a row lie between two bounds.
        let (matches, rows) = (TableView::from(matches.view()), TableView::from(rows.view()));
        parts.push(equal_rows(&matches, &rows, scratch)?.counts);
    }
    in_order(parts.iter(), ctx)
}
