//! Rows grouped by equal keys, and what is computed per group.

mod aggregate;
mod aggregation;
mod cuda;
mod host;
mod limits;
#[cfg(test)]
mod many_groups_tests;
mod partial;
#[cfg(test)]
mod partial_tests;
mod plan;
#[cfg(test)]
mod tests;

pub use aggregate::{AggregationRequest, GroupBy};
pub use aggregation::GroupByAggregation;
#[doc(hidden)]
pub use limits::GroupByLimits;
pub use partial::{PartialGroups, PartialRequest};

pub use crate::policy::NullPolicy;
