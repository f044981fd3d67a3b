//! Aggregations of a window of rows for each row: sums, means, minima, maxima, counts and others.

use gdf_core::{Column, ColumnView, Operand, Result, TableView};
use gdf_detail as detail;
pub use gdf_detail::rolling::{RangeWindow, RangeWindowBound, RollingAggregation, WindowBound};
pub use gdf_detail::sorting::{NullOrder, Order};

use crate::scope::Scope;

/// Aggregates a window of rows for each row. The window consists of `preceding` rows that end with the row itself, and
/// of `following` rows after the row.
///
/// ```text
/// preceding 2, following 1, sum:   row     0  1  2  3
///                                  input   1  2  3  4
///                                  result  3  6  9  7
/// ```
///
/// # Shapes
/// The result has as many rows as `input`. Windows at the two ends of the column contain only the rows that exist.
///
/// # Types
/// See [`RollingAggregation`].
///
/// # Nulls and NaN
/// Null rows are left out. A row of the result is null if its window has no valid rows or fewer than `min_periods`.
/// Exceptions:
/// * If `min_periods` is 0, the sum of no rows is 0.
/// * For counts, lists, [`RowNumber`](RollingAggregation::RowNumber) and
///   [`NthElement`](RollingAggregation::NthElement), `min_periods` counts all rows of the window. If the window has
///   enough rows, counts, lists and row numbers are not null.
/// * [`Lead`](RollingAggregation::Lead) and [`Lag`](RollingAggregation::Lag) ignore `min_periods`.
///
/// NaN is greater than every number. A NaN affects only the results of windows that contain the NaN. The result has a
/// mask if any row can be null.
///
/// # Order
/// The order in which floats are added depends only on the rows and on the device. The last places of sums and
/// variances may differ between devices.
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
/// The time hardly depends on the length of the windows. The function does not wait for the device, with two
/// exceptions: `Min` and `Max` of strings and binary, and aggregations that return elements. These aggregations wait at
/// most 3 times, and more often for nested types and views. See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) when the aggregation does not exist for the type of `input`.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) when windows end before they begin, that is, when
///   `preceding + following` is less than 1.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) when the result would have more than 2³¹−1 bytes of text
///   or binary and its offsets have 32 bits.
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

/// Returns for each row the value of a later or earlier row, and a default where the window has no such row.
///
/// ```text
/// Lag(1), default 0:   input   1     null  3
///                      result  0     1     null
/// ```
///
/// `default_outputs` is a literal, a scalar, or a column with a default for each row. The windows are those of
/// [`rolling_window`]. The result has as many rows as `input`, in the order of `input`.
///
/// # Types
/// The types that [`gather`](crate::copying::gather) takes. `default_outputs` has the type of `input`; a literal is
/// converted to this type. The result has the type of `input`.
///
/// # Nulls and NaN
/// A row is null if the later or earlier row is null, or if the window has no such row and the default is null. Values
/// are copied, NaN too. The result has a mask if `input` or `default_outputs` has nulls.
///
/// In libcudf `rolling_window` with `default_outputs`; in pandas `shift` with `fill_value`, in polars the same, in SQL
/// `LAG(x, 1, 0)` and `LEAD(x, 1, 0)`.
///
/// ```
/// use gdf::Column;
/// use gdf::rolling::{RollingAggregation, WindowBound, rolling_window_with_defaults};
///
/// let numbers = Column::from_options(&[Some(1), None, Some(3)])?;
/// let all = WindowBound::Unbounded;
/// let before = rolling_window_with_defaults(&numbers, 0, all, all, RollingAggregation::Lag(1))?;
/// assert_eq!(before.to_vec::<i32>()?, [Some(0), Some(1), None]);
/// let defaults = Column::from_slice(&[7, 8, 9])?;
/// let after = rolling_window_with_defaults(&numbers, &defaults, all, all, RollingAggregation::Lead(2))?;
/// assert_eq!(after.to_vec::<i32>()?, [Some(3), Some(8), Some(9)]);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function does not wait for the device for types of fixed width. Strings, binary, structs, lists, dictionaries
/// and views have the waits of [`gather`](crate::copying::gather) and [`copy_if_else`](crate::copying::copy_if_else).
/// See the table of costs, `docs/guide/costs.md`.
///
/// # Errors
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) when the aggregation is not
///   [`Lead`](RollingAggregation::Lead) or [`Lag`](RollingAggregation::Lag), and when `preceding + following` is less
///   than 1.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch), [`LengthMismatch`](gdf_core::Error::LengthMismatch) when the
///   defaults have another type or another number of rows than `input`.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) when the result would have more than 2³¹−1 bytes of text or
///   binary and its offsets have 32 bits.
/// * Driver and memory errors.
#[doc(alias("lead", "lag", "shift", "fill_value", "default"))]
pub fn rolling_window_with_defaults<'a, 'b>(
    input: impl Into<ColumnView<'a>>,
    default_outputs: impl Into<Operand<'b>>,
    preceding: impl Into<WindowBound>,
    following: impl Into<WindowBound>,
    aggregation: RollingAggregation,
) -> Result<Column> {
    let (input, defaults) = (input.into(), default_outputs.into());
    let (preceding, following) = (preceding.into(), following.into());
    Scope::for_inputs("rolling_window_with_defaults", &[&input, &defaults])?.run(|ctx| {
        detail::rolling::rolling_window_with_defaults(input, defaults, preceding, following, aggregation, ctx)
    })
}

