//! Creates columns from the results of operations without validating the results again.

use gdf_core::{Column, ColumnParts, ColumnView, DataType, Error, NullCount, Result};
use gdf_driver::Stream;
use gdf_memory::Buffer;

/// Creates a column from parts that an operation has written or taken from its inputs.
///
/// The function does not validate the parts. The caller must therefore keep these rules, on both devices:
///
/// * The operation has written the offsets, and the offsets ascend from 0 to the end of the bytes. Or the offsets are
///   those of an input.
/// * Text consists of whole rows of inputs in any order, and all of these inputs passed
///   [`check::column`](crate::check::column). Or the operation has made text from bytes that are UTF-8.
/// * Dictionary keys are keys of an input, and the dictionary is the dictionary of that input. Or the keys were
///   written by the operation, and each key is a row number of the dictionary.
/// * Views that are not null are views of an input, and the buffers are the buffers of that input. Or the views were
///   written by the operation, show rows of text that the operation has read, and point into the bytes of that text.
/// * The null count was counted together with the mask, by the code or kernel that wrote the mask. Or both the mask and
///   the null count are those of an input. The [state](Column::null_count_state) of an input never contains a count
///   that has not been counted.
/// * The rules above need not hold for a column that a validation has found to be valid, because the validation has
///   read the data of all rows and counted the nulls.
/// * `sanitized` is true only if null rows are empty. Either the operation has left out the bytes of null rows, or the
///   input is sanitized.
///
/// # Errors
/// The errors of [`Column::try_from_parts`].
pub fn result(parts: ColumnParts) -> Result<Column> {
    // SAFETY: The callee requires that the data obey the rules of their type. The callers keep the rules above. If a
    // rule relies on an input, the input is valid, because operations read the data of inputs through functions that
    // reject columns that are not validated. The test catalog checks the callers: its runner validates the results of
    // every entry again, on both devices.
    unsafe { Column::try_from_vouched_parts(parts) }
}

/// Creates a column without nulls from fixed-width values that an operation has written.
pub fn numbers(data_type: DataType, values: Buffer, rows: usize, stream: &Stream) -> Result<Column> {
    let mut parts = ColumnParts::new(data_type, stream.device(), rows).buffer(values);
    parts.null_count = NullCount::Known(0);
    result(parts)
}

/// Stores that a column contains row numbers of `rows` rows, so that gathers do not check them again.
///
/// The function does not read the values. The caller must therefore keep this rule, on both devices: each valid value
/// is at least 0 and less than `rows`. The operation has written the value, or has copied it from a column for which
/// the same is stored.
pub fn row_numbers(column: &Column, rows: usize) {
    if let Some(bounds) = column.value_bounds() {
        // SAFETY: The callers keep the rule above. The tests of `gather` check their row numbers on both devices.
        unsafe { bounds.vouch_row_numbers(rows) };
    }
}

/// Checks that the data of the column have been validated or vouched for, so that code may read them.
pub fn opened(column: ColumnView<'_>) -> Result<()> {
    if column.column().own_data_validated() {
        Ok(())
    } else {
        Err(Error::internal("an operation opened a column before the column was validated"))
    }
}
