//! Groups whose states can be merged; part of [`groupby`](crate::groupby).

use gdf_core::{Column, ColumnView, Result, Table};
use gdf_detail::groupby::{self as detail, Partial};

#[cfg(doc)]
use super::GroupBy;
use super::PartialRequest;
use crate::scope::{Input, Scope};

/// The groups of a batch of rows, with states that can be merged with the states of other batches; see
/// [`GroupBy::aggregate_partial`].
#[derive(Clone, Debug)]
pub struct PartialGroups {
    keys: Table,
    requests: Vec<PartialRequest>,
    states: Vec<Column>,
    rows: usize,
}

impl PartialGroups {
    /// Creates the groups from the parts that [`into_parts`](Self::into_parts) returned, in this process or in
    /// another. `rows` is the number of rows of the batch, see [`num_rows`](Self::num_rows).
    ///
    /// # Errors
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) when the state columns do not match the requests.
    /// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`Unsupported`](gdf_core::Error::Unsupported).
    pub fn try_new(keys: Table, requests: Vec<PartialRequest>, states: Vec<Column>, rows: usize) -> Result<Self> {
        Partial::try_new(&keys, &requests, &states, rows)?;
        Ok(Self { keys, requests, states, rows })
    }

    /// Returns the distinct keys.
    pub fn keys(&self) -> &Table {
        &self.keys
    }

    /// Returns the requests.
    pub fn requests(&self) -> &[PartialRequest] {
        &self.requests
    }

    /// Returns the state columns of all requests, in the order of the requests: see [`PartialRequest::state_types`].
    pub fn states(&self) -> &[Column] {
        &self.states
    }

    /// Returns the number of rows of the batch or of the merged batches, including rows that belong to no group. If
    /// batches are merged, the row numbers of a batch follow those of the batches before it.
    pub fn num_rows(&self) -> usize {
        self.rows
    }

    /// Returns the keys, the requests, the state columns and the number of rows. The columns can be sent to another
    /// device or process.
    pub fn into_parts(self) -> (Table, Vec<PartialRequest>, Vec<Column>, usize) {
        (self.keys, self.requests, self.states, self.rows)
    }

    /// Merges the states of several batches. The result equals the states of one table with the rows of all batches,
    /// except that sums of floats may differ by rounding. The order of the batches is the order of their rows, on which
    /// the results of `ArgMin`, `ArgMax`, `TopK`, `NthElement` and the lists depend.
    ///
    /// Shapes: batches may have any number of groups, including none. Types: all batches have keys of the same types
    /// and the same requests. Nulls and NaN: as for [`GroupBy::aggregate`]. Order and waits: as for
    /// [`concatenate`](crate::concatenate::concatenate) and then [`GroupBy::aggregate`]. In libcudf
    /// `groupby::aggregate` with `MERGE_M2` and sums.
    ///
    /// # Errors
    /// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) without batches, when the batches have different
    ///   requests, or when they have 2⁶⁴ rows or more together.
    /// * The errors of [`concatenate`](crate::concatenate::concatenate) and [`GroupBy::aggregate`].
    #[doc(alias("merge_batch", "combine"))]
    pub fn merge(batches: &[&Self]) -> Result<Self> {
        let columns: Vec<_> = batches.iter().flat_map(|batch| batch.columns()).collect();
        let inputs: Vec<&dyn Input> = columns.iter().map(|column| column as &dyn Input).collect();
        Scope::for_inputs("groupby.merge", &inputs)?.run(|ctx| {
            let partials = batches.iter().map(|batch| batch.partial()).collect::<Result<Vec<_>>>()?;
            let (keys, states, rows) = detail::merge(&partials, ctx)?;
            let requests = batches.first().map(|batch| batch.requests.clone()).unwrap_or_default();
            Self::try_new(keys, requests, states, rows)
        })
    }

    /// Returns the keys and the results, which are the results of [`GroupBy::aggregate`] for all merged rows.
    ///
    /// Shapes: one row for each group. Types, nulls, NaN, order and waits: as for [`GroupBy::aggregate`].
    ///
    /// # Errors
    /// * The errors of [`GroupBy::aggregate`].
    #[doc(alias("evaluate", "finish"))]
    pub fn finalize(&self) -> Result<(Table, Vec<Vec<Column>>)> {
        let columns: Vec<_> = self.columns().collect();
        let inputs: Vec<&dyn Input> = columns.iter().map(|column| column as &dyn Input).collect();
        Scope::for_inputs("groupby.finalize", &inputs)?.run(|ctx| detail::finalize(self.partial()?, ctx))
    }

    /// Returns the number of groups.
    pub fn distinct_keys(&self) -> usize {
        self.keys.num_rows()
    }

    fn columns(&self) -> impl Iterator<Item = ColumnView<'_>> {
        self.keys.columns().iter().chain(&self.states).map(Column::view)
    }

    fn partial(&self) -> Result<Partial<'_>> {
        Partial::try_new(&self.keys, &self.requests, &self.states, self.rows)
    }
}
