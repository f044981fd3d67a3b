//! Window functions: values of each row that depend on the rows of its partition.

use std::fmt;
use std::sync::Arc;

use gdf_api::scan::RankMethod;

use super::leaf::Window;
use super::{Aggregation, Expr, Leaf, Output, exprs};

/// A window function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum WindowFunction {
    /// The aggregation of the partition, for each of its rows.
    Aggregate(Aggregation),
    /// The value of the row that lies so many rows before.
    Shift(i64),
    /// The aggregation of the rows from the first one to this one.
    Scan(Scan),
    /// The rank of the value.
    Rank { method: RankMethod, descending: bool },
    /// The aggregation of the last `rows` rows up to this one.
    Rolling { aggregation: Aggregation, rows: usize, min_rows: usize },
}

/// An aggregation of the rows from the first one to each row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scan {
    Sum,
    Product,
    Min,
    Max,
}

/// # Window functions
/// Each method returns a value for each row, which depends on the rows before or on all rows, in their order.
/// [`over`](Self::over) restricts the rows to those with equal keys.
impl Expr {
    fn window(self, function: WindowFunction) -> Expr {
        let alias = self.alias_name().cloned();
        let window = Window { function, values: Some(self), keys: Vec::new() };
        let leaf = Expr::leaf(Leaf::Window(Arc::new(window)));
        alias.map_or(leaf.clone(), |alias| leaf.alias(alias))
    }

    /// Returns the expression in which each aggregation and window function looks at the rows of a partition alone: at
    /// the rows with equal `keys`. Each row gets the value of its partition. Nulls in keys are equal.
    ///
    /// In SQL `OVER (PARTITION BY …)`, in polars `over`, in pandas and cuDF `groupby(…).transform`.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Frame, col};
    ///
    /// let frame = Frame::try_new([("k", Column::from_slice(&[1, 2, 1])?), ("x", Column::from_slice(&[5, 7, 9])?)])?;
    /// let centered = frame.select([(col("x") - col("x").min()).over(["k"]), col("x").cum_sum().over(["k"]).alias("sum")])?;
    /// assert_eq!(centered.column("x")?.to_vec::<i32>()?, [Some(0), Some(0), Some(4)]);
    /// assert_eq!(centered.column("sum")?.to_vec::<i64>()?, [Some(5), Some(7), Some(14)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    #[doc(alias("transform", "partition by"))]
    pub fn over(self, keys: impl IntoIterator<Item = impl Into<Output>>) -> Expr {
        let keys = exprs(keys);
        let window = |function, values: &Option<Expr>| {
            Leaf::Window(Arc::new(Window { function, values: values.clone(), keys: keys.clone() }))
        };
        let leaf = |leaf: &Leaf| match leaf {
            Leaf::Aggregate(aggregate) => window(WindowFunction::Aggregate(aggregate.function), &aggregate.values),
            Leaf::Window(of) if of.keys.is_empty() => window(of.function, &of.values),
            Leaf::Window(_) | Leaf::Column(_) | Leaf::Columns(_) => leaf.clone(),
        };
        self.with_leaves(self.leaves().iter().map(leaf).collect())
    }

    /// Returns the value of the row that lies `rows` rows before. A negative number counts the rows that follow. The
    /// value is null where there is no such row. In SQL `LAG` and `LEAD`.
    #[doc(alias("lag", "lead"))]
    pub fn shift(self, rows: i64) -> Expr {
        self.window(WindowFunction::Shift(rows))
    }

    /// Returns the difference to the value that lies `rows` rows before.
    pub fn diff(self, rows: i64) -> Expr {
        self.clone() - self.shift(rows)
    }

    /// Returns the sum of the values from the first row to this one. Nulls stay null, and do not count.
    #[doc(alias("cumsum", "running sum"))]
    pub fn cum_sum(self) -> Expr {
        self.window(WindowFunction::Scan(Scan::Sum))
    }

    /// Returns the product of the values from the first row to this one. Nulls stay null, and do not count.
    #[doc(alias("cumprod"))]
    pub fn cum_prod(self) -> Expr {
        self.window(WindowFunction::Scan(Scan::Product))
    }

    /// Returns the smallest value from the first row to this one. Nulls stay null, and do not count.
    #[doc(alias("cummin"))]
    pub fn cum_min(self) -> Expr {
        self.window(WindowFunction::Scan(Scan::Min))
    }

    /// Returns the largest value from the first row to this one. Nulls stay null, and do not count.
    #[doc(alias("cummax"))]
    pub fn cum_max(self) -> Expr {
        self.window(WindowFunction::Scan(Scan::Max))
    }

    /// Returns the rank of each value, from 1 for the smallest value on. The rank of a null is null. `method` decides
    /// the rank of equal values. In SQL `RANK` (`Min`), `DENSE_RANK` (`Dense`) and `ROW_NUMBER` (`First`).
    #[doc(alias("row_number", "dense_rank"))]
    pub fn rank(self, method: RankMethod) -> Expr {
        self.window(WindowFunction::Rank { method, descending: false })
    }

    /// Returns the rank of each value, from 1 for the largest value on, as [`rank`](Self::rank).
    pub fn rank_descending(self, method: RankMethod) -> Expr {
        self.window(WindowFunction::Rank { method, descending: true })
    }

    /// Returns an aggregation of the last `rows` rows up to and including this one: `Sum`, `Mean`, `Min`, `Max`,
    /// `Count`, `Len`, `Var` or `Std`. The result is null where the window has fewer than `min_rows` rows that are not
    /// null.
    ///
    /// In SQL `OVER (ROWS n PRECEDING)`, in pandas and cuDF `rolling`.
    pub fn rolling(self, aggregation: Aggregation, rows: usize, min_rows: usize) -> Expr {
        self.window(WindowFunction::Rolling { aggregation, rows, min_rows })
    }
}

impl WindowFunction {
    /// Writes the function of an expression.
    pub(super) fn write(self, f: &mut fmt::Formatter<'_>, values: Option<&Expr>) -> fmt::Result {
        if let WindowFunction::Aggregate(aggregation) = self {
            return aggregation.write(f, values);
        }
        let (name, number) = match self {
            WindowFunction::Shift(rows) => ("LAG", Some(rows)),
            WindowFunction::Scan(scan) => (scan.name(), None),
            WindowFunction::Rank { method: RankMethod::First, .. } => ("ROW_NUMBER", None),
            WindowFunction::Rank { method: RankMethod::Dense, .. } => ("DENSE_RANK", None),
            WindowFunction::Rank { .. } => ("RANK", None),
            WindowFunction::Rolling { aggregation, rows, .. } => (aggregation.sql_name(), i64::try_from(rows).ok()),
            WindowFunction::Aggregate(aggregation) => (aggregation.sql_name(), None),
        };
        write!(f, "{name}(")?;
        if let Some(values) = values {
            write!(f, "{values}")?;
        }
        match number {
            Some(number) => write!(f, ", {number})"),
            None => f.write_str(")"),
        }
    }
}

impl Scan {
    /// Returns the name of the scan in texts.
    fn name(self) -> &'static str {
        match self {
            Scan::Sum => "CUM_SUM",
            Scan::Product => "CUM_PROD",
            Scan::Min => "CUM_MIN",
            Scan::Max => "CUM_MAX",
        }
    }
}
