//! Thresholds between the strategies of `aggregate` on CUDA.

use super::cuda as limits;

/// Thresholds between the strategies of `aggregate` on CUDA. Tests make the thresholds smaller. The defaults were
/// measured on an H200 on 2026-11-20.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupByLimits {
    /// The most rows that one block aggregates in one launch. The block has at most 1,024 threads, and the results
    /// must be numbers.
    pub tiny_rows: usize,
    /// The most rows for which no statistics of the input are collected. One launch creates a table with room for one
    /// group per row, and fills the table.
    pub few_rows: usize,
    /// The least number of rows for which the ranges of the keys are worth a wait for the GPU.
    pub measured_rows: usize,
    /// The least number of rows for which a check whether numbers can replace text keys is worth a wait for the GPU.
    pub text_rows: usize,
    /// The number of rows of the sample from which the number of groups is estimated.
    pub sample_rows: usize,
    /// The most groups for which each block keeps a table of its own.
    pub local_groups: usize,
    /// The input is skewed if more than one in `skew` rows belongs to the same group. Additions to one address run
    /// one after another and take 4.4 ns each. Additions to many addresses take 0.01 ns each. The additions to the
    /// largest group would therefore take longer than all other work.
    pub skew: usize,
    /// The number of groups beyond which the table is larger than the cache. The rows are then partitioned by the
    /// parts of the table first.
    pub cached_groups: usize,
    /// The least capacity of the table in groups, if a sample predicts fewer groups.
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
