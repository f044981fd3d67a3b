//! The CPU's versions.

mod copy_if_else;
mod gather;
mod gather_map;
mod gather_strings;
mod scatter;

pub(super) use copy_if_else::copy_if_else;
pub(super) use gather::gather;
pub(super) use scatter::scatter;
