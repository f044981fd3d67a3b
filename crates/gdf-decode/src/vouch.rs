//! The statements of this crate about data that it has decoded.

use gdf_core::{Column, ColumnParts, Result};
use gdf_engine::vouched;

/// See [`vouched::result`].
pub(crate) fn result(parts: ColumnParts) -> Result<Column> {
    // SAFETY: the columns have values of a fixed width, of types of which every bit pattern is a value, or decimals whose
    // digits were checked. There are no offsets, texts, keys and views. Both halves count the nulls of a page when they
    // write the bits of its rows.
    unsafe { vouched::result(parts) }
}
