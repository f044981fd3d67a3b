//! Values and rows by the share of the rows that is below them. `reduction::median` and the aggregation `Quantile` of
//! `reduction::reduce` give one value; the functions here several, of rows in any order or sorted already. t-digests stand for more
//! values than can be sorted at once, and for those of many groups: about the same percentiles come of their merged digests.

use gdf_core::{Column, ColumnView, DataType, Result, Table, TableView};
use gdf_detail as detail;
pub use gdf_detail::quantiles::{DEFAULT_MAX_CENTROIDS, Interpolation, QuantileOrder};

use crate::scope::{Input, Scope};
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

/// A t-digest of a column: a few centroids that stand for its values, from which [`percentile_approx`] gives any percentile. Digests of
/// parts merge into one of the whole ([`merge_tdigests`]); groups have theirs by
/// [`GroupByAggregation::TDigest`](crate::groupby::GroupByAggregation::TDigest).
///
/// There are at most `max_centroids`, 1 to 1,000,000; [`DEFAULT_MAX_CENTROIDS`] is libcudf's default. Each is the mean of values that are
/// neighbors in order, of fewer the nearer to either end: where a value stands among the rows is known but for 1.6 / `max_centroids` of
/// them in the middle, and ever better towards the ends. Of at most `max_centroids` / 2 rows each is a centroid of its own. (Dunning and
/// Ertl, Computing extremely accurate quantiles using t-digests, 2019: scale function k₁.)
///
/// # Shapes
/// One row.
///
/// # Types
/// Booleans, numbers and decimals, as doubles. The result is libcudf's struct: a list `centroids` of structs of `mean` and `weight`, the
/// number of values, in ascending order; `min`; `max`. All are `Float64`.
///
/// # Nulls and NaN
/// Null rows take no part. Without others there are no centroids, and `min` and `max` are 0. NaN is greater than every number: it is in
/// the last centroids, and `max`.
///
/// Order: the same bits each time; between devices means may differ in the last places. In libcudf `reduce` with `TDIGEST`.
///
/// ```
/// use gdf::quantiles::{DEFAULT_MAX_CENTROIDS, percentile_approx, tdigest};
/// use gdf::Column;
///
/// let waits = Column::from_slice(&(0..10_000).map(f64::from).collect::<Vec<_>>())?;
/// let digest = tdigest(&waits, DEFAULT_MAX_CENTROIDS)?;
/// let percentiles = percentile_approx(&digest, &[0.5, 0.99])?;
/// let p99 = percentiles.column(1)?.to_vec::<f64>()?[0].expect("a digest of values");
/// assert!((p99 - 9_900.0).abs() < 2.0);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// Those of [`sort`](crate::sorting::sort), and 2 waits: for the number of nulls, and of
/// [`segmented_reduce`](crate::reduction::segmented_reduce). See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for another `max_centroids`.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("TDIGEST", "t-digest", "approx_percentile", "approx_quantile", "sketch"))]
pub fn tdigest<'a>(column: impl Into<ColumnView<'a>>, max_centroids: u32) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("tdigest", &[&column])?.run(|ctx| detail::quantiles::tdigest(column, max_centroids, ctx))
}

