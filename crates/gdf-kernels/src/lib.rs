//! The compiled CUDA images of gdf, their lazy loading and launch descriptors.
//!
//! An *image* is the fat binary of one capability (a directory of `kernels/`), made by `cargo xtask kernels`. Images
//! present when this crate is built with the feature `cuda` are embedded in it; otherwise they are looked up in the
//! directory that the environment variable `GDF_KERNELS_DIR` names; otherwise a CUDA operation fails with
//! [`DriverError::KernelsNotBuilt`](gdf_driver::DriverError::KernelsNotBuilt). An image is loaded on a device when its
//! first kernel is asked for.
//!
//! | idea | here |
//! |---|---|
//! | a kernel, ready to launch | [`function()`] |
//! | how many threads and rows per block | [`policy()`], [`Policy`] |
//! | what kernels take as parameters | [`ColumnIn`], [`ColumnOut`], [`TableIn`], [`TableOut`] |
//! | which kernels there are, which were used | [`all`], [`launched`] |

mod descriptors;
mod images;
mod policy;
mod registry;

pub use descriptors::{
    BROADCAST, ColumnIn, ColumnOut, KernelType, SCRATCH_ZEROED_BYTES, TABLE_COLUMNS, TableIn, TableOut, WIDE_OFFSETS,
};
pub use images::{KERNELS_DIR, all};
pub use policy::Policy;
pub use registry::{function, launched, policy};
