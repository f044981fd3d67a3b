//! Sorting rows by normalized keys: see README.md.

pub(crate) mod cuda;
pub(crate) mod host;
mod key;
mod plan;

pub(crate) use key::{KeyColumn, MAX_KEYS, SortedRows, is_text, keys};
pub use key::{NullOrder, Order};
