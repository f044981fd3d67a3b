//! Quantiles: the values, or the rows, at several shares of the sorted rows. `reduction::median` and the aggregation
//! `Quantile` of `reduction::reduce` return one value.
//!
//! A t-digest summarizes more values than can be sorted at once, and the values of many groups. Digests can be
//! merged, and the merged digest gives approximately the same percentiles as the values.

use gdf_core::{Column, ColumnView, DataType, Result, Table, TableView};
use gdf_detail as detail;
pub use gdf_detail::quantiles::{DEFAULT_MAX_CENTROIDS, Interpolation, QuantileOrder};

use crate::scope::{Input, Scope};
use crate::sorting::{NullOrder, Order};

/// Returns for each element of `q` the value of `column` before which that share of the sorted rows comes: 0 gives the
/// smallest value, 0.5 the median, and 1 the largest value. An element below 0 counts as 0, and an element above 1
/// counts as 1.
///
/// For `n` rows in order, share `q` is at position `q · (n − 1)`. `interpolation` states which value a position
/// between two rows has.
///
/// # Shapes
/// The result has one row for each element of `q`.
///
/// # Types
/// `output_type` is `Float64`, or the type of `column`:
/// * `Float64`: the column has booleans, numbers or decimals.
/// * The type of `column`: the column has numbers, decimals or everything temporal except intervals with days. A value
///   between two rows is truncated, and is not supported for decimals of 256 bits.
///
/// Interpolated values are computed in double precision.
///
/// # Nulls and NaN
/// Null rows are ignored with [`QuantileOrder::Unsorted`]. With [`QuantileOrder::Sorted`] and [`QuantileOrder::By`], a
/// result that is taken from a null row is null. A row number in `By` that is null or is not a row makes a null, too.
/// If there are no rows, all results are null. NaN is greater than every number.
///
/// In libcudf `quantile`, whose `exact` corresponds to `Float64`; in pandas and polars `quantile`; in SQL
/// `PERCENTILE_CONT` (`Linear`) and `PERCENTILE_DISC`.
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
/// For unsorted rows, the function has the waits of [`sort`](crate::sorting::sort), and 1 wait for the number of nulls.
/// For sorted rows, and with [`QuantileOrder::By`], the function does not wait for the device. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) for another `output_type`, or when the order in `By` is not a
///   column of integers.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): an element of `q` is NaN.
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

/// Returns for each element of `q` the row of `table` at that share of the rows, in the order of all columns.
///
/// Positions are computed as for [`quantile`], over all rows. Two rows cannot be interpolated, so `interpolation`
/// must be `Lower`, `Higher` or `Nearest`.
///
/// # Shapes
/// The result has one row for each element of `q`, and the types of `table`. If the order is not known, the types are
/// the types that [`sort`](crate::sorting::sort) takes. If the order is known, the types are the types that
/// [`gather`](crate::copying::gather) takes.
///
/// # Nulls
/// Null rows count like other rows. A row number of [`QuantileOrder::By`] that is null or is not a row gives a row of
/// nulls. A negative row number counts from the end, as in [`gather`](crate::copying::gather).
///
/// # Order
/// `orders` and `null_orders` are the arguments of [`sorted_order`](crate::sorting::sorted_order): one for each
/// column, or none for the defaults. The arguments have an effect only for [`QuantileOrder::Unsorted`].
///
/// In libcudf `quantiles`. The `quantile` of a polars frame, which computes each column separately, is another
/// function.
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
/// The function has the waits of [`sorted_order`](crate::sorting::sorted_order) if the rows are unsorted, and the waits
/// of [`gather`](crate::copying::gather). See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): `table` or the order has no rows; an element of `q` is
///   NaN; `interpolation` is `Linear` or `Midpoint`.
/// * The errors of [`sorted_order`](crate::sorting::sorted_order) and [`gather`](crate::copying::gather).
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

/// Returns a t-digest of a column: a small number of centroids that summarize its values. [`percentile_approx`]
/// computes any percentile from a digest. [`merge_tdigests`] merges the digests of parts to one digest of the whole.
/// [`GroupByAggregation::TDigest`](crate::groupby::GroupByAggregation::TDigest) computes the digests of groups.
///
/// A digest has at most `max_centroids` centroids, 1 to 1,000,000; [`DEFAULT_MAX_CENTROIDS`] is libcudf's default. Each
/// centroid is the mean of values that are neighbors in sorted order. In the middle of the order, the rank of a value
/// is wrong by at most 1.6 / `max_centroids` times the number of rows. Towards the ends, the error is smaller. If there
/// are at most `max_centroids` / 2 rows, each row is a separate centroid. (Dunning and Ertl, Computing extremely
/// accurate quantiles using t-digests, 2019: scale function k₁.)
///
/// # Shapes
/// The result has one row.
///
/// # Types
/// Booleans, numbers and decimals, which are converted to doubles. The result is the struct that libcudf uses. The
/// field `centroids` is a list of structs of `mean` and `weight`, in ascending order; `weight` is the number of
/// values of the centroid. The other fields are `min` and `max`. All numbers are `Float64`.
///
/// # Nulls and NaN
/// Null rows are ignored. If all rows are null, the digest has no centroids, and `min` and `max` are 0. NaN is greater
/// than every number, so NaNs are in the last centroids and in `max`.
///
/// Order: the result has the same bits in every run. The last places of means may differ between devices. In libcudf
/// `reduce` with `TDIGEST`.
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
/// The function has the waits of [`sort`](crate::sorting::sort), 1 wait for the number of nulls, and the wait of
/// [`segmented_reduce`](crate::reduction::segmented_reduce). See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for other types.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for a `max_centroids` out of range.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("TDIGEST", "t-digest", "approx_percentile", "approx_quantile", "sketch"))]
pub fn tdigest<'a>(column: impl Into<ColumnView<'a>>, max_centroids: u32) -> Result<Column> {
    let column = column.into();
    Scope::for_inputs("tdigest", &[&column])?.run(|ctx| detail::quantiles::tdigest(column, max_centroids, ctx))
}

