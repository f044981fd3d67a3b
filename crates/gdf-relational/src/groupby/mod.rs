//! Group-by: rows grouped by equal keys, and aggregations per group.

pub(crate) mod aggregate;
mod aggregation;
mod by_order;
mod correlation;
mod empty;
mod lists;
mod partial;
mod rank;
mod request;
mod rows;
mod scan;
mod selected;

#[doc(hidden)]
pub use aggregate::aggregate;
#[doc(hidden)]
pub use aggregate::aggregate_within;
pub use aggregation::GroupByAggregation;
pub use correlation::{correlation, covariance};
pub use partial::{Partial, PartialRequest, aggregate_partial, finalize, merge};
pub use rank::{RankOrder, rank};
pub(crate) use rank::{RankedRows, rank_rows};
pub use request::{AggregationRequest, ComputedRequests};
pub use rows::{groups, replace_group_nulls, shift};
pub use scan::scan;
pub use selected::{aggregate_computed, aggregate_where};

#[doc(hidden)]
pub use gdf_engine::limits::GroupByLimits;
pub use gdf_engine::policy::NullPolicy;