/// Does the same as [`rolling_window`], but the window of each row has its own length. For each row, the column
/// `preceding` contains the number of rows before the row, including the row itself, and the column `following`
/// contains the number of rows after the row.
///
/// # Shapes
/// All columns and the result have the same number of rows.
///
/// # Types
/// The numbers are integers of any width. Numbers may be negative; a window that ends before it begins is empty. For
/// the other types see [`RollingAggregation`].
///
/// # Nulls and NaN
/// The same as for [`rolling_window`]. Where a number is null, the window is empty.
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
/// The function has the costs of [`rolling_window`].
///
/// # Errors
/// * The errors of [`rolling_window`], except for windows that end before they begin.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when `preceding` or `following` is not a column of integers.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch) when the columns have different numbers of rows.
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

/// Does the same as [`rolling_window`], but a window does not reach beyond the group of its row. The group of a row
/// consists of the neighboring rows with equal `group_keys`.
///
/// # Shapes
/// The keys have as many rows as `input`. The rows of a group must be adjacent: rows with equal keys that are not
/// adjacent belong to different groups.
///
/// # Types
/// Keys of all types that can be sorted. Without key columns, all rows are one group. For the other types see
/// [`RollingAggregation`].
///
/// # Nulls and NaN
/// Nulls in keys are equal to each other, and NaNs in keys are equal to each other. All other rules are those of
/// [`rolling_window`].
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
/// The function has the costs of [`rolling_window`], and several passes over the keys.
///
/// # Errors
/// * The errors of [`rolling_window`].
/// * [`Unsupported`](gdf_core::Error::Unsupported) when a key has a type that cannot be compared.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch) when the keys and `input` have different numbers of rows.
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

