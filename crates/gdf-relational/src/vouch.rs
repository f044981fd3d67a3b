//! The statements of this crate about data that its operations have written.

use gdf_core::{Column, ColumnParts, ColumnView, DataType, Result, Table, TableView};
use gdf_driver::Stream;
use gdf_engine::vouched;
use gdf_memory::Buffer;

use crate::Ctx;

/// See [`vouched::result`].
pub(crate) fn result(parts: ColumnParts) -> Result<Column> {
    // SAFETY: the operations of this crate keep the rules of the callee. If a rule relies on an input, the input is
    // valid, because operations read the data of inputs through functions that reject columns that are not validated.
    // The runner of the test catalog validates the results of every entry again, on both devices.
    unsafe { vouched::result(parts) }
}

/// See [`vouched::numbers`].
pub(crate) fn numbers(data_type: DataType, values: Buffer, rows: usize, stream: &Stream) -> Result<Column> {
    // SAFETY: the operations of this crate have written all values.
    unsafe { vouched::numbers(data_type, values, rows, stream) }
}

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

/// Stores that no row is smaller than the row before.
pub(crate) fn ascending(view: ColumnView<'_>) {
    // SAFETY: the operations of this crate have written the rows in this order.
    unsafe { view.keep_ascending() };
}

/// Stores that no two rows are equal.
pub(crate) fn distinct(view: ColumnView<'_>) {
    // SAFETY: the operations of this crate have written different rows.
    unsafe { view.keep_distinct() };
}

/// Gathers of rows without nested columns.
pub(crate) mod rows {
    use gdf_core::{Column, ColumnView, Result, Table, TableView};

    use crate::Ctx;

    /// See [`gdf_engine::vouched::gather_column`].
    pub(crate) fn gather_column(column: ColumnView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
        // SAFETY: the operations of this crate have made the maps of rows of the column.
        unsafe { gdf_engine::vouched::gather_column(column, map, ctx) }
    }

    /// See [`gdf_engine::vouched::gather_trusted`].
    pub(crate) fn gather_trusted(table: &TableView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
        // SAFETY: the operations of this crate have made the maps of rows of the table.
        unsafe { gdf_engine::vouched::gather_trusted(table, map, ctx) }
    }
}
