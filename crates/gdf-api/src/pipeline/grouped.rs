//! The group-by sink of a pipeline.

use gdf_core::{Result, Table};
use gdf_detail::pipeline::GroupRequest;
use gdf_expr::Expr;

use super::Pipeline;
use crate::groupby::NullPolicy;

/// The rows of a [`Pipeline`], grouped by the values of expressions.
#[derive(Clone, Debug)]
pub struct GroupedPipeline<'a> {
    pub(super) pipeline: Pipeline<'a>,
    pub(super) keys: Vec<Expr>,
    pub(super) null_policy: NullPolicy,
}

impl GroupedPipeline<'_> {
    /// Aggregates the groups: returns a row for each group with the key columns, followed by the results in the order
    /// of the requests.
    ///
    /// Shapes: 1 to 32 keys. Types, nulls and NaN: as for [`GroupBy::aggregate`](crate::groupby::GroupBy::aggregate)
    /// with the values of the expressions. Groups without a row that passes do not occur. `ArgMin` and `ArgMax` return
    /// row numbers of the table, and allow at most 31 keys. Order: as for
    /// [`GroupBy::aggregate`](crate::groupby::GroupBy::aggregate).
    ///
    /// In libcudf `groupby::aggregate`, in SQL `SELECT … WHERE … GROUP BY`, in polars `filter` and
    /// `group_by().agg()`.
    ///
    /// ```
    /// use gdf::expr::col;
    /// use gdf::groupby::{GroupByAggregation, NullPolicy};
    /// use gdf::pipeline::{GroupRequest, Pipeline};
    /// use gdf::{Column, Table};
    ///
    /// let table = Table::try_new(vec![Column::from_strs(["a", "b", "a"])?, Column::from_slice(&[1, 2, 3])?])?;
    /// let groups = Pipeline::new(&table)
    ///     .filter(col(1).ne(2))
    ///     .group_by([col(0)], NullPolicy::Exclude)
    ///     .agg(&[GroupRequest::new(col(1) * 10, [GroupByAggregation::Sum])])?;
    /// assert_eq!(groups.column(0)?.to_strings()?, [Some("a".to_owned())]);
    /// assert_eq!(groups.column(1)?.get(0)?, Some(40_i64));
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Costs
    /// The method has the waits of [`GroupBy::agg`](crate::groupby::GroupBy::agg) or
    /// [`GroupBy::agg_where`](crate::groupby::GroupBy::agg_where). If the rows are filtered first, the method also has
    /// the waits of [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask). The choice that the
    /// [module](super) describes adds at most 1 wait. See the table of costs, `docs/guide/costs.md`.
    ///
    /// # Errors
    /// * The errors of [`Pipeline::project`] and [`GroupBy::aggregate`](crate::groupby::GroupBy::aggregate).
    #[doc(alias("aggregate", "sum", "mean", "count distinct"))]
    pub fn agg(&self, requests: &[GroupRequest]) -> Result<Table> {
        let Pipeline(pipeline) = &self.pipeline;
        self.pipeline
            .scope("pipeline.group_by")?
            .run(|ctx| pipeline.aggregate(&self.keys, self.null_policy, requests, ctx))
    }
}
