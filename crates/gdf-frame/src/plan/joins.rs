//! The choice of a join: by a condition, by a pipeline, or of tables.

use gdf_api::join::{NullEquality, semi_condition};
use gdf_core::{Result, physical_type};
use gdf_expr::{Expr, ExprKind};

use super::join::{LEFT_NOT_DISTINCT, RIGHT_NOT_DISTINCT, check_distinct, check_keys, probe, tables};
use super::key_types::Unified;
use super::needed::Needed;
use super::{Rows, conditional};
use crate::join::{Join, JoinKind};

/// Joins the rows with the rows of the right side.
pub(super) fn join(rows: &mut Rows, mut right: Rows, join: &Join, after: &Needed) -> Result<()> {
    check_keys(join)?;
    let unified = Unified::new(rows, &right, join)?;
    unified.left.apply(rows)?;
    unified.right.apply(&mut right)?;
    let join = &*unified.join;
    let is_conditional = join.condition.is_some();
    // A semi or anti join needs no row numbers of the right side. For a larger right side, the hash table of distinct
    // keys that `tables` builds saves more time than the fusion of conditions with the lookup.
    let is_set = matches!(join.kind, JoinKind::Semi | JoinKind::Anti);
    let is_large = right.source().table().num_rows() > rows.source().table().num_rows();
    // After a test for membership in a set of keys, few rows are left. Copying these rows takes less time than looking
    // up all rows with a mask.
    let is_filtered = join.kind != JoinKind::Semi
        && rows.conditions().iter().any(|condition| matches!(condition.kind(), ExprKind::IsKey { .. }));
    if !is_conditional && (is_filtered || is_set && is_large) {
        rows.compute()?;
    }
    let left_keys = rows.resolve_all(join.keys.iter().map(|(left, _)| left))?;
    let right_keys = right.resolve_all(join.keys.iter().map(|(_, right)| right))?;
    if join.validate.right() {
        check_distinct(&*right.project(&right_keys)?, RIGHT_NOT_DISTINCT)?;
    }
    if join.validate.left() {
        check_distinct(&*rows.project(&left_keys)?, LEFT_NOT_DISTINCT)?;
    }
    if let Some(condition) = &join.condition {
        return conditional::join(rows, &right, [&left_keys, &right_keys], (join, condition), after);
    }
    if join.kind == JoinKind::Semi
        && let Some(condition) = set_condition(rows, &right, [&left_keys, &right_keys], join)?
    {
        rows.filter(condition)?;
        return Ok(());
    }
    match join.kind {
        JoinKind::Inner | JoinKind::Semi | JoinKind::Anti if !rows.has_only_columns() => {
            probe(rows, &right, left_keys, &right_keys, join, after)
        }
        _ => tables(rows, &right, [&left_keys, &right_keys], join, after),
    }
}

/// Returns a condition that is true for exactly the rows with a match. Later verbs test the condition together with
/// their own conditions. Returns `None` if a semi join is the better way.
fn set_condition(
    rows: &Rows,
    right: &Rows,
    [left_keys, right_keys]: [&[Expr]; 2],
    join: &Join,
) -> Result<Option<Expr>> {
    let ([left], [key]) = (left_keys, right_keys) else { return Ok(None) };
    let of_key = right.type_of(key)?;
    // A set has integers of at most 64 bits. For other keys, the function ends here, before it computes the keys of the
    // right side, because the semi join computes them, too.
    let physical = physical_type(&of_key);
    let is_number = physical.is_integral() && physical.width().is_some_and(|width| width <= 8);
    if join.nulls() == NullEquality::Equal || !is_number || rows.type_of(left)? != of_key {
        return Ok(None);
    }
    semi_condition(left_keys, &*right.project(right_keys)?, rows.source().table().num_rows())
}
