//! Marks columns as validated after their data have been checked.

use std::slice::Iter;

use gdf_core::validation::{Found, Node};
use gdf_core::{Column, NullCount, Result};

use crate::vouch;

/// Marks each column and child as validated.
pub(super) fn keep(nodes: &[Node<'_>], found: &[Found]) {
    for (node, found) in nodes.iter().zip(found) {
        // SAFETY: The callee requires that the data of the column are valid and that the null count is right. Each
        // node is a whole column or a whole child, because `add` is given views of whole columns. `look` has read the
        // data of all rows of the node, has found no rule broken, and has counted the nulls.
        unsafe { node.view.column().mark_validated(found.nulls) };
    }
}

/// Returns the column, marked as validated.
pub(super) fn marked(column: &Column, found: &mut Iter<'_, Found>) -> Result<Column> {
    let nulls = found.next().map(|found| found.nulls);
    let children = column.children().iter().map(|child| marked(child, found)).collect::<Result<_>>()?;
    let mut parts = column.clone().into_parts();
    parts.children = children;
    if let Some(nulls) = nulls.filter(|_| parts.validity.is_some()) {
        parts.null_count = NullCount::Known(nulls);
    }
    vouch::result(parts)
}
