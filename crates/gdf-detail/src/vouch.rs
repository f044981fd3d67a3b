//! The statements of this crate about data that its operations have written.

use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_engine::vouched;

use crate::Ctx;

/// See [`vouched::row_numbers`].
pub(crate) fn row_numbers(column: &Column, rows: usize) {
    // SAFETY: the operations of this crate have written the values, each of which is the number of a row. The tests of
    // `gather` check the row numbers on both devices.
    unsafe { vouched::row_numbers(column, rows) }
}

/// See [`gdf_compute::vouched::gather_column`].
pub(crate) fn gather_column(column: ColumnView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    // SAFETY: the operations of this crate have made the maps of rows of the column.
    unsafe { gdf_compute::vouched::gather_column(column, map, ctx) }
}

/// See [`gdf_compute::vouched::gather_trusted`].
pub(crate) fn gather_trusted(table: &TableView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    // SAFETY: the operations of this crate have made the maps of rows of the table.
    unsafe { gdf_compute::vouched::gather_trusted(table, map, ctx) }
}
