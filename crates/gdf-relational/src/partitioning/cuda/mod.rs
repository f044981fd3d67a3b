//! Partitioning on CUDA.

mod copy_rows;
mod ids;
mod partitioned;
mod words;

pub(super) use self::ids::Source;
pub(super) use self::partitioned::partitioned;