/// Does the same as [`rolling_window_with_defaults`] within groups. The groups are those of [`grouped_rolling_window`].
///
/// In libcudf `grouped_rolling_window` with `default_outputs`; in pandas `groupby().shift`, in polars `shift().over`,
/// in SQL `LAG(x, 1, 0) OVER (PARTITION BY …)`.
///
/// ```
/// use gdf::{Column, Table};
/// use gdf::rolling::{RollingAggregation, WindowBound, grouped_rolling_window_with_defaults};
///
/// let keys = Table::try_new(vec![Column::from_strs(&["a", "a", "b", "b"])?])?;
/// let numbers = Column::from_slice(&[1, 2, 3, 4])?;
/// let (all, lag) = (WindowBound::Unbounded, RollingAggregation::Lag(1));
/// let before = grouped_rolling_window_with_defaults(&keys, &numbers, -1, all, all, lag)?;
/// assert_eq!(before.to_vec::<i32>()?, [-1, 1, -1, 3].map(Some));
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Costs
/// The function has the costs of [`rolling_window_with_defaults`], and several passes over the keys.
///
/// # Errors
/// * The errors of [`rolling_window_with_defaults`].
/// * [`Unsupported`](gdf_core::Error::Unsupported) when a key has a type that cannot be compared.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch) when the keys and `input` have different numbers of rows.
#[doc(alias("lead", "lag", "shift", "partition by"))]
pub fn grouped_rolling_window_with_defaults<'a, 'b>(
    group_keys: impl Into<TableView<'a>>,
    input: impl Into<ColumnView<'a>>,
    default_outputs: impl Into<Operand<'b>>,
    preceding: impl Into<WindowBound>,
    following: impl Into<WindowBound>,
    aggregation: RollingAggregation,
) -> Result<Column> {
    let (keys, input, defaults) = (group_keys.into(), input.into(), default_outputs.into());
    let bounds = (preceding.into(), following.into());
    Scope::for_inputs("grouped_rolling_window_with_defaults", &[&keys, &input, &defaults])?.run(|ctx| {
        let (preceding, following) = bounds;
        detail::rolling::grouped_rolling_window_with_defaults(
            &keys,
            input,
            defaults,
            preceding,
            following,
            aggregation,
            ctx,
        )
    })
}

/// Aggregates a window of rows for each row. The window has the rows of the same group whose `orderby` values lie
/// within a range around the value of the row.
///
/// Within runs of equal `group_keys`, the rows must be sorted by `orderby`, in the order that `window` states. The
/// order is not checked.
///
/// # Shapes
/// The keys, `orderby` and the result have as many rows as `input`. Without key columns, all rows are one group.
///
/// # Types
/// A [bounded](RangeWindowBound::BoundedClosed) window has exactly one `orderby` column, of integers, floats, decimals
/// of up to 128 bits, dates, times, timestamps or durations. The delta of the bound has the same type. For temporal
/// types the delta is a duration of the same unit; for `Date32` the delta is a number of days, `Int32`.
///
/// Other windows, which are unbounded or end at the current row, can have any number of `orderby` columns of types that
/// can be sorted. In such a window, equal rows belong together. For the other types see [`RollingAggregation`].
///
/// # Nulls and NaN
/// The window of a row whose `orderby` is null has the null rows of the group, and on an unbounded side all rows of the
/// group. NaNs are equal to each other, and greater than every number. If a delta is null, all windows are empty. A
/// delta may be negative. A bound beyond the range of the type does not limit the window. All other rules are those of
/// [`rolling_window`].
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
/// The function has the costs of [`grouped_rolling_window`], and one search for each row. The number of steps of a
/// search is logarithmic in the length of the window.
///
/// # Errors
/// * The errors of [`rolling_window`], except for windows that end before they begin.
/// * [`Unsupported`](gdf_core::Error::Unsupported) when a key or `orderby` has a type that cannot be compared, or
///   that cannot be bounded.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) when a delta has another type.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) when a window is bounded and `orderby` does not have
///   exactly one column.
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

/// Returns the windows of [`grouped_range_rolling_window`] as two numbers for each row: the number of rows before the
/// row, including the row itself, and the number of rows after the row. [`variable_rolling_window`] takes these
/// numbers. Use this function to compute several aggregations over the same windows.
///
/// # Shapes, Types, Nulls and NaN
/// The same as for [`grouped_range_rolling_window`]. The result is two columns of `Int64` without nulls.
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
/// The function does not wait for the device.
///
/// # Errors
/// * The errors of [`grouped_range_rolling_window`], except the errors of the aggregation.
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
