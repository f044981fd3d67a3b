//! How often each value occurs.

mod histogram;

pub use histogram::histogram;
