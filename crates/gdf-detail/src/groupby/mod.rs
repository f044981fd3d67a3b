//! Rows grouped by equal keys, and what is computed per group.

pub(crate) mod aggregate;
mod aggregation;
mod by_order;
mod partial;
mod rows;
mod selected;

#[doc(hidden)]
pub use aggregate::GroupByLimits;
#[doc(hidden)]
pub use aggregate::aggregate_within;
pub use aggregate::{AggregationRequest, aggregate};
pub use aggregation::GroupByAggregation;
pub use partial::{Partial, PartialRequest, aggregate_partial, finalize, merge};
pub use rows::{groups, replace_group_nulls, shift};
pub use selected::aggregate_where;

pub use crate::policy::NullPolicy;
