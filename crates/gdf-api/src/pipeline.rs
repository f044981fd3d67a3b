//! Pipelines. A pipeline computes expressions for the rows of a table that pass a condition, and passes the values to a
//! sink.
//!
//! A [`Pipeline`] is a table with conditions. Each sink is one call: [`project`](Pipeline::project),
//! [`row_numbers`](Pipeline::row_numbers), [`count`](Pipeline::count), [`reduce`](Pipeline::reduce),
//! [`group_by`](Pipeline::group_by), [`sort_by`](Pipeline::sort_by) and [`probe`](Pipeline::probe). A sink reads only
//! the columns that its expressions name; only validation, done once, reads all columns. Parts that several expressions
//! have in common are computed once.
//!
//! # Order of the work
//! The values are computed either for all rows together with the condition, or after filtering for the rows that pass.
//! The pipeline chooses the order that moves fewer bytes. It estimates the bytes from the types of the columns and
//! values, and from the share of rows that pass. Up to 65,536 rows, the kind of condition gives that share. In larger
//! tables, the rows that pass are counted, with 1 wait, if the choice depends on the share. The choice never changes
//! types or results, except for the last places of sums of floats.
//!
//! Sums, means, minima, maxima and counts of numbers are computed in the pass that evaluates their expressions, for the
//! rows for which the condition is true: see [`Pipeline::reduce`].

mod grouped;
mod probing;
mod sorted;

use gdf_core::{Column, Result, Table, TableView};
use gdf_detail::pipeline as detail;
pub use gdf_detail::pipeline::{GroupRequest, Reduction, SortKey};
use gdf_expr::Expr;

pub use self::grouped::GroupedPipeline;
pub use self::probing::ProbingPipeline;
pub use self::sorted::SortedPipeline;
use crate::groupby::NullPolicy;
use crate::join::HashJoin;
use crate::scope::Scope;

/// The rows of a table that pass conditions, as the input of one sink.
///
/// A pipeline borrows the table and computes nothing by itself. Every method that returns a `Result` is a sink.
///
/// ```
/// use gdf::expr::{col, lit};
/// use gdf::pipeline::{Pipeline, Reduction};
/// use gdf::reduction::ReduceAggregation::{CountAll, Sum};
/// use gdf::{Column, Table};
///
/// let sales = Table::try_new(vec![
///     Column::from_slice(&[20.0, 5.0, 8.0])?,  // price
///     Column::from_slice(&[0.0, 0.5, 0.25])?,  // discount
///     Column::from_strs(["NO", "SE", "NO"])?,  // country
/// ])?;
/// let norway = Pipeline::new(&sales).filter(col(2).eq("NO"));
/// let revenue = col(0) * (lit(1) - col(1));
/// let totals = norway.reduce(&[Reduction::new(revenue.clone(), Sum), Reduction::new(revenue, CountAll)])?;
/// assert_eq!(totals.column(0)?.get(0)?, Some(26.0));
/// assert_eq!(norway.count()?, 2);
/// # Ok::<(), gdf::Error>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias("LazyFrame", "query", "plan", "select", "where"))]
pub struct Pipeline<'a>(detail::Pipeline<'a>);

impl<'a> Pipeline<'a> {
    /// Creates a pipeline of all rows of a table.
    pub fn new(table: impl Into<TableView<'a>>) -> Self {
        Self(detail::Pipeline::new(table))
    }

    /// Adds a condition. A row passes if all conditions are true. A row for which a condition is null does not pass.
    ///
    /// The call only stores the condition. The sinks return all errors. In SQL `WHERE`, in polars `filter`.
    #[must_use]
    #[doc(alias("where", "and", "query"))]
    pub fn filter(self, condition: impl Into<Expr>) -> Self {
        Self(self.0.filter(condition))
    }

    /// Makes a decimal with more digits than its type an error. Without this call, such a decimal wraps.
    ///
    /// Results that fit do not change, and most of them cost nothing more: the digits of the types or the ranges of the
    /// columns show that they fit. The ranges are measured only if the digits of the types do not suffice.
    ///
    /// ```
    /// use gdf::expr::col;
    /// use gdf::pipeline::Pipeline;
    /// use gdf::{Column, DataType, Table};
    ///
    /// let largest = Column::from_slice_typed(&[999_999_999_i32], &DataType::Decimal32(9, 2))?;
    /// let table = Table::try_new(vec![largest])?;
    /// let pipeline = Pipeline::new(&table).with_exact_decimals();
    /// assert!(pipeline.project(&[col(0) - col(0)]).is_ok());
    /// assert!(pipeline.project(&[col(0) + col(0)]).is_err());
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Costs
    /// The measurement of a column of decimals of 128 bits needs 2 waits, and that of other columns at most 1 wait. A
    /// computation that is checked needs 1 wait.
    #[must_use]
    pub fn with_exact_decimals(self) -> Self {
        Self(self.0.with_exact_decimals())
    }

