//! The probe sinks: rows with or without a match in the hash table of a join.
//!
//! A probe takes two steps. The first step probes the hash table and returns row numbers. The second step computes
//! expressions for the rows with these numbers.

use gdf_core::{Column, Error, Result, Table, TableView};
use gdf_engine::check;
use gdf_expr::Expr;
use gdf_relational::join::{FilterKind, JoinKind, JoinTable};

use super::Pipeline;
use super::plan::Form;
use super::rows::{Bound, Numbers, Side, bind_outputs, of_sides};
use crate::Ctx;
use crate::vouch::gather_column;

/// The keys with which a pipeline probes the hash table of a join.
struct ProbeKeys {
    keys: Table,
    /// A mask of the rows that pass, if the keys have all rows of the table. `None` if all rows of the keys pass.
    mask: Option<Column>,
    /// For each row of the keys, the number of its row in the table of the pipeline. `None` if the keys have all rows
    /// of the table.
    numbers: Option<Column>,
}

impl ProbeKeys {
    /// Converts row numbers of the keys to row numbers of the table. `rows` are the results of a probe with the keys.
    fn row_numbers(&self, rows: Column, ctx: Ctx<'_>) -> Result<Column> {
        match &self.numbers {
            None => Ok(rows),
            Some(numbers) => gather_column(numbers.view(), rows.view(), ctx),
        }
    }
}

impl Pipeline<'_> {
    /// Computes the keys of a probe in scratch memory.
    fn probe_keys(&self, keys: &[Expr], ctx: Ctx<'_>) -> Result<ProbeKeys> {
        let mut bound = Bound::new(self, ctx)?;
        let values = bound.bind(keys, "keys", ctx)?;
        // On the CPU, a probe takes no mask.
        let form = if ctx.stream.device().is_cpu() { Form::Passing } else { Form::Either };
        let rows = bound.rows(&values, form, Numbers::Used, ctx.scratch())?;
        let keys = Table::try_with_rows(rows.columns, rows.count)?;
        Ok(ProbeKeys { keys, mask: rows.mask, numbers: rows.numbers })
    }

    /// Implements `gdf_api::pipeline::ProbingPipeline::semi_rows` and `anti_rows`.
    ///
    /// # Errors
    /// The errors of those methods.
    pub fn filter_join(&self, kind: FilterKind, join: &JoinTable<'_>, keys: &[Expr], ctx: Ctx<'_>) -> Result<Column> {
        let keys = self.probe_keys(keys, ctx)?;
        let of_keys = if keys.numbers.is_some() { ctx.scratch() } else { ctx };
        keys.row_numbers(join.filter_where(kind, &keys.keys, keys.mask.as_ref(), of_keys)?, ctx)
    }

    /// Implements `gdf_api::pipeline::ProbingPipeline::inner_rows`.
    ///
    /// # Errors
    /// The errors of that method.
    pub fn inner_join(&self, join: &JoinTable<'_>, keys: &[Expr], ctx: Ctx<'_>) -> Result<(Column, Column)> {
        let keys = self.probe_keys(keys, ctx)?;
        let (left, right) = join.join_where(JoinKind::Inner, &keys.keys, keys.mask.as_ref(), ctx)?;
        Ok((keys.row_numbers(left, ctx)?, right))
    }

    /// Binds the outputs of a join without computing anything, so that errors come before any work. The columns of
    /// `payload` follow the columns of the table.
    ///
    /// # Errors
    /// * [`LengthMismatch`](Error::LengthMismatch) if the number of rows of `payload` is not `rows`, the number of rows
    ///   of the keys of the join.
    /// * The errors of [`Graph::bind`](gdf_expr::Graph::bind).
    pub fn check_join_outputs(&self, payload: &TableView<'_>, rows: usize, outputs: &[Expr]) -> Result<()> {
        check::length(rows, payload.num_rows()).map_err(|error| error.in_argument("payload"))?;
        bind_outputs(&mut self.graph_of([&self.table, payload].into_iter()), outputs).map(|_| ())
    }

    /// Binds outputs over the columns of the table without computing anything.
    ///
    /// # Errors
    /// * The errors of [`Graph::bind`](gdf_expr::Graph::bind).
    pub fn check_outputs(&self, outputs: &[Expr]) -> Result<()> {
        bind_outputs(&mut self.graph_of([&self.table].into_iter()), outputs).map(|_| ())
    }

    /// Computes expressions for the rows that a probe returned.
    ///
    /// # Errors
    /// * The errors of [`Graph::bind`](gdf_expr::Graph::bind), and of the operations.
    pub fn project_probed(&self, rows: &Column, outputs: &[Expr], ctx: Ctx<'_>) -> Result<Table> {
        self.project_rows(rows, outputs, ctx)
    }

    /// Computes expressions for the pairs of rows that a probe returned. The columns of `payload` follow the columns of
    /// the table.
    ///
    /// # Errors
    /// * The errors of [`Graph::bind`](gdf_expr::Graph::bind), and of the operations.
    pub fn project_joined(
        &self,
        rows: &Column,
        payload: &TableView<'_>,
        payload_rows: &Column,
        outputs: &[Expr],
        ctx: Ctx<'_>,
    ) -> Result<Table> {
        if rows.len() != payload_rows.len() {
            return Err(Error::length_mismatch(rows.len(), payload_rows.len()));
        }
        let sides = [Side { table: &self.table, rows }, Side { table: payload, rows: payload_rows }];
        let graph = self.graph_of([&self.table, payload].into_iter());
        Table::try_with_rows(of_sides(graph, &sides, outputs, rows.len(), ctx)?, rows.len())
    }
}
