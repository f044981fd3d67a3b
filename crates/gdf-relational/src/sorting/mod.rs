//! Operations on sorted rows that need groups or searches: ranks of rows, and sorting within segments.

mod rank;
mod segmented;
mod top_k_by_key;

pub use rank::rank;
pub use segmented::{segmented_sort_by_key, segmented_sorted_order, segmented_top_k, segmented_top_k_order};
pub use top_k_by_key::top_k_by_key;
