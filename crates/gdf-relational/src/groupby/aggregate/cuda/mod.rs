//! Group-by on CUDA devices.

mod aggregate;
mod cells;
mod dense;
mod descriptors;
mod finish;
mod local;
mod nunique;
mod partition;
mod runs;
mod spread;
mod strategy;
mod terms;

pub(super) use aggregate::aggregate;
pub(crate) use terms::spread_terms;
