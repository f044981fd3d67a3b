//! The sort sink of a pipeline.

use gdf_core::{Column, Result, Table};
use gdf_detail::pipeline::SortKey;
use gdf_expr::Expr;

use super::Pipeline;

/// The rows of a [`Pipeline`], sorted by the values of expressions.
#[derive(Clone, Debug)]
pub struct SortedPipeline<'a> {
    pub(super) pipeline: Pipeline<'a>,
    pub(super) keys: Vec<SortKey>,
    pub(super) limit: Option<usize>,
}

impl SortedPipeline<'_> {
    /// Keeps only the first rows in sorted order. In SQL `LIMIT`, in polars `head` and `top_k_by`.
    #[must_use]
    #[doc(alias("head", "top_k", "nlargest", "nsmallest"))]
    pub fn limit(self, rows: usize) -> Self {
        Self { limit: Some(rows), ..self }
    }

    /// Computes expressions for the rows that pass, in sorted order: a column for each expression.
    ///
    /// Shapes: the result has a row for each row that passes, at most [`limit`](Self::limit). Types, nulls and NaN of
    /// keys: as for the module [`sorting`](crate::sorting), up to 64 keys. Types of outputs: as for
    /// [`compute_column`](crate::transform::compute_column) and [`gather`](crate::copying::gather). Order: the order of
    /// the keys; rows with equal keys keep their order.
    ///
    /// In libcudf `stable_sort_by_key`, in SQL `ORDER BY … LIMIT`, in polars `sort_by` and `head`.
    ///
    /// ```
    /// use gdf::expr::col;
    /// use gdf::pipeline::{Pipeline, SortKey};
    /// use gdf::{Column, Table};
    ///
    /// let table = Table::try_new(vec![Column::from_slice(&[3, 9, 4])?, Column::from_strs(["c", "a", "b"])?])?;
    /// let best = Pipeline::new(&table).sort_by([SortKey::descending(col(0) % 5)]).limit(2).project(&[col(1)])?;
    /// assert_eq!(best.column(0)?.to_strings()?, [Some("a".to_owned()), Some("b".to_owned())]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Costs
    /// The method has the waits of [`row_numbers`](Self::row_numbers), and the waits of
    /// [`gather`](crate::copying::gather) without bounds check for the columns that the expressions name. See the table
    /// of costs, `docs/guide/costs.md`.
    ///
    /// # Errors
    /// * The errors of [`Pipeline::project`], [`sorted_order`](crate::sorting::sorted_order) and
    ///   [`gather`](crate::copying::gather).
    pub fn project(&self, outputs: &[Expr]) -> Result<Table> {
        let Pipeline(pipeline) = &self.pipeline;
        self.pipeline.scope("pipeline.sort_by")?.run(|ctx| pipeline.sorted(&self.keys, self.limit, outputs, ctx))
    }

    /// Returns the numbers of the rows that pass, in sorted order, as a column for [`gather`](crate::copying::gather).
    ///
    /// The numbers are `UInt32`, or `UInt64` for tables of 2³²−1 rows and more. Types, nulls, NaN and order: as for
    /// [`project`](Self::project). In NumPy `argsort`, in polars `arg_sort`.
    ///
    /// # Costs
    /// The method has the waits of [`sorted_order`](crate::sorting::sorted_order). For one key and a small
    /// [`limit`](Self::limit), it has the waits of [`top_k_order`](crate::sorting::top_k_order) instead. A condition
    /// adds the waits of [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask) for the keys, and at most
    /// 1 wait for the choice that the [module](super) describes. See the table of costs, `docs/guide/costs.md`.
    ///
    /// # Errors
    /// * The errors of [`Pipeline::project`] and [`sorted_order`](crate::sorting::sorted_order).
    #[doc(alias("argsort", "arg_sort", "sorted_order"))]
    pub fn row_numbers(&self) -> Result<Column> {
        let Pipeline(pipeline) = &self.pipeline;
        self.pipeline.scope("pipeline.sort_by")?.run(|ctx| pipeline.sorted_row_numbers(&self.keys, self.limit, ctx))
    }
}
