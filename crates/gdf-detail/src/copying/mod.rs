//! Moving rows: gather, conditional copy.

mod copy_if_else;
mod cuda;
mod gather;
#[cfg(test)]
mod gather_tests;
mod host;

pub use copy_if_else::copy_if_else;
pub(crate) use copy_if_else::{Condition, select};
pub use gather::{OutOfBoundsPolicy, gather, gather_unchecked};
