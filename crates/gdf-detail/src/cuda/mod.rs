//! What CUDA versions share: descriptors built from accesses, outputs, grids and launches.

mod input;
mod key_table;
mod keys;
mod launch;
mod output;
mod radix_partition;
mod rows;
mod single;

pub(crate) use input::CudaColumn;
pub(crate) use key_table::{KeyTableIn, KeyTableLayout};
pub(crate) use keys::{KeysIn, OpenKeys, characters};
pub(crate) use launch::{Kernel, args};
pub(crate) use output::{CudaOutput, OpenOutput, kernel_type};
pub(crate) use radix_partition::{MOST_PARTS, PartLayout};
pub(crate) use rows::{Group, MOST_ROOM, row_output};
pub(crate) use single::SingleOutput;
