//! Functions that merge columns into one column, repeat and transpose tables, split values into bytes, and convert
//! tables from wide to long form and back.

use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_detail as detail;
pub use gdf_detail::reshape::ByteOrder;

mod pivot;

pub use pivot::{pivot, unpivot};

use crate::scope::Scope;

/// Interleaves the columns of `table` to one column: the first row of each column, then the second row of each
/// column, and so on.
///
/// Types are the types of [`gather`](crate::copying::gather), and all columns have the same type. Different
/// dictionaries are unified as by [`concatenate`](crate::concatenate::concatenate()). The result has a mask if a column
/// has a mask. In libcudf `interleave_columns`.
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
/// From 2 to 32 columns of a fixed width take one pass over memory. Other columns take two. The function waits for the
/// device at most twice, for the size of strings or binary. Structs, lists and dictionaries add the waits of
/// [`concatenate`](crate::concatenate::concatenate) and [`gather`](crate::copying::gather). See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for a table without columns;
///   [`TypeMismatch`](gdf_core::Error::TypeMismatch): the columns differ in type.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
#[doc(alias("zip", "flatten", "ravel", "stack"))]
pub fn interleave_columns<'a>(table: impl Into<TableView<'a>>) -> Result<Column> {
    let table = table.into();
    Scope::for_inputs("interleave_columns", &[&table])?.run(|ctx| detail::reshape::interleave_columns(table, ctx))
}

/// Returns the rows of `table` repeated `count` times: all rows once, then all rows again, and so on.
///
/// Types are the types of [`gather`](crate::copying::gather). [`repeat`](crate::filling::repeat) repeats each row
/// instead. In libcudf and numpy `tile`.
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
/// The function needs 1 wait for the device for each 32 columns of strings or binary, for their size. Lists add the
/// waits of [`gather`](crate::copying::gather). See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): the result has more rows than `usize` can count.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
#[doc(alias("np.tile", "repeat table"))]
pub fn tile<'a>(table: impl Into<TableView<'a>>, count: usize) -> Result<Table> {
    let table = table.into();
    Scope::for_inputs("tile", &[&table])?.run(|ctx| detail::reshape::tile(table, count, ctx))
}

/// Transposes `table`: column `r` of the result holds row `r`, with one element for each column of `table`.
///
/// Types and nulls are the same as for [`interleave_columns`]. The columns of the result are slices of one column and
/// share its memory. If the table has no rows or no columns, the result has no columns. In libcudf, pandas and polars
/// `transpose`.
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
/// The function has the costs of [`interleave_columns`].
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch), [`Unsupported`](gdf_core::Error::Unsupported),
///   [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) in the cases of [`interleave_columns`]; driver and memory
///   errors.
#[doc(alias("T", "pivot"))]
pub fn transpose<'a>(table: impl Into<TableView<'a>>) -> Result<Table> {
    let table = table.into();
    Scope::for_inputs("transpose", &[&table])?.run(|ctx| detail::reshape::transpose(table, ctx))
}

/// Returns the bytes of each row as a list of `UInt8`.
///
/// # Types
/// Integers, floats, decimals, dates and times: each list has as many bytes as the type is wide, in the requested
/// byte order. Strings and binary: each list has the bytes of the row in their order, and the lists have offsets of
/// the same width as the input.
///
/// # Nulls
/// A null row becomes a null list, which for numbers has no elements. The result of strings shares the memory of the
/// input. So does the result of numbers without a mask in little-endian order.
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
/// The function waits for the device only for numbers with a mask: once, and once more to count the nulls of a column
/// of more than 2³¹−1 bytes. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) for numbers of more than 2³¹−1 bytes without the nulls; driver
///   and memory errors.
#[doc(alias("reinterpret", "to_bytes", "encode"))]
pub fn byte_cast<'a>(column: impl Into<ColumnView<'a>>, order: ByteOrder) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("byte_cast", &[&column])?.run(|ctx| detail::reshape::byte_cast(column, order, ctx))
}
