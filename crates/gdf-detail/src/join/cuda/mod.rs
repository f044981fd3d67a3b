//! Joins on CUDA devices.

mod probe;
mod table;

pub(super) use probe::{join, join_size};
pub(super) use table::Table;
