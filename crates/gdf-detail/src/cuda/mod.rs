//! What CUDA versions share: descriptors built from accesses, outputs, grids and launches.

mod input;
mod key_table;
mod keys;
mod output;
mod radix_partition;
mod single;

pub(crate) use gdf_kernels::{In, Kernel, Out, Scratch};
pub(crate) use input::CudaColumn;
pub(crate) use key_table::KeyTableLayout;
pub(crate) use keys::{OpenKeys, characters};
pub(crate) use output::{CudaOutput, OpenOutput, kernel_type};
pub(crate) use radix_partition::{PartLayout, partitioned_rows};
pub(crate) use single::SingleOutput;
