//! Rows grouped by equal keys.

mod partial;
mod selected;
mod streaming;

use gdf_core::{Column, ColumnView, Operand, Result, Table, TableView};
use gdf_detail::groupby as detail;
pub use gdf_detail::groupby::{AggregationRequest, GroupByAggregation, NullPolicy, PartialRequest, RankOrder};
use gdf_detail::replace::ReplacePolicy;
use gdf_detail::scan::{RankMethod, RankPercentage, ScanAggregation, ScanType};

pub use self::partial::PartialGroups;
pub use self::streaming::StreamingGroupBy;
use crate::scope::{Input, Scope};

/// Rows grouped by equal keys, for any number of aggregations.
///
/// ```
/// use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
/// use gdf::{Column, Table, sorting};
///
/// let flags = Table::try_new(vec![Column::from_strs(["A", "N", "A"])?])?;
/// let prices = Column::from_slice(&[1.5, 4.0, 2.0])?;
/// let request = AggregationRequest::new(&prices, [GroupByAggregation::Sum, GroupByAggregation::CountAll]);
/// let groups = GroupBy::new(&flags, NullPolicy::Exclude).agg(&[request])?;
/// let groups = sorting::sort(&groups, &[], &[])?; // (A, 3.5, 2), (N, 4.0, 1)
/// assert_eq!(groups.column(1)?.to_vec::<f64>()?, [Some(3.5), Some(4.0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias("group_by", "groupby", "group by", "value_counts"))]
pub struct GroupBy<'a> {
    keys: TableView<'a>,
    null_policy: NullPolicy,
}

impl<'a> GroupBy<'a> {
    /// Groups by the rows of `keys`. The call only stores its arguments. The methods of the result do the work and
    /// return all errors.
    pub fn new(keys: impl Into<TableView<'a>>, null_policy: NullPolicy) -> Self {
        Self { keys: keys.into(), null_policy }
    }

