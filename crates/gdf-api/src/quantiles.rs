//! Values and rows by the share of the rows that is below them. `reduction::median` and the aggregation `Quantile` of
//! `reduction::reduce` give one value; the functions here several, of rows in any order or sorted already.

use gdf_core::{Column, ColumnView, DataType, Result, Table, TableView};
use gdf_detail as detail;
pub use gdf_detail::quantiles::{Interpolation, QuantileOrder};

use crate::scope::Scope;
use crate::sorting::{NullOrder, Order};

/// For each of `q` the value of `column` that this share of the rows is below: 0 the smallest, 0.5 the median, 1 the largest.
/// What is less than 0 or more than 1 stands for these.
///
/// Share `q` of `n` rows in order is at position `q · (n − 1)`; `interpolation` says what stands for a position between two rows.
///
/// # Shapes
/// A row for each of `q`.
///
/// # Types
/// `output_type` is `Float64`, of booleans, numbers and decimals; or the type of `column`, of numbers, decimals and everything
/// temporal but intervals with days, which is truncated where it lies between two rows. (Not between rows of 256 bits.) Values
/// that are interpolated are worked with in double precision.
///
/// # Nulls and NaN
/// [`QuantileOrder::Unsorted`]: null rows take no part. [`QuantileOrder::Sorted`] and [`QuantileOrder::By`]: a result that is of a
/// null row is null, and so is that of a row number that is null or no row's. Without rows all results are null. NaN is greater
/// than every number.
///
/// In libcudf `quantile`, which takes rows as sorted unless their order is given, with `exact` for `Float64`; in pandas and polars
/// `quantile`; in SQL `PERCENTILE_CONT` (`Linear`) and `PERCENTILE_DISC`.
///
/// ```
/// use gdf::quantiles::{Interpolation, QuantileOrder, quantile};
/// use gdf::{Column, DataType};
///
/// let column = Column::from_options(&[Some(4), None, Some(1), Some(3), Some(2)])?;
/// let of = |interpolation| quantile(&column, &[0.0, 0.5], interpolation, QuantileOrder::Unsorted, &DataType::Float64);
/// assert_eq!(of(Interpolation::Linear)?.to_vec::<f64>()?, [Some(1.0), Some(2.5)]);
/// assert_eq!(of(Interpolation::Lower)?.to_vec::<f64>()?, [Some(1.0), Some(2.0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// Those of [`sort`](crate::sorting::sort), and 1 wait for the number of nulls, where the rows are unsorted; else no wait. See the
/// table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) for another `output_type`, or an order that is no integers.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): one of `q` is NaN.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("percentile", "median", "percentile_cont", "percentile_disc"))]
pub fn quantile<'a>(
    column: impl Into<ColumnView<'a>>,
    q: &[f64],
    interpolation: Interpolation,
    order: QuantileOrder<'_>,
    output_type: &DataType,
) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("quantile", &[&column])?
        .run(|ctx| detail::quantiles::quantile(column, q, interpolation, order, output_type, ctx))
}

/// For each of `q` the row of `table` that this share of the rows is before, in the order of all columns.
///
/// Positions are those of [`quantile`], of all rows. There is no row between two rows: `interpolation` is `Lower`, `Higher` or
/// `Nearest`.
///
/// # Shapes
/// A row for each of `q`, with the types of `table`: those that [`sort`](crate::sorting::sort) takes or, if the order is known, all
/// that [`gather`](crate::copying::gather) does.
///
/// # Nulls
/// Null rows are rows like others. A row number of [`QuantileOrder::By`] that is null or no row's gives a row of nulls; a negative
/// one counts from the end, as in [`gather`](crate::copying::gather).
///
/// # Order
/// `orders` and `null_orders` are those of [`sorted_order`](crate::sorting::sorted_order), one for each column or none for the
/// defaults; they matter for [`QuantileOrder::Unsorted`] alone.
///
/// In libcudf `quantiles`, in polars `quantile` of a frame's columns is another function.
///
/// ```
/// use gdf::quantiles::{Interpolation, QuantileOrder, quantiles};
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_slice(&[3, 1, 2])?, Column::from_strs(["c", "a", "b"])?])?;
/// let rows = quantiles(&table, &[0.5, 1.0], Interpolation::Lower, QuantileOrder::Unsorted, &[], &[])?;
/// assert_eq!(rows.column(1)?.to_strings()?, [Some("b".to_owned()), Some("c".to_owned())]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// Those of [`sorted_order`](crate::sorting::sorted_order) where the rows are unsorted, and of
/// [`gather`](crate::copying::gather). See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): `table` has no rows, or the order none; one of `q` is NaN;
///   `interpolation` is `Linear` or `Midpoint`.
/// * Those of [`sorted_order`](crate::sorting::sorted_order) and [`gather`](crate::copying::gather).
#[doc(alias("percentile"))]
pub fn quantiles<'a>(
    table: impl Into<TableView<'a>>,
    q: &[f64],
    interpolation: Interpolation,
    order: QuantileOrder<'_>,
    orders: &[Order],
    null_orders: &[NullOrder],
) -> Result<Table> {
    let table = table.into();
    Scope::for_inputs("quantiles", &[&table])?
        .run(|ctx| detail::quantiles::quantiles(table, q, interpolation, order, orders, null_orders, ctx))
}
