//! The choice of a join: by a condition, by a pipeline, or of tables.

use gdf_core::Result;

use super::join::{LEFT_NOT_DISTINCT, RIGHT_NOT_DISTINCT, check_distinct, check_keys, probe, tables};
use super::needed::Needed;
use super::{Rows, conditional};
use crate::join::{Join, JoinKind};

/// Joins the rows with the rows of the right side.
pub(super) fn join(rows: &mut Rows, mut right: Rows, join: &Join, after: &Needed) -> Result<()> {
    check_keys(join)?;
    let is_conditional = join.condition.is_some();
    // A semi or anti join needs no row numbers of the right side. For a larger right side, the hash table of distinct
    // keys that `tables` builds saves more time than the fusion of conditions with the lookup.
    let is_set = matches!(join.kind, JoinKind::Semi | JoinKind::Anti);
    if is_set && !is_conditional && right.source().table().num_rows() > rows.source().table().num_rows() {
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
    match join.kind {
        JoinKind::Inner | JoinKind::Semi | JoinKind::Anti if !rows.has_only_columns() => {
            probe(rows, &right, left_keys, &right_keys, join, after)
        }
        _ => tables(rows, &right, [&left_keys, &right_keys], join, after),
    }
}
