//! Group-by on the CPU.

mod aggregate;
mod finish;
mod number;
mod nunique;
mod spread;
mod steps;
mod terms;

pub(super) use aggregate::aggregate;
pub(super) use terms::spread_terms;
