//! Row numbers: their type, and the rows they name.

use gdf_core::{Column, DataType, Result, Table, TableView};
use gdf_driver::Stream;
use gdf_memory::Resources;

use crate::copying;

/// Of the numbers of `rows` rows: fixed by their count, never by data.
pub(crate) fn order_type(rows: usize) -> DataType {
    if rows < u32::MAX as usize { DataType::UInt32 } else { DataType::UInt64 }
}

/// The rows of `table` that `order`, which a function of this capability has made of as many rows, names.
pub(super) fn rows_in_order(
    table: &TableView<'_>,
    order: &Column,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<Table> {
    // SAFETY: `order` consists of distinct numbers of rows of a table that has as many rows as this one (checked by
    // the callers), and has no nulls.
    unsafe { copying::gather_unchecked(table.clone(), order.view(), stream, mr) }
}
