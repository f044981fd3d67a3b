//! What CUDA versions share: descriptors built from accesses, outputs, grids and launches.

mod input;
mod listed;
mod memory;
mod output;
mod single;

pub(crate) use gdf_kernels::{Bytes, Bytes32, Grid, In, Kernel, Out, Rows, Rows32, Tiles, Tiles32};
pub(crate) use input::{CudaColumn, describe, in_table, open_buffers};
pub(crate) use listed::Listed;
pub(crate) use memory::{Memory, Values, require, words};
pub(crate) use output::{CudaOutput, OpenOutput, kernel_type, one_launch, open_outputs, out_table};
pub(crate) use single::{OpenSingle, SingleOutput};
