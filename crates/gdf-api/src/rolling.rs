//! Sums, means, extremes, counts and the like of a window of rows for each row.

use gdf_core::{Column, ColumnView, Result, TableView};
use gdf_detail as detail;
pub use gdf_detail::rolling::{RangeWindow, RangeWindowBound, RollingAggregation, WindowBound};
pub use gdf_detail::sorting::{NullOrder, Order};

use crate::scope::Scope;

/// An aggregation of a window of rows for each row: `preceding` rows that end with the row itself, and `following` rows after it.
///
/// ```text
/// preceding 2, following 1, sum:   row     0  1  2  3
///                                  input   1  2  3  4
///                                  result  3  6  9  7
/// ```
///
/// # Shapes
/// The result is as long as `input`. At both ends windows have the rows that there are.
///
/// # Types
/// As [`RollingAggregation`] says.
///
/// # Nulls and NaN
/// Null rows are left out. A row of the result is null where its window has fewer than `min_periods` valid rows, or none, except
/// that the sum of no rows is 0 if `min_periods` is. For counts, [`RowNumber`](RollingAggregation::RowNumber) and
/// [`NthElement`](RollingAggregation::NthElement) `min_periods` is of all rows; of [`Lead`](RollingAggregation::Lead) and
/// [`Lag`](RollingAggregation::Lag) it says nothing. NaN is greater than every number, and what is computed with it is NaN in the
/// windows that have it, and in no others: nothing is subtracted. The result has a mask unless no row can be null.
///
/// # Order
/// Floats are added in an order that depends on the rows and the device alone; between devices sums and variances may differ in
/// the last places.
///
/// In libcudf `rolling_window`; in pandas `rolling`, in polars `rolling_sum` and so on, in SQL `ROWS BETWEEN`.
///
/// ```
/// use gdf::Column;
/// use gdf::rolling::{RollingAggregation, WindowBound, rolling_window};
///
/// let numbers = Column::from_options(&[Some(1), Some(2), None, Some(4)])?;
/// let sums = rolling_window(&numbers, 2, 1, 1, RollingAggregation::Sum)?;
/// assert_eq!(sums.to_vec::<i64>()?, [Some(3), Some(3), Some(6), Some(4)]);
/// let means = rolling_window(&numbers, WindowBound::Unbounded, 0, 2, RollingAggregation::Mean)?;
/// assert_eq!(means.to_vec::<f64>()?, [None, Some(1.5), Some(1.5), Some(7.0 / 3.0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The time hardly depends on how long windows are. No wait; at most 3 for the smallest and largest of strings and binary and for
/// elements. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) when the aggregation does not exist for the type of `input`.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) when windows end before they begin: `preceding + following` is less
///   than 1.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) when the result would have more than 2³¹−1 bytes of text or binary
///   and its offsets have 32 bits.
/// * Driver and memory errors.
#[doc(alias("rolling", "moving_average", "rolling_sum", "rolling_mean", "window", "over", "lead", "lag", "shift"))]
pub fn rolling_window<'a>(
    input: impl Into<ColumnView<'a>>,
    preceding: impl Into<WindowBound>,
    following: impl Into<WindowBound>,
    min_periods: usize,
    aggregation: RollingAggregation,
) -> Result<Column> {
    let (input, preceding, following) = (input.into(), preceding.into(), following.into());
    Scope::for_inputs("rolling_window", &[&input])?
        .run(|ctx| detail::rolling::rolling_window(input, preceding, following, min_periods, aggregation, ctx))
}

