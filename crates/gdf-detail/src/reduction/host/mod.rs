//! The CPU's versions.

mod reduce;

pub(super) use reduce::reduce;
