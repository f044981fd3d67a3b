//! The CPU's versions.

mod gather;
mod gather_map;
mod gather_strings;
mod scatter;

pub(super) use gather::gather;
pub(super) use scatter::scatter;
