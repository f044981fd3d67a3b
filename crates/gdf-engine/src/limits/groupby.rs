//! Thresholds between the strategies of `aggregate` on CUDA.

use super::cuda as limits;

/// Thresholds between the strategies of `aggregate` on CUDA; tests make them smaller. Measured on an H200, 2026-11-20.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupByLimits {
    /// Rows that one block does in one launch, up to its 1,024 threads, where results are numbers.
    pub tiny_rows: usize,
    /// Rows of which nothing need be known: one launch makes a table with room for all of them, and fills it.
    pub few_rows: usize,
    /// Rows from which on it is worth a wait to know the ranges of keys.
    pub measured_rows: usize,
    /// Rows from which on it is worth a wait to know whether texts among keys become numbers.
    pub text_rows: usize,
    /// Rows of the sample that tells how many groups there may be.
    pub sample_rows: usize,
    /// Groups that blocks keep tables of their own for.
    pub local_groups: usize,
    /// One in so many rows is of one group: additions to it, one after another, would take longer than all else, as each
    /// takes 4.4 ns, while those to many places take 0.01 ns.
    pub skew: usize,
    /// Groups whose table is larger than the cache, so that rows are moved by its parts before.
    pub cached_groups: usize,
    /// Capacity of the table, in groups, where a sample promises fewer.
    pub min_capacity: usize,
}

impl Default for GroupByLimits {
    fn default() -> Self {
        Self {
            tiny_rows: 1024,
            few_rows: 1 << 18,
            measured_rows: 1 << 18,
            text_rows: limits::KEY_TEXT_ROWS,
            sample_rows: 1 << 17,
            local_groups: 2048,
            skew: 1000,
            cached_groups: 5 << 19,
            min_capacity: 1 << 20,
        }
    }
}
