//! Rows of two tables matched by equal keys.

mod hash_join;

pub use hash_join::{FilterKind, JOIN_NO_MATCH, JoinKind, JoinTable, NullEquality, filter, join};
