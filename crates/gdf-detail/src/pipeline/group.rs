//! The group-by sink.

use gdf_core::{Column, Result, Table, TableView};
use gdf_expr::Expr;
use gdf_relational::groupby::{AggregationRequest, GroupByAggregation, NullPolicy, aggregate, aggregate_where};

use super::Pipeline;
use super::plan::Form;
use super::rows::{Bound, Numbers};
use crate::Ctx;

/// The largest number of keys of a group-by with a mask. A group-by has at most 32 keys, and the mask is one of them.
const MASKED_KEYS: usize = 31;

/// The aggregations of the values of an expression.
#[derive(Clone, Debug)]
pub struct GroupRequest {
    /// The values.
    pub values: Expr,
    /// The aggregations. Each aggregation has one result column.
    pub aggregations: Vec<GroupByAggregation>,
}

impl GroupRequest {
    /// Creates a request.
    pub fn new(values: impl Into<Expr>, aggregations: impl Into<Vec<GroupByAggregation>>) -> Self {
        Self { values: values.into(), aggregations: aggregations.into() }
    }

    /// Returns whether a result is the number of a row.
    fn numbers_rows(&self) -> bool {
        let numbers = |of: &GroupByAggregation| matches!(of, GroupByAggregation::ArgMin | GroupByAggregation::ArgMax);
        self.aggregations.iter().any(numbers)
    }
}

impl Pipeline<'_> {
    /// Implements `gdf_api::pipeline::GroupedPipeline::agg`.
    ///
    /// # Errors
    /// The errors of that method.
    pub fn aggregate(
        &self,
        keys: &[Expr],
        null_policy: NullPolicy,
        requests: &[GroupRequest],
        ctx: Ctx<'_>,
    ) -> Result<Table> {
        let mut bound = Bound::new(self, ctx)?;
        let mut values = bound.bind(keys, "keys")?;
        values.extend(bound.bind(requests.iter().map(|request| &request.values), "requests")?);
        let form = match keys.len() {
            _ if requests.iter().any(GroupRequest::numbers_rows) => Form::AllRows,
            0..=MASKED_KEYS => Form::Keys,
            _ => Form::Passing,
        };
        let rows = bound.rows(&values, form, Numbers::Unused, ctx.scratch())?;
        let (keys, values) = rows.columns.split_at(keys.len());
        let keys = TableView::try_with_rows(keys.iter().map(Column::view).collect(), rows.count)?;
        let requests = requests.iter().zip(values);
        let requests: Vec<AggregationRequest<'_>> =
            requests.map(|(request, values)| AggregationRequest::new(values, request.aggregations.clone())).collect();
        let (keys, results) = match &rows.mask {
            None => aggregate(keys, null_policy, &requests, ctx)?,
            Some(mask) => aggregate_where(keys, null_policy, mask.view(), &requests, ctx)?,
        };
        let groups = keys.num_rows();
        Table::try_with_rows(keys.into_columns().into_iter().chain(results.into_iter().flatten()).collect(), groups)
    }
}
