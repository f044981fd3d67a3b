//! Common parts of the CUDA code: descriptors of columns, outputs, arrays of descriptors, and checked memory.

mod input;
mod listed;
mod memory;
mod output;
mod single;

pub use gdf_kernels::{Bytes, Bytes32, Grid, In, Kernel, Out, Rows, Rows32, Tiles, Tiles32};
pub use input::{CudaColumn, describe, in_table, open_buffers};
pub use listed::{Listed, OpenListed};
pub use memory::{Memory, Values, require, words};
pub use output::{CudaOutput, OpenOutput, kernel_type, one_launch, open_outputs, out_table};
pub use single::{OpenSingle, SingleOutput};
