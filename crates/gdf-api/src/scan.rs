//! Running sums, products, extremes and counts.

use gdf_core::{Column, ColumnView, Result, TableView};
use gdf_detail as detail;
pub use gdf_detail::scan::{EwmHistory, NullPolicy, RankMethod, RankPercentage, ScanAggregation, ScanType};

use crate::scope::Scope;

/// For each row of `input`, what the rows up to it come to: with it, or without ([`Exclusive`](ScanType::Exclusive)).
///
/// # Shapes
/// The result is as long as `input`.
///
/// # Types
/// The result has the type of `input`, counts are `Int64`. Views and dictionaries are decoded first: the result is
/// text, or values.
///
/// | aggregation | inclusive | exclusive | the first row, exclusive |
/// |---|---|---|---|
/// | `Sum` | booleans, numbers, decimals, durations | booleans, numbers, decimals | 0, false |
/// | `Product` | booleans, numbers | the same | 1, true |
/// | `Min` | booleans, numbers, decimals, strings, binary, everything temporal but intervals with days | booleans, numbers, decimals | the greatest value, ∞, true |
/// | `Max` | as `Min` | as `Min` | the least value, −∞, false |
/// | `CountValid`, `CountAll` | anything | anything | 0 |
///
/// Integers and decimals wrap at the width of the type. Floats are worked with in double precision, and rounded when
/// they are stored. The sum of booleans is whether any is true, their product whether all are.
///
/// # Nulls and NaN
/// With [`Exclude`](NullPolicy::Exclude) a row is null where `input` is, and null rows take no part in the others. With
/// [`Include`](NullPolicy::Include) every row is null that a null row takes part in: all from the first null row on or,
/// exclusive, after it. The result has a mask if `input` has one. Counts are never null, whatever the policy.
///
/// NaN is greater than every number, as in sorting, and -0.0 is less than 0.0. Strings and binary are ordered by their bytes.
///
/// # Order
/// Sums and products of floats are brought together in an order that depends on the number of rows and the device alone,
/// so they come out with the same bits each time, on the CPU whatever the number of threads; between devices they may
/// differ in the last places.
///
/// In libcudf `scan`, in pyarrow and polars `cumulative_sum`, `cum_sum` and so on.
///
/// ```
/// use gdf::Column;
/// use gdf::scan::{NullPolicy, ScanAggregation, ScanType, scan};
///
/// let numbers = Column::from_options(&[Some(3), Some(-1), None, Some(10)])?;
/// let sums = scan(&numbers, ScanAggregation::Sum, ScanType::Inclusive, NullPolicy::Exclude)?;
/// assert_eq!(sums.to_vec::<i32>()?, [Some(3), Some(2), None, Some(12)]);
/// let spread = scan(&numbers, ScanAggregation::Sum, ScanType::Inclusive, NullPolicy::Include)?;
/// assert_eq!(spread.to_vec::<i32>()?, [Some(3), Some(2), None, None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait, for the size of strings and binary; 1 more where few rows of those got too little memory by a guess.
/// See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) when the scan does not exist for the type of `input`.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) when the result would have more than 2³¹−1 bytes of text or binary
///   and its offsets have 32 bits.
/// * Driver and memory errors.
#[doc(alias("cumsum", "cum_sum", "cumprod", "cummin", "cummax", "cumulative", "running total", "prefix sum", "over"))]
pub fn scan<'a>(
    input: impl Into<ColumnView<'a>>,
    aggregation: ScanAggregation,
    scan_type: ScanType,
    null_policy: NullPolicy,
) -> Result<Column> {
    let input = input.into();
    Scope::for_inputs("scan", &[&input])?.run(|ctx| detail::scan::scan(input, aggregation, scan_type, null_policy, ctx))
}

