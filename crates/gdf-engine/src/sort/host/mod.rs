//! Sorting on the CPU.

mod alphabet;
mod flag_heads;
mod key_rows;
mod ordered;
mod radix;
mod search_sorted;
mod segments;
mod sort;
mod sorted_order;

pub use flag_heads::flag_heads;
pub use search_sorted::search_sorted;
pub use segments::{mark_distinct, segment_extent, sort_segments};
pub use sort::{select_keys, sort_keys};
pub use sorted_order::{is_sorted, sorted_order};
