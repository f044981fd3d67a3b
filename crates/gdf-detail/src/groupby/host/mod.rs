//! Group-by on the CPU.

mod accumulators;
mod aggregate;
mod finish;
mod number;
mod nunique;
mod spread;
mod terms;

pub(super) use aggregate::aggregate;
pub(super) use terms::spread_terms;
