//! Joins on the CPU.

mod probe;
mod table;

pub(super) use probe::{join, join_size};
pub(super) use table::Table;
