//! Aggregations of a window of rows for each row.

use std::sync::Arc;

use gdf_core::Result;
use gdf_expr::Value;

use crate::expr::{Expr, Output, exprs};
use crate::frame::Frame;
use crate::lazy::LazyFrame;
pub use crate::plan::Closed;
use crate::plan::{Bounds, Grouping, Rolled, Step};

/// A frame with a window of rows for each row. [`Frame::rolling`] and [`Frame::group_by_rolling`] return this type. The
/// same object can be aggregated several times.
///
/// ```
/// use gdf::Column;
/// use gdf::frame::{Frame, col, len};
///
/// let frame = Frame::try_new([("day", Column::from_slice(&[1, 2, 5])?), ("x", Column::from_slice(&[10, 20, 40])?)])?;
/// let two_days = frame.group_by_rolling("day", 2);
/// let sums = two_days.agg([col("x").sum()])?;
/// assert_eq!(sums.column("x")?.to_vec::<i64>()?, [10, 30, 40].map(Some));
/// let counts = two_days.agg([len()])?;
/// assert_eq!(counts.column("len")?.to_vec::<i64>()?, [1, 2, 1].map(Some));
/// # Ok::<(), gdf::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a window computes nothing before `agg`"]
pub struct Rolling(LazyRolling);

/// A lazy frame with a window of rows for each row. [`LazyFrame::rolling`] and [`LazyFrame::group_by_rolling`] return
/// this type.
#[derive(Clone)]
#[must_use = "a window computes nothing before `agg`"]
pub struct LazyRolling {
    frame: LazyFrame,
    by: Vec<Expr>,
    on: Option<Expr>,
    bounds: Bounds,
    min_rows: usize,
}

impl Frame {
    /// Returns a window for each row: the last `rows` rows up to and including the row. [`Rolling::agg`] aggregates the
    /// windows.
    ///
    /// The verb corresponds to `ROWS BETWEEN n PRECEDING AND CURRENT ROW` in SQL, and to `rolling` in pandas and cuDF.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Frame, col};
    ///
    /// let frame = Frame::try_new([("x", Column::from_slice(&[1, 2, 3, 4])?)])?;
    /// let sums = frame.rolling(2).agg([col("x").sum()])?;
    /// assert_eq!(sums.column("x")?.to_vec::<i64>()?, [1, 3, 5, 7].map(Some));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    pub fn rolling(&self, rows: usize) -> Rolling {
        Rolling(self.lazy().rolling(rows))
    }

    /// Returns a window for each row: the rows whose values of `on` lie in the period that ends at the value of the
    /// row. [`Rolling::agg`] aggregates the windows.
    ///
    /// `on` has numbers, decimals, dates, times or durations. `period` is a number, or a duration for dates and times,
    /// such as `chrono::TimeDelta::days(3)`.
    /// The rows need not be sorted. [`Rolling::closed`] decides which ends of the period belong to the window: by
    /// default, the window has the rows with `value - period < on <= value`.
    ///
    /// The verb corresponds to `RANGE BETWEEN … PRECEDING AND CURRENT ROW` in SQL, to `rolling` in polars, and to
    /// `rolling("3d")` in pandas and cuDF.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Closed, Frame, col};
    ///
    /// let frame = Frame::try_new([
    ///     ("shop", Column::from_strs(["a", "b", "a", "a"])?),
    ///     ("day", Column::from_slice(&[3, 1, 1, 2])?),
    ///     ("sold", Column::from_slice(&[4, 9, 1, 2])?),
    /// ])?;
    /// let sums = frame.group_by_rolling("day", 2).by(["shop"]).agg([col("sold").sum()])?;
    /// assert_eq!(sums.names().collect::<Vec<_>>(), ["shop", "day", "sold"]);
    /// assert_eq!(sums.column("sold")?.to_vec::<i64>()?, [6, 9, 1, 3].map(Some));
    /// let before = frame.group_by_rolling("day", 2).by(["shop"]).closed(Closed::Left).agg([col("sold").sum()])?;
    /// assert_eq!(before.column("sold")?.to_vec::<i64>()?, [Some(3), None, None, Some(1)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    #[doc(alias("rolling", "range between"))]
    pub fn group_by_rolling(&self, on: impl Into<Output>, period: impl Into<Value>) -> Rolling {
        Rolling(self.lazy().group_by_rolling(on, period))
    }
}

