//! `apply_boolean_mask`: checks the arguments.

use gdf_core::{ColumnView, Result, Table, TableView};
use gdf_engine::check;

use crate::Ctx;
use crate::lists;

/// Returns the rows of `table` whose element of `mask` is true and not null.
///
/// Implements `gdf_api::stream_compaction::apply_boolean_mask` with the stream and the memory resources of `ctx`.
/// Returns the errors of that function.
pub fn apply_boolean_mask(table: TableView<'_>, mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    check::boolean(&mask).map_err(|error| error.in_argument("mask"))?;
    check::length(table.num_rows(), mask.len()).map_err(|error| error.in_argument("mask"))?;
    check::column(mask, ctx)?;
    check::table(&table, ctx)?;
    lists::select_rows(&table, mask, ctx)
}
