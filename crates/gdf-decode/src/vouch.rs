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

/// See [`vouched::result`].
pub(crate) fn nested(parts: ColumnParts) -> Result<Column> {
    // SAFETY: the offsets of lists are numbers of elements before each list, so they begin at 0 and do not descend, and the
    // last one is the number of elements, which the caller has compared with the child. Structs have as many rows as their
    // children. Null lists have no elements, and the children of null structs are null. Both halves count the nulls when
    // they write the bits. The children are such columns, or columns of values.
    unsafe { vouched::result(parts) }
}