/// As [`rolling_window`], with the numbers of rows before (and with) each row, and after it, in columns.
///
/// # Shapes
/// All columns have as many rows, so has the result.
///
/// # Types
/// The numbers are integers of any width; they may be negative, and a window that ends before it begins is empty. As
/// [`RollingAggregation`] says otherwise.
///
/// # Nulls and NaN
/// As of [`rolling_window`]. Where a number is null, the window is empty.
///
/// In libcudf `rolling_window` of columns; in pandas `rolling` of an indexer.
///
/// ```
/// use gdf::Column;
/// use gdf::rolling::{RollingAggregation, variable_rolling_window};
///
/// let numbers = Column::from_slice(&[1, 2, 3, 4])?;
/// let (before, after) = (Column::from_slice(&[1, 2, 1, 0])?, Column::from_slice(&[3, 0, 0, -1])?);
/// let sums = variable_rolling_window(&numbers, &before, &after, 1, RollingAggregation::Sum)?;
/// assert_eq!(sums.to_vec::<i64>()?, [Some(10), Some(3), Some(3), None]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// As of [`rolling_window`].
///
/// # Errors
/// * Those of [`rolling_window`] but for the order of bounds.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when `preceding` or `following` has no integers.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch) when one has another number of rows.
#[doc(alias("rolling_window", "indexer"))]
pub fn variable_rolling_window<'a>(
    input: impl Into<ColumnView<'a>>,
    preceding: impl Into<ColumnView<'a>>,
    following: impl Into<ColumnView<'a>>,
    min_periods: usize,
    aggregation: RollingAggregation,
) -> Result<Column> {
    let (input, preceding, following) = (input.into(), preceding.into(), following.into());
    Scope::for_inputs("variable_rolling_window", &[&input, &preceding, &following])?
        .run(|ctx| detail::rolling::variable_rolling_window(input, preceding, following, min_periods, aggregation, ctx))
}

/// As [`rolling_window`], with windows that end where the group of a row does: the rows around it whose `group_keys` are equal.
///
/// # Shapes
/// As many rows of keys as of `input`. Equal keys are neighbors: a group whose rows are apart is two.
///
/// # Types
/// Keys of all types that can be sorted by; none at all make one group of all rows. As [`RollingAggregation`] says otherwise.
///
/// # Nulls and NaN
/// Nulls in keys are equal, and so are NaNs. As of [`rolling_window`] otherwise.
///
/// In libcudf `grouped_rolling_window`; in pandas `groupby().rolling`, in SQL `PARTITION BY … ROWS BETWEEN`.
///
/// ```
/// use gdf::{Column, Table};
/// use gdf::rolling::{RollingAggregation, WindowBound, grouped_rolling_window};
///
/// let keys = Table::try_new(vec![Column::from_strs(&["a", "a", "b", "b", "b"])?])?;
/// let numbers = Column::from_slice(&[1, 2, 3, 4, 5])?;
/// let sums = grouped_rolling_window(&keys, &numbers, 2, 0, 1, RollingAggregation::Sum)?;
/// assert_eq!(sums.to_vec::<i64>()?, [1, 3, 3, 7, 9].map(Some));
/// let all = WindowBound::Unbounded;
/// let before = grouped_rolling_window(&keys, &numbers, all, all, 1, RollingAggregation::Lag(1))?;
/// assert_eq!(before.to_vec::<i32>()?, [None, Some(1), None, Some(3), Some(4)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// As of [`rolling_window`], and some passes over the keys.
///
/// # Errors
/// * Those of [`rolling_window`].
/// * [`Unsupported`](gdf_core::Error::Unsupported) when a key cannot be compared.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch) when there are more or fewer rows of keys.
#[doc(alias("partition by", "groupby", "over"))]
pub fn grouped_rolling_window<'a>(
    group_keys: impl Into<TableView<'a>>,
    input: impl Into<ColumnView<'a>>,
    preceding: impl Into<WindowBound>,
    following: impl Into<WindowBound>,
    min_periods: usize,
    aggregation: RollingAggregation,
) -> Result<Column> {
    let (keys, input) = (group_keys.into(), input.into());
    let (preceding, following) = (preceding.into(), following.into());
    Scope::for_inputs("grouped_rolling_window", &[&keys, &input])?.run(|ctx| {
        detail::rolling::grouped_rolling_window(&keys, input, preceding, following, min_periods, aggregation, ctx)
    })
}