impl LazyFrame {
    /// See [`Frame::rolling`].
    pub fn rolling(self, rows: usize) -> LazyRolling {
        LazyRolling { frame: self, by: Vec::new(), on: None, bounds: Bounds::Rows(rows), min_rows: 1 }
    }

    /// See [`Frame::group_by_rolling`].
    pub fn group_by_rolling(self, on: impl Into<Output>, period: impl Into<Value>) -> LazyRolling {
        let bounds = Bounds::Period { period: period.into(), closed: Closed::default() };
        LazyRolling { frame: self, by: Vec::new(), on: Some(on.into().0), bounds, min_rows: 1 }
    }
}

impl Rolling {
    /// Restricts the window of a row to the rows whose keys equal the keys of that row. Nulls in keys are equal to each
    /// other.
    pub fn by(self, keys: impl IntoIterator<Item = impl Into<Output>>) -> Rolling {
        Rolling(self.0.by(keys))
    }

    /// Sets which ends of the period belong to the window. The setting has no effect on windows of a number of rows.
    pub fn closed(self, closed: Closed) -> Rolling {
        Rolling(self.0.closed(closed))
    }

    /// Sets the number of values that a window needs for a result that is not null. The default is 1. `Count` and `Len`
    /// are never null. For `First` and `Last`, null rows count as values.
    #[doc(alias("min_periods", "min_samples"))]
    pub fn min_rows(self, rows: usize) -> Rolling {
        Rolling(self.0.min_rows(rows))
    }

    /// Returns a row for each row of the frame, in the same order: the keys of [`by`](Self::by), then the values of
    /// `on`, then a column for each output.
    ///
    /// An output is an expression of keys, aggregations and values, as in [`GroupBy::agg`](crate::GroupBy::agg). The
    /// aggregations are `Sum`, `Mean`, `Min`, `Max`, `Count`, `Len`, `Var`, `Std`, `First` and `Last`. A sum of
    /// integers is `Int64`, a sum of decimals has 38 digits (76 for `Decimal256`), and a mean of decimals is `Float64`.
    ///
    /// # Nulls and NaN
    /// Aggregations ignore nulls. The window of a row whose `on` is null consists of the rows of its partition whose
    /// `on` is null. In `on`, NaN is greater than every number, and NaNs are equal to each other.
    ///
    /// # Errors
    /// * [`NameNotFound`](gdf_core::Error::NameNotFound): no column has a name that an output contains, or an output
    ///   contains a column that is neither a key nor aggregated.
    /// * [`DuplicateName`](gdf_core::Error::DuplicateName): two columns of the result have the same name.
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): the period is not positive, or is not a whole number of
    ///   the units of `on`; the number of rows is 0; a window function or another aggregation is an output.
    /// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the period does not fit the type of `on`.
    /// * The errors of [`make_range_windows`](gdf_api::rolling::make_range_windows) and
    ///   [`variable_rolling_window`](gdf_api::rolling::variable_rolling_window).
    pub fn agg(&self, outputs: impl IntoIterator<Item = impl Into<Output>>) -> Result<Frame> {
        self.0.clone().agg(outputs).collect()
    }
}

impl LazyRolling {
    /// See [`Rolling::by`].
    pub fn by(self, keys: impl IntoIterator<Item = impl Into<Output>>) -> LazyRolling {
        LazyRolling { by: exprs(keys), ..self }
    }

    /// See [`Rolling::closed`].
    pub fn closed(mut self, of: Closed) -> LazyRolling {
        if let Bounds::Period { closed, .. } = &mut self.bounds {
            *closed = of;
        }
        self
    }

    /// See [`Rolling::min_rows`].
    pub fn min_rows(self, rows: usize) -> LazyRolling {
        LazyRolling { min_rows: rows, ..self }
    }

    /// See [`Rolling::agg`].
    pub fn agg(self, outputs: impl IntoIterator<Item = impl Into<Output>>) -> LazyFrame {
        let LazyRolling { frame, by, on, bounds, min_rows } = self;
        let keys = by.into_iter().chain(on).collect();
        let grouping = Grouping { keys, values: exprs(outputs), drops_null_keys: false };
        frame.step(Step::Rolling(Arc::new(Rolled { grouping, bounds, min_rows })))
    }
}

impl std::fmt::Debug for LazyRolling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}{} by {:?}, {:?}", self.frame, self.bounds, self.by, self.on)
    }
}
