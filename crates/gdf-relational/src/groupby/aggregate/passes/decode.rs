//! Values that are dictionaries or views. Accumulators read plain values.

use gdf_core::Result;
use gdf_engine::decoded::{Decoded, Reads};

use crate::Ctx;
use crate::groupby::request::AggregationRequest;

/// For each request, the decoded values. The pass has no finish, because results are not encoded again.
pub(crate) struct Decode<'a>(Vec<Decoded<'a>>);

impl<'a> Decode<'a> {
    /// Decodes the values of the requests.
    pub(crate) fn prepare(requests: &[AggregationRequest<'a>], ctx: Ctx<'_>) -> Result<Self> {
        let decode = |request: &AggregationRequest<'a>| {
            let reads = request.aggregations.iter().map(|of| of.reads()).max();
            reads.unwrap_or(Reads::Rows).decode(request.values, ctx)
        };
        requests.iter().map(decode).collect::<Result<_>>().map(Self)
    }

    /// Returns the requests with decoded values.
    pub(crate) fn requests<'d>(&'d self, requests: &[AggregationRequest<'d>]) -> Vec<AggregationRequest<'d>> {
        let requests = requests.iter().zip(&self.0);
        requests.map(|(request, values)| AggregationRequest { values: values.view(), ..request.clone() }).collect()
    }
}
