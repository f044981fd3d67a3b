//! The statements of this crate about data that it has decoded.

use gdf_core::{Column, ColumnParts, Result};
use gdf_engine::vouched;

/// See [`vouched::result`].
pub(crate) fn result(parts: ColumnParts) -> Result<Column> {
    // SAFETY: the columns have bits, values of a fixed width, of types of which every bit pattern is a value, decimals whose
    // digits were checked, or texts. There are no keys and views. The offsets of texts are the sums of their sizes from 0
    // on, and the last one is the number of bytes. Each text of a type of text was found to be UTF-8. Both halves count the
    // nulls of a page when they write the bits of its rows.
    unsafe { vouched::result(parts) }
}
