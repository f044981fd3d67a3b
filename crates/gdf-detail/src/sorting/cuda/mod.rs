//! Sorting on CUDA.

mod bin_sort;
mod block_sort;
mod codec;
mod is_sorted;
mod key_stats;
mod nulls;
mod passes;
mod prefix_sort;
mod sort;
mod sort_pairs;
mod sorted_order;
mod text;
mod top_k;

pub(super) use is_sorted::is_sorted;
pub(crate) use key_stats::ranges;
pub(super) use sort::sort;
pub(super) use sort_pairs::sort_by_key;
pub(super) use sorted_order::sorted_order;
pub(super) use top_k::{first_rows, first_values};
