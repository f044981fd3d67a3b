//! The statements of this crate about data that its operations have written.

use gdf_core::{Column, ColumnParts, ColumnView, Result};
use gdf_engine::vouched;

use crate::Ctx;

/// See [`vouched::result`].
pub(crate) fn result(parts: ColumnParts) -> Result<Column> {
    // SAFETY: the operations of this crate keep the rules of the callee. If a rule relies on an input, the input is
    // valid, because operations read the data of inputs through functions that reject columns that are not validated.
    // The runner of the test catalog validates the results of every entry again, on both devices.
    unsafe { vouched::result(parts) }
}

/// See [`gdf_compute::vouched::gather_column`].
pub(crate) fn gather_column(column: ColumnView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    // SAFETY: the operations of this crate have made the maps of rows of the column.
    unsafe { gdf_compute::vouched::gather_column(column, map, ctx) }
}
