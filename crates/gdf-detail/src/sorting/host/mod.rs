//! Sorting on the CPU.

mod alphabet;
mod key_rows;
mod ordered;
mod radix;
mod sort;
mod sorted_order;

pub(super) use sort::sort_keys;
pub(super) use sorted_order::{is_sorted, sorted_order};
