//! Rows of two tables matched by equal keys.

mod hash_join;
mod tables;

pub use hash_join::{FilterKind, JOIN_NO_MATCH, JoinKind, JoinTable, NullEquality, filter, join};
pub use tables::{JoinKeys, filter_table, join_tables};
