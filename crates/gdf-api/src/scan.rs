//! Running sums, products, extremes and counts.

use gdf_core::{Column, ColumnView, Result, TableView};
use gdf_detail as detail;
pub use gdf_detail::scan::{EwmHistory, NullPolicy, RankMethod, RankPercentage, ScanAggregation, ScanType};

use crate::scope::Scope;

/// For each row of `input`, aggregates the rows up to the row. The row itself is included, or excluded with
/// [`Exclusive`](ScanType::Exclusive).
///
/// # Shapes
/// The result has as many rows as `input`.
///
/// # Types
/// The result has the type of `input`; counts are `Int64`. Views and dictionaries are decoded first: the result is a
/// column of text or of values.
///
/// | aggregation | types of an inclusive scan | types of an exclusive scan | first row of an exclusive scan |
/// |---|---|---|---|
/// | `Sum` | booleans, numbers, decimals, durations | booleans, numbers, decimals | 0, false |
/// | `Product` | booleans, numbers | the same | 1, true |
/// | `Min` | booleans, numbers, decimals, strings, binary, everything temporal but intervals with days; structs and lists of these | booleans, numbers, decimals | the greatest value, ∞, true |
/// | `Max` | as `Min` | as `Min` | the least value, −∞, false |
/// | `CountValid` | anything but unions and run-end encoded columns | the same | 0 |
/// | `CountAll` | anything | anything | 0 |
///
/// Integers and decimals wrap at the width of the type. Floats are computed in double precision, and rounded when
/// they are stored. The sum of booleans is the logical OR, and their product the logical AND.
///
/// # Nulls and NaN
/// With [`Exclude`](NullPolicy::Exclude) a row of the result is null where `input` is null, and the other rows ignore
/// null rows. With [`Include`](NullPolicy::Include) every row of the result that aggregates a null row is null. Counts
/// are never null, with either policy. The result has a mask if `input` has a mask.
///
/// NaN is greater than every number, as in sorting. -0.0 is less than 0.0. Strings and binary are ordered by their
/// bytes. Structs and lists are ordered field by field and element by element; a null field or element is smaller than
/// a value.
///
/// # Order
/// The order in which floats are added or multiplied depends only on the number of rows and on the device. Sums and
/// products therefore have the same bits in every run. On the CPU, the bits do not depend on the number of threads. The
/// last places may differ between devices.
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
/// The function needs at most 1 wait for the device, for the size of strings and binary. There is 1 more wait if the
/// memory that was guessed for few rows of strings or binary is too small. `Min` and `Max` of structs and lists sort
/// the rows, with the waits of [`sorted_order`](crate::sorting::sorted_order). See the table of costs,
/// `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) when the scan does not exist for the type of `input`.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) when the result would have more than 2³¹−1 bytes of text
///   or binary and its offsets have 32 bits.
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

/// Returns the rank of each row of `table` among all rows. The rows must be sorted, so that equal rows are adjacent.
/// The sort direction and the position of nulls do not matter.
///
/// # Shapes
/// The result has as many rows as `table`, and no nulls.
///
/// # Types
/// Columns of all types that can be compared: booleans, numbers, decimals, everything temporal except intervals,
/// strings, binary, views and dictionaries of these. Ranks are `UInt32`, or `UInt64` from 2³²−1 rows on. Average
/// ranks and percentages are `Float64`. With [`RankMethod::Dense`] the largest rank is the number of distinct rows;
/// with other methods the largest rank is the number of rows.
///
/// # Nulls and NaN
/// Nulls are equal to each other. NaNs are equal to each other. −0.0 equals 0.0.
///
/// In libcudf the aggregation `rank` of `scan`, which supports only `Min` and `Dense`. In SQL `ROW_NUMBER`, `RANK`,
/// `DENSE_RANK`, `PERCENT_RANK` (`Min`, one-normalized) and `CUME_DIST` (`Max`, zero-normalized) of sorted rows. In
/// pandas and polars `rank`, which also sorts.
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
/// The function needs at most 1 wait for the device, for the number of distinct rows. See the table of costs,
/// `docs/guide/costs.md`.
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

/// Returns the exponentially weighted mean of the rows up to each row. The weight of a row is
/// `center_of_mass / (1 + center_of_mass)` times the weight of the next row.
///
/// # Shapes
/// The result has as many rows as `input`, and no mask.
///
/// # Types
/// `Float32` and `Float64`; the result has the same type. The computation uses double precision.
///
/// # Nulls and NaN
/// At a null row the result is the mean of the rows before it, and the weights of those rows decay for the null row
/// as for any row. Before the first valid row the result is NaN. A NaN makes all later rows NaN.
///
/// # Order
/// The same as for [`scan`]: the result has the same bits in every run. The last places may differ between devices.
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
/// The function does not wait for the device. See the table of costs, `docs/guide/costs.md`.
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
