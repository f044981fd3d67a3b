//! The thresholds between the strategies of `aggregate` on CUDA.

use super::cuda as limits;

/// The thresholds between the strategies of `aggregate` on CUDA. Tests use smaller thresholds. The defaults were
/// measured on an H200 on 2026-11-20.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupByLimits {
    /// Up to this number of rows, one block aggregates the input in one launch.
    pub tiny_rows: usize,
    /// Up to this number of rows, no statistics of the input are collected.
    pub few_rows: usize,
    /// Up to this number of rows, the operation does not wait for the GPU to compute the ranges of keys whose types are
    /// wider than 64 bits together.
    pub measured_rows: usize,
    /// From this number of rows on, the operation waits for the GPU to check whether numbers can replace text keys.
    pub text_rows: usize,
    /// The number of rows of the sample from which the number of groups is estimated.
    pub sample_rows: usize,
    /// Up to this number of groups, each block keeps a table of its own.
    pub local_groups: usize,
    /// The input counts as skewed if more than one in `skew` rows of the sample belongs to the same group.
    pub skew: usize,
    /// If there are more groups than this number, the table is larger than the cache. The rows are then first
    /// partitioned by the part of the table to which they belong.
    pub cached_groups: usize,
    /// From this number of rows on, dense keys need no hash table. Keys are dense if their range is little larger than
    /// the number of groups.
    pub dense_rows: usize,
    /// The largest range of dense keys, as a multiple of the number of groups.
    pub dense_range: usize,
    /// A block takes at least this number of rows for each dense key, so that the work of merging does not matter.
    pub dense_rows_per_key: usize,
    /// The largest number of bytes of shared memory in which a block accumulates dense keys. A device may have fewer.
    pub dense_bytes: usize,
    /// The table has room for a high estimate of the number of groups, but at most this capacity in groups. The
    /// capacity is larger only if the expected number of groups needs more.
    pub min_capacity: usize,
    /// If the computed values have at least this number of bytes, and if there are few groups, one launch computes and
    /// aggregates the values. The values do not become columns then. Fewer bytes are faster as columns
    /// (`docs/benchmarks/log/tpch.md`).
    pub computed_bytes: usize,
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
            dense_rows: 1 << 20,
            dense_range: 8,
            dense_rows_per_key: 16,
            dense_bytes: usize::MAX,
            min_capacity: 1 << 20,
            computed_bytes: 2 << 30,
        }
    }
}
