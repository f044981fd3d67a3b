//! Partitioning: rows of a table are reordered by partition. Rows of a partition keep their order.

mod cuda;
mod hash_partition;
mod host;
mod partition;
mod plan;
mod round_robin_partition;
#[cfg(test)]
mod tests;

pub use hash_partition::{HashFunction, hash_partition};
pub use partition::partition;
pub use round_robin_partition::round_robin_partition;
