//! Joins on the CPU.

mod probe;

pub(super) use probe::{join, join_size};
