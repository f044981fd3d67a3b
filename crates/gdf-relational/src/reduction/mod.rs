//! Counts the occurrences of each value, sketches rows, and compares whole columns and tables.

mod bloom_filter;
mod distinct_sketch;
mod equal;
mod histogram;

pub use bloom_filter::{bloom_bits, bloom_contains, bloom_size, check_bloom_bits, check_same_hashes, merge_bloom_bits};
pub use distinct_sketch::{check_registers, distinct_registers, estimate_distinct, merge_distinct_registers};
pub use equal::{columns_equal, tables_equal};
pub use histogram::histogram;
