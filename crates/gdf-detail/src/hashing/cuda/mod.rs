//! CUDA's versions.

mod hash;
mod table;

pub(super) use hash::hash;
pub(crate) use table::OpenTable;
