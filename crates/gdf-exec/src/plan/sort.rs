//! Runs sorts.

use std::ops::ControlFlow;

use gdf_api::copying::OutOfBoundsPolicy;
use gdf_api::pipeline::SortKey;
use gdf_api::sorting::{NullOrder, Order};
use gdf_core::Table;
use gdf_expr::Expr;

use super::deferred::Deferred;
use super::rows::Ready;
use super::tables::whole;
use super::{Rows, Run};
use crate::error::{Error, Result};

/// A key of a sort.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The position of the key among the outputs of the rows.
    pub output: usize,
    /// Whether the largest values come first.
    pub descending: bool,
    /// Whether nulls come first.
    pub nulls_first: bool,
}

/// A sort of rows by keys. Only the first `fetch` rows are returned.
#[derive(Debug)]
pub struct Sort {
    /// The columns of the result, followed by keys.
    pub rows: Rows,
    /// The number of columns of the result.
    pub width: usize,
    /// The keys, the most important first.
    pub keys: Vec<Key>,
    /// The largest number of rows of the result, or `None` for all rows.
    pub fetch: Option<usize>,
}

impl Sort {
    pub(super) fn run(&self, run: &Run<'_>) -> Result<Deferred> {
        match run.batch_rows() {
            Some(rows) => Ok(self.run_batches(run, rows)?.into()),
            None => self.first(self.rows.ready(run)?, self.width),
        }
    }

    /// Sorts the outputs of all batches. With a limit, only the first rows are kept.
    fn run_batches(&self, run: &Run<'_>, rows: usize) -> Result<Table> {
        if self.fetch.is_none() {
            let all = run.collected_outputs(&self.rows, rows)?;
            return self.first(Ready::of_table(all), self.width)?.into_table();
        }
        let mut kept: Option<Table> = None;
        let _ended = run.each_batch(&self.rows.input, rows, &mut |batch| {
            let batch = self.rows.of_table(batch, run)?;
            let all = whole(kept.take().into_iter().chain([batch]).collect())?;
            kept = Some(self.first(Ready::of_table(all), self.rows.outputs.len())?.into_table()?);
            Ok(ControlFlow::Continue(()))
        })?;
        let kept = kept.ok_or_else(|| Error::internal("a sort has read no batch"))?;
        let rows = kept.num_rows();
        let mut columns = kept.into_columns();
        columns.truncate(self.width);
        Ok(Table::try_with_rows(columns, rows)?)
    }

    /// Returns the first `width` outputs of the sorted rows.
    fn first(&self, mut rows: Ready, width: usize) -> Result<Deferred> {
        let keys = self.keys.iter().map(|key| rows.outputs[key.output].clone()).collect::<Vec<_>>();
        let narrow = rows.input.narrow(rows.conditions.iter().chain(&keys))?;
        let keys = self.sort_keys(narrow.expressions(&keys)?);
        let sorted = narrow.pipeline(&rows.conditions)?.sort_by(keys);
        let sorted = match self.fetch {
            Some(fetch) => sorted.limit(fetch),
            None => sorted,
        };
        let numbers = sorted.row_numbers()?;
        rows.taken(&numbers, OutOfBoundsPolicy::Error, &(0..width).collect::<Vec<_>>())
    }

    fn sort_keys(&self, values: Vec<Expr>) -> Vec<SortKey> {
        let keys = self.keys.iter().zip(values).map(|(key, values)| {
            let order = if key.descending { Order::Descending } else { Order::Ascending };
            // `null_order` is the place of nulls in an ascending sort. A descending sort reverses the place of nulls,
            // too.
            let nulls = if key.nulls_first == key.descending { NullOrder::After } else { NullOrder::Before };
            SortKey { values, order, null_order: nulls }
        });
        keys.collect()
    }
}
