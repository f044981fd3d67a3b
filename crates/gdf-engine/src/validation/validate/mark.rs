//! Vouching for columns whose data have been looked at.

use std::slice::Iter;

use gdf_core::validation::{Found, Node};
use gdf_core::{Column, NullCount, Result};

use crate::vouch;

/// Keeps with the columns that nothing was found to be wrong with them.
pub(super) fn keep(nodes: &[Node<'_>], found: &[Found]) {
    for (node, found) in nodes.iter().zip(found) {
        // SAFETY: each node is a whole column or child: `add` is given views of whole columns. `look` has gone over the data
        // of all of its rows and has found no rule broken, and it has counted the nulls.
        unsafe { node.view.column().mark_validated(found.nulls) };
    }
}

/// The column, in which nothing was found to be wrong, as one whose data are known to be right. `found` goes on with what was
/// found of it and, after that, of its children.
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
