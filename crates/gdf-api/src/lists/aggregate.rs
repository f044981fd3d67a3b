//! Functions that compute one value for each list.

use gdf_core::{Column, ColumnView, DataType, Error, Result};
use gdf_detail as detail;

use crate::reduction::{NullPolicy, ReduceAggregation, default_output_type};
use crate::scope::Scope;

/// Reduces the elements of each list to one value of type `output_type`, as
/// [`segmented_reduce`](crate::reduction::segmented_reduce) reduces segments.
///
/// Types, nulls, NaN and the order of additions are those of [`segmented_reduce`](crate::reduction::segmented_reduce),
/// where an empty list is a segment without rows. The result of a null list is null. [`sum`], [`min`], [`max`],
/// [`mean`], [`any`] and [`all`] are short forms.
///
/// In libcudf `segmented_reduce` of the child, in polars `list.sum` and so on, in DuckDB `list_aggregate`.
///
/// ```
/// use gdf::core::make_lists_column;
/// use gdf::lists::reduce;
/// use gdf::reduction::{NullPolicy, ReduceAggregation};
/// use gdf::{Column, DataType};
///
/// let offsets = Column::from_slice(&[0, 2, 2, 3])?;
/// let lists = make_lists_column(&offsets, Column::from_slice(&[7, 8, 9])?, None)?;
/// let products = reduce(&lists, ReduceAggregation::Product, &DataType::Int64, NullPolicy::Exclude)?;
/// assert_eq!(products.to_vec::<i64>()?, [Some(56), None, Some(9)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function needs 1 wait for the device, and the waits of [`segmented_reduce`](crate::reduction::segmented_reduce).
/// See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) if the column is not of lists, and the errors of
///   [`segmented_reduce`](crate::reduction::segmented_reduce).
#[doc(alias("list_aggregate", "list.agg"))]
pub fn reduce<'a>(
    lists: impl Into<ColumnView<'a>>,
    aggregation: ReduceAggregation,
    output_type: &DataType,
    null_policy: NullPolicy,
) -> Result<Column> {
    let lists = lists.into();
    Scope::for_inputs("reduce", &[&lists])?
        .run(|ctx| detail::lists::reduce(lists, aggregation, output_type, null_policy, ctx))
}

fn shortened(name: &'static str, lists: ColumnView<'_>, aggregation: ReduceAggregation) -> Result<Column> {
    Scope::for_inputs(name, &[&lists])?.run_short_form(|ctx| {
        let element = detail::lists::element_type(lists.data_type());
        let element =
            element.ok_or_else(|| Error::unsupported(name, lists.data_type()).with_remedy("pass a column of lists"))?;
        let output_type = default_output_type(aggregation, element)?;
        detail::lists::reduce(lists, aggregation, &output_type, NullPolicy::Exclude, ctx)
    })
}

/// Returns for each list the sum of the elements that are not null. The sum is null if the list has no such element.
/// The function is [`reduce`] with the [default type](crate::reduction::default_output_type) of the result; see there
/// for types, nulls, costs and errors.
///
/// In polars `list.sum`.
///
/// ```
/// use gdf::Column;
/// use gdf::core::make_lists_column;
///
/// let offsets = Column::from_slice(&[0, 2, 2, 3])?;
/// let lists = make_lists_column(&offsets, Column::from_slice(&[7, 8, 9])?, None)?;
/// assert_eq!(gdf::lists::sum(&lists)?.to_vec::<i64>()?, [Some(15), None, Some(9)]);
/// # Ok::<(), gdf::Error>(())
/// ```
#[doc(alias("list.sum"))]
pub fn sum<'a>(lists: impl Into<ColumnView<'a>>) -> Result<Column> {
    shortened("sum", lists.into(), ReduceAggregation::Sum)
}

