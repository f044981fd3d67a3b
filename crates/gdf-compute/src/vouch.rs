//! The statements of this crate about data that its operations have written.

use gdf_core::{Column, ColumnParts, ColumnView, DataType, OrderBounds, Result, Table, TableView};
use gdf_driver::Stream;
use gdf_engine::rows::Bounds;
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

/// See [`vouched::trusted`].
pub(crate) fn trusted() -> Bounds {
    // SAFETY: the callers in this crate gather by maps that were checked or that operations have made.
    unsafe { vouched::trusted() }
}

/// See [`vouched::gather_column`].
pub(crate) fn gather_column(column: ColumnView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    // SAFETY: the operations of this crate have made the maps of rows of the column.
    unsafe { vouched::gather_column(column, map, ctx) }
}

/// See [`vouched::gather_trusted`].
pub(crate) fn gather_trusted(table: &TableView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    // SAFETY: the operations of this crate have made the maps of rows of the table.
    unsafe { vouched::gather_trusted(table, map, ctx) }
}

/// Stores the smallest and the largest order number of the valid rows.
pub(crate) fn exact_bounds(view: ColumnView<'_>, bounds: OrderBounds) {
    // SAFETY: the operations of this crate have read all rows of the view.
    unsafe { view.keep_exact_bounds(bounds) };
}

/// Stores that no row is smaller than the row before.
pub(crate) fn ascending(view: ColumnView<'_>) {
    // SAFETY: the operations of this crate have written or found the rows in this order.
    unsafe { view.keep_ascending() };
}

/// Stores that no two rows are equal.
pub(crate) fn distinct(view: ColumnView<'_>) {
    // SAFETY: the operations of this crate have written or counted different rows.
    unsafe { view.keep_distinct() };
}
