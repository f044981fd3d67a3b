//! What CUDA versions share: descriptors built from accesses, outputs, grids and launches.

mod input;
mod launch;
mod output;
mod rows;
mod single;

pub(crate) use input::CudaColumn;
pub(crate) use launch::{Kernel, args};
pub(crate) use output::{CudaOutput, kernel_type};
pub(crate) use rows::{Group, row_output};
pub(crate) use single::SingleOutput;
