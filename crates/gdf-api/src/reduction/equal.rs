//! Functions that compare whole columns and tables.

use gdf_core::{ColumnView, Result, TableView};
use gdf_detail as detail;
use gdf_detail::stream_compaction::NullEquality;

use crate::scope::Scope;

/// Returns whether two tables have equal rows in the same order.
///
/// # Shapes
/// Both tables have the same number of columns, of equal types. Tables with different numbers of rows are unequal.
/// Tables without columns are equal if they have the same number of rows.
///
/// # Types
/// The types that keys of a group-by can have. Names and nullability of fields do not matter. Views and dictionaries
/// are compared by their values.
///
/// # Nulls and NaN
/// With [`NullEquality::Equal`], nulls are equal to each other, at every depth. With [`NullEquality::Unequal`], tables
/// with a null anywhere are unequal. NaNs are equal to each other, and −0.0 equals 0.0.
///
/// In libcudf `tables_equal`, in pandas and polars `equals`.
///
/// ```
/// use gdf::reduction::tables_equal;
/// use gdf::stream_compaction::NullEquality;
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_options(&[Some(1), None])?, Column::from_slice(&[f64::NAN, 2.0])?])?;
/// assert!(tables_equal(&table, &table, NullEquality::Equal)?);
/// assert!(!tables_equal(&table, &table, NullEquality::Unequal)?);
/// assert!(!tables_equal(&table, &table.head(1), NullEquality::Equal)?);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs at most 1 wait for each column of numbers or text; the first column that differs ends the
/// comparison. Structs and lists have the waits of a [`sort`](crate::sorting::sort) for each level. See the table of
/// costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`ColumnCount`](gdf_core::Error::ColumnCount), [`TypeMismatch`](gdf_core::Error::TypeMismatch) when the numbers or
///   the types of the columns differ.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for types that cannot be keys.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("equals", "assert_frame_equal", "same"))]
pub fn tables_equal<'a, 'b>(
    left: impl Into<TableView<'a>>,
    right: impl Into<TableView<'b>>,
    nulls: NullEquality,
) -> Result<bool> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("tables_equal", &[&left, &right])?
        .run(|ctx| detail::reduction::tables_equal(&left, &right, nulls, ctx))
}

/// Returns whether two columns have equal rows in the same order. Columns of different lengths are unequal. All rules
/// are those of [`tables_equal`].
///
/// In pandas and polars `Series.equals`.
///
/// ```
/// use gdf::Column;
/// use gdf::reduction::columns_equal;
/// use gdf::stream_compaction::NullEquality;
///
/// let words = Column::from_strs(["a", "b"])?;
/// assert!(columns_equal(&words, &Column::from_strs(["a", "b"])?, NullEquality::Equal)?);
/// assert!(!columns_equal(&words, &Column::from_strs(["a", "c"])?, NullEquality::Equal)?);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the costs of [`tables_equal`] for one column.
///
/// # Errors
/// * The errors of [`tables_equal`].
#[doc(alias("equals", "assert_series_equal", "same"))]
pub fn columns_equal<'a, 'b>(
    left: impl Into<ColumnView<'a>>,
    right: impl Into<ColumnView<'b>>,
    nulls: NullEquality,
) -> Result<bool> {
    let (left, right) = (left.into(), right.into());
    Scope::for_inputs("columns_equal", &[&left, &right])?
        .run(|ctx| detail::reduction::columns_equal(left, right, nulls, ctx))
}
