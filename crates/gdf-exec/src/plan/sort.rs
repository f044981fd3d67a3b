//! Runs sorts.

use gdf_api::copying::OutOfBoundsPolicy;
use gdf_api::pipeline::SortKey;
use gdf_api::sorting::{NullOrder, Order};
use gdf_core::Table;
use gdf_expr::Expr;

use super::deferred::Deferred;
use super::rows::Ready;
use super::stream::tables_of;
use super::tables::whole;
use super::{Rows, Run};
use crate::error::Result;

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

impl Key {
    pub(super) fn order(&self) -> Order {
        if self.descending { Order::Descending } else { Order::Ascending }
    }

    /// Returns the place of nulls in an ascending sort. A descending sort reverses the place of nulls, too.
    pub(super) fn null_order(&self) -> NullOrder {
        if self.nulls_first == self.descending { NullOrder::After } else { NullOrder::Before }
    }
}

/// A sort of rows by keys. Only the first `fetch` rows are returned.
#[derive(Clone, Debug)]
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
        if self.fetch.is_some() && run.streams(&self.rows.input) {
            return self.first(Ready::of_table(self.first_of_pieces(run)?), self.width);
        }
        self.first(self.rows.ready(run)?, self.width)
    }

    /// Returns the outputs of the first rows of each piece.
    fn first_of_pieces(&self, run: &Run<'_>) -> Result<Table> {
        let mut firsts = Vec::new();
        run.stream_of(&self.rows, &mut |stream| {
            let first = stream.map(|rows| {
                let width = rows.outputs.len();
                self.first(rows, width)
            });
            tables_of(first, run, &mut firsts)
        })?;
        whole(firsts)
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
        let keys = self.keys.iter().zip(values);
        let keys = keys.map(|(key, values)| SortKey { values, order: key.order(), null_order: key.null_order() });
        keys.collect()
    }
}