/// An aggregation of a window for each row, of the rows of its group whose values of `orderby` are near enough to its own.
///
/// Rows are ordered by `orderby`, within runs of equal `group_keys`, as `window` says; this is not checked.
///
/// # Shapes
/// As many rows of keys and of `orderby` as of `input`, so has the result. Without keys all rows are one group.
///
/// # Types
/// A [bounded](RangeWindowBound::BoundedClosed) window has one column of integers, floats, decimals of up to 128 bits, dates, times,
/// timestamps or durations. Its delta has the same type; for what is temporal it is a duration of the same unit, for `Date32` a
/// number of days, `Int32`. Windows that are unbounded or end at the current row have any columns that can be sorted by, of which the
/// equal rows count as one. As [`RollingAggregation`] says otherwise.
///
/// # Nulls and NaN
/// A row whose `orderby` is null has the null rows of the group in its window, and what is unbounded on the other side. NaNs are
/// equal, and greater than every number. Where a delta is null, windows are empty. A delta may be negative. What it leads beyond
/// the range of the type bounds nothing. As of [`rolling_window`] otherwise.
///
/// In libcudf `grouped_range_rolling_window`; in pandas and polars `rolling` of an offset, in SQL `RANGE BETWEEN`.
///
/// ```
/// use gdf::{Column, Table};
/// use gdf::rolling::{RangeWindow, RangeWindowBound, RollingAggregation, grouped_range_rolling_window};
///
/// let none = Table::try_new(vec![])?;
/// let days = Table::try_new(vec![Column::from_slice(&[1, 2, 2, 5, 6])?])?;
/// let sales = Column::from_slice(&[10, 20, 30, 40, 50])?;
/// let preceding = RangeWindowBound::BoundedClosed(1.into());
/// let window = RangeWindow { preceding, ..RangeWindow::default() };
/// let sums = grouped_range_rolling_window(&none, &days, window, &sales, 1, RollingAggregation::Sum)?;
/// assert_eq!(sums.to_vec::<i64>()?, [10, 60, 60, 40, 90].map(Some));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// As of [`grouped_rolling_window`], and a search per row whose steps grow with the logarithm of the window.
///
/// # Errors
/// * Those of [`rolling_window`] but for the order of bounds.
/// * [`Unsupported`](gdf_core::Error::Unsupported) when a key or `orderby` cannot be compared, or not be bounded.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when a delta has another type.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) when a bounded window has other than one column of `orderby`.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch) when lengths differ.
#[doc(alias("range between", "interval", "rolling_by"))]
pub fn grouped_range_rolling_window<'a>(
    group_keys: impl Into<TableView<'a>>,
    orderby: impl Into<TableView<'a>>,
    window: RangeWindow<'_>,
    input: impl Into<ColumnView<'a>>,
    min_periods: usize,
    aggregation: RollingAggregation,
) -> Result<Column> {
    let (keys, orderby, input) = (group_keys.into(), orderby.into(), input.into());
    Scope::for_inputs("grouped_range_rolling_window", &[&keys, &orderby, &input])?.run(|ctx| {
        detail::rolling::grouped_range_rolling_window(&keys, &orderby, window, input, min_periods, aggregation, ctx)
    })
}

/// The windows of [`grouped_range_rolling_window`] as numbers of rows before (and with) each row, and after it: what
/// [`variable_rolling_window`] takes, for several aggregations of the same windows.
///
/// # Shapes, Types, Nulls and NaN
/// As there. Two columns of `Int64` without nulls.
///
/// In libcudf `make_range_windows`.
///
/// ```
/// use gdf::{Column, Table};
/// use gdf::rolling::{RangeWindow, make_range_windows};
///
/// let none = Table::try_new(vec![])?;
/// let days = Table::try_new(vec![Column::from_slice(&[1, 2, 2, 5])?])?;
/// let [before, after] = make_range_windows(&none, &days, RangeWindow::default())?;
/// assert_eq!(before.to_vec::<i64>()?, [1, 2, 3, 4].map(Some));
/// assert_eq!(after.to_vec::<i64>()?, [0, 1, 0, 0].map(Some));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// No wait.
///
/// # Errors
/// * Those of [`grouped_range_rolling_window`] that are not of the aggregation.
#[doc(alias("range between"))]
pub fn make_range_windows<'a>(
    group_keys: impl Into<TableView<'a>>,
    orderby: impl Into<TableView<'a>>,
    window: RangeWindow<'_>,
) -> Result<[Column; 2]> {
    let (keys, orderby) = (group_keys.into(), orderby.into());
    Scope::for_inputs("make_range_windows", &[&keys, &orderby])?
        .run(|ctx| detail::rolling::make_range_windows(&keys, &orderby, window, ctx))
}
