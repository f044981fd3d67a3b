//! Vouching for the results of operations, so that they are not validated again.

use gdf_core::{Column, ColumnParts, ColumnView, DataType, Error, NullCount, Result};
use gdf_driver::Stream;
use gdf_memory::Buffer;

/// The column of these parts, which an operation has written or handed on.
///
/// It vouches for them, so only what keeps these rules may be passed, on both devices:
///
/// * Offsets were written by the operation, ascending from 0 to the end of the bytes; or they are those of an input.
/// * Text is whole rows of inputs, all of which passed [`check::column`](crate::check::column), in whatever order; bytes
///   that become text were made by the operation.
/// * Keys, and views that are not null, are those of an input, with the dictionary or the buffers of that input.
/// * Or keys were written by the operation, each the number of a row of the dictionary.
/// * Or views were written by the operation, of rows of text that it has read, into the bytes of that text.
/// * The null count was counted with the mask, by the code or kernel that wrote it; or both are an input's, whose
///   [state](Column::null_count_state) says nothing that nobody has counted.
/// * Or validation has read the data of all rows, found no rule broken, and counted the nulls.
/// * `sanitized` is true only if null rows are empty. Either the operation has left out their bytes, or the input is
///   sanitized.
///
/// # Errors
/// As [`Column::try_from_parts`].
pub fn result(parts: ColumnParts) -> Result<Column> {
    // SAFETY: as the rules above say. Operations reach the data of inputs through openers that refuse columns that are not
    // validated; the results of every entry of the catalog are validated again by its runner, on both devices.
    unsafe { Column::try_from_vouched_parts(parts) }
}

/// A column of fixed-width values without nulls, which an operation has written.
///
/// # Errors
/// As [`result`].
pub fn numbers(data_type: DataType, values: Buffer, rows: usize, stream: &Stream) -> Result<Column> {
    let mut parts = ColumnParts::new(data_type, stream.device(), rows).buffer(values);
    parts.null_count = NullCount::Known(0);
    result(parts)
}

/// Checks that the column may be opened.
///
/// The data of the column must have been validated or vouched for. This check is the last line of defense behind
/// [`check::column`](crate::check::column). If that check was forgotten, this function returns an error.
///
/// # Errors
/// * [`Internal`](Error::Internal).
pub fn opened(column: ColumnView<'_>) -> Result<()> {
    if column.column().own_data_validated() {
        Ok(())
    } else {
        Err(Error::internal("a column was opened that is not validated"))
    }
}
