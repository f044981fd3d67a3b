//! Row numbers as a column.

use gdf_core::{Column, ColumnParts, NullCount, Result};
use gdf_driver::Stream;
use gdf_memory::Buffer;

use crate::engine::keys::row_indices;
use crate::vouch;

/// Row numbers as a column.
pub(crate) fn order_column(numbers: Buffer, rows: usize, stream: &Stream) -> Result<Column> {
    let mut parts = ColumnParts::new(row_indices(rows), stream.device(), rows).buffer(numbers);
    parts.null_count = NullCount::Known(0);
    vouch::result(parts)
}
