//! The probe sinks of a pipeline.

use gdf_core::{Column, Result, Table, TableView};
use gdf_detail::join::FilterKind;
use gdf_expr::Expr;

use super::Pipeline;
use crate::join::HashJoin;
use crate::scope::Scope;

/// The rows of a [`Pipeline`], with key expressions. The values of these expressions are looked up in the hash table of
/// a join.
///
/// The keys have the number and the types of the keys of the join. Nulls, NaN and costs of a probe: as for the methods
/// of [`HashJoin`]. A condition adds the waits of [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask)
/// for the keys, and at most 1 wait for the choice that the [module](super) describes.
///
/// ```
/// use gdf::expr::col;
/// use gdf::join::{HashJoin, NullEquality};
/// use gdf::pipeline::Pipeline;
/// use gdf::{Column, Table};
///
/// let parts = Table::try_new(vec![Column::from_slice(&[1, 2, 3])?, Column::from_slice(&[0.5, 1.5, 2.5])?])?;
/// let by_number = parts.select(&[0])?;
/// let join = HashJoin::try_new(&by_number, NullEquality::Unequal)?;
///
/// let sales = Table::try_new(vec![Column::from_slice(&[3, 8, 1, 2])?, Column::from_slice(&[10, 10, 4, 0])?])?;
/// let probe = Pipeline::new(&sales).filter(col(1).gt(0)).probe(&join, [col(0)]);
/// assert_eq!(probe.semi_rows()?.to_vec::<u32>()?, [Some(0), Some(2)]);
/// assert_eq!(probe.anti(&[col(0)])?.column(0)?.to_vec::<i32>()?, [Some(8)]);
/// // The columns of `parts` follow the two columns of `sales`.
/// let costs = probe.join(&parts, &[col(0), col(1) * col(3)])?;
/// assert_eq!(costs.column(1)?.to_vec::<f64>()?, [Some(25.0), Some(2.0)]);
/// # Ok::<(), gdf::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ProbingPipeline<'a, 'j> {
    pub(super) pipeline: Pipeline<'a>,
    pub(super) join: &'j HashJoin<'j>,
    pub(super) keys: Vec<Expr>,
}

impl ProbingPipeline<'_, '_> {
    fn scope(&self) -> Result<Scope> {
        Scope::for_inputs("pipeline.probe", &[self.pipeline.table(), self.join.keys()])
    }

    fn filtered_rows(&self, kind: FilterKind) -> Result<Column> {
        self.scope()?.run(|ctx| self.pipeline.0.filter_join(kind, &self.join.0, &self.keys, ctx))
    }

    fn filtered(&self, kind: FilterKind, outputs: &[Expr]) -> Result<Table> {
        let Pipeline(pipeline) = &self.pipeline;
        self.scope()?.run(|ctx| {
            pipeline.check_outputs(outputs)?;
            let rows = pipeline.filter_join(kind, &self.join.0, &self.keys, ctx.scratch())?;
            pipeline.project_probed(&rows, outputs, ctx)
        })
    }

    /// Returns the numbers of the rows that pass and have a match, in ascending order.
    ///
    /// The matches are those of [`HashJoin::semi_join`], but the numbers are row numbers of the table of the pipeline.
    /// In libcudf `left_semi_join`, in SQL `WHERE EXISTS`.
    ///
    /// # Errors
    /// * The errors of [`Pipeline::project`] and [`HashJoin::semi_join`].
    #[doc(alias("left_semi_join", "exists", "isin"))]
    pub fn semi_rows(&self) -> Result<Column> {
        self.filtered_rows(FilterKind::Semi)
    }

    /// Returns the numbers of the rows that pass and have no match, in ascending order.
    ///
    /// The rows are those of [`HashJoin::anti_join`], but the numbers are row numbers of the table of the pipeline. In
    /// libcudf `left_anti_join`, in SQL `WHERE NOT EXISTS`.
    ///
    /// # Errors
    /// * The errors of [`Pipeline::project`] and [`HashJoin::anti_join`].
    #[doc(alias("left_anti_join", "not exists"))]
    pub fn anti_rows(&self) -> Result<Column> {
        self.filtered_rows(FilterKind::Anti)
    }

    /// Computes expressions for the rows that pass and have a match, in the order of the table.
    ///
    /// Types of outputs: as for [`compute_column`](crate::transform::compute_column) and
    /// [`gather`](crate::copying::gather). In polars `join(how="semi")`.
    ///
    /// # Errors
    /// * The errors of [`semi_rows`](Self::semi_rows) and [`gather`](crate::copying::gather).
    #[doc(alias("left_semi_join", "exists", "isin"))]
    pub fn semi(&self, outputs: &[Expr]) -> Result<Table> {
        self.filtered(FilterKind::Semi, outputs)
    }

    /// Computes expressions for the rows that pass and have no match, in the order of the table.
    ///
    /// The rules for types are those of [`semi`](Self::semi). In polars `join(how="anti")`.
    ///
    /// # Errors
    /// * The errors of [`anti_rows`](Self::anti_rows) and [`gather`](crate::copying::gather).
    #[doc(alias("left_anti_join", "not exists"))]
    pub fn anti(&self, outputs: &[Expr]) -> Result<Table> {
        self.filtered(FilterKind::Anti, outputs)
    }

    /// Returns the pairs of a row that passes and a row of the join with equal keys: a column of row numbers of the
    /// table, and a column of row numbers of the keys of the join.
    ///
    /// Order: as for [`inner_join`](crate::join::inner_join). In libcudf `hash_join::inner_join`, in SQL `INNER JOIN`.
    ///
    /// # Errors
    /// * The errors of [`Pipeline::project`] and [`HashJoin::inner_join`].
    #[doc(alias("inner_join", "equijoin"))]
    pub fn inner_rows(&self) -> Result<(Column, Column)> {
        self.scope()?.run(|ctx| self.pipeline.0.inner_join(&self.join.0, &self.keys, ctx))
    }

    /// Computes expressions for the pairs of [`inner_rows`](Self::inner_rows). Column `n + i` of the expressions is
    /// column `i` of `payload`, if the table of the pipeline has `n` columns.
    ///
    /// Only the columns that the expressions name are gathered. Shapes: `payload` has a row for each row of the keys of
    /// the join. Types of outputs and order: as for [`semi`](Self::semi) and [`inner_rows`](Self::inner_rows). In SQL
    /// `SELECT … FROM a JOIN b`, in polars `join` and `select`.
    ///
    /// # Errors
    /// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): `payload` and the keys of the join have different numbers
    ///   of rows.
    /// * The errors of [`inner_rows`](Self::inner_rows) and [`gather`](crate::copying::gather).
    #[doc(alias("inner_join", "merge", "equijoin"))]
    pub fn join<'p>(&self, payload: impl Into<TableView<'p>>, outputs: &[Expr]) -> Result<Table> {
        let payload = payload.into();
        let scope = Scope::for_inputs("pipeline.probe", &[self.pipeline.table(), self.join.keys(), &payload])?;
        let Pipeline(pipeline) = &self.pipeline;
        scope.run(|ctx| {
            pipeline.check_join_outputs(&payload, self.join.keys().num_rows(), outputs)?;
            let (left, right) = pipeline.inner_join(&self.join.0, &self.keys, ctx.scratch())?;
            pipeline.project_joined(&left, &payload, &right, outputs, ctx)
        })
    }
}
