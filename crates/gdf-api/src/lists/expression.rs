//! Functions that evaluate an expression for each element of each list, without rows for the elements.

use gdf_core::{Column, Result, TableView};
use gdf_detail as detail;
use gdf_expr::Expr;

use crate::reduction::{NullPolicy, ReduceAggregation};
use crate::scope::Scope;

/// Replaces each element of the lists in column number `column` by the value of an expression.
///
/// In the expression, `col(column)` is the element, and every other column is the value in the row of the list. Types
/// are those of [`compute_column`](crate::transform::compute_column). The result is a `List`, or a `LargeList` for
/// `LargeList`, with lists of the same lengths. The elements of a `Map` are structs, about which an expression can only
/// say whether they are null.
///
/// Nulls and NaN: a null list stays null. A null element is a null value of the expression, which treats it as
/// [`compute_column`](crate::transform::compute_column) does. Order: the order of the rows and of the elements.
///
/// In polars `list.eval`, in DuckDB `list_transform`, in Spark `transform`, in pandas a list comprehension.
///
/// ```
/// use gdf::core::make_lists_column;
/// use gdf::expr::col;
/// use gdf::lists::transform_elements;
/// use gdf::{Column, Table};
///
/// let prices = make_lists_column(&Column::from_slice(&[0, 2, 2, 3])?, Column::from_slice(&[10, 20, 30])?, None)?;
/// let orders = Table::try_new(vec![Column::from_slice(&[2, 3, 4])?, prices])?;
/// let costs = transform_elements(&orders, 1, &(col(0) * col(1)))?;
/// assert_eq!(costs.children()[0].to_vec::<i32>()?, [Some(20), Some(40), Some(120)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs 2 waits for the device if no list is null, and the waits of
/// [`gather`](crate::copying::gather) for the columns that the expression contains. See the table of costs,
/// `docs/guide/costs.md`. If a decimal of the expression may have more digits than its type, the columns are measured,
/// and the digits are checked, with the waits of [`minmax`](crate::reduction::minmax) and
/// [`cast_checked`](crate::unary::cast_checked).
///
/// # Errors
/// * [`OutOfBounds`](gdf_core::Error::OutOfBounds): the table has no column number `column`.
/// * [`InvalidData`](gdf_core::Error::InvalidData): a decimal has more digits than its type.
/// * [`Unsupported`](gdf_core::Error::Unsupported) if the column is not a column of lists.
/// * The errors of [`compute_column`](crate::transform::compute_column).
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
#[doc(alias("list_transform", "list_apply", "list.eval", "transform", "map"))]
pub fn transform_elements<'a>(table: impl Into<TableView<'a>>, column: usize, expression: &Expr) -> Result<Column> {
    let table = table.into();
    Scope::for_inputs("transform_elements", &[&table])?
        .run(|ctx| detail::lists::transform_elements(&table, column, expression, ctx))
}

/// Returns for each list in column number `column` the elements for which a condition is true.
///
/// The condition is an expression as in [`transform_elements`]. The result has the type of the lists (`List` for
/// `FixedSizeList`). Elements may have any type that [`gather`](crate::copying::gather) takes.
///
/// Nulls: a null list stays null. An element is not kept if the condition is null. Order: the order of the rows and of
/// the elements.
///
/// In polars `list.filter`, in DuckDB `list_filter`, in Spark `filter`.
///
/// ```
/// use gdf::core::make_lists_column;
/// use gdf::expr::{col, lit};
/// use gdf::lists::filter_elements;
/// use gdf::{Column, Table};
///
/// let prices = make_lists_column(&Column::from_slice(&[0, 2, 2, 3])?, Column::from_slice(&[10, 20, 30])?, None)?;
/// let orders = Table::try_new(vec![Column::from_slice(&[2, 3, 4])?, prices])?;
/// let large = filter_elements(&orders, 1, &(col(0) * col(1)).gt(lit(30)))?;
/// assert_eq!(large.children()[0].to_vec::<i32>()?, [Some(20), Some(30)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The costs of [`transform_elements`], and those of
/// [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask) for the elements.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the condition is not boolean.
/// * The errors of [`transform_elements`].
#[doc(alias("list_filter", "list.filter", "filter"))]
pub fn filter_elements<'a>(table: impl Into<TableView<'a>>, column: usize, condition: &Expr) -> Result<Column> {
    let table = table.into();
    Scope::for_inputs("filter_elements", &[&table])?
        .run(|ctx| detail::lists::filter_elements(&table, column, condition, ctx))
}

/// Reduces the values of an expression for the elements of each list in column number `column` to one value.
///
/// The expression follows the rules of [`transform_elements`]. The result is that of [`reduce`](super::reduce) for
/// lists of the values, with the [default type](crate::reduction::default_output_type()). These lists are not stored.
///
/// Nulls, NaN and the order of additions are those of [`reduce`](super::reduce): an empty list is a segment without
/// rows, and the result of a null list is null. Order: the order of the rows.
///
/// In polars `list.eval` and an aggregation, in DuckDB `list_aggregate` of `list_transform`, in Spark `aggregate`.
///
/// ```
/// use gdf::core::make_lists_column;
/// use gdf::expr::col;
/// use gdf::lists::aggregate_elements;
/// use gdf::reduction::{NullPolicy, ReduceAggregation};
/// use gdf::{Column, Table};
///
/// let prices = make_lists_column(&Column::from_slice(&[0, 2, 2, 3])?, Column::from_slice(&[10, 20, 30])?, None)?;
/// let orders = Table::try_new(vec![Column::from_slice(&[2, 3, 4])?, prices])?;
/// let (cost, sum) = (col(0) * col(1), ReduceAggregation::Sum);
/// let sums = aggregate_elements(&orders, 1, &cost, sum, NullPolicy::Exclude)?;
/// assert_eq!(sums.to_vec::<i64>()?, [Some(60), None, Some(120)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The costs of [`transform_elements`] and of [`segmented_reduce`](crate::reduction::segmented_reduce).
///
/// # Errors
/// * The errors of [`transform_elements`] and of [`reduce`](super::reduce).
#[doc(alias("list_aggregate", "list_reduce", "aggregate"))]
pub fn aggregate_elements<'a>(
    table: impl Into<TableView<'a>>,
    column: usize,
    expression: &Expr,
    aggregation: ReduceAggregation,
    null_policy: NullPolicy,
) -> Result<Column> {
    let table = table.into();
    Scope::for_inputs("aggregate_elements", &[&table])?
        .run(|ctx| detail::lists::aggregate_elements(&table, column, expression, aggregation, null_policy, ctx))
}
