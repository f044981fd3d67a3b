//! Runs sorts.

use std::ops::ControlFlow;

use gdf_api::pipeline::{Pipeline, SortKey};
use gdf_api::sorting::{NullOrder, Order};
use gdf_core::Table;
use gdf_expr::{Expr, col};

use super::tables::whole;
use super::{Rows, Run};
use crate::error::{IslandError, Result};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    /// The position of the key among the outputs of the rows.
    pub(crate) output: usize,
    pub(crate) descending: bool,
    pub(crate) nulls_first: bool,
}

/// A sort of rows by keys. Only the first `fetch` rows are returned.
#[derive(Debug)]
pub(crate) struct Sort {
    /// The columns of the result, followed by keys.
    pub(crate) rows: Rows,
    pub(crate) width: usize,
    pub(crate) keys: Vec<Key>,
    pub(crate) fetch: Option<usize>,
}

impl Sort {
    pub(super) fn run(&self, run: &Run<'_>) -> Result<Table> {
        if let Some(rows) = run.batch_rows() {
            return self.run_batches(run, rows);
        }
        let (table, mut outputs) = self.rows.ready(run)?;
        let keys = self.keys(&outputs);
        outputs.truncate(self.width);
        self.sorted(self.rows.pipeline(&table, run)?, keys, &outputs)
    }

    /// Sorts the outputs of all batches. With a limit, only the first rows are kept.
    fn run_batches(&self, run: &Run<'_>, rows: usize) -> Result<Table> {
        let outputs: Vec<Expr> = (0..self.rows.outputs.len()).map(col).collect();
        let first = |table: &Table, columns: &[Expr]| self.sorted(Pipeline::new(table), self.keys(&outputs), columns);
        if self.fetch.is_none() {
            return first(&run.collected_outputs(&self.rows, rows)?, &outputs[..self.width]);
        }
        let mut kept: Option<Table> = None;
        let _ended = run.each_batch(&self.rows.input, rows, &mut |batch| {
            let batch = self.rows.of(&batch, run)?;
            let all = whole(kept.take().into_iter().chain([batch]).collect())?;
            kept = Some(first(&all, &outputs)?);
            Ok(ControlFlow::Continue(()))
        })?;
        let kept = kept.ok_or_else(|| IslandError::internal("a sort has read no batch"))?;
        let rows = kept.num_rows();
        let mut columns = kept.into_columns();
        columns.truncate(self.width);
        Ok(Table::try_with_rows(columns, rows)?)
    }

    fn keys(&self, outputs: &[Expr]) -> Vec<SortKey> {
        let keys = self.keys.iter().map(|key| {
            let order = if key.descending { Order::Descending } else { Order::Ascending };
            // gdf orders nulls and values for an ascending sort, and then reverses both.
            let nulls = if key.nulls_first == key.descending { NullOrder::After } else { NullOrder::Before };
            SortKey { values: outputs[key.output].clone(), order, null_order: nulls }
        });
        keys.collect()
    }

    fn sorted(&self, rows: Pipeline<'_>, keys: Vec<SortKey>, outputs: &[Expr]) -> Result<Table> {
        let sorted = rows.sort_by(keys);
        let sorted = match self.fetch {
            Some(fetch) => sorted.limit(fetch),
            None => sorted,
        };
        Ok(sorted.project(outputs)?)
    }
}
