//! The compiled CUDA images of gdf, their loading at the first use, and a typed launch of each kernel.
//!
//! An *image* contains the kernels of one capability. A capability is a directory of `kernels/`. An image consists of a
//! fat binary for each translation unit of the directory. Images are searched in this order:
//!
//! 1. in this crate. With the feature `cuda`, the crate embeds the images that `cargo xtask kernels` has compiled in a
//!    checkout;
//! 2. in the crates that the features `sm75`, `sm80`, `sm90`, `sm100`, `sm120` and `ptx` enable. Machine code for the
//!    major compute capability of the device takes precedence over PTX;
//! 3. in the directory that the environment variable `GDF_KERNELS_DIR` names;
//! 4. in the user's cache directory ([`user_images`]). The command `gdf kernels install` writes images there.
//!
//! If there is no image, a CUDA operation returns the error
//! [`DriverError::KernelsNotBuilt`](gdf_driver::DriverError::KernelsNotBuilt). A fat binary is loaded on a device when
//! one of its kernels is first used. If the fat binary was compiled from other sources than the sources of this crate,
//! the error is [`DriverError::KernelsOutdated`](gdf_driver::DriverError::KernelsOutdated). A file that every user of the
//! machine can change is refused with
//! [`DriverError::KernelsWritable`](gdf_driver::DriverError::KernelsWritable).
//!
//! The command `cargo xtask codegen` writes the module [`generated`] from the sources of the kernels. The module has
//! descriptors, enums, constants, and a struct of the arguments of each kernel. Every launch uses these structs. No
//! code launches a kernel by its name or with an untyped list of arguments.
//!
//! | idea | here |
//! |---|---|
//! | a kernel on a device, and its launch | [`Kernel`], [`Grid`] |
//! | the arguments of kernels | [`generated`], [`ColumnIn`], [`ColumnOut`], [`TableIn`], [`TableOut`] |
//! | counts with a unit | [`Rows`], [`Tiles`], [`Bytes`], [`Rows32`], [`Tiles32`], [`Bytes32`] |
//! | addresses that borrow accesses to memory | [`In`], [`Out`], [`Scratch`] |
//! | descriptors that are copied to device memory | [`Plain`], [`bytes_of`] |
//! | the number of threads and rows per block | [`Policy`] |
//! | all kernels, and the kernels that the process has used | [`all`], [`launched`] |
//! | loading of all kernels before their first use | [`load_all`] |
//! | all images, and where images are searched | [`image_infos`], [`embedded`], [`KERNELS_DIR`], [`user_images`] |

mod architecture;
mod arguments;
mod count;
mod files;
#[allow(missing_docs, reason = "some declarations in the sources have no documentation")]
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
pub use registry::{all, available, image_infos, launched, load_all};
#[cfg(feature = "sources")]
pub use sources::{SOURCES, sources_hash};
pub use store::{all_user_images, user_images};
pub use tables::{BROADCAST, TABLE_COLUMNS, WIDE_OFFSETS};
