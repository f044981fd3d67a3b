//! Sorting on CUDA.

mod bin_sort;
mod block_sort;
mod codec;
mod decode;
mod flag_heads;
mod inputs;
mod is_sorted;
mod key_stats;
mod nulls;
mod passes;
mod prefix_sort;
mod search_sorted;
mod segments;
mod sort;
mod sort_pairs;
mod sort_values;
mod sorted_order;
mod sorting;
mod text;
mod top_k;

pub use flag_heads::flag_heads;
pub use is_sorted::is_sorted;
pub use key_stats::ranges;
pub use search_sorted::search_sorted;
pub use segments::{mark_distinct, segment_extent, sort_segments};
pub use sort::sort;
pub use sort_pairs::sort_by_key;
pub use sorted_order::sorted_order;
pub use top_k::{first_rows, first_values};
