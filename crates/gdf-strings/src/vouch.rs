//! The statements of this crate about data that its operations have written.

use gdf_core::{Column, ColumnParts, DataType, Result};
use gdf_driver::Stream;
use gdf_engine::vouched;
use gdf_memory::Buffer;

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
