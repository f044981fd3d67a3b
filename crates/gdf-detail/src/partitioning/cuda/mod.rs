//! CUDA's versions.

mod ids;
mod move_rows;
mod partition;
mod round_robin_partition;
mod words;

pub(super) use partition::{hash_partition, partition};
pub(super) use round_robin_partition::round_robin_order;

const CAPABILITY: &str = "partitioning";
/// Partitions whose rows are counted: ids of 8 bits.
const FEW: usize = crate::limits::cuda::PARTITION_COUNTED;
