//! Partitions rows. The CPU half scatters rows by digits and keeps their order. The CUDA half makes one radix pass.
//! See README.md.

mod cuda;
mod host;

pub use cuda::{PartLayout, partitioned_rows};
pub use host::{Digit, Digits, partition, partition_here, partition_produced};
