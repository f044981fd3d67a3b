//! Operations that search columns.

mod bounds;

pub use bounds::{lower_bound, upper_bound};
