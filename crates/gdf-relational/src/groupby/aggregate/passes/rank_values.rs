//! Aggregations that compare values of nested types. Accumulators compare plain values, so the ranks of the rows
//! replace the values.

use gdf_compute::keys::is_replaced;
use gdf_compute::scan::RankedRows;
use gdf_core::{Column, Position, Result};

use super::{Groups, Pass};
use crate::Ctx;
use crate::groupby::GroupByAggregation as Aggregation;
use crate::groupby::request::{AGGREGATE, AggregationRequest};

/// For each request, the ranks of the values.
pub(crate) struct RankValues<'r, 'a> {
    requests: &'r [AggregationRequest<'a>],
    ranked: Vec<Option<RankedRows>>,
}

impl<'r, 'a> RankValues<'r, 'a> {
    /// Ranks values. `rows` is the number of rows of the key columns.
    ///
    /// # Errors
    /// * The errors of [`Aggregation::result_type`] for the requests whose values are ranked.
    /// * The errors of [`RankedRows::of`].
    pub(crate) fn prepare(requests: &'r [AggregationRequest<'a>], rows: usize, ctx: Ctx<'_>) -> Result<Self> {
        let ranked = requests.iter().enumerate().map(|(i, request)| {
            let data_type = request.values.data_type();
            if !is_replaced(data_type) || !request.aggregations.iter().any(|of| compares(*of)) {
                return Ok(None);
            }
            let typed = request.aggregations.iter().try_for_each(|of| of.result_type(data_type, rows).map(drop));
            let ranked = typed.and_then(|()| RankedRows::of(AGGREGATE, request.values, ctx));
            ranked.map(Some).map_err(|error| error.at(Position::Request(i)))
        });
        let ranked = ranked.collect::<Result<_>>()?;
        Ok(Self { requests, ranked })
    }

    /// Returns the requests with ranks in place of values.
    pub(crate) fn requests(&self) -> Vec<AggregationRequest<'_>> {
        let values = self.requests.iter().zip(&self.ranked).map(|(request, ranked)| AggregationRequest {
            values: ranked.as_ref().map_or(request.values, RankedRows::ranks),
            aggregations: request.aggregations.clone(),
        });
        values.collect()
    }
}

impl Pass for RankValues<'_, '_> {
    /// Replaces the smallest and largest ranks in the results by the rows that have these ranks.
    ///
    /// # Errors
    /// * The errors of [`RankedRows::rows`].
    fn finish(&self, (keys, mut results): Groups, ctx: Ctx<'_>) -> Result<Groups> {
        // The results of computed values follow. These values are numbers.
        let of_computed = results.split_off(self.requests.len());
        let requests = self.requests.iter().zip(&self.ranked).zip(results);
        let results = requests.map(|((request, ranked), columns)| rows_of(request, ranked.as_ref(), columns, ctx));
        let results = results.chain(of_computed.into_iter().map(Ok)).collect::<Result<_>>()?;
        Ok((keys, results))
    }
}

/// Returns the results of a request with rows in place of ranks.
fn rows_of(
    request: &AggregationRequest<'_>,
    ranked: Option<&RankedRows>,
    columns: Vec<Column>,
    ctx: Ctx<'_>,
) -> Result<Vec<Column>> {
    let Some(ranked) = ranked else { return Ok(columns) };
    let columns = request.aggregations.iter().zip(columns).map(|(of, column)| match of {
        Aggregation::Min | Aggregation::Max => ranked.rows(request.values, column.view(), ctx),
        _ => Ok(column),
    });
    columns.collect()
}

fn compares(aggregation: Aggregation) -> bool {
    use Aggregation as A;
    matches!(aggregation, A::Min | A::Max | A::ArgMin | A::ArgMax | A::Nunique(_))
}
