//! Functions that other crates of gdf call for data that their own operations have written. The functions do not check
//! the data, so they are unsafe. Each of these crates calls them in one module.

use gdf_core::{Column, ColumnParts, ColumnView, DataType, Result, Table, TableView};
use gdf_driver::Stream;
use gdf_memory::Buffer;

use crate::Ctx;
use crate::rows::{self, Bounds};
use crate::vouch;

/// Creates a column from parts that an operation has written or taken from its inputs. The parts are not validated.
///
/// Safe code cannot call the function:
///
/// ```compile_fail,E0133
/// # use gdf_core::{Column, ColumnParts, Result};
/// # use gdf_engine as engine;
/// fn unchecked(parts: ColumnParts) -> Result<Column> {
///     engine::vouched::result(parts)
/// }
/// ```
///
/// # Safety
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
pub unsafe fn result(parts: ColumnParts) -> Result<Column> {
    vouch::result(parts)
}

/// Creates a column without nulls from fixed-width values that an operation has written.
///
/// # Safety
/// * The operation has written a value of `data_type` for each of the rows.
///
/// # Errors
/// The errors of [`Column::try_from_parts`].
pub unsafe fn numbers(data_type: DataType, values: Buffer, rows: usize, stream: &Stream) -> Result<Column> {
    vouch::numbers(data_type, values, rows, stream)
}

/// Stores that a column contains row numbers of `rows` rows, so that gathers do not check them again.
///
/// # Safety
/// * Each valid value is at least 0 and less than `rows`.
pub unsafe fn row_numbers(column: &Column, rows: usize) {
    vouch::row_numbers(column, rows);
}

/// Gathers rows by a map that operations have made, without a check.
///
/// # Safety
/// * Each element of the map is a row of the table or null.
///
/// # Errors
/// * The errors of [`gather`](rows::gather).
pub unsafe fn gather_trusted(table: &TableView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    rows::gather_trusted(table, map, ctx)
}

/// Gathers the rows of one column in the same way as [`gather_trusted`].
///
/// # Safety
/// * Each element of the map is a row of the column or null.
///
/// # Errors
/// * The errors of [`gather`](rows::gather).
pub unsafe fn gather_column(column: ColumnView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    rows::gather_column(column, map, ctx)
}

/// Returns the bounds with which a gather does not check its map.
///
/// Safe code cannot make these bounds:
///
/// ```compile_fail,E0133
/// # use gdf_engine as engine;
/// let bounds = engine::vouched::trusted();
/// ```
///
/// # Safety
/// * Each element of a map that is gathered with the result is a row of the table or null.
pub unsafe fn trusted() -> Bounds {
    Bounds::trusted()
}
