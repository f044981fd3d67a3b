//! Helpers that entries of several capabilities share.

pub(super) mod refusals;
pub(super) mod struct_keys;
pub(super) mod tables;
