//! Requests: values, and the aggregations to compute of them.

use gdf_compute::expression::Projection;
use gdf_core::{Abilities, ColumnView, DataType, PhysicalType, ValueOrder, physical_type};

use super::GroupByAggregation;

/// The name of the operation in errors.
pub(super) const AGGREGATE: &str = "groupby aggregate";

/// A column of values, and the aggregations to compute from the column per group. The column has as many rows as the
/// keys.
#[derive(Clone, Debug)]
pub struct AggregationRequest<'a> {
    /// The values.
    pub values: ColumnView<'a>,
    /// The aggregations. Each aggregation has one result column.
    pub aggregations: Vec<GroupByAggregation>,
}

impl<'a> AggregationRequest<'a> {
    /// Creates a request.
    pub fn new(values: impl Into<ColumnView<'a>>, aggregations: impl Into<Vec<GroupByAggregation>>) -> Self {
        Self { values: values.into(), aggregations: aggregations.into() }
    }
}

/// The aggregations of the values of a projection.
#[derive(Clone, Debug)]
pub struct ComputedRequests<'a> {
    /// The values. The projection has as many rows as the keys.
    pub projection: &'a Projection<'a>,
    /// The aggregations of each output of the projection, each of which [`supports`](Self::supports) the type of the
    /// output.
    pub aggregations: Vec<Vec<GroupByAggregation>>,
}

impl ComputedRequests<'_> {
    /// Returns whether a group-by can compute an aggregation of values of a type while it computes the values. Such an
    /// aggregation reads each value once, and does not need the values of other rows.
    pub fn supports(aggregation: GroupByAggregation, data_type: &DataType) -> bool {
        use GroupByAggregation as A;
        let physical = physical_type(data_type);
        let has_words = Abilities::of(data_type).order == Some(ValueOrder::Words);
        let is_number = Projection::supports(data_type) && physical != PhysicalType::Bool;
        is_number
            && match aggregation {
                A::Sum | A::SumOfSquares | A::Product | A::Mean | A::CountAll | A::CountValid => true,
                A::Min | A::Max => has_words,
                _ => false,
            }
    }
}
