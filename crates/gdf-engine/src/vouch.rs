//! What this crate states about data that its operations have written or read. The functions for other crates are in
//! [`vouched`](crate::vouched), which has the rules that the callers keep.

use gdf_core::{Column, ColumnParts, ColumnView, DataType, Error, NullCount, OrderBounds, Result};
use gdf_driver::Stream;
use gdf_memory::Buffer;

/// Creates a column from parts that an operation has written or taken from its inputs; see
/// [`vouched::result`](crate::vouched::result).
pub(crate) fn result(parts: ColumnParts) -> Result<Column> {
    // SAFETY: The callee requires that the data obey the rules of their type. The operations of this crate keep the
    // rules of `vouched::result`. If a rule relies on an input, the input is valid, because operations read the data of
    // inputs through functions that reject columns that are not validated. The test catalog checks the operations: its
    // runner validates the results of every entry again, on both devices.
    unsafe { Column::try_from_vouched_parts(parts) }
}

/// Creates a column without nulls from fixed-width values that an operation has written.
pub(crate) fn numbers(data_type: DataType, values: Buffer, rows: usize, stream: &Stream) -> Result<Column> {
    let mut parts = ColumnParts::new(data_type, stream.device(), rows).buffer(values);
    parts.null_count = NullCount::Known(0);
    result(parts)
}

/// Stores that a column contains row numbers of `rows` rows, so that gathers do not check them again.
pub(crate) fn row_numbers(column: &Column, rows: usize) {
    if let Some(bounds) = column.value_bounds() {
        // SAFETY: Each valid value is at least 0 and less than `rows`. The operations of this crate have written the
        // value, or have copied it from a column for which the same is stored. The tests of `gather` check the row
        // numbers on both devices.
        unsafe { bounds.vouch_row_numbers(rows) };
    }
}

/// Stores the smallest and the largest order number of the valid rows.
pub(crate) fn exact_bounds(view: ColumnView<'_>, bounds: OrderBounds) {
    // SAFETY: the operations of this crate have read all rows of the view.
    unsafe { view.keep_exact_bounds(bounds) };
}

/// Stores that all valid rows of `column` lie between the bounds that are known of `of`.
pub(crate) fn outer_bounds_of(column: &Column, of: ColumnView<'_>) {
    if let (Some(known), Some(bounds)) = (of.outer_bounds(), column.value_bounds()) {
        // SAFETY: the operations of this crate have copied all valid rows of the column from rows of `of`.
        unsafe { bounds.keep_outer(known) };
    }
}

/// Stores that no row is smaller than the row before.
pub(crate) fn ascending(view: ColumnView<'_>) {
    // SAFETY: the operations of this crate have written the rows in this order, or have copied rows of an ascending
    // column in their order.
    unsafe { view.keep_ascending() };
}

/// Stores that no two rows are equal.
pub(crate) fn distinct(view: ColumnView<'_>) {
    // SAFETY: the operations of this crate have written different rows, or have copied different rows of a column with
    // distinct values.
    unsafe { view.keep_distinct() };
}

/// Stores what is known about the order of `of`, of which the operation has copied rows.
pub(crate) fn order_of(view: ColumnView<'_>, of: ColumnView<'_>) {
    // SAFETY: the operations of this crate have copied rows of `of` in their order, each at most once.
    unsafe { view.keep_order_of(of) };
}

/// Checks that the data of the column have been validated or vouched for, so that code may read them.
pub(crate) fn opened(column: ColumnView<'_>) -> Result<()> {
    if column.column().own_data_validated() {
        Ok(())
    } else {
        Err(Error::internal("an operation opened a column before the column was validated"))
    }
}
