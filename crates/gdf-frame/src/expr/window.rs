//! Window functions: values of each row that depend on the rows of its partition.

use std::sync::Arc;

use gdf_api::scan::RankMethod;

use super::leaf::Window;
use super::{Aggregation, Expr, Leaf, Output, Scan, WindowFunction, exprs};

/// # Window functions
/// Each method returns a value for each row. The value depends on the preceding rows, or on all rows and their order.
/// [`over`](Self::over) restricts these rows to the rows with equal keys.
impl Expr {
    fn window(self, function: WindowFunction) -> Expr {
        let alias = self.alias_name().cloned();
        let window = Window { function, values: Some(self), keys: Vec::new() };
        let leaf = Expr::leaf(Leaf::Window(Arc::new(window)));
        alias.map_or(leaf.clone(), |alias| leaf.alias(alias))
    }

    /// Returns the expression in which each aggregation and window function is computed separately for each partition.
    /// A partition consists of the rows with equal `keys`. Each row gets the value of its partition. Nulls in keys are
    /// equal to each other. An aggregation within the argument of a window function is still computed from all rows: in
    /// `(col("x") - col("x").mean()).cum_sum().over(["k"])`, the mean is that of all rows.
    ///
    /// The method corresponds to `OVER (PARTITION BY …)` in SQL, `over` in polars, and `groupby(…).transform` in
    /// pandas and cuDF.
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
            _ => leaf.clone(),
        };
        self.with_leaves(self.leaves().iter().map(leaf).collect())
    }

    /// Returns the value of the row that is `rows` rows earlier. If `rows` is negative, the row is `-rows` rows later.
    /// The value is null if there is no such row. The method corresponds to `LAG` and `LEAD` in SQL.
    #[doc(alias("lag", "lead"))]
    pub fn shift(self, rows: i64) -> Expr {
        self.window(WindowFunction::Shift(rows))
    }

    /// Returns the difference between the value and the value that is `rows` rows earlier.
    pub fn diff(self, rows: i64) -> Expr {
        self.clone() - self.shift(rows)
    }

    /// Replaces each null by the last value before it that is not null. A null without such a value stays null. The
    /// order is that of the rows.
    ///
    /// The method corresponds to `ffill` in pandas and cuDF, and to `LAST_VALUE(… IGNORE NULLS)` in SQL.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Frame, col};
    ///
    /// let frame = Frame::try_new([
    ///     ("k", Column::from_strs(["a", "a", "b", "a"])?),
    ///     ("x", Column::from_options(&[Some(1), None, None, None])?),
    /// ])?;
    /// let filled = frame.select([col("x").forward_fill(), col("x").forward_fill().over(["k"]).alias("of_k")])?;
    /// assert_eq!(filled.column("x")?.to_vec::<i32>()?, [1; 4].map(Some));
    /// assert_eq!(filled.column("of_k")?.to_vec::<i32>()?, [Some(1), Some(1), None, Some(1)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    #[doc(alias("ffill", "pad", "last_value ignore nulls"))]
    pub fn forward_fill(self) -> Expr {
        self.window(WindowFunction::Fill { forward: true })
    }

    /// Replaces each null by the first value after it that is not null. A null without such a value stays null. The
    /// order is that of the rows.
    ///
    /// The method corresponds to `bfill` in pandas and cuDF.
    #[doc(alias("bfill", "backfill"))]
    pub fn backward_fill(self) -> Expr {
        self.window(WindowFunction::Fill { forward: false })
    }

    /// Returns the sum of the values from the first row to the current row. Nulls stay null, and the sum ignores them.
    /// Sums of integers are `Int64` (of `UInt64`, the same type), and sums of decimals have 38 digits (76 for
    /// `Decimal256`). A sum of decimals that has more digits is an error.
    #[doc(alias("cumsum", "running sum"))]
    pub fn cum_sum(self) -> Expr {
        self.window(WindowFunction::Scan(Scan::Sum))
    }

    /// Returns the product of the values from the first row to the current row. Nulls stay null, and the product
    /// ignores them. Products of integers are `Int64` (of `UInt64`, the same type).
    #[doc(alias("cumprod"))]
    pub fn cum_prod(self) -> Expr {
        self.window(WindowFunction::Scan(Scan::Product))
    }

    /// Returns the smallest value from the first row to the current row. Nulls stay null, and the minimum ignores them.
    #[doc(alias("cummin"))]
    pub fn cum_min(self) -> Expr {
        self.window(WindowFunction::Scan(Scan::Min))
    }

    /// Returns the largest value from the first row to the current row. Nulls stay null, and the maximum ignores them.
    #[doc(alias("cummax"))]
    pub fn cum_max(self) -> Expr {
        self.window(WindowFunction::Scan(Scan::Max))
    }

    /// Returns the rank of each value. The smallest value has rank 1. The rank of a null is null. `method` decides the
    /// rank of equal values: `Min` corresponds to `RANK` in SQL, `Dense` to `DENSE_RANK`, and `First` to `ROW_NUMBER`.
    #[doc(alias("row_number", "dense_rank"))]
    pub fn rank(self, method: RankMethod) -> Expr {
        self.window(WindowFunction::Rank { method, descending: false })
    }

    /// Returns the rank of each value in the same way as [`rank`](Self::rank), but the largest value has rank 1.
    pub fn rank_descending(self, method: RankMethod) -> Expr {
        self.window(WindowFunction::Rank { method, descending: true })
    }

    /// Returns an aggregation of the last `rows` rows up to and including the current row. The aggregation is `Sum`,
    /// `Mean`, `Min`, `Max`, `Count`, `Len`, `Var`, `Std`, `First` or `Last`. The result is null if fewer than
    /// `min_rows` of these rows are not null. For `Count`, `Len`, `First` and `Last`, null rows count as well. A mean of
    /// decimals is `Float64`, and a sum of decimals has 38 digits (76 for `Decimal256`).
    ///
    /// The aggregation is an argument, because the window belongs to it: `col("x").mean()` is the mean of all rows.
    /// [`over`](Self::over) makes the windows separate for each partition. Medians and quantiles of windows do not
    /// exist.
    ///
    /// The method corresponds to `OVER (ROWS n PRECEDING)` in SQL, to `rolling` in pandas and cuDF, and to
    /// `rolling_mean` and the like in polars.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Aggregation, Frame, col};
    ///
    /// let frame = Frame::try_new([("x", Column::from_slice(&[1.0, 2.0, 6.0])?)])?;
    /// let means = frame.select([col("x").rolling(Aggregation::Mean, 2, 1)])?;
    /// assert_eq!(means.column("x")?.to_vec::<f64>()?, [1.0, 1.5, 4.0].map(Some));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    #[doc(alias("rolling_sum", "rolling_mean", "rolling_min", "rolling_max", "rolling_std", "moving average"))]
    pub fn rolling(self, aggregation: Aggregation, rows: usize, min_rows: usize) -> Expr {
        self.window(WindowFunction::Rolling { aggregation, rows, min_rows })
    }
}
