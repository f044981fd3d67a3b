//! Lazy frames, which execute several verbs together.

use std::fmt;
use std::sync::Arc;

use gdf_api::stream_compaction::DuplicateKeepOption;
use gdf_core::{DataType, Result};
use gdf_exec::PlanProfile;

use crate::expr::{Expr, Output, SortBy, col, exprs, len};
use crate::frame::Frame;
use crate::join::{Join, JoinKind};
use crate::plan::{Explained, Plan, PlanNesting, Step, Whole};
use crate::selector::{Selector, all};

/// A frame with a list of verbs. [`collect`](Self::collect) applies the verbs.
///
/// The verbs have the same names, arguments and results as the verbs of [`Frame`]. The verbs `filter`, `select`,
/// `with`, `rename` and `drop` need only one row at a time, and are fused with the next verb into one
/// [pipeline](gdf_api::pipeline). A pipeline computes equal expressions once, and leaves out columns that no later verb
/// needs. The order of the verbs does not change.
///
/// ```
/// use gdf::Column;
/// use gdf::frame::{Frame, col};
///
/// let goods = Frame::try_new([("price", Column::from_slice(&[2.0, 5.0, 9.0])?), ("sold", Column::from_slice(&[3, 1, 2])?)])?;
/// let revenue = goods.lazy().with([(col("price") * col("sold")).alias("revenue")]).filter(col("revenue").gt(5));
/// let total = revenue.select([col("revenue").sum()]);
/// assert_eq!(
///     total.explain(),
///     "source: 3 rows, columns price, sold\n\
///      pipeline 1\n  \
///        with price * sold AS revenue\n  \
///        filter revenue > 5\n  \
///        select SUM(revenue)\n"
/// );
/// assert_eq!(total.collect()?.column("revenue")?.get(0)?, Some(24.0));
/// # Ok::<(), gdf::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "a lazy frame computes nothing before `collect`"]
pub struct LazyFrame(pub(crate) Plan);

impl Frame {
    /// Returns the frame as a [`LazyFrame`]. [`LazyFrame::collect`] executes the verbs of the lazy frame together.
    pub fn lazy(&self) -> LazyFrame {
        LazyFrame(Plan {
            source: self.0.clone(),
            batches: None,
            scan: None,
            steps: Vec::new(),
            nesting: PlanNesting::default(),
        })
    }
}

impl LazyFrame {
    pub(crate) fn step(mut self, step: Step) -> LazyFrame {
        self.0.push(step);
        self
    }

    /// Adds a verb that runs on computed columns.
    pub(crate) fn whole(self, whole: Whole) -> LazyFrame {
        self.step(Step::Whole(Arc::new(whole)))
    }

    /// Executes the verbs.
    ///
    /// # Errors
    /// * The errors of the verbs. The text of an error names the verb, shows the expression, and marks the part of the
    ///   expression that caused the error.
    pub fn collect(&self) -> Result<Frame> {
        tracing::debug!(target: "gdf", "{}", self.explain().trim_end());
        self.0.run().map(Frame)
    }

