//! Rows of two tables matched by equal keys.

mod hash_join;

pub use hash_join::{
    HashJoin, JOIN_NO_MATCH, NullEquality, full_join, inner_join, left_anti_join, left_join, left_semi_join,
};
