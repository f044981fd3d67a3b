//! Concatenation of columns and tables.

use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_detail as detail;

use crate::scope::{Input, Scope};

/// Concatenates the rows of all tables.
///
/// # Shapes
/// The result has as many rows as all tables together. The tables have the same number of columns, which may be 0.
///
/// # Types
/// Columns at the same position have the same type, apart from names, nullability, and the precision of decimals. The
/// result has the types of the first table. Supported are types of fixed width, strings and binary with offsets of
/// either width, columns of type `Null`, dictionaries, views, structs of these, and lists and maps of all of them.
///
/// Dictionaries share their values with the result if all of them have the same values in memory, as slices of one
/// column have. Other dictionaries get a new dictionary of all distinct values in sorted order, where floats are sorted
/// by their bits. Views share their buffers with the result if all of them have the same buffers. Other views point
/// into a copy of the bytes of all views, which has at most 2³¹−1 bytes.
///
/// # Nulls
/// A column of the result has a mask if that column of any table has a mask. Bytes and field values that null rows of
/// imported columns may have are not copied.
///
/// # Order
/// The order of the tables, and of the rows of each table.
///
/// In libcudf `concatenate`, in arrow-rs `concat_batches`, in polars `concat`.
///
/// ```
/// use gdf::concatenate::concatenate;
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_options(&[Some(1), None, Some(3)])?])?;
/// let all = concatenate(&[table.view(), table.tail(1).view()])?;
/// assert_eq!(all.column(0)?.to_vec::<i32>()?, [Some(1), None, Some(3), Some(3)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// If only one table is passed, or only one table has rows, the function costs nothing, and the result shares the
/// memory of that table. Otherwise the function waits for the device:
/// * At most 1 wait for each 32 columns, for the size of strings or binary. A struct and each of its fields count as
///   one column. The function waits only in these cases:
///   * Null rows may hide bytes.
///   * More than 32 tables have rows.
///   * A column is a slice or is imported, and the buffers of the column have more than 1 MiB in all tables together.
///   * These buffers have more bytes than the offsets can number.
/// * 1 wait for each column of lists. 1 more wait if null lists may hide elements.
/// * For the values of list views, dense unions and run-end encoded columns, the waits of their types, and the waits of
///   [`gather`](crate::copying::gather).
/// * For dictionaries with different values, the waits of [`encode`](crate::transform::encode()).
/// * For views into different buffers, the waits of [`cast`](crate::unary::cast()) for each table.
///
/// See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): `tables` is empty.
/// * [`ColumnCount`](gdf_core::Error::ColumnCount), [`TypeMismatch`](gdf_core::Error::TypeMismatch): the tables
///   differ in number or types of columns.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹−1 bytes of text or binary in a column whose
///   offsets have 32 bits.
/// * [`Unsupported`](gdf_core::Error::Unsupported): structs whose fields are dictionaries with different values, or
///   views into different buffers.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): more distinct values than the key type of the dictionary
///   can number.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("concat", "vstack", "append", "union all", "concat_batches"))]
pub fn concatenate(tables: &[TableView<'_>]) -> Result<Table> {
    let inputs: Vec<&dyn Input> = tables.iter().map(|table| table as &dyn Input).collect();
    Scope::for_inputs("concatenate", &inputs)?.run(|ctx| detail::concatenate::concatenate(tables, ctx))
}

/// Concatenates the rows of all columns.
///
/// Shapes, types, nulls, order and costs are the same as for [`concatenate()`] of tables with one column.
///
/// In libcudf `concatenate`, in arrow-rs `concat`, in polars `Series.append`.
///
/// ```
/// use gdf::Column;
/// use gdf::concatenate::concatenate_columns;
///
/// let column = Column::from_options(&[Some(1), None])?;
/// let twice = concatenate_columns(&[column.view(), column.view()])?;
/// assert_eq!(twice.to_vec::<i32>()?, [Some(1), None, Some(1), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * The errors of [`concatenate()`].
#[doc(alias("concat", "append", "extend"))]
pub fn concatenate_columns(columns: &[ColumnView<'_>]) -> Result<Column> {
    let inputs: Vec<&dyn Input> = columns.iter().map(|column| column as &dyn Input).collect();
    Scope::for_inputs("concatenate_columns", &inputs)?.run(|ctx| detail::concatenate::concatenate_columns(columns, ctx))
}
