//! Searches columns for values.

mod contains;

pub use contains::contains;
