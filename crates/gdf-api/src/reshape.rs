//! Columns put together and taken apart.

use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_detail as detail;
pub use gdf_detail::reshape::ByteOrder;

use crate::scope::Scope;

/// The columns of `table` as one: the first row of each, then the second row of each, and so on.
///
/// Types are those of [`gather`](crate::copying::gather), the same for all columns; dictionaries and views have to point to the
/// same values. The result has a mask if a column has one. In libcudf `interleave_columns`.
///
/// ```
/// use gdf::reshape::interleave_columns;
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_slice(&[1, 2])?, Column::from_slice(&[10, 20])?])?;
/// assert_eq!(interleave_columns(&table)?.to_vec::<i32>()?, [Some(1), Some(10), Some(2), Some(20)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// Two passes over memory. No wait; at most 2 with strings or binary, for their size. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for a table without columns;
///   [`TypeMismatch`](gdf_core::Error::TypeMismatch): the columns differ in type.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for list views, lists of a fixed size, unions and run-end encoded columns;
///   [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
#[doc(alias("zip", "flatten", "ravel", "stack"))]
pub fn interleave_columns<'a>(table: impl Into<TableView<'a>>) -> Result<Column> {
    let table = table.into();
    Scope::for_inputs("interleave_columns", &[&table])?.run(|ctx| detail::reshape::interleave_columns(table, ctx))
}

/// The rows of `table`, `count` times one behind the other.
///
/// Types are those of [`gather`](crate::copying::gather). [`repeat`](crate::filling::repeat) repeats each row. In libcudf and
/// numpy `tile`.
///
/// ```
/// use gdf::reshape::tile;
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_slice(&[1, 2])?])?;
/// assert_eq!(tile(&table, 2)?.column(0)?.to_vec::<i32>()?, [Some(1), Some(2), Some(1), Some(2)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// No wait; 1 for each 32 columns of strings or binary, for their size. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): more rows than can be counted.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for list views, lists of a fixed size, unions and run-end encoded columns;
///   [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
#[doc(alias("np.tile", "repeat table"))]
pub fn tile<'a>(table: impl Into<TableView<'a>>, count: usize) -> Result<Table> {
    let table = table.into();
    Scope::for_inputs("tile", &[&table])?.run(|ctx| detail::reshape::tile(table, count, ctx))
}

/// The rows of `table` as columns: column `r` of the result has row `r`, an element of each column.
///
/// Types and nulls are those of [`interleave_columns`]. The columns of the result are slices of one column, and share its
/// memory. A table without rows or columns becomes one without columns. In libcudf, pandas and polars `transpose`.
///
/// ```
/// use gdf::reshape::transpose;
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_slice(&[1, 2])?, Column::from_slice(&[10, 20])?])?;
/// let columns = transpose(&table)?;
/// assert_eq!(columns.column(1)?.to_vec::<i32>()?, [Some(2), Some(20)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// Those of [`interleave_columns`].
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch), [`Unsupported`](gdf_core::Error::Unsupported),
///   [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) as [`interleave_columns`]; driver and memory errors.
#[doc(alias("T", "pivot"))]
pub fn transpose<'a>(table: impl Into<TableView<'a>>) -> Result<Table> {
    let table = table.into();
    Scope::for_inputs("transpose", &[&table])?.run(|ctx| detail::reshape::transpose(table, ctx))
}

/// The bytes of each row as a list of `UInt8`.
///
/// # Types
/// Integers, floats, decimals, dates and times, whose bytes are in the order that is asked for: a list of as many as their
/// width. Strings and binary, whose bytes are as they are; the lists have offsets of the same width.
///
/// # Nulls
/// Null rows are null lists, and of numbers empty. The result of strings shares their memory, and so does that of numbers
/// without nulls in little-endian order.
///
/// In libcudf `byte_cast`, in polars `reinterpret`.
///
/// ```
/// use gdf::Column;
/// use gdf::reshape::{ByteOrder, byte_cast};
///
/// let lists = byte_cast(&Column::from_slice(&[1_i16, 256])?, ByteOrder::BigEndian)?;
/// assert_eq!(lists.children()[0].to_vec::<u8>()?, [Some(0), Some(1), Some(1), Some(0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// No wait; 1 for numbers with a mask. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) for numbers of more than 2³¹−1 bytes; driver and memory errors.
#[doc(alias("reinterpret", "to_bytes", "encode"))]
pub fn byte_cast<'a>(column: impl Into<ColumnView<'a>>, order: ByteOrder) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("byte_cast", &[&column])?.run(|ctx| detail::reshape::byte_cast(column, order, ctx))
}
