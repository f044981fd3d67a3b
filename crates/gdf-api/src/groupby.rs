//! Rows grouped by equal keys.

mod selected;

use gdf_core::{Column, ColumnView, Operand, Result, Table, TableView};
use gdf_detail::groupby::{self as detail, Partial};
pub use gdf_detail::groupby::{AggregationRequest, GroupByAggregation, NullPolicy, PartialRequest, RankOrder};
use gdf_detail::replace::ReplacePolicy;
use gdf_detail::scan::{RankMethod, RankPercentage, ScanAggregation, ScanType};

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
    /// Groups by the rows of `keys`. Nothing is done before a method is called, and errors are told by it.
    pub fn new(keys: impl Into<TableView<'a>>, null_policy: NullPolicy) -> Self {
        Self { keys: keys.into(), null_policy }
    }

    /// The keys.
    pub fn keys(&self) -> &TableView<'a> {
        &self.keys
    }

    /// The distinct keys, and per request and aggregation a column with a row per group, in the order of the keys.
    ///
    /// # Shapes
    /// 1 to 32 key columns; the values of each request have as many rows. No rows give no groups.
    ///
    /// # Types
    /// Keys: integers, booleans, floats, decimals, everything temporal, strings and binary with offsets of either
    /// width, views of these, and dictionaries of all of these. Views are decoded first, and of a dictionary its values
    /// are sorted and numbered; the results have the keys as they were given, at the cost of one aggregation more.
    /// Values and results: see [`GroupByAggregation`]; of views and dictionaries they are those of what these stand
    /// for, but for `NthElement`, which gives the row.
    ///
    /// # Nulls and NaN
    /// Rows whose key has a null are in no group, or with [`NullPolicy::Include`] nulls are equal to each other. NaNs
    /// are one key, and so are 0.0 and −0.0, which becomes 0.0. Null values are skipped; a group without others has a
    /// null result, or 0 for counts and `M2`, or a digest without centroids. Key columns have a mask where the input has one
    /// and nulls are included; results have one where the values have one, variances always, counts, `M2` and digests never.
    ///
    /// Order: that of the keys where an aggregation is `Median`, `Quantile`, `NthElement` or a t-digest, for which rows are
    /// sorted by keys and values, so that keys cannot be intervals with days then; unspecified otherwise; on CUDA it may
    /// differ from call to call. Sums, means and products of floats, sums of their
    /// squares, and variances are not the same bits from run to run on CUDA, nor on CPUs of different numbers of
    /// threads; everything else is. In libcudf `groupby::aggregate`, in polars `group_by().agg()`, in pyarrow
    /// `TableGroupBy.aggregate`.
    ///
    /// # Costs
    /// At most 1 wait up to 262,144 rows, for the number of groups. Beyond, at most 2, the first for a sample of the
    /// rows that tells about how many groups there are; 1 more each time that it told too few and the work begins again
    /// in more memory; 1 more for each eight keys, if these are numbers of more than 64 bits together, whose ranges
    /// are measured then; and on CUDA 1 more for each six text keys of 1,048,576 rows and more, since numbers may stand
    /// for texts that differ in few bits. With `Median`, `Quantile`, `NthElement` or a t-digest at most 48 for each
    /// request up to 262,144 rows, most of them of sorting. See the table of costs, `docs/guide/costs.md`.
    ///
    /// # Errors
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) without key columns, with more than 32, and for 2³²−1
    ///   rows and more with keys that do not fit 64 bits.
    /// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch).
    /// * [`Unsupported`](gdf_core::Error::Unsupported) for keys or values of types that cannot be compared, and for
    ///   aggregations that the values' type does not have.
    /// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow) when a string column of the result has more text than
    ///   32-bit offsets reach.
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

    /// As [`aggregate`](Self::aggregate), as one table: the columns of the keys, then the results in the order of the requests.
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
    /// * As [`aggregate`](Self::aggregate).
    pub fn agg(&self, requests: &[AggregationRequest<'a>]) -> Result<Table> {
        let (keys, results) = self.aggregated("groupby.agg", requests)?;
        let rows = keys.num_rows();
        Table::try_with_rows(keys.into_columns().into_iter().chain(results.into_iter().flatten()).collect(), rows)
    }

    /// Row `r` of the result is the value of the row that is `offset` rows before `r` in its group, the fill value where there
    /// is none.
    ///
    /// # Shapes
    /// The values have a row for each of the keys, and so has the result, in the order of the input.
    ///
    /// # Types
    /// Keys as of [`aggregate`](Self::aggregate), but for intervals with days; values of fixed width, booleans, text and
    /// binary; the fill value as of [`shift`](crate::copying::shift).
    ///
    /// # Nulls and NaN
    /// Nulls move with their rows. Rows whose key has a null are in no group and become null, unless nulls are included.
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
    /// At most 28 waits up to 262,144 rows: those of [`sorted_order`](crate::sorting::sorted_order), of the number of groups
    /// and of text. See the table of costs, `docs/guide/costs.md`.
    ///
    /// # Errors
    /// * Those of [`aggregate`](Self::aggregate) for keys, of [`shift`](crate::copying::shift) for values.
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

    /// The values, those that are null with the nearest valid value of the group on one side instead.
    ///
    /// # Shapes
    /// The values have a row for each of the keys, and so has the result, in the order of the input.
    ///
    /// # Types
    /// Keys as of [`shift`](Self::shift); values as of [`gather`](crate::copying::gather).
    ///
    /// # Nulls and NaN
    /// A null without a valid value of its group on that side stays null. Rows whose key has a null are in no group and
    /// become null, unless nulls are included.
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
    /// As of [`shift`](Self::shift).
    ///
    /// # Errors
    /// * Those of [`aggregate`](Self::aggregate) for keys, of [`gather`](crate::copying::gather) for values.
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

    /// For each row, what the rows of its group up to it come to: with it, or without ([`Exclusive`](ScanType::Exclusive)).
    ///
    /// # Shapes
    /// The values have a row for each of the keys, and so has the result, in the order of the input.
    ///
    /// # Types
    /// Keys as of [`shift`](Self::shift). Values and results of `Sum`, `Product`, `Min`, `Max`, `CountValid` and `CountAll` as of
    /// [`GroupByAggregation`], with the same rules for overflow; `Min` and `Max` are inclusive. Before the first row of a group
    /// sums and counts are 0, products 1.
    ///
    /// # Nulls and NaN
    /// A row is null where its value is, and takes no part in the others; counts are never null. Rows whose key has a null are
    /// in no group and become null, unless nulls are included. NaN is greater than every number, −0.0 less than 0.0.
    ///
    /// Order: sums and products of floats have the same bits each time, on the CPU whatever the number of threads; between
    /// devices they may differ in the last places. In libcudf `groupby::scan`, whose rows are in the order of the keys; in pandas
    /// `groupby().cumsum` and so on, in polars `cum_sum().over()`, in SQL `SUM(…) OVER (PARTITION BY … ROWS UNBOUNDED PRECEDING)`.
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
    /// At most 48 waits up to 262,144 rows: those of [`sorted_order`](crate::sorting::sorted_order) and of text. See the table of
    /// costs, `docs/guide/costs.md`.
    ///
    /// # Errors
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) for an exclusive `Min` or `Max`.
    /// * Those of [`aggregate`](Self::aggregate).
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

    /// The rank of each value among those of its group.
    ///
    /// # Shapes
    /// The values have a row for each of the keys, and so has the result, in the order of the input.
    ///
    /// # Types
    /// Keys as of [`shift`](Self::shift); values as of [`sorted_order`](crate::sorting::sorted_order). Ranks are `UInt32`, or
    /// `UInt64` from 2³²−1 rows on; averages and percentages `Float64`. Of [`RankMethod::Dense`] the largest rank is the number of
    /// distinct values of the group, of others that of its rows.
    ///
    /// # Nulls and NaN
    /// Null values are equal and ranked by [`RankOrder::null_order`], or with [`RankOrder::null_policy`] `Exclude`, the default, have
    /// null ranks and are not counted. Rows whose key has a null are in no group and become null, unless nulls are included. NaNs
    /// are equal and greater than every number; −0.0 equals 0.0. With [`RankMethod::First`] equal values are ranked as they stand.
    ///
    /// In libcudf `groupby::scan` with `rank`, whose rows are in the order of the keys; in pandas `groupby().rank`, in polars
    /// `rank().over()`, in SQL `ROW_NUMBER`, `RANK`, `DENSE_RANK`, `PERCENT_RANK` (`Min`, one-normalized) and `CUME_DIST` (`Max`,
    /// zero-normalized) with `PARTITION BY`.
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
    /// As of [`scan`](Self::scan).
    ///
    /// # Errors
    /// * Those of [`aggregate`](Self::aggregate) for keys, of [`sorted_order`](crate::sorting::sorted_order) for values.
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

    /// The distinct keys, and per group the covariance of the pairs of `x` and `y`: the sum of the products of their distances from
    /// the means, divided by the number of pairs less `ddof`.
    ///
    /// # Shapes
    /// `x` and `y` have a row for each of the keys, the results one for each group.
    ///
    /// # Types
    /// Keys as of [`shift`](Self::shift); values: integers, booleans and floats, as doubles. The result is `Float64`.
    ///
    /// # Nulls and NaN
    /// A pair with a null is none. The result is null for groups of fewer pairs than `min_periods`, and of no more than `ddof`. NaN
    /// and infinite values make it NaN. Nulls among keys as of [`aggregate`](Self::aggregate).
    ///
    /// Order: groups by their keys; the same bits each time, on the CPU whatever the number of threads; between devices they may
    /// differ in the last places. In libcudf the aggregation `covariance` of a struct of two columns, in pandas `groupby().cov`, in
    /// polars `cov`, in SQL `COVAR_SAMP` (`ddof` 1) and `COVAR_POP` (0).
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
    /// At most 48 waits up to 262,144 rows: those of [`groups`](Self::groups), of segmented reductions and of text. See the table of
    /// costs, `docs/guide/costs.md`.
    ///
    /// # Errors
    /// * [`Unsupported`](gdf_core::Error::Unsupported) for values of other types.
    /// * Those of [`aggregate`](Self::aggregate) for keys.
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

    /// The distinct keys, and per group Pearson's correlation of the pairs of `x` and `y`: their covariance, divided by the standard
    /// deviations of both.
    ///
    /// # Shapes
    /// As of [`covariance`](Self::covariance).
    ///
    /// # Types
    /// As of [`covariance`](Self::covariance).
    ///
    /// # Nulls and NaN
    /// As of [`covariance`](Self::covariance), and null of one pair. NaN where all `x` or all `y` of a group are equal; rounding
    /// may leave a correlation a bit beyond −1 and 1.
    ///
    /// Order: as of [`covariance`](Self::covariance). In libcudf the aggregation `correlation`, of which it has `PEARSON`; in pandas
    /// `groupby().corr`, in polars `corr`, in SQL `CORR`.
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
    /// As of [`covariance`](Self::covariance).
    ///
    /// # Errors
    /// * As of [`covariance`](Self::covariance).
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

    /// The numbers of the rows by group, and the positions among these at which groups begin, and the last ends.
    ///
    /// # Shapes
    /// A row for each row that is in a group, and for each group, with one more at the end.
    ///
    /// # Types
    /// Keys as of [`shift`](Self::shift); row numbers are `UInt32`, or `UInt64` from 2³²−1 rows on, offsets `Int64`.
    ///
    /// # Nulls and NaN
    /// As [`aggregate`](Self::aggregate).
    ///
    /// Order: groups by their keys, rows of a group as they stand. In libcudf `groupby::get_groups`, which gathers keys and
    /// values by these numbers; in pandas `groupby().groups`.
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
    /// As of [`shift`](Self::shift).
    ///
    /// # Errors
    /// * Those of [`aggregate`](Self::aggregate) for keys.
    #[doc(alias("get_groups", "indices"))]
    pub fn groups(&self) -> Result<(Column, Column)> {
        Scope::for_inputs("groupby.groups", &[&self.keys])?.run(|ctx| detail::groups(&self.keys, self.null_policy, ctx))
    }

    /// What is kept of this table's groups so that they merge with those of other batches: for tables that come one after
    /// another, or lie on several devices. The results are had from [`PartialGroups::finalize`].
    ///
    /// # Shapes
    /// Those of [`aggregate`](Self::aggregate), with what [`PartialRequest::state_types`] says in place of results.
    ///
    /// # Types
    /// Those of [`aggregate`](Self::aggregate), without `ArgMin`, `ArgMax`, `Nunique`, `Median`, `Quantile`, `NthElement`
    /// and t-digests.
    ///
    /// # Nulls and NaN
    /// As [`aggregate`](Self::aggregate).
    ///
    /// Order and waits: as [`aggregate`](Self::aggregate). In libcudf `groupby::aggregate` with `SUM`, `MEAN`, `M2` and
    /// so on, to be merged with `MERGE_M2` and sums.
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
    /// * [`Unsupported`](gdf_core::Error::Unsupported) for the aggregations that have no partial form; otherwise as
    ///   [`aggregate`](Self::aggregate).
    #[doc(alias("partial aggregation", "combine", "update_batch"))]
    pub fn aggregate_partial(&self, requests: &[AggregationRequest<'a>]) -> Result<PartialGroups> {
        let mut inputs: Vec<&dyn Input> = vec![&self.keys];
        inputs.extend(requests.iter().map(|request| &request.values as &dyn Input));
        Scope::for_inputs("groupby.aggregate_partial", &inputs)?.run(|ctx| {
            let (keys, states) = detail::aggregate_partial(self.keys.clone(), self.null_policy, requests, ctx)?;
            PartialGroups::try_new(keys, requests.iter().map(PartialRequest::from).collect(), states)
        })
    }
}

