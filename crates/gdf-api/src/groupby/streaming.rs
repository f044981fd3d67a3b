//! Group-by over batches that arrive one after the other; part of [`groupby`](crate::groupby).

use gdf_core::{Column, Error, Result, Table, TableView};

use super::{AggregationRequest, GroupBy, NullPolicy, PartialGroups};

/// A group-by whose batches arrive one after the other. The state has a row for each distinct key, so that memory does
/// not grow with the number of batches, except for aggregations whose states are lists of values.
///
/// In libcudf `streaming_groupby`, in DuckDB and Spark the hash aggregation of a pipeline.
///
/// ```
/// use gdf::groupby::{AggregationRequest, GroupByAggregation, NullPolicy, StreamingGroupBy};
/// use gdf::{Column, Table};
///
/// let mut groups = StreamingGroupBy::new(NullPolicy::Exclude).with_max_distinct_keys(1000);
/// for (keys, values) in [([7, 7], [1, 2]), ([8, 7], [3, 4])] {
///     let (keys, values) = (Table::try_new(vec![Column::from_slice(&keys)?])?, Column::from_slice(&values)?);
///     groups.add(&keys, &[AggregationRequest::new(&values, [GroupByAggregation::Sum])])?;
/// }
/// assert_eq!(groups.distinct_keys(), 2);
/// let (keys, results) = groups.finalize()?;
/// assert_eq!(keys.num_rows(), 2);
/// assert_eq!(results[0][0].to_vec::<i64>()?.into_iter().flatten().sum::<i64>(), 10);
/// # Ok::<(), gdf::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct StreamingGroupBy {
    null_policy: NullPolicy,
    max_distinct_keys: usize,
    state: Option<PartialGroups>,
}

impl StreamingGroupBy {
    /// Creates a group-by without groups. [`NullPolicy::Exclude`] leaves out rows with a null key.
    pub fn new(null_policy: NullPolicy) -> Self {
        Self { null_policy, max_distinct_keys: usize::MAX, state: None }
    }

    /// Returns the group-by with a bound of the number of groups.
    pub fn with_max_distinct_keys(self, max_distinct_keys: usize) -> Self {
        Self { max_distinct_keys, ..self }
    }

    /// Adds a batch of rows. After an error, the state is the state before the call.
    ///
    /// Shapes, types, nulls, NaN and waits: as for [`GroupBy::aggregate_partial`] and [`PartialGroups::merge`]. Every
    /// batch has keys of the same types, and requests with the same types and aggregations.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument) if there would be more groups than the bound.
    /// * The errors of [`GroupBy::aggregate_partial`] and [`PartialGroups::merge`].
    #[doc(alias("update", "aggregate"))]
    pub fn add<'a>(&mut self, keys: impl Into<TableView<'a>>, requests: &[AggregationRequest<'a>]) -> Result<()> {
        let batch = GroupBy::new(keys, self.null_policy).aggregate_partial(requests)?;
        self.merge(&batch)
    }

    /// Adds the groups of other batches, which may come from another device or process. After an error, the state is
    /// the state before the call.
    ///
    /// # Errors
    /// * The errors of [`add`](Self::add).
    pub fn merge(&mut self, groups: &PartialGroups) -> Result<()> {
        let merged = match &self.state {
            Some(state) => PartialGroups::merge(&[state, groups])?,
            None => groups.clone(),
        };
        if merged.distinct_keys() > self.max_distinct_keys {
            let (found, most) = (merged.distinct_keys() as i128, self.max_distinct_keys as i128);
            let error = Error::beyond_limit("the number of distinct keys", found, most);
            return Err(error.with_remedy("allow more by `with_max_distinct_keys`, or finalize earlier"));
        }
        self.state = Some(merged);
        Ok(())
    }

    /// Returns the number of groups so far.
    pub fn distinct_keys(&self) -> usize {
        self.state.as_ref().map_or(0, PartialGroups::distinct_keys)
    }

    /// Returns the groups so far, or `None` before the first batch. They can be sent to another device or process.
    pub fn state(&self) -> Option<&PartialGroups> {
        self.state.as_ref()
    }

    /// Returns the keys and the results of all batches so far. More batches can be added afterwards.
    ///
    /// # Errors
    /// * [`InvalidArgument`](Error::InvalidArgument) before the first batch.
    /// * The errors of [`PartialGroups::finalize`].
    pub fn finalize(&self) -> Result<(Table, Vec<Vec<Column>>)> {
        let state = self.state.as_ref();
        state.ok_or_else(|| Error::invalid_argument("there are no batches; add at least 1 batch"))?.finalize()
    }
}
