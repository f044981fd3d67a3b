//! Which values a column contains.

mod contains;

pub use contains::contains;
