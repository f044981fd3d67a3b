//! Sorting on CUDA.

mod carried;
mod codec;
mod is_sorted;
mod measure;
mod middle;
mod nulls;
mod passes;
mod small;
mod sort;
mod sorted_order;
mod text;
mod ties;
mod top_k;

pub(super) use carried::sort_by_key;
pub(super) use is_sorted::is_sorted;
pub(crate) use measure::ranges;
pub(super) use sort::sort;
pub(super) use sorted_order::sorted_order;
pub(super) use top_k::{first_rows, first_values};
