//! Sorting: row orders, sorted tables, tests of order, the first rows.

mod cuda;
mod host;
mod is_sorted;
mod key;
mod plan;
mod rows;
mod sort;
mod sort_by_key;
mod sorted_order;
#[cfg(test)]
mod tests;
mod top_k;

pub(crate) use cuda::ranges;
pub use is_sorted::is_sorted;
pub use key::{NullOrder, Order};
pub use sort::{sort, stable_sort};
pub use sort_by_key::{sort_by_key, stable_sort_by_key};
pub use sorted_order::{sorted_order, stable_sorted_order};
pub use top_k::{top_k, top_k_order};