/// One t-digest of all the values that the rows of `digests` are of; groups of digests merge by
/// [`GroupByAggregation::MergeTDigest`](crate::groupby::GroupByAggregation::MergeTDigest).
///
/// The result has at most `max_centroids`. It does not depend on the order of the rows.
///
/// # Shapes
/// One row.
///
/// # Types
/// Those of [`tdigest`]; names of fields do not matter, so digests of libcudf are taken. Weights are above 0 and at most 2⁵³; they may
/// have fractions, and then centroids at the edge of a cluster may be in the next one on another device.
///
/// # Nulls and NaN
/// Null rows, and digests without centroids, take no part. Means are ordered as values are by [`tdigest`].
///
/// In libcudf `reduce` with `MERGE_TDIGEST`.
///
/// ```
/// use gdf::quantiles::{concatenate_tdigests, merge_tdigests, percentile_approx, tdigest};
/// use gdf::Column;
///
/// let (monday, tuesday) = (Column::from_slice(&[1, 2, 3])?, Column::from_slice(&[40, 50])?);
/// let days = concatenate_tdigests(&[tdigest(&monday, 100)?.view(), tdigest(&tuesday, 100)?.view()])?;
/// let both = merge_tdigests(&days, 100)?;
/// assert_eq!(percentile_approx(&both, &[0.5])?.column(0)?.to_vec::<f64>()?, [Some(3.0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// Those of [`sort`](crate::sorting::sort), and at most 16 waits for sizes and checks. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) for columns that are no digests.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for another `max_centroids` than [`tdigest`] takes, and for centroids that are
///   null or have no such weights.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("MERGE_TDIGEST", "approx_percentile_combine"))]
pub fn merge_tdigests<'a>(digests: impl Into<ColumnView<'a>>, max_centroids: u32) -> Result<Column> {
    let digests = digests.into();
    Scope::for_inputs("merge_tdigests", &[&digests])?
        .run(|ctx| detail::quantiles::merge_tdigests(digests, max_centroids, ctx))
}

/// The digests of the columns, one column after the other, as [`concatenate`](crate::concatenate::concatenate) does not take lists.
///
/// # Shapes
/// As many rows as all columns together, of at least one column.
///
/// # Types
/// Those of [`merge_tdigests`].
///
/// # Nulls
/// A null row becomes a digest without centroids.
///
/// ```
/// use gdf::quantiles::{concatenate_tdigests, tdigest};
/// use gdf::Column;
///
/// let digest = tdigest(&Column::from_slice(&[1, 2, 3])?, 100)?;
/// assert_eq!(concatenate_tdigests(&[digest.view(), digest.view()])?.len(), 2);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 8 waits for each column. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) without columns; otherwise as [`merge_tdigests`].
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹−1 centroids.
#[doc(alias("concat"))]
pub fn concatenate_tdigests(columns: &[ColumnView<'_>]) -> Result<Column> {
    let inputs: Vec<&dyn Input> = columns.iter().map(|column| column as &dyn Input).collect();
    Scope::for_inputs("concatenate_tdigests", &inputs)?.run(|ctx| detail::quantiles::concatenate_tdigests(columns, ctx))
}

/// For each of `q` a column with about the value that this share of each digest's values is below: 0 the smallest, 0.5 the median.
/// What is less than 0 or more than 1 stands for these.
///
/// Share `q` of a digest of weight `w` is at position `q · w`. At most 1 from either end it is `min` or `max`; in a centroid of weight 1
/// its value; and otherwise on the line between the middles of the centroids beside it, with `min` and `max` at the ends.
///
/// # Shapes
/// A column for each of `q`, a row for each digest. (In libcudf one column of lists.)
///
/// # Types
/// Those of [`merge_tdigests`]; the result is `Float64`.
///
/// # Nulls and NaN
/// Null for null rows and digests without centroids. NaN where a centroid beside the position is NaN.
///
/// Order: the same bits on every device, of the same digests of whole weights. In libcudf `percentile_approx`, in SQL
/// `APPROX_PERCENTILE`, in Spark `approx_percentile`. An example is that of [`tdigest`].
///
/// # Costs
/// At most 10 waits, for sizes and checks. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): one of `q` is NaN; otherwise as [`merge_tdigests`].
#[doc(alias("percentile", "approx_percentile", "approx_quantile"))]
pub fn percentile_approx<'a>(digests: impl Into<ColumnView<'a>>, q: &[f64]) -> Result<Table> {
    let digests = digests.into();
    Scope::for_inputs("percentile_approx", &[&digests])?
        .run(|ctx| detail::quantiles::percentile_approx(digests, q, ctx))
}