    /// Makes a lazy frame from several frames, which are its batches. The rows of the batches follow each other. All
    /// batches have the names and types of the first batch.
    ///
    /// The verbs work on one batch after another where they can, so that not all rows need to be in memory at a time;
    /// see [`collect_batches`](Self::collect_batches).
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Frame, LazyFrame, col};
    ///
    /// let batch = |values: &[i32]| Frame::try_new([("x", Column::from_slice(values)?)]);
    /// let all = LazyFrame::from_batches([batch(&[1, 2])?, batch(&[3])?])?;
    /// let sum = all.filter(col("x").gt(1)).select([col("x").sum()]).collect()?;
    /// assert_eq!(sum.column("x")?.get(0)?, Some(5_i64));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument): there are no batches.
    /// * [`ColumnCount`](gdf_core::Error::ColumnCount), [`NameNotFound`](gdf_core::Error::NameNotFound),
    ///   [`TypeMismatch`](gdf_core::Error::TypeMismatch), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch): a batch
    ///   differs from the first batch.
    pub fn from_batches(batches: impl IntoIterator<Item = Frame>) -> Result<LazyFrame> {
        Plan::of_batches(batches.into_iter().map(|frame| frame.0)).map(LazyFrame)
    }

    /// Executes the verbs, and returns the rows of the result in batches, one after another.
    ///
    /// # Tables that do not fit in memory
    /// If the current resource belongs to a [`SpillManager`](gdf_memory::SpillManager) with a limit, the frame first
    /// reserves the bytes that it may need, and waits for other threads to return theirs. If the limit does not suffice
    /// for all rows at once, they are divided, joins, group-bys, sorts, distinct rows and windows work on parts
    /// ([`gdf_external`]), and batches that wait are spilled. All rows must fit in memory in these cases:
    /// * window functions without `over`, and windows of `rolling` and `group_by_rolling` without `by`;
    /// * the rows of one key in a window function, or in an aggregation without a partial form;
    /// * the values of an aggregation of all rows that a group-by does not support, as the median of decimals;
    /// * the keys of a side of a join, if [`Join::validate`] requires that they are distinct;
    /// * the right side of `cross_join` and `asof_join`;
    /// * the input of `sample`, `pivot`, `unpivot`, `to_dummies`, `quantile`, `corr` and `describe`;
    /// * the result of [`collect`](Self::collect).
    ///
    /// ```
    /// use gdf::{Column, Device, scope};
    /// use gdf::frame::{Frame, LazyFrame};
    /// use gdf::memory::{SpillManager, SpillOptions, SpillStatisticsLevel, current_resource};
    ///
    /// let options = SpillOptions::new().with_hard_limit(4 << 20).with_statistics(SpillStatisticsLevel::Transfers);
    /// let manager = SpillManager::new(current_resource(Device::Cpu)?, options);
    /// let sorted = scope::with_resource(&manager.resource(), || {
    ///     // 8 MB of numbers.
    ///     let batch = |start: i64| {
    ///         let numbers: Vec<i64> = (start..start + 100_000).map(|row| row * 7919 % 1_000_003).collect();
    ///         Frame::try_new([("x", Column::from_slice(&numbers)?)]).map(|batch| batch.spillable(&manager))
    ///     };
    ///     let batches = (0..10).map(|at| batch(at * 100_000)).collect::<gdf::Result<Vec<_>>>()?;
    ///     LazyFrame::from_batches(batches)?.sort(["x"]).collect_batches()
    /// })?;
    /// assert_eq!(sorted.iter().map(Frame::num_rows).sum::<usize>(), 1_000_000);
    /// assert!(manager.peak_bytes() <= 4 << 20 && manager.statistics().device_to_disk.bytes > 0);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * The errors of [`collect`](Self::collect).
    pub fn collect_batches(&self) -> Result<Vec<Frame>> {
        tracing::debug!(target: "gdf", "{}", self.explain().trim_end());
        Ok(self.0.run_in_batches()?.into_iter().map(Frame).collect())
    }

    /// Executes the verbs, and passes the batches of the result to `each`, in the order of the rows. There is at least
    /// one batch, which may have no rows.
    ///
    /// The rows of a scan that only filters, projections and joins with small right sides change are read, passed on and
    /// freed batch by batch, so that the memory does not grow with the files. On the CPU, threads work on further
    /// batches meanwhile. Other verbs compute all their rows first, as for [`collect_batches`](Self::collect_batches).
    /// The calls of `each` come from several threads, one after the other. In polars `sink_batches`.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Frame, LazyFrame, col};
    ///
    /// let batch = |values: &[i32]| Frame::try_new([("x", Column::from_slice(values)?)]);
    /// let batches = LazyFrame::from_batches([batch(&[1, 2])?, batch(&[3])?])?.filter(col("x").gt(1));
    /// let mut rows = 0;
    /// batches.sink_batches(|batch| {
    ///     rows += batch.num_rows();
    ///     Ok(())
    /// })?;
    /// assert_eq!(rows, 2);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * The errors of [`collect`](Self::collect). `each` may have got batches before the error.
    /// * The error of `each`, which ends the execution.
    pub fn sink_batches(&self, mut each: impl FnMut(Frame) -> Result<()> + Send) -> Result<()> {
        tracing::debug!(target: "gdf", "{}", self.explain().trim_end());
        self.0.run_for_each(&mut |columns| each(Frame(columns)))
    }

    /// Returns the verbs as text, grouped by the pipelines that execute the verbs. Nothing is computed.
    /// [`profile`](Self::profile) measures the nodes of the plan.
    pub fn explain(&self) -> String {
        Explained(&self.0).to_string()
    }

    /// Executes the verbs as [`collect`](Self::collect) does, and measures the nodes of the plan: rows, time, launches,
    /// waits, copied bytes and peak memory. `println!` shows the profile as a table. It has the form of `EXPLAIN ANALYZE`
    /// in SQL. In polars `profile`.
    ///
    /// The measures of a node do not include those of the nodes below, except for the memory. The nodes run one after the
    /// other in one thread, so that the whole takes longer than `collect`. Aggregations of all rows within expressions,
    /// and verbs whose columns depend on values, such as `pivot`, run before, and are not part of the profile.
    ///
    /// ```
    /// use gdf::Column;
    /// use gdf::frame::{Frame, col};
    ///
    /// let goods = Frame::try_new([("kind", Column::from_slice(&[1, 2, 1])?), ("sold", Column::from_slice(&[3, 1, 2])?)])?;
    /// let (sums, profile) = goods.lazy().group_by(["kind"]).agg([col("sold").sum()]).profile()?;
    /// assert_eq!(sums.num_rows(), 2);
    /// assert!(profile.to_string().contains("group by 1 key: 1 aggregate function"));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * The errors of [`collect`](Self::collect).
    pub fn profile(&self) -> Result<(Frame, PlanProfile)> {
        let (columns, profile) = self.0.profile()?;
        Ok((Frame(columns), profile))
    }

    /// See [`Frame::filter`].
    pub fn filter(self, condition: impl Into<Expr>) -> LazyFrame {
        self.step(Step::Filter(condition.into()))
    }

    /// See [`Frame::select`].
    pub fn select(self, outputs: impl IntoIterator<Item = impl Into<Output>>) -> LazyFrame {
        self.step(Step::Select(exprs(outputs)))
    }

    /// See [`Frame::with`].
    pub fn with(self, outputs: impl IntoIterator<Item = impl Into<Output>>) -> LazyFrame {
        self.step(Step::With(exprs(outputs)))
    }

    /// See [`Frame::rename`].
    pub fn rename<O: AsRef<str>, N: AsRef<str>>(self, names: impl IntoIterator<Item = (O, N)>) -> LazyFrame {
        let names = names.into_iter().map(|(old, new)| (Arc::from(old.as_ref()), Arc::from(new.as_ref())));
        self.step(Step::Rename(names.collect()))
    }

    /// See [`Frame::drop`].
    pub fn drop(self, columns: impl Into<Selector>) -> LazyFrame {
        self.step(Step::Drop(columns.into()))
    }

    /// See [`Frame::sort`].
    pub fn sort(self, keys: impl IntoIterator<Item = impl Into<SortBy>>) -> LazyFrame {
        self.step(Step::Sort { keys: keys.into_iter().map(Into::into).collect(), limit: None })
    }

    /// See [`Frame::head`]. If `head` directly follows [`sort`](Self::sort), only the first rows are sorted.
    pub fn head(mut self, rows: usize) -> LazyFrame {
        if let Some(Step::Sort { limit: limit @ None, .. }) = self.0.steps.last_mut() {
            *limit = Some(rows);
            return self;
        }
        self.slice(0, rows)
    }

    /// See [`Frame::top_k`]. The verb is [`sort`](Self::sort) with [`head`](Self::head).
    pub fn top_k(self, rows: usize, keys: impl IntoIterator<Item = impl Into<SortBy>>) -> LazyFrame {
        self.sort(keys).head(rows)
    }

    /// See [`Frame::tail`].
    pub fn tail(self, rows: usize) -> LazyFrame {
        self.step(Step::Tail(rows))
    }

    /// See [`Frame::slice`].
    pub fn slice(self, offset: usize, len: usize) -> LazyFrame {
        self.step(Step::Slice { offset, len })
    }

    /// See [`Frame::distinct`].
    pub fn distinct(self, subset: impl Into<Selector>, keep: DuplicateKeepOption) -> LazyFrame {
        self.step(Step::Distinct { subset: subset.into(), keep })
    }

    /// See [`Frame::fill_null`].
    pub fn fill_null(self, subset: impl Into<Selector>, value: impl Into<Expr>) -> LazyFrame {
        self.with([Expr::from(subset.into()).fill_null(value)])
    }

    /// See [`Frame::cast`].
    pub fn cast(self, subset: impl Into<Selector>, data_type: DataType) -> LazyFrame {
        self.with([Expr::from(subset.into()).cast(data_type)])
    }

    /// See [`Frame::value_counts`].
    pub fn value_counts(self, name: &str) -> LazyFrame {
        let counts = self.group_by([name]).agg([len().alias("count")]);
        counts.sort([col("count").desc(), col(name).asc()])
    }

    /// See [`Frame::null_count`].
    pub fn null_count(self) -> LazyFrame {
        self.select([-all().as_expr().count() + len()])
    }

    /// See [`Frame::drop_nulls`].
    pub fn drop_nulls(self, subset: impl Into<Selector>) -> LazyFrame {
        self.step(Step::DropNulls(subset.into()))
    }

    /// See [`Frame::explode`].
    pub fn explode(self, name: &str) -> LazyFrame {
        self.step(Step::Explode(name.into()))
    }

    /// See [`Frame::reverse`].
    pub fn reverse(self) -> LazyFrame {
        self.step(Step::Reverse)
    }

    /// See [`Frame::join`].
    pub fn join(self, right: LazyFrame, join: Join) -> LazyFrame {
        self.step(Step::Join(Arc::new((right.0, join))))
    }

    /// See [`Frame::join_where`].
    pub fn join_where(self, right: LazyFrame, condition: impl Into<Expr>) -> LazyFrame {
        self.join(right, Join::by_condition(JoinKind::Inner, condition))
    }

    /// See [`Frame::concat`].
    pub fn concat(self, others: impl IntoIterator<Item = LazyFrame>) -> LazyFrame {
        self.step(Step::Concat(others.into_iter().map(|LazyFrame(plan)| plan).collect()))
    }
}

impl fmt::Debug for LazyFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.explain())
    }
}
