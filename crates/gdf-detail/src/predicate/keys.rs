//! Tests of rows for membership in a set of keys.

use gdf_core::{Column, Error, Result, TableView};
use gdf_expr::KeySet;
use gdf_relational::join::KeyFilter;

use super::{Node, evaluate_predicate};
use crate::Ctx;

/// Returns the filter that the set contains.
pub(super) fn filter_of(set: &KeySet) -> Result<&KeyFilter> {
    let text = "the set of keys is not a set of this library; make the set by `HashJoin::filter`";
    set.keys().ok_or_else(|| Error::invalid_argument(text))
}

/// Returns for each row whether the row may be a row of the set. The result is null if a value is null. The columns
/// have the types of the keys.
pub(crate) fn is_key(rows: &TableView<'_>, set: &KeySet, ctx: Ctx<'_>) -> Result<Column> {
    let filter = filter_of(set)?;
    let test = |column, first| {
        let node = Node::Key { column, first, bits: filter.bits().view() };
        evaluate_predicate(&node.into(), ctx)
    };
    match filter.first() {
        Some(first) => test(*rows.columns().first().ok_or_else(|| Error::internal("the keys have no column"))?, first),
        None => test(filter.hash_places(rows, ctx.scratch())?.view(), 0),
    }
}
