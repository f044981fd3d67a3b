//! Group-by on the CPU.

mod accumulators;
mod aggregate;
mod by_group;
mod cells;
mod finish;
mod number;
mod nunique;
mod parts;
mod spread;
mod step;
mod terms;

pub(super) use aggregate::aggregate;
pub(crate) use terms::spread_terms;