/// Returns the smallest element of each list, or null if the list has no element that is not null. The function is
/// [`reduce`] with the [default type](crate::reduction::default_output_type) of the result; see there for types, nulls,
/// costs and errors.
///
/// In polars `list.min`.
///
/// ```
/// use gdf::Column;
/// use gdf::core::make_lists_column;
///
/// let offsets = Column::from_slice(&[0, 2, 2, 3])?;
/// let lists = make_lists_column(&offsets, Column::from_slice(&[7, 8, 9])?, None)?;
/// assert_eq!(gdf::lists::min(&lists)?.to_vec::<i32>()?, [Some(7), None, Some(9)]);
/// # Ok::<(), gdf::Error>(())
/// ```
#[doc(alias("list.min"))]
pub fn min<'a>(lists: impl Into<ColumnView<'a>>) -> Result<Column> {
    shortened("min", lists.into(), ReduceAggregation::Min)
}

/// Returns the largest element of each list, or null if the list has no element that is not null. The function is
/// [`reduce`] with the [default type](crate::reduction::default_output_type) of the result; see there for types, nulls,
/// costs and errors.
///
/// In polars `list.max`.
///
/// ```
/// use gdf::Column;
/// use gdf::core::make_lists_column;
///
/// let offsets = Column::from_slice(&[0, 2, 2, 3])?;
/// let lists = make_lists_column(&offsets, Column::from_slice(&[7, 8, 9])?, None)?;
/// assert_eq!(gdf::lists::max(&lists)?.to_vec::<i32>()?, [Some(8), None, Some(9)]);
/// # Ok::<(), gdf::Error>(())
/// ```
#[doc(alias("list.max"))]
pub fn max<'a>(lists: impl Into<ColumnView<'a>>) -> Result<Column> {
    shortened("max", lists.into(), ReduceAggregation::Max)
}

/// Returns the mean of the elements of each list, or null if the list has no element that is not null. The function is
/// [`reduce`] with the [default type](crate::reduction::default_output_type) of the result; see there for types, nulls,
/// costs and errors.
///
/// In polars `list.mean`.
///
/// ```
/// use gdf::Column;
/// use gdf::core::make_lists_column;
///
/// let offsets = Column::from_slice(&[0, 2, 2, 3])?;
/// let lists = make_lists_column(&offsets, Column::from_slice(&[7, 8, 9])?, None)?;
/// assert_eq!(gdf::lists::mean(&lists)?.to_vec::<f64>()?, [Some(7.5), None, Some(9.0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
#[doc(alias("list.mean"))]
pub fn mean<'a>(lists: impl Into<ColumnView<'a>>) -> Result<Column> {
    shortened("mean", lists.into(), ReduceAggregation::Mean)
}

/// Returns whether any element of each list is true or not zero. The function is [`reduce`] with the [default
/// type](crate::reduction::default_output_type) of the result; see there for types, nulls, costs and errors.
///
/// In polars `list.any`.
///
/// ```
/// use gdf::Column;
/// use gdf::core::make_lists_column;
///
/// let offsets = Column::from_slice(&[0, 2, 2, 3])?;
/// let lists = make_lists_column(&offsets, Column::from_slice(&[7, 8, 9])?, None)?;
/// assert_eq!(gdf::lists::any(&lists)?.to_vec::<bool>()?, [Some(true), Some(false), Some(true)]);
/// # Ok::<(), gdf::Error>(())
/// ```
#[doc(alias("list.any"))]
pub fn any<'a>(lists: impl Into<ColumnView<'a>>) -> Result<Column> {
    shortened("any", lists.into(), ReduceAggregation::Any)
}

/// Returns whether all elements of each list are true or not zero. The function is [`reduce`] with the [default
/// type](crate::reduction::default_output_type) of the result; see there for types, nulls, costs and errors.
///
/// In polars `list.all`.
///
/// ```
/// use gdf::Column;
/// use gdf::core::make_lists_column;
///
/// let offsets = Column::from_slice(&[0, 2, 2, 3])?;
/// let lists = make_lists_column(&offsets, Column::from_slice(&[7, 8, 9])?, None)?;
/// assert_eq!(gdf::lists::all(&lists)?.to_vec::<bool>()?, [Some(true), Some(true), Some(true)]);
/// # Ok::<(), gdf::Error>(())
/// ```
#[doc(alias("list.all"))]
pub fn all<'a>(lists: impl Into<ColumnView<'a>>) -> Result<Column> {
    shortened("all", lists.into(), ReduceAggregation::All)
}
