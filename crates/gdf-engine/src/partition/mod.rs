//! Partitions rows. See README.md.

mod cuda;
mod host;

pub use cuda::{PartLayout, partitioned_rows};
pub use host::{Digit, Digits, partition, partition_here, partition_produced};
