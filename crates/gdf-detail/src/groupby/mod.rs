//! Rows grouped by equal keys, and what is computed per group.

pub(crate) mod aggregate;
mod aggregation;
mod partial;

#[doc(hidden)]
pub use aggregate::GroupByLimits;
pub use aggregate::{AggregationRequest, GroupBy};
pub use aggregation::GroupByAggregation;
pub use partial::{PartialGroups, PartialRequest};

pub use crate::policy::NullPolicy;
