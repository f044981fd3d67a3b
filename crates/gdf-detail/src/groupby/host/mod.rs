//! Group-by on the CPU.

mod aggregate;
mod finish;
mod grouping;
mod number;
mod nunique;
mod parts;
mod steps;
mod table;
mod terms;

pub(super) use aggregate::aggregate;
pub(super) use terms::spread_terms;
