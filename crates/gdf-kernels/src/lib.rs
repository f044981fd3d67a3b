//! The compiled CUDA images of gdf, their lazy loading, and a typed launch of each kernel.
//!
//! An *image* holds the kernels of one capability (a directory of `kernels/`): a fat binary for each of its `.cu` files, which
//! are compiled alone, one after the other. Images are looked for
//!
//! 1. in this crate: with feature `cuda` those are embedded that `cargo xtask kernels` made in a checkout, where it did;
//! 2. in the crates of data that the features `sm75`, `sm80`, `sm90`, `sm100`, `sm120` and `ptx` embed: code for the device's
//!    major compute capability, else PTX;
//! 3. in the directory that the environment variable `GDF_KERNELS_DIR` names;
//! 4. in the user's cache directory, where `gdf kernels install` writes them: [`user_images`].
//!
//! Otherwise a CUDA operation fails with [`DriverError::KernelsNotBuilt`](gdf_driver::DriverError::KernelsNotBuilt). A fat binary
//! is loaded on a device when the first of its kernels is launched; one that was made from other sources than this crate is refused
//! with [`DriverError::KernelsOutdated`](gdf_driver::DriverError::KernelsOutdated).
//!
//! [`generated`] is written by `cargo xtask codegen` from the sources of the kernels: descriptors, enums, constants, and
//! a struct of the arguments of each kernel. No kernel is launched by its name or with an untyped list of arguments.
//!
//! | idea | here |
//! |---|---|
//! | a kernel, ready to launch | [`Kernel`], [`Grid`] |
//! | what kernels take | [`generated`], [`ColumnIn`], [`ColumnOut`], [`TableIn`], [`TableOut`] |
//! | counts, by what they count | [`Rows`], [`Tiles`], [`Bytes`], [`Rows32`], [`Tiles32`], [`Bytes32`] |
//! | addresses, made from accesses that they borrow | [`In`], [`Out`], [`Scratch`] |
//! | descriptors copied into device memory | [`Plain`], [`bytes_of`] |
//! | how many threads and rows per block | [`Policy`] |
//! | which kernels there are, which were used | [`all`], [`launched`] |
//! | which images there are, and where they may be | [`image_infos`], [`embedded`], [`KERNELS_DIR`], [`user_images`] |

mod architecture;
mod arguments;
mod count;
#[allow(missing_docs, reason = "what the sources say nothing of")]
pub mod generated;
mod images;
mod info;
mod kernel;
mod pointer;
mod policy;
mod registry;
#[cfg(feature = "sources")]
mod sources;
mod store;
mod tables;

pub use architecture::Architecture;
pub use arguments::{Arguments, Family, FamilyArguments, OneKernel};
pub use count::{Bytes, Bytes32, Rows, Rows32, Tiles, Tiles32};
pub use generated::common::{ColumnIn, ColumnOut, SCRATCH_ZEROED_BYTES, TableIn, TableOut, Type as KernelType};
pub use images::{Embedded, KERNELS_DIR, embedded};
pub use info::{ImageInfo, KernelId, KernelInfo};
pub use kernel::{Grid, Kernel};
pub use pointer::{In, Out, Plain, Readable, Scratch, Writable, bytes_of};
pub use policy::Policy;
pub use registry::{all, available, image_infos, launched};
#[cfg(feature = "sources")]
pub use sources::{SOURCES, sources_hash};
pub use store::{all_user_images, user_images};
pub use tables::{BROADCAST, TABLE_COLUMNS, WIDE_OFFSETS};
