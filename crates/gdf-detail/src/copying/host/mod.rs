//! The CPU's version.

mod copy_if_else;

pub(super) use copy_if_else::copy_if_else;
