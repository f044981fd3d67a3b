//! CUDA's versions.

mod hash;
mod table;

pub(crate) use hash::hash;
pub(crate) use table::OpenTable;
