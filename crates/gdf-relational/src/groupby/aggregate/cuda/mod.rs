//! Group-by on CUDA devices.

mod aggregate;
mod cells;
mod dense;
mod finish;
mod global;
mod nunique;
mod partition;
mod partitioned;
mod request;
mod runs;
mod shared_memory;
mod single_pass;
mod spread;
mod strategy;
mod table;
mod terms;
mod tiny;

pub(super) use aggregate::aggregate;
pub(crate) use terms::spread_terms;