    /// Returns the keys.
    pub fn keys(&self) -> &TableView<'a> {
        &self.keys
    }

    /// Returns the distinct keys, and for each request and aggregation a column with one row for each group, in the
    /// order of the distinct keys.
    ///
    /// # Shapes
    /// 1 to 32 key columns. The values of each request have as many rows as the keys. Without rows there are no
    /// groups.
    ///
    /// # Types
    /// Keys: integers, booleans, floats, decimals, everything temporal, strings and binary with offsets of either
    /// width, views of these, dictionaries of all of these, and structs and lists ([how they
    /// compare](crate::sorting#structs-and-lists)). Views are decoded first. The key columns of the result have the
    /// types of the input; for views, dictionaries, lists, and structs of these, this costs one more aggregation.
    ///
    /// [`GroupByAggregation`] states the types of values and results. Views and dictionaries of values are decoded
    /// first, except for `NthElement`, `CollectList`, `CollectSet`, `TopK`, `Histogram` and the merges of lists, sets
    /// and histograms, which return rows as they are.
    ///
    /// # Nulls and NaN
    /// With [`NullPolicy::Exclude`], a row whose key has a null belongs to no group. With [`NullPolicy::Include`],
    /// nulls are equal to each other. All NaNs are one key. 0.0 and −0.0 are one key, which is 0.0 in the result.
    ///
    /// Null values are skipped. The result of a group without valid values is null, with these exceptions: counts and
    /// `M2` are 0, a digest has no centroids, and a list is not null.
    ///
    /// A key column of the result has a mask if nulls are included and the key column of the input has a mask. A result
    /// has a mask if the values have a mask. Variances always have a mask; counts, `M2` and digests never have a mask.
    ///
    /// Order: `Median`, `Quantile`, `NthElement`, t-digests and all aggregations that return lists sort the rows by
    /// keys and values. With such a request, the result is in the order of the keys, and keys cannot be intervals with
    /// days. Otherwise the order is not specified, and on CUDA may differ from call to call.
    ///
    /// The last bits of some results may differ: of sums, means and products of floats, of sums of their squares, and
    /// of variances. On CUDA they may differ from run to run. On CPUs they depend on the number of threads. All other
    /// results are always the same. In libcudf `groupby::aggregate`, in polars `group_by().agg()`, in pyarrow
    /// `TableGroupBy.aggregate`.
    ///
    /// # Costs
    /// * Up to 262,144 rows: at most 1 wait, for the number of groups.
    /// * More rows: at most 2 waits. The first is for a sample of the rows, which estimates the number of groups. Each
    ///   estimate that was too low costs 1 more wait, and the work begins again with more memory.
    /// * If the keys are numbers of more than 64 bits together: 1 more wait for each eight keys, for their ranges.
    /// * If keys have lists: the [waits of their ranks](crate::sorting#structs-and-lists).
    /// * On CUDA, with 1,048,576 rows or more: 1 more wait for each six text keys, to check whether numbers can replace
    ///   the texts.
    /// * On CUDA, with 131,072 rows or more: 1 more wait for each column of integers whose distinct values are counted,
    ///   for its range, unless the column stores bounds.
    /// * With `Median`, `Quantile`, `NthElement`, a t-digest or an aggregation that returns lists, up to 262,144 rows:
    ///   at most 48 waits for each request, mostly for sorting.
    ///
    /// See the table of costs, `docs/guide/costs.md`.
    ///
    /// # Errors
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) without key columns, and with more than 32 key
    ///   columns. Also for 2³²−1 rows or more with keys that do not fit 64 bits.
    /// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
    /// * [`Unsupported`](gdf_core::Error::Unsupported) for keys or values of types that cannot be compared. Also for
    ///   an aggregation that the type of the values does not support.
    /// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) when a string column of the result has more text than
    ///   32-bit offsets can address.
    /// * Driver and memory errors.
    #[doc(alias("agg", "group by", "groupby", "value_counts", "sum", "mean", "count distinct"))]
    pub fn aggregate(&self, requests: &[AggregationRequest<'a>]) -> Result<(Table, Vec<Vec<Column>>)> {
        self.aggregated("groupby.aggregate", requests)
    }

    fn aggregated(&self, name: &'static str, requests: &[AggregationRequest<'a>]) -> Result<(Table, Vec<Vec<Column>>)> {
        let mut inputs: Vec<&dyn Input> = vec![&self.keys];
        inputs.extend(requests.iter().map(|request| &request.values as &dyn Input));
        Scope::for_inputs(name, &inputs)?
            .run(|ctx| detail::aggregate(self.keys.clone(), self.null_policy, requests, ctx))
    }

    /// Computes the same as [`aggregate`](Self::aggregate), but returns one table: the key columns, followed by the
    /// results in the order of the requests.
    ///
    /// ```
    /// use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
    /// use gdf::{Column, Table};
    ///
    /// let flags = Table::try_new(vec![Column::from_strs(["A", "A", "A"])?])?;
    /// let prices = Column::from_slice(&[1.5, 4.0, 2.0])?;
    /// let wanted = [GroupByAggregation::Sum, GroupByAggregation::Max];
    /// let groups = GroupBy::new(&flags, NullPolicy::Exclude).agg(&[AggregationRequest::new(&prices, wanted)])?;
    /// assert_eq!(groups.column(0)?.get::<String>(0)?.as_deref(), Some("A"));
    /// assert_eq!(groups.column(1)?.get(0)?, Some(7.5));
    /// assert_eq!(groups.column(2)?.get(0)?, Some(4.0));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * The errors of [`aggregate`](Self::aggregate).
    pub fn agg(&self, requests: &[AggregationRequest<'a>]) -> Result<Table> {
        let (keys, results) = self.aggregated("groupby.agg", requests)?;
        let rows = keys.num_rows();
        Table::try_with_rows(keys.into_columns().into_iter().chain(results.into_iter().flatten()).collect(), rows)
    }

    /// Shifts values within their groups: row `r` of the result is the value of the row that is `offset` rows before
    /// `r` in the group of `r`. Where the group has no such row, the result is the fill value.
    ///
    /// # Shapes
    /// The values have one row for each row of the keys. The result has as many rows, in the order of the input.
    ///
    /// # Types
    /// Keys have the types of [`aggregate`](Self::aggregate), except intervals with days. Values have a fixed width, or
    /// are booleans, text or binary. The rules for the fill value are those of [`shift`](crate::copying::shift).
    ///
    /// # Nulls and NaN
    /// Nulls move with their rows. A row whose key has a null belongs to no group and becomes null, unless nulls are
    /// included.
    ///
    /// In libcudf `groupby::shift`, whose rows are in the order of the keys; in pandas `groupby().shift`, in polars
    /// `shift().over()`, in SQL `LAG` and `LEAD` with `PARTITION BY`.
    ///
    /// ```
    /// use gdf::groupby::{GroupBy, NullPolicy};
    /// use gdf::{Column, Table};
    ///
    /// let keys = Table::try_new(vec![Column::from_strs(["A", "B", "A", "A"])?])?;
    /// let values = Column::from_slice(&[1, 2, 3, 4])?;
    /// let before = GroupBy::new(&keys, NullPolicy::Exclude).shift(&values, 1, 0)?;
    /// assert_eq!(before.to_vec::<i32>()?, [Some(0), Some(0), Some(1), Some(3)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Costs
    /// Up to 262,144 rows need at most 28 waits: the waits of [`sorted_order`](crate::sorting::sorted_order), 1 for the
    /// number of groups, and the waits for text. See the table of costs, `docs/guide/costs.md`.
    ///
    /// # Errors
    /// * The errors of [`aggregate`](Self::aggregate) for keys, and the errors of [`shift`](crate::copying::shift)
    ///   for values.
    #[doc(alias("lag", "lead", "over", "partition by"))]
    pub fn shift<'b, 'c>(
        &self,
        values: impl Into<ColumnView<'b>>,
        offset: i64,
        fill_value: impl Into<Operand<'c>>,
    ) -> Result<Column> {
        let (values, fill_value) = (values.into(), fill_value.into());
        Scope::for_inputs("groupby.shift", &[&self.keys, &values, &fill_value])?
            .run(|ctx| detail::shift(&self.keys, self.null_policy, values, offset, fill_value, ctx))
    }

    /// Returns the values, with each null replaced by the nearest valid value of its group. `policy` selects the
    /// direction.
    ///
    /// # Shapes
    /// The values have one row for each row of the keys. The result has as many rows, in the order of the input.
    ///
    /// # Types
    /// Keys have the types of [`shift`](Self::shift). Values have the types of [`gather`](crate::copying::gather).
    ///
    /// # Nulls and NaN
    /// A null stays null if its group has no valid value in that direction. A row whose key has a null belongs to no
    /// group and becomes null, unless nulls are included.
    ///
    /// In libcudf `groupby::replace_nulls`, in pandas `groupby().ffill` and `bfill`, in polars `forward_fill().over()`.
    ///
    /// ```
    /// use gdf::groupby::{GroupBy, NullPolicy};
    /// use gdf::replace::ReplacePolicy;
    /// use gdf::{Column, Table};
    ///
    /// let keys = Table::try_new(vec![Column::from_strs(["A", "B", "A"])?])?;
    /// let values = Column::from_options(&[Some(1), None, None])?;
    /// let filled = GroupBy::new(&keys, NullPolicy::Exclude).replace_nulls_by_policy(&values, ReplacePolicy::Preceding)?;
    /// assert_eq!(filled.to_vec::<i32>()?, [Some(1), None, Some(1)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Costs
    /// The method has the costs of [`shift`](Self::shift).
    ///
    /// # Errors
    /// * The errors of [`aggregate`](Self::aggregate) for keys, and the errors of [`gather`](crate::copying::gather)
    ///   for values.
    #[doc(alias("ffill", "bfill", "fill_null", "replace_nulls"))]
    pub fn replace_nulls_by_policy<'b>(
        &self,
        values: impl Into<ColumnView<'b>>,
        policy: ReplacePolicy,
    ) -> Result<Column> {
        let values = values.into();
        Scope::for_inputs("groupby.replace_nulls_by_policy", &[&self.keys, &values])?
            .run(|ctx| detail::replace_group_nulls(&self.keys, self.null_policy, values, policy, ctx))
    }

    /// For each row, aggregates the rows of its group up to the row. The row itself is included, or excluded with
    /// [`Exclusive`](ScanType::Exclusive).
    ///
    /// # Shapes
    /// The values have one row for each row of the keys. The result has as many rows, in the order of the input.
    ///
    /// # Types
    /// Keys have the types of [`shift`](Self::shift). Values and results of `Sum`, `Product`, `Min`, `Max`,
    /// `CountValid` and `CountAll` have the types of [`GroupByAggregation`], with the same rules for overflow. `Min`
    /// and `Max` must be inclusive. The first row of a group in an exclusive scan is 0 for sums and counts, and 1 for
    /// products.
    ///
    /// # Nulls and NaN
    /// A row is null where its value is null, and the other rows ignore the null value; counts are never null. A row
    /// whose key has a null belongs to no group and becomes null, unless nulls are included. NaN is greater than
    /// every number. −0.0 is less than 0.0.
    ///
    /// Order: sums and products of floats have the same bits in every run; on the CPU, the bits do not depend on the
    /// number of threads. The last places may differ between devices. In libcudf `groupby::scan`, whose rows are in
    /// the order of the keys; in pandas `groupby().cumsum` and similar methods, in polars `cum_sum().over()`, in SQL
    /// `SUM(…) OVER (PARTITION BY … ROWS UNBOUNDED PRECEDING)`.
    ///
    /// ```
    /// use gdf::groupby::{GroupBy, NullPolicy};
    /// use gdf::scan::{ScanAggregation, ScanType};
    /// use gdf::{Column, Table};
    ///
    /// let keys = Table::try_new(vec![Column::from_strs(["A", "B", "A", "A"])?])?;
    /// let values = Column::from_slice(&[1_i64, 2, 3, 4])?;
    /// let sums = GroupBy::new(&keys, NullPolicy::Exclude).scan(&values, ScanAggregation::Sum, ScanType::Inclusive)?;
    /// assert_eq!(sums.to_vec::<i64>()?, [Some(1), Some(2), Some(4), Some(8)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Costs
    /// Up to 262,144 rows need at most 48 waits: the waits of [`sorted_order`](crate::sorting::sorted_order), and the
    /// waits for text. See the table of costs, `docs/guide/costs.md`.
    ///
    /// # Errors
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for an exclusive `Min` or `Max`.
    /// * The errors of [`aggregate`](Self::aggregate).
    #[doc(alias(
        "cumsum",
        "cum_sum",
        "cumprod",
        "cummin",
        "cummax",
        "cumcount",
        "running total",
        "over",
        "partition by"
    ))]
    pub fn scan<'b>(
        &self,
        values: impl Into<ColumnView<'b>>,
        aggregation: ScanAggregation,
        scan_type: ScanType,
    ) -> Result<Column> {
        let values = values.into();
        Scope::for_inputs("groupby.scan", &[&self.keys, &values])?
            .run(|ctx| detail::scan(&self.keys, self.null_policy, values, aggregation, scan_type, ctx))
    }

    /// Returns the rank of each value among the values of its group.
    ///
    /// # Shapes
    /// The values have one row for each row of the keys. The result has as many rows, in the order of the input.
    ///
    /// # Types
    /// Keys have the types of [`shift`](Self::shift). Values have the types of
    /// [`sorted_order`](crate::sorting::sorted_order). Ranks are `UInt32`, or `UInt64` from 2³²−1 rows on. Average
    /// ranks and percentages are `Float64`. With [`RankMethod::Dense`] the largest rank is the number of distinct
    /// values of the group; with other methods the largest rank is the number of rows of the group.
    ///
    /// # Nulls and NaN
    /// Null values are equal to each other and are ranked by [`RankOrder::null_order`]. If [`RankOrder::null_policy`]
    /// is `Exclude`, the default, a null value has a null rank and is not counted. A row whose key has a null belongs
    /// to no group and becomes null, unless nulls are included. NaNs are equal to each other and greater than every
    /// number; −0.0 equals 0.0. With [`RankMethod::First`] equal values are ranked in the order of their rows.
    ///
    /// In libcudf `groupby::scan` with `rank`; its result is sorted by the keys. In pandas `groupby().rank`, in polars
    /// `rank().over()`. In SQL `ROW_NUMBER` (`First`), `RANK` (`Min`), `DENSE_RANK` (`Dense`), `PERCENT_RANK` (`Min`,
    /// one-normalized) and `CUME_DIST` (`Max`, zero-normalized), each with `PARTITION BY`.
    ///
    /// ```
    /// use gdf::groupby::{GroupBy, NullPolicy, RankOrder};
    /// use gdf::scan::{RankMethod, RankPercentage};
    /// use gdf::{Column, Table};
    ///
    /// let keys = Table::try_new(vec![Column::from_strs(["A", "B", "A", "A"])?])?;
    /// let values = Column::from_slice(&[7, 5, 3, 7])?;
    /// let groups = GroupBy::new(&keys, NullPolicy::Exclude);
    /// let ranks = groups.rank(&values, RankMethod::Min, RankPercentage::None, RankOrder::default())?;
    /// assert_eq!(ranks.to_vec::<u32>()?, [2, 1, 1, 2].map(Some));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Costs
    /// The method has the costs of [`scan`](Self::scan).
    ///
    /// # Errors
    /// * The errors of [`aggregate`](Self::aggregate) for keys, and the errors of
    ///   [`sorted_order`](crate::sorting::sorted_order) for values.
    #[doc(alias("row_number", "dense_rank", "percent_rank", "cume_dist", "over", "partition by"))]
    pub fn rank<'b>(
        &self,
        values: impl Into<ColumnView<'b>>,
        method: RankMethod,
        percentage: RankPercentage,
        order: RankOrder,
    ) -> Result<Column> {
        let values = values.into();
        Scope::for_inputs("groupby.rank", &[&self.keys, &values])?
            .run(|ctx| detail::rank(&self.keys, self.null_policy, values, method, percentage, order, ctx))
    }

    /// Returns the distinct keys, and for each group the covariance of the pairs of `x` and `y`. The covariance is the
    /// sum of the products of the deviations from the two means, divided by the number of pairs minus `ddof`.
    ///
    /// # Shapes
    /// `x` and `y` have one row for each row of the keys. The results have one row for each group.
    ///
    /// # Types
    /// Keys have the types of [`shift`](Self::shift). Values are integers, booleans and floats, which are converted to
    /// doubles. The result is `Float64`.
    ///
    /// # Nulls and NaN
    /// Pairs with a null are ignored. The result is null for a group with fewer pairs than `min_periods`, and for a
    /// group with at most `ddof` pairs. NaN and infinite values make the result NaN. Nulls in keys are treated as in
    /// [`aggregate`](Self::aggregate).
    ///
    /// Order: the groups are in the order of their keys. The result has the same bits in every run; on the CPU, the
    /// bits do not depend on the number of threads. The last places may differ between devices. In libcudf the
    /// aggregation `covariance` of a struct of two columns, in pandas `groupby().cov`, in polars `cov`, in SQL
    /// `COVAR_SAMP` (`ddof` 1) and `COVAR_POP` (`ddof` 0).
    ///
    /// ```
    /// use gdf::groupby::{GroupBy, NullPolicy};
    /// use gdf::{Column, Table};
    ///
    /// let keys = Table::try_new(vec![Column::from_strs(["A", "A", "A"])?])?;
    /// let (x, y) = (Column::from_slice(&[1.0, 2.0, 3.0])?, Column::from_slice(&[2, 4, 6])?);
    /// let (_, covariance) = GroupBy::new(&keys, NullPolicy::Exclude).covariance(&x, &y, 1, 1)?;
    /// assert_eq!(covariance.to_vec::<f64>()?, [Some(2.0)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Costs
    /// Up to 262,144 rows need at most 48 waits: the waits of [`groups`](Self::groups), and the waits for segmented
    /// reductions and for text. See the table of costs, `docs/guide/costs.md`.
    ///
    /// # Errors
    /// * [`Unsupported`](gdf_core::Error::Unsupported) for values of other types.
    /// * The errors of [`aggregate`](Self::aggregate) for keys.
    #[doc(alias("cov", "covar_samp", "covar_pop"))]
    pub fn covariance<'x, 'y>(
        &self,
        x: impl Into<ColumnView<'x>>,
        y: impl Into<ColumnView<'y>>,
        ddof: u32,
        min_periods: usize,
    ) -> Result<(Table, Column)> {
        let (x, y) = (x.into(), y.into());
        Scope::for_inputs("groupby.covariance", &[&self.keys, &x, &y])?
            .run(|ctx| detail::covariance(&self.keys, self.null_policy, [x, y], ddof, min_periods, ctx))
    }

    /// Returns the distinct keys, and for each group Pearson's correlation of the pairs of `x` and `y`: the
    /// covariance, divided by the standard deviations of `x` and of `y`.
    ///
    /// # Shapes and types
    /// The same as for [`covariance`](Self::covariance).
    ///
    /// # Nulls and NaN
    /// The same as for [`covariance`](Self::covariance). The result is also null for a group with one pair. The result
    /// is NaN where all `x` or all `y` of a group are equal. Rounding may move a result slightly beyond −1 or 1.
    ///
    /// Order: as for [`covariance`](Self::covariance). In libcudf the aggregation `correlation` with `PEARSON`; in
    /// pandas `groupby().corr`, in polars `corr`, in SQL `CORR`.
    ///
    /// ```
    /// use gdf::groupby::{GroupBy, NullPolicy};
    /// use gdf::{Column, Table};
    ///
    /// let keys = Table::try_new(vec![Column::from_strs(["A", "A", "A"])?])?;
    /// let (x, y) = (Column::from_slice(&[1.0, 2.0, 3.0])?, Column::from_slice(&[3, 2, 1])?);
    /// let (_, correlation) = GroupBy::new(&keys, NullPolicy::Exclude).correlation(&x, &y, 1)?;
    /// assert!((correlation.to_vec::<f64>()?[0].unwrap_or_default() + 1.0).abs() < 1e-12);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Costs
    /// The method has the costs of [`covariance`](Self::covariance).
    ///
    /// # Errors
    /// * The errors of [`covariance`](Self::covariance).
    #[doc(alias("corr", "pearson"))]
    pub fn correlation<'x, 'y>(
        &self,
        x: impl Into<ColumnView<'x>>,
        y: impl Into<ColumnView<'y>>,
        min_periods: usize,
    ) -> Result<(Table, Column)> {
        let (x, y) = (x.into(), y.into());
        Scope::for_inputs("groupby.correlation", &[&self.keys, &x, &y])?
            .run(|ctx| detail::correlation(&self.keys, self.null_policy, [x, y], min_periods, ctx))
    }

    /// Returns the row numbers in the order of the groups, and the offsets of the groups: group `g` has the row
    /// numbers from position `offsets[g]` to position `offsets[g + 1]`.
    ///
    /// # Shapes
    /// The first column has one row for each row that belongs to a group. The second column has one row more than there
    /// are groups.
    ///
    /// # Types
    /// Keys have the types of [`shift`](Self::shift). Row numbers are `UInt32`, or `UInt64` from 2³²−1 rows on.
    /// Offsets are `Int64`.
    ///
    /// # Nulls and NaN
    /// The same as for [`aggregate`](Self::aggregate).
    ///
    /// Order: the groups are in the order of their keys, and the row numbers of a group ascend. In libcudf
    /// `groupby::get_groups`, which also gathers keys and values by the row numbers; in pandas `groupby().groups`.
    ///
    /// ```
    /// use gdf::groupby::{GroupBy, NullPolicy};
    /// use gdf::{Column, Table};
    ///
    /// let keys = Table::try_new(vec![Column::from_strs(["B", "A", "B"])?])?;
    /// let (rows, offsets) = GroupBy::new(&keys, NullPolicy::Exclude).groups()?;
    /// assert_eq!(rows.to_vec::<u32>()?, [Some(1), Some(0), Some(2)]);
    /// assert_eq!(offsets.to_vec::<i64>()?, [Some(0), Some(1), Some(3)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Costs
    /// The method has the costs of [`shift`](Self::shift).
    ///
    /// # Errors
    /// * The errors of [`aggregate`](Self::aggregate) for keys.
    #[doc(alias("get_groups", "indices"))]
    pub fn groups(&self) -> Result<(Column, Column)> {
        Scope::for_inputs("groupby.groups", &[&self.keys])?.run(|ctx| detail::groups(&self.keys, self.null_policy, ctx))
    }

    /// Aggregates the rows of this table into intermediate states that can be merged with the states of other tables.
    /// The method suits tables that arrive in batches, or that lie on several devices. [`PartialGroups::finalize`]
    /// computes the results from the states.
    ///
    /// Shapes: as for [`aggregate`](Self::aggregate), with the state columns of [`PartialRequest::state_types`] in
    /// place of the results. Types: as for [`aggregate`](Self::aggregate), without `Median` and `Quantile`, and without
    /// `Min`, `Max`, `ArgMin` and `ArgMax` of structs and lists. `NthElement` has a partial form for the first (0) and
    /// the last (-1) row only. The state of `Nunique` is the set of the distinct values, and that of `TopK` is the
    /// list. The results of `ArgMin` and `ArgMax` count the rows of all batches. Nulls, NaN, order and waits: as for
    /// [`aggregate`](Self::aggregate).
    ///
    /// In libcudf `groupby::aggregate` with `SUM`, `MEAN`, `M2` and similar aggregations, whose results are merged
    /// with `MERGE_M2` and sums.
    ///
    /// ```
    /// use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy, PartialGroups};
    /// use gdf::{Column, Table};
    ///
    /// let batch = |values: &[f64]| {
    ///     let keys = Table::try_new(vec![Column::full(7, values.len())?])?;
    ///     let values = Column::from_slice(values)?;
    ///     let wanted = [GroupByAggregation::Mean, GroupByAggregation::Variance { ddof: 1 }];
    ///     GroupBy::new(&keys, NullPolicy::Exclude).aggregate_partial(&[AggregationRequest::new(&values, wanted)])
    /// };
    /// let all = PartialGroups::merge(&[&batch(&[1.0, 2.0])?, &batch(&[6.0])?])?;
    /// let (_, results) = all.finalize()?;
    /// assert_eq!(results[0][0].to_vec::<f64>()?, [Some(3.0)]);
    /// assert_eq!(results[0][1].to_vec::<f64>()?, [Some(7.0)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`Unsupported`](gdf_core::Error::Unsupported) for the aggregations that have no partial form.
    /// * The errors of [`aggregate`](Self::aggregate).
    #[doc(alias("partial aggregation", "combine", "update_batch"))]
    pub fn aggregate_partial(&self, requests: &[AggregationRequest<'a>]) -> Result<PartialGroups> {
        let mut inputs: Vec<&dyn Input> = vec![&self.keys];
        inputs.extend(requests.iter().map(|request| &request.values as &dyn Input));
        Scope::for_inputs("groupby.aggregate_partial", &inputs)?.run(|ctx| {
            let (keys, states) = detail::aggregate_partial(self.keys.clone(), self.null_policy, requests, ctx)?;
            let kept = requests.iter().map(PartialRequest::from).collect();
            PartialGroups::try_new(keys, kept, states, self.keys.num_rows())
        })
    }
}