    /// Returns the table.
    pub fn table(&self) -> &TableView<'a> {
        self.0.table()
    }

    fn scope(&self, name: &'static str) -> Result<Scope> {
        Scope::for_inputs(name, &[self.table()])
    }

    /// Computes expressions for the rows that pass: a column for each expression, in their order.
    ///
    /// Shapes: the result has a row for each row that passes. Types, nulls and NaN: as for
    /// [`compute_column`](crate::transform::compute_column). Without a condition, and for a condition that is always
    /// true, outputs that are columns share memory with the table. With a condition, columns have the types that
    /// [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask) supports. Order: the order of the table.
    ///
    /// In libcudf `compute_column` and `apply_boolean_mask`, in SQL `SELECT … WHERE`, in polars `filter` and
    /// `select`.
    ///
    /// ```
    /// use gdf::expr::col;
    /// use gdf::pipeline::Pipeline;
    /// use gdf::{Column, Table};
    ///
    /// let table = Table::try_new(vec![Column::from_slice(&[1, 2, 3])?, Column::from_slice(&[10, 20, 30])?])?;
    /// let rows = Pipeline::new(&table).filter(col(0).gt(1)).project(&[col(0) + col(1), col(1)])?;
    /// assert_eq!(rows.column(0)?.to_vec::<i32>()?, [Some(22), Some(33)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// The method has the waits of [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask), and at most 1
    /// wait for the choice that the [module](self) describes. Without a condition, there are no waits within the limits
    /// of [`compute_columns`](crate::transform::compute_columns). See the table of costs, `docs/guide/costs.md`.
    ///
    /// # Errors
    /// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) for a condition that is not boolean.
    /// * The errors of [`compute_column`](crate::transform::compute_column) and
    ///   [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask).
    #[doc(alias("select", "with_columns", "filter"))]
    pub fn project(&self, outputs: &[Expr]) -> Result<Table> {
        self.scope("pipeline.project")?.run(|ctx| self.0.project(outputs, ctx))
    }

    /// Returns the numbers of the rows that pass, in ascending order, as a column for
    /// [`gather`](crate::copying::gather).
    ///
    /// The numbers are `UInt32`, or `UInt64` for tables of 2³²−1 rows and more. In NumPy `flatnonzero`, in polars
    /// `arg_where`.
    ///
    /// ```
    /// use gdf::expr::col;
    /// use gdf::pipeline::Pipeline;
    /// use gdf::{Column, Table};
    ///
    /// let table = Table::try_new(vec![Column::from_options(&[Some(5), None, Some(7)])?])?;
    /// let rows = Pipeline::new(&table).filter(col(0).gt(4)).row_numbers()?;
    /// assert_eq!(rows.to_vec::<u32>()?, [Some(0), Some(2)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Costs
    /// The method needs at most 1 wait for the device, for the number of rows. Without a condition, the method does not
    /// wait. See the table of costs, `docs/guide/costs.md`.
    ///
    /// # Errors
    /// * The errors of [`project`](Self::project).
    #[doc(alias("arg_where", "nonzero", "flatnonzero", "indices", "selection vector"))]
    pub fn row_numbers(&self) -> Result<Column> {
        self.scope("pipeline.row_numbers")?.run(|ctx| self.0.row_numbers(ctx))
    }

    /// Returns the number of rows that pass. In SQL `COUNT(*) … WHERE`.
    ///
    /// # Costs
    /// The method needs 1 wait for the device, for the number. Without a condition, the method does not wait. See the
    /// table of costs, `docs/guide/costs.md`.
    ///
    /// # Errors
    /// * The errors of [`project`](Self::project).
    #[doc(alias("count(*)", "len", "height"))]
    pub fn count(&self) -> Result<usize> {
        self.scope("pipeline.count")?.run(|ctx| self.0.count(ctx))
    }

    /// Reduces the values of expressions for the rows that pass: a table of one row with a column for each reduction.
    ///
    /// # Types
    /// The same as for [`reduce`](crate::reduction::reduce). Without [`Reduction::of_type`], the result has the type
    /// [`default_output_type`](crate::reduction::default_output_type).
    ///
    /// # Nulls and NaN
    /// The same as for [`reduce`](crate::reduction::reduce). `ArgMin` and `ArgMax` number the rows of the table, and
    /// `NthElement` numbers the rows that pass.
    ///
    /// Order: as for [`reduce_where`](crate::reduction::reduce_where); the last places of sums of floats depend on the
    /// number of all rows and of the rows that pass. In libcudf `reduce`, in SQL `SELECT SUM(…), MAX(…) … WHERE`,
    /// in polars `select` of aggregations.
    ///
    /// ```
    /// use gdf::expr::col;
    /// use gdf::pipeline::{Pipeline, Reduction};
    /// use gdf::reduction::ReduceAggregation::{Max, Sum};
    /// use gdf::{Column, Table};
    ///
    /// let table = Table::try_new(vec![Column::from_slice(&[1, 2, 3])?, Column::from_slice(&[10, 20, 30])?])?;
    /// let reductions = [Reduction::new(col(0) * col(1), Sum), Reduction::new(col(1), Max)];
    /// let totals = Pipeline::new(&table).filter(col(0).lt(3)).reduce(&reductions)?;
    /// assert_eq!(totals.column(0)?.get(0)?, Some(50_i64));
    /// assert_eq!(totals.column(1)?.get(0)?, Some(20));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Costs
    /// After the condition, the method needs 1 launch and no wait if the following holds. All reductions are sums,
    /// means, minima, maxima or counts of numbers with at most 128 bits. There are at most 8 reductions. The values are
    /// operators on at most 16 columns, without functions of text. `CountValid` also takes columns of text, and
    /// `CountAll` takes any column.
    ///
    /// Otherwise, the method has the waits of [`reduce`](crate::reduction::reduce) for each reduction. If the rows are
    /// filtered first, the method also has the waits of
    /// [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask). The choice that the [module](self)
    /// describes adds at most 1 wait. See the table of costs, `docs/guide/costs.md`.
    ///
    /// # Errors
    /// * The errors of [`project`](Self::project) and [`reduce`](crate::reduction::reduce). The error names the
    ///   reduction.
    #[doc(alias("sum", "min", "max", "mean", "count", "agg", "aggregate"))]
    pub fn reduce(&self, reductions: &[Reduction]) -> Result<Table> {
        self.scope("pipeline.reduce")?.run(|ctx| self.0.reduce(reductions, ctx))
    }

    /// Groups the rows that pass by the values of expressions. [`GroupedPipeline::agg`] aggregates the groups.
    ///
    /// The call only stores its arguments. In libcudf `groupby`, in SQL `GROUP BY`, in polars `group_by`.
    #[doc(alias("groupby", "group by"))]
    pub fn group_by(self, keys: impl IntoIterator<Item = Expr>, null_policy: NullPolicy) -> GroupedPipeline<'a> {
        GroupedPipeline { pipeline: self, keys: keys.into_iter().collect(), null_policy }
    }

    /// Sorts the rows that pass by the values of expressions. The methods of [`SortedPipeline`] return the rows.
    ///
    /// The call only stores its arguments. In libcudf `sort_by_key`, in SQL `ORDER BY`, in polars `sort_by`.
    #[doc(alias("order by", "orderby", "sort_by_key", "top_k"))]
    pub fn sort_by(self, keys: impl IntoIterator<Item = SortKey>) -> SortedPipeline<'a> {
        SortedPipeline { pipeline: self, keys: keys.into_iter().collect(), limit: None }
    }

    /// Looks up the values of expressions in the hash table of a join, for the rows that pass. The methods of
    /// [`ProbingPipeline`] return the rows with, or without, a match.
    ///
    /// The call only stores its arguments. In libcudf the methods of `hash_join`, in SQL `JOIN` and `EXISTS`.
    #[doc(alias("join", "merge", "lookup", "exists"))]
    pub fn probe<'j>(self, join: &'j HashJoin<'j>, keys: impl IntoIterator<Item = Expr>) -> ProbingPipeline<'a, 'j> {
        ProbingPipeline { pipeline: self, join, keys: keys.into_iter().collect() }
    }
}
