//! Columns of the types of others, and single rows.

use gdf_core::{Column, ColumnView, Result, Scalar, Table, TableView};
use gdf_detail as detail;

use crate::scope::Scope;

/// Row `index` of `column` as a scalar, of any type.
///
/// Nothing is copied, launched or waited for: the scalar keeps the memory of the column alive
/// ([`Scalar::deep_copy`] does not). In libcudf `get_element`, in pandas `iat`, in polars `get`.
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

/// A table without rows of the types of `table`, of any type, children and dictionaries included. In libcudf `empty_like`,
/// in polars `clear`.
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
/// * Driver and memory errors: offsets need one entry even here.
#[doc(alias("clear", "new_empty_array"))]
pub fn empty_like<'a>(table: impl Into<TableView<'a>>) -> Result<Table> {
    let table = table.into();
    Scope::for_inputs("empty_like", &[&table])?.run(|ctx| detail::copying::empty_like(table, ctx))
}

/// As [`empty_like`], of a column.
///
/// # Errors
/// * As [`empty_like`].
#[doc(alias("clear", "new_empty_array"))]
pub fn empty_like_column<'a>(column: impl Into<ColumnView<'a>>) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("empty_like_column", &[&column])?.run(|ctx| detail::copying::empty_like_column(column, ctx))
}

/// A column of `rows` rows of the type of `column`, to be written in place: zeros, none of them null, with a mask if the
/// column has one.
///
/// Types are booleans and all of fixed width. In libcudf `allocate_like`, where the memory holds anything; in numpy
/// `zeros_like`.
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
/// No wait; no launch without a mask. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for types without a fixed width; driver and memory errors.
#[doc(alias("zeros_like", "empty_like"))]
pub fn allocate_like<'a>(column: impl Into<ColumnView<'a>>, rows: usize) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("allocate_like", &[&column])?.run(|ctx| detail::copying::allocate_like(column, rows, ctx))
}
