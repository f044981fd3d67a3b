//! Runs sorts.

use gdf_api::pipeline::SortKey;
use gdf_api::sorting::{NullOrder, Order};
use gdf_core::Table;

use super::{Rows, Run};
use crate::error::Result;

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
        let (table, mut outputs) = self.rows.ready(run)?;
        let keys = self.keys.iter().map(|key| {
            let order = if key.descending { Order::Descending } else { Order::Ascending };
            // gdf orders nulls and values for an ascending sort, and then reverses both.
            let nulls = if key.nulls_first == key.descending { NullOrder::After } else { NullOrder::Before };
            SortKey { values: outputs[key.output].clone(), order, null_order: nulls }
        });
        let keys: Vec<SortKey> = keys.collect();
        outputs.truncate(self.width);
        let sorted = self.rows.pipeline(&table, run)?.sort_by(keys);
        let sorted = match self.fetch {
            Some(fetch) => sorted.limit(fetch),
            None => sorted,
        };
        Ok(sorted.project(&outputs)?)
    }
}
