//! Searching columns.

mod bounds;
mod contains;

pub use bounds::{lower_bound, upper_bound};
pub use contains::contains;