/// Merges the t-digests in the rows of `digests` to one t-digest of all summarized values.
/// [`GroupByAggregation::MergeTDigest`](crate::groupby::GroupByAggregation::MergeTDigest) merges the digests of
/// groups.
///
/// The result has at most `max_centroids` centroids, and does not depend on the order of the rows.
///
/// # Shapes
/// The result has one row.
///
/// # Types
/// The result type of [`tdigest`]. The names of fields are ignored, so digests of libcudf are accepted. Weights are
/// above 0 and at most 2⁵³. Weights may have fractions; a centroid at the edge of a cluster may then be in the next
/// cluster on another device.
///
/// # Nulls and NaN
/// Null rows and digests without centroids are ignored. Means are ordered as [`tdigest`] orders values.
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
/// The function has the waits of [`sort`](crate::sorting::sort), and at most 16 waits for sizes and checks. See the
/// table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) for columns that are not digests.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for a `max_centroids` that [`tdigest`] does not take. Also
///   for a centroid that is null, or whose weight is out of range.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
#[doc(alias("MERGE_TDIGEST", "approx_percentile_combine"))]
pub fn merge_tdigests<'a>(digests: impl Into<ColumnView<'a>>, max_centroids: u32) -> Result<Column> {
    let digests = digests.into();
    Scope::for_inputs("merge_tdigests", &[&digests])?
        .run(|ctx| detail::quantiles::merge_tdigests(digests, max_centroids, ctx))
}

/// Concatenates the digests of several columns. Unlike [`concatenate`](crate::concatenate::concatenate), the function
/// checks that the columns are digests, and its result has no null rows.
///
/// # Shapes
/// The result has as many rows as all columns together. At least one column is required.
///
/// # Types
/// The types of [`merge_tdigests`].
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
/// The function needs at most 8 waits for each column. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) if there are no columns, and in the cases of
///   [`merge_tdigests`].
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹−1 centroids.
#[doc(alias("concat"))]
pub fn concatenate_tdigests(columns: &[ColumnView<'_>]) -> Result<Column> {
    let inputs: Vec<&dyn Input> = columns.iter().map(|column| column as &dyn Input).collect();
    Scope::for_inputs("concatenate_tdigests", &inputs)?.run(|ctx| detail::quantiles::concatenate_tdigests(columns, ctx))
}

/// Returns a column for each element of `q`, with the approximate value before which that share of the sorted values of
/// each digest comes: 0 gives the smallest value, and 0.5 the median. An element below 0 counts as 0, and an element
/// above 1 counts as 1.
///
/// For a digest of weight `w`, share `q` is at position `q · w`. If the position is at most 1 away from an end, the
/// result is `min` or `max`. If the position is in a centroid of weight 1, the result is the value of the centroid.
/// Otherwise the result is interpolated linearly between the middles of the two neighboring centroids, or between a
/// centroid and `min` or `max`.
///
/// # Shapes
/// The result has one column for each element of `q`, with one row for each digest. (In libcudf, the result is one
/// column of lists.)
///
/// # Types
/// The types of [`merge_tdigests`]; the result is `Float64`.
///
/// # Nulls and NaN
/// The result is null for null rows and for digests without centroids. The result is NaN where a centroid beside the
/// position is NaN.
///
/// Order: for digests with integer weights, the result has the same bits on every device. In libcudf
/// `percentile_approx`, in SQL `APPROX_PERCENTILE`, in Spark `approx_percentile`. For an example see [`tdigest`].
///
/// # Costs
/// The function needs at most 10 waits for the device, for sizes and checks. See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): an element of `q` is NaN.
/// * The errors of [`merge_tdigests`].
#[doc(alias("percentile", "approx_percentile", "approx_quantile"))]
pub fn percentile_approx<'a>(digests: impl Into<ColumnView<'a>>, q: &[f64]) -> Result<Table> {
    let digests = digests.into();
    Scope::for_inputs("percentile_approx", &[&digests])?
        .run(|ctx| detail::quantiles::percentile_approx(digests, q, ctx))
}
