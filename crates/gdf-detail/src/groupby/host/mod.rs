//! Group-by on the CPU.

mod aggregate;
mod finish;
mod grouping;
mod number;
mod nunique;
mod parts;
mod steps;
mod table;

pub(super) use aggregate::aggregate;
