//! Mark joins: a boolean for each left row, which is true if the row has a match.

use gdf_compute::copying::{OutOfBoundsPolicy, scatter_scalars};
use gdf_compute::filling::from_scalar;
use gdf_core::{Column, Result, TableView};

use super::hash_join::{FilterKind, JoinTable, NullEquality, filter};
use crate::Ctx;

/// Implements `gdf_api::join::mark_join` with the stream and the resources of `ctx`.
pub fn mark_join(left: &TableView<'_>, right: &TableView<'_>, nulls: NullEquality, ctx: Ctx<'_>) -> Result<Column> {
    marks(&filter(FilterKind::Semi, left.clone(), right.clone(), nulls, ctx.scratch())?, left.num_rows(), ctx)
}

/// Returns whether each row of `left` has a match in the built table.
///
/// # Errors
/// * The errors of [`JoinTable::filter`].
pub fn probe_marks(table: &JoinTable<'_>, left: &TableView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    marks(&table.filter(FilterKind::Semi, left.clone(), ctx.scratch())?, left.num_rows(), ctx)
}

/// Returns a boolean column of `rows` rows that is true in the rows `matches`.
fn marks(matches: &Column, rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    let none = from_scalar(false.into(), rows, ctx.scratch())?;
    let target = TableView::from(none.view());
    let marked = scatter_scalars(&[true.into()], matches.view(), target, OutOfBoundsPolicy::Nullify, ctx)?;
    Ok(marked.column(0)?.clone())
}