/// The rank of each row of `table` among all rows, which are in order already: equal rows are neighbors. The order itself, its
/// direction and the place of nulls do not matter.
///
/// # Shapes
/// A column as long as `table`, without nulls.
///
/// # Types
/// Rows of any columns that can be compared: booleans, numbers, decimals, everything temporal but intervals, strings,
/// binary, views and dictionaries of these. Ranks are `UInt32`, or `UInt64` from 2³²−1 rows on; averages and
/// percentages `Float64`. Of [`RankMethod::Dense`] the largest rank is the number of distinct rows, of others that of
/// all rows.
///
/// # Nulls and NaN
/// Nulls are equal, and so are NaNs; −0.0 equals 0.0.
///
/// In libcudf the aggregation `rank` of `scan`, which has `Min` and `Dense` alone; in SQL `ROW_NUMBER`, `RANK`, `DENSE_RANK`,
/// `PERCENT_RANK` (`Min`, one-normalized) and `CUME_DIST` (`Max`, zero-normalized) of rows that are in order; in pandas and polars
/// `rank`, which sorts.
///
/// ```
/// use gdf::scan::{RankMethod, RankPercentage, rank};
/// use gdf::{Column, Table};
///
/// let table = Table::try_new(vec![Column::from_slice(&[10, 20, 20, 30])?])?;
/// assert_eq!(rank(&table, RankMethod::Min, RankPercentage::None)?.to_vec::<u32>()?, [1, 2, 2, 4].map(Some));
/// assert_eq!(rank(&table, RankMethod::Dense, RankPercentage::None)?.to_vec::<u32>()?, [1, 2, 2, 3].map(Some));
/// let shares = rank(&table, RankMethod::Max, RankPercentage::ZeroNormalized)?;
/// assert_eq!(shares.to_vec::<f64>()?, [0.25, 0.75, 0.75, 1.0].map(Some));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// At most 1 wait, for the number of distinct rows. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns that cannot be compared.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for a table without columns.
/// * Driver and memory errors.
#[doc(alias("row_number", "dense_rank", "percent_rank", "cume_dist"))]
pub fn rank<'a>(table: impl Into<TableView<'a>>, method: RankMethod, percentage: RankPercentage) -> Result<Column> {
    let table = table.into();
    Scope::for_inputs("rank", &[&table])?.run(|ctx| detail::scan::rank(table, method, percentage, ctx))
}

/// The exponentially weighted mean of the rows up to each row: a row that is one earlier weighs
/// `center_of_mass / (1 + center_of_mass)` times as much.
///
/// # Shapes
/// A column as long as `input`, without a mask.
///
/// # Types
/// `Float32` and `Float64`, and the same; worked with in double precision.
///
/// # Nulls and NaN
/// A null row has the mean of the rows before it, and those weigh less for it. Before the first valid row the mean is NaN. NaN
/// makes all later rows NaN.
///
/// # Order
/// As of [`scan`]: the same bits each time; between devices they may differ in the last places.
///
/// In libcudf the aggregation `ewma` of `scan`; in pandas `ewm(com=…).mean()`, whose `adjust=False` is
/// [`EwmHistory::Finite`]; in polars `ewm_mean(com=…)`.
///
/// ```
/// use gdf::Column;
/// use gdf::scan::{EwmHistory, ewma};
///
/// let numbers = Column::from_options(&[Some(1.0), Some(4.0), None, Some(10.0)])?;
/// assert_eq!(ewma(&numbers, 1.0, EwmHistory::Infinite)?.to_vec::<f64>()?, [1.0, 3.0, 3.0, 89.0 / 11.0].map(Some));
/// assert_eq!(ewma(&numbers, 1.0, EwmHistory::Finite)?.to_vec::<f64>()?[1], Some(2.5));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// No wait. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns of other types.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) when `center_of_mass` is negative, infinite or NaN.
/// * Driver and memory errors.
#[doc(alias("ewm", "ewm_mean", "exponential moving average", "ema"))]
pub fn ewma<'a>(input: impl Into<ColumnView<'a>>, center_of_mass: f64, history: EwmHistory) -> Result<Column> {
    let input = input.into();
    Scope::for_inputs("ewma", &[&input])?.run(|ctx| detail::scan::ewma(input, center_of_mass, history, ctx))
}
