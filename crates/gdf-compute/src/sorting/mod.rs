//! Operations that sort: sorted order, sorted tables, tests whether a table is sorted, and the first rows in sorted
//! order.

mod distinct_sorted;
mod is_sorted;
mod selected;
mod sort;
mod sort_by_key;
mod sorted_order;
#[cfg(test)]
mod tests;
mod top_k;

pub use distinct_sorted::distinct_sorted;
pub use gdf_engine::sort::{NullOrder, Order};
pub use is_sorted::is_sorted;
pub use selected::{sort_by_key_where, sorted_order_where};
pub use sort::sort;
pub use sort::sorted_rows_at;
pub use sort_by_key::sort_by_key;
pub use sorted_order::{check_keys, sorted_order};
pub use top_k::{sorted_order_head, top_k, top_k_order};
