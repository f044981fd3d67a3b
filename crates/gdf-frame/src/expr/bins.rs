//! Bins: the interval of numbers in which a value lies.

use super::{Case, Expr};

/// # Bins
impl Expr {
    /// Returns for each value the label of its bin. Each element of `bins` is a break and a label. The bin with this
    /// label ends with the break, and includes the break. `rest` is the label of the values above the last break.
    ///
    /// The breaks must ascend. Breaks and labels are values or expressions. The result is a `CASE` with a condition for
    /// each bin: the first bin whose break is not smaller than the value gives the label. For hundreds of bins,
    /// [`label_bins`](gdf_api::labeling::label_bins) is faster.
    ///
    /// The method corresponds to `cut` in polars, pandas and cuDF, and to `CASE WHEN x <= … THEN …` in SQL.
    ///
    /// # Nulls and NaN
    /// The label of a null and of a NaN is null.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Frame, col};
    ///
    /// let frame = Frame::try_new([("age", Column::from_options(&[Some(17), Some(18), Some(70), None])?)])?;
    /// let groups = frame.select([col("age").cut([(17, "child"), (64, "adult")], "senior").alias("group")])?;
    /// let labels = groups.column("group")?.to_strings()?;
    /// assert_eq!(labels, [Some("child".into()), Some("adult".into()), Some("senior".into()), None]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    #[doc(alias("bin", "bucket", "digitize", "width_bucket"))]
    pub fn cut<B: Into<Expr>, L: Into<Expr>>(
        self,
        bins: impl IntoIterator<Item = (B, L)>,
        rest: impl Into<Expr>,
    ) -> Expr {
        let (mut case, mut last) = (Case::default(), None);
        for (end, label) in bins {
            let end = end.into();
            case = case.when(self.clone().le(end.clone())).then(label.into());
            last = Some(end);
        }
        // Without breaks, all values are in one bin. For NaN, `x <= x` and `x > last` are false, so that NaN has no
        // bin.
        let is_rest = last.map_or_else(|| self.clone().le(self.clone()), |last| self.clone().gt(last));
        case.when(is_rest).then(rest.into()).end()
    }

    /// Returns for each value the label of its bin, in the same way as [`cut`](Self::cut), for breaks that are
    /// quantiles of the values. Each element of `bins` is a share from 0 to 1 and the label of the bin that ends with
    /// this quantile.
    ///
    /// The quantiles are computed from all rows, or from the rows of each partition if [`over`](Self::over) is used.
    ///
    /// The method corresponds to `qcut` in polars and pandas. If several quantiles are equal, only the first of their
    /// bins has values.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Frame, col};
    ///
    /// let frame = Frame::try_new([("x", Column::from_slice(&[10, 40, 20, 30])?)])?;
    /// let halves = frame.select([col("x").qcut([(0.5, 1)], 2).alias("half")])?;
    /// assert_eq!(halves.column("half")?.to_vec::<i32>()?, [1, 2, 1, 2].map(Some));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    #[doc(alias("ntile", "quantile_cut"))]
    pub fn qcut<L: Into<Expr>>(self, bins: impl IntoIterator<Item = (f64, L)>, rest: impl Into<Expr>) -> Expr {
        let ends = bins.into_iter().map(|(share, label)| (self.clone().quantile(share), label.into()));
        let ends: Vec<(Expr, Expr)> = ends.collect();
        self.cut(ends, rest)
    }
}
