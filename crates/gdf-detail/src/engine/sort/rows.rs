//! Row numbers as a column, and the rows that they name.

use gdf_core::{Column, ColumnParts, NullCount, Result, Table, TableView};
use gdf_driver::Stream;
use gdf_memory::Buffer;

use crate::context::Ctx;
use crate::copying;
use crate::engine::keys::row_indices;
use crate::vouch;

/// The rows of `table` that `order`, which a function of this capability has made of as many rows, names.
pub(crate) fn rows_in_order(table: &TableView<'_>, order: &Column, ctx: Ctx<'_>) -> Result<Table> {
    // SAFETY: `order` consists of distinct numbers of rows of a table that has as many rows as this one (checked by
    // the callers), and has no nulls.
    unsafe { copying::gather_unchecked(table.clone(), order.view(), ctx) }
}

/// Row numbers as a column.
pub(crate) fn order_column(numbers: Buffer, rows: usize, stream: &Stream) -> Result<Column> {
    let mut parts = ColumnParts::new(row_indices(rows), stream.device(), rows).buffer(numbers);
    parts.null_count = NullCount::Known(0);
    vouch::result(parts)
}
