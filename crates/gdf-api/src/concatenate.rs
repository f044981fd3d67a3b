//! Columns and tables one after the other.

use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_detail as detail;

use crate::scope::{Input, Scope};

/// The rows of all tables, one table after the other.
///
/// # Shapes
/// As many rows as the tables have together; the tables have the same number of columns, and may have none.
///
/// # Types
/// Columns at the same place have the same type but for names, nullability, and precision of decimals; the result has
/// those of the first table. Everything of fixed width, booleans, decimals, strings and binary with offsets of either
/// width, nulls, and structs of these. Also dictionaries and views. Where the values of dictionaries, or the buffers of
/// views, are the same memory, as of slices of one column, the result shares them. Otherwise keys are those of a
/// dictionary of all distinct values, sorted (floats by their bits, so that zeros and NaNs stay what they are), and
/// views are into a copy of all their bytes, of which there are at most 2³¹−1.
///
/// # Nulls
/// A column of the result has a mask if that of any table has one. Where null rows of imported columns hide bytes, or
/// values of fields, these are left out.
///
/// # Order
/// That of the tables, and of the rows in them.
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
/// None for one table, or only one with rows: the result shares its memory. Otherwise at most 1 wait for each 32
/// columns (structs and their fields each count as one), if among them are strings or binary whose size must be known
/// first: where null rows may hide bytes, as in imported columns with nulls; with more than 32 tables that have rows;
/// and with slices of buffers that have more than 1 MiB, or more than offsets can say, in all. For other slices memory
/// is allocated for all bytes of their buffers. Each column of lists waits once for where those of the tables begin and
/// end; where null lists may hide elements these are gathered, with one wait more. Dictionaries of different values
/// wait as [`encode`](crate::transform::encode()) does, views into different buffers as [`cast`](crate::unary::cast())
/// does for each table. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): no tables.
/// * [`ColumnCount`](gdf_core::Error::ColumnCount), [`TypeMismatch`](gdf_core::Error::TypeMismatch): the tables differ.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹−1 bytes of text or binary in a column whose offsets
///   have 32 bits.
/// * [`Unsupported`](gdf_core::Error::Unsupported): list views, lists of a fixed size, unions and run-end encoded
///   columns, unless there is only one table; dictionaries with different values, and views into different buffers, in
///   structs.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): more distinct values than the keys of a dictionary can
///   number.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("concat", "vstack", "append", "union all", "concat_batches"))]
pub fn concatenate(tables: &[TableView<'_>]) -> Result<Table> {
    let inputs: Vec<&dyn Input> = tables.iter().map(|table| table as &dyn Input).collect();
    Scope::for_inputs("concatenate", &inputs)?.run(|ctx| detail::concatenate::concatenate(tables, ctx))
}

/// The rows of all columns, one column after the other.
///
/// Shapes, types, nulls, order and costs are those of [`concatenate()`] of tables of one column.
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
/// * As [`concatenate()`].
#[doc(alias("concat", "append", "extend"))]
pub fn concatenate_columns(columns: &[ColumnView<'_>]) -> Result<Column> {
    let inputs: Vec<&dyn Input> = columns.iter().map(|column| column as &dyn Input).collect();
    Scope::for_inputs("concatenate_columns", &inputs)?.run(|ctx| detail::concatenate::concatenate_columns(columns, ctx))
}
