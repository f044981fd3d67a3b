//! Counts the occurrences of each value, and compares whole columns and tables.

mod distinct_sketch;
mod equal;
mod histogram;

pub use distinct_sketch::{check_registers, distinct_registers, estimate_distinct, merge_distinct_registers};
pub use equal::{columns_equal, tables_equal};
pub use histogram::histogram;
