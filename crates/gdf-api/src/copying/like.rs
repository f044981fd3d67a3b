//! Columns with the types of other columns, and single rows.

use gdf_core::{Column, ColumnView, Result, Scalar, Table, TableView};
use gdf_detail as detail;

use crate::scope::Scope;

/// Returns row `index` of `column` as a scalar. All types are supported.
///
/// Nothing is copied, launched or waited for. The scalar keeps the memory of the column alive; [`Scalar::deep_copy`] of
/// the scalar does not. In libcudf `get_element`, in pandas `iat`, in polars `get`.
///
/// ```
/// use gdf::Column;
/// use gdf::copying::get_element;
///
/// let column = Column::from_options(&[Some(1.5), None])?;
/// assert_eq!(get_element(&column, 0)?.value::<f64>()?, Some(1.5));
/// assert!(!get_element(&column, 1)?.is_valid()?);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds) when the column has no such row.
#[doc(alias("iat", "item", "at", "nth"))]
pub fn get_element<'a>(column: impl Into<ColumnView<'a>>, index: usize) -> Result<Scalar> {
    let column = column.into();
    Scope::for_inputs("get_element", &[&column])?.run(|_| detail::copying::get_element(column, index))
}

/// Returns a table without rows whose columns have the types of `table`, including children and dictionaries. All
/// types are supported. In libcudf `empty_like`, in polars `clear`.
///
/// ```
/// use gdf::copying::empty_like;
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_strs(["a", "b"])?])?;
/// let empty = empty_like(&table)?;
/// assert_eq!((empty.num_rows(), empty.column(0)?.data_type()), (0, table.column(0)?.data_type()));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * Driver and memory errors: a column with offsets allocates one offset even if the column has no rows.
#[doc(alias("clear", "new_empty_array"))]
pub fn empty_like<'a>(table: impl Into<TableView<'a>>) -> Result<Table> {
    let table = table.into();
    Scope::for_inputs("empty_like", &[&table])?.run(|ctx| detail::copying::empty_like(table, ctx))
}

/// Returns a column without rows in the same way as [`empty_like`].
///
/// # Errors
/// * The errors of [`empty_like`].
#[doc(alias("clear", "new_empty_array"))]
pub fn empty_like_column<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("empty_like_column", &[&column])?.run(|ctx| detail::copying::empty_like_column(column, ctx))
}

/// Returns a column of `rows` zeros with the type of `column`, which the caller can write in place. The result has a
/// mask if `column` has a mask; no row is null.
///
/// Supported are booleans and all types of fixed width. In libcudf `allocate_like`, whose memory is uninitialized; in
/// numpy `zeros_like`.
///
/// ```
/// use gdf::Column;
/// use gdf::copying::allocate_like;
///
/// let column = Column::from_slice(&[1_i64, 2])?;
/// assert_eq!(allocate_like(&column, 3)?.to_vec::<i64>()?, [Some(0); 3]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device. Without a mask, it launches no kernel. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for types without a fixed width; driver and memory errors.
#[doc(alias("zeros_like", "empty_like"))]
pub fn allocate_like<'a>(column: impl Into<ColumnView<'a>>, rows: usize) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("allocate_like", &[&column])?.run(|ctx| detail::copying::allocate_like(column, rows, ctx))
}
