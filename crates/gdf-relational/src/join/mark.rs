//! Mark joins: a boolean for each left row, which is true if the row has a match.

use gdf_compute::copying::{OutOfBoundsPolicy, scatter_scalars};
use gdf_compute::filling::from_scalar;
use gdf_core::{Column, Result, TableView};
use gdf_engine::rows::selected_rows;

use super::hash_join::{FilterKind, JoinTable, NullEquality, filter};
use crate::Ctx;

/// Implements `gdf_api::join::mark_join` with the stream and the resources of `ctx`.
pub fn mark_join(left: &TableView<'_>, right: &TableView<'_>, nulls: NullEquality, ctx: Ctx<'_>) -> Result<Column> {
    let matches = filter(FilterKind::Semi, left.clone(), right.clone(), nulls, ctx.scratch())?;
    marked(&matches, left.num_rows(), true, ctx)
}

/// Returns whether each row of `left` has a match in the built table.
///
/// # Errors
/// * The errors of [`JoinTable::filter`].
pub fn probe_marks(table: &JoinTable<'_>, left: &TableView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    marked(&table.filter(FilterKind::Semi, left.clone(), ctx.scratch())?, left.num_rows(), true, ctx)
}

/// Returns the numbers of the rows of the built table that have a match in `left`, or no match, as `kind` states.
///
/// # Errors
/// * The errors of [`JoinTable::filter`].
pub fn right_rows(kind: FilterKind, table: &JoinTable<'_>, left: &TableView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    if kind == FilterKind::Anti {
        return table.unmatched(left, ctx);
    }
    let (scratch, rows) = (ctx.scratch(), table.keys().num_rows());
    let matched = marked(&table.unmatched(left, scratch)?, rows, false, scratch)?;
    selected_rows(matched.view(), ctx)
}

/// Returns a boolean column of `rows` rows that is `mark` in the rows `chosen`, and the opposite in all other rows.
fn marked(chosen: &Column, rows: usize, mark: bool, ctx: Ctx<'_>) -> Result<Column> {
    let others = from_scalar((!mark).into(), rows, ctx.scratch())?;
    let target = TableView::from(others.view());
    let marked = scatter_scalars(&[mark.into()], chosen.view(), target, OutOfBoundsPolicy::Nullify, ctx)?;
    Ok(marked.column(0)?.clone())
}
