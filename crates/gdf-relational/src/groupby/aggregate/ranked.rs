//! Aggregations that compare values of nested types. Accumulators compare plain values, so the ranks of the rows
//! replace the values.

use gdf_compute::nested_extremes::RankedRows;
use gdf_compute::nested_keys::is_replaced;
use gdf_core::{Column, Position, Result};

use crate::Ctx;
use crate::groupby::GroupByAggregation as Aggregation;
use crate::groupby::request::{AGGREGATE, AggregationRequest};

/// For each request, the ranks of the values.
pub(super) struct RankedRequests(Vec<Option<RankedRows>>);

impl RankedRequests {
    /// Ranks values. `rows` is the number of rows of the key columns.
    ///
    /// # Errors
    /// * The errors of [`Aggregation::result_type`] for the requests whose values are ranked.
    /// * The errors of [`RankedRows::of`].
    pub(super) fn of(requests: &[AggregationRequest<'_>], rows: usize, ctx: Ctx<'_>) -> Result<Self> {
        let ranked = requests.iter().enumerate().map(|(i, request)| {
            let data_type = request.values.data_type();
            if !is_replaced(data_type) || !request.aggregations.iter().any(|of| compares(*of)) {
                return Ok(None);
            }
            let typed = request.aggregations.iter().try_for_each(|of| of.result_type(data_type, rows).map(drop));
            let ranked = typed.and_then(|()| RankedRows::of(AGGREGATE, request.values, ctx.scratch()));
            ranked.map(Some).map_err(|error| error.at(Position::Request(i)))
        });
        ranked.collect::<Result<_>>().map(Self)
    }

    pub(super) fn requests<'r>(&'r self, requests: &'r [AggregationRequest<'_>]) -> Vec<AggregationRequest<'r>> {
        let values = requests.iter().zip(&self.0).map(|(request, ranked)| AggregationRequest {
            values: ranked.as_ref().map_or(request.values, RankedRows::ranks),
            aggregations: request.aggregations.clone(),
        });
        values.collect()
    }

    /// Replaces the smallest and largest ranks in `results` by the rows that have these ranks.
    ///
    /// # Errors
    /// * The errors of [`RankedRows::rows`].
    pub(super) fn results(
        &self,
        requests: &[AggregationRequest<'_>],
        results: Vec<Vec<Column>>,
        ctx: Ctx<'_>,
    ) -> Result<Vec<Vec<Column>>> {
        let of_request =
            |((request, ranked), columns): ((&AggregationRequest<'_>, &Option<RankedRows>), Vec<Column>)| {
                let Some(ranked) = ranked else { return Ok(columns) };
                let columns = request.aggregations.iter().zip(columns).map(|(of, column)| match of {
                    Aggregation::Min | Aggregation::Max => ranked.rows(request.values, column.view(), ctx),
                    _ => Ok(column),
                });
                columns.collect()
            };
        requests.iter().zip(&self.0).zip(results).map(of_request).collect()
    }
}

fn compares(aggregation: Aggregation) -> bool {
    use Aggregation as A;
    matches!(aggregation, A::Min | A::Max | A::ArgMin | A::ArgMax | A::Nunique(_))
}