/// Groups of a batch of rows, as they merge with those of other batches; see [`GroupBy::aggregate_partial`].
#[derive(Clone, Debug)]
pub struct PartialGroups {
    keys: Table,
    requests: Vec<PartialRequest>,
    states: Vec<Column>,
}

impl PartialGroups {
    /// From the parts that [`into_parts`](Self::into_parts) gives, in this process or another.
    ///
    /// # Errors
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) when the columns are not those of the requests.
    /// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`Unsupported`](gdf_core::Error::Unsupported).
    pub fn try_new(keys: Table, requests: Vec<PartialRequest>, states: Vec<Column>) -> Result<Self> {
        Partial::try_new(&keys, &requests, &states)?;
        Ok(Self { keys, requests, states })
    }

    /// The distinct keys.
    pub fn keys(&self) -> &Table {
        &self.keys
    }

    /// What was asked.
    pub fn requests(&self) -> &[PartialRequest] {
        &self.requests
    }

    /// What is kept, for all requests after another: see [`PartialRequest::state_types`].
    pub fn states(&self) -> &[Column] {
        &self.states
    }

    /// Keys, requests and what is kept: columns that can be sent elsewhere.
    pub fn into_parts(self) -> (Table, Vec<PartialRequest>, Vec<Column>) {
        (self.keys, self.requests, self.states)
    }

    /// What would be kept of the rows of all batches in one table, sums of floats up to rounding.
    ///
    /// # Shapes
    /// Batches of any numbers of groups, none included.
    ///
    /// # Types
    /// Keys of equal types; batches that were asked the same.
    ///
    /// # Nulls and NaN
    /// As [`GroupBy::aggregate`].
    ///
    /// Order and waits: those of [`concatenate`](crate::concatenate::concatenate) and then of [`GroupBy::aggregate`].
    /// In libcudf `groupby::aggregate` with `MERGE_M2` and sums.
    ///
    /// # Errors
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) without batches, or when they were not asked the same.
    /// * As [`concatenate`](crate::concatenate::concatenate) and [`GroupBy::aggregate`].
    #[doc(alias("merge_batch", "combine"))]
    pub fn merge(batches: &[&Self]) -> Result<Self> {
        let columns: Vec<_> = batches.iter().flat_map(|batch| batch.columns()).collect();
        let inputs: Vec<&dyn Input> = columns.iter().map(|column| column as &dyn Input).collect();
        Scope::for_inputs("groupby.merge", &inputs)?.run(|ctx| {
            let partials = batches.iter().map(|batch| batch.partial()).collect::<Result<Vec<_>>>()?;
            let (keys, states) = detail::merge(&partials, ctx)?;
            Self::try_new(keys, batches.first().map(|batch| batch.requests.clone()).unwrap_or_default(), states)
        })
    }

    /// The keys and the results: those of [`GroupBy::aggregate`] of all rows.
    ///
    /// # Shapes
    /// A row per group.
    ///
    /// # Types
    /// Those of [`GroupBy::aggregate`].
    ///
    /// # Nulls and NaN
    /// As [`GroupBy::aggregate`].
    ///
    /// Order and waits: those of [`GroupBy::aggregate`].
    ///
    /// # Errors
    /// * As [`GroupBy::aggregate`].
    #[doc(alias("evaluate", "finish"))]
    pub fn finalize(&self) -> Result<(Table, Vec<Vec<Column>>)> {
        let columns: Vec<_> = self.columns().collect();
        let inputs: Vec<&dyn Input> = columns.iter().map(|column| column as &dyn Input).collect();
        Scope::for_inputs("groupby.finalize", &inputs)?.run(|ctx| detail::finalize(self.partial()?, ctx))
    }

    fn columns(&self) -> impl Iterator<Item = ColumnView<'_>> {
        self.keys.columns().iter().chain(&self.states).map(Column::view)
    }

    fn partial(&self) -> Result<Partial<'_>> {
        Partial::try_new(&self.keys, &self.requests, &self.states)
    }
}
