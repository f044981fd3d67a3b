//! Counts the occurrences of each value.

mod histogram;

pub use histogram::histogram;
