//! Group-by of selected rows.

use gdf_core::{ColumnView, Result, Table};
use gdf_detail::groupby as detail;

use super::{AggregationRequest, GroupBy};
use crate::scope::{Input, Scope};

impl<'a> GroupBy<'a> {
    /// Computes the same as [`agg`](Self::agg), but only for the rows where `mask` is true. The rows are not filtered
    /// first.
    ///
    /// # Shapes
    /// The shapes of [`aggregate`](Self::aggregate), with at most 31 key columns. The mask has one row for each row of
    /// the keys. `ArgMin` and `ArgMax` return row numbers of the whole table. `NthElement` counts only the selected
    /// rows of a group.
    ///
    /// # Types
    /// The types of [`aggregate`](Self::aggregate); the mask is boolean.
    ///
    /// # Nulls and NaN
    /// The same as for [`aggregate`](Self::aggregate). Rows where the mask is null are left out.
    ///
    /// Order: as for [`aggregate`](Self::aggregate). In SQL `WHERE` before `GROUP BY`; in pandas and polars `filter`
    /// before `group_by`.
    ///
    /// ```
    /// use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
    /// use gdf::{Column, Table, binaryop};
    ///
    /// let flags = Table::try_new(vec![Column::from_strs(["A", "A", "B"])?])?;
    /// let prices = Column::from_slice(&[1.5, 4.0, 2.0])?;
    /// let request = AggregationRequest::new(&prices, [GroupByAggregation::Sum]);
    /// let groups = GroupBy::new(&flags, NullPolicy::Exclude).agg_where(&binaryop::gt(&prices, 3.0)?, &[request])?;
    /// assert_eq!(groups.column(0)?.to_strings()?, [Some("A".to_owned())]);
    /// assert_eq!(groups.column(1)?.to_vec::<f64>()?, [Some(4.0)]);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Costs
    /// The method has the waits of [`aggregate`](Self::aggregate). If nulls are included and keys have nulls, the
    /// method also has the waits of [`apply_boolean_mask`](crate::stream_compaction::apply_boolean_mask) for the
    /// groups. See the table of costs, `docs/guide/costs.md`.
    ///
    /// # Errors
    /// * [`TypeMismatch`](gdf_core::Error::TypeMismatch) for a mask that is not boolean.
    /// * The errors of [`aggregate`](Self::aggregate).
    #[doc(alias("where", "filter", "having"))]
    pub fn agg_where<'m>(&self, mask: impl Into<ColumnView<'m>>, requests: &[AggregationRequest<'a>]) -> Result<Table> {
        let mask = mask.into();
        let mut inputs: Vec<&dyn Input> = vec![&self.keys, &mask];
        inputs.extend(requests.iter().map(|request| &request.values as &dyn Input));
        let (keys, results) = Scope::for_inputs("groupby.agg_where", &inputs)?
            .run(|ctx| detail::aggregate_where(self.keys.clone(), self.null_policy, mask, requests, ctx))?;
        let rows = keys.num_rows();
        Table::try_with_rows(keys.into_columns().into_iter().chain(results.into_iter().flatten()).collect(), rows)
    }
}
