//! Sorting on the CPU.

mod alphabet;
mod key_rows;
mod ordered;
mod radix;
mod sort;
mod sorted_order;

pub(crate) use sort::sort_keys;
pub(crate) use sorted_order::{is_sorted, sorted_order};
