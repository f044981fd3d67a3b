//! CUDA's versions.

mod ids;
mod move_rows;
mod partition;
mod round_robin_partition;
mod words;

pub(super) use partition::{hash_partition, partition};
pub(super) use round_robin_partition::round_robin_order;

/// Partitions that a byte numbers, and rows are moved to at once.
const FEW: usize = crate::limits::cuda::PARTITION_COUNTED;
/// Partitions that two digits number, which rows are moved by one after the other: what a block has counters for.
const MANY: usize = crate::limits::cuda::PARTITION_DIGITS;
