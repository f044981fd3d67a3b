//! What the entries of several capabilities have in common.

pub(super) mod refusals;
pub(super) mod struct_keys;
pub(super) mod tables;
