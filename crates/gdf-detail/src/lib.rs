//! The algorithms of gdf on both backends, with stream and resources explicit.
//!
//! Every operation is a file or folder of its capability: checks and choice of device in `mod.rs`, what both devices decide
//! alike in `plan.rs`, and its halves `host` and `cuda`. The device of the stream decides which half runs; inputs must be on
//! that device, and nothing is ever computed elsewhere. Nothing here has defaults: `gdf-api` supplies them, and documents
//! the functions: names are the same.
//!
//! Inputs that are not [validated](gdf_core::Column::validated) are validated before anything is planned, once: the column
//! keeps the verdict. On CUDA that is 1 launch and 1 wait more than an operation says; for validated columns it is free.
//! So every function that is given columns may also fail with [`BrokenData`](gdf_core::Error::BrokenData).
#![deny(missing_docs)]

pub mod binaryop;
pub mod concatenate;
pub mod contiguous_split;
pub mod copying;
pub mod datetime;
pub mod device;
pub mod filling;
pub mod groupby;
pub mod hashing;
pub mod join;
pub mod labeling;
#[doc(hidden)]
pub mod limits;
pub mod lists;
pub mod null_mask;
pub mod partitioning;
pub mod predicate;
pub mod quantiles;
pub mod reduction;
pub mod replace;
pub mod reshape;
pub mod rolling;
pub mod round;
pub mod scan;
pub mod search;
pub mod sorting;
pub mod stream_compaction;
pub mod strings;
pub mod transform;
pub mod unary;
pub mod validation;

mod check;
mod cuda;
mod engine;
mod host;
mod input;
mod layout;
mod null_count;
mod policy;
mod rounding;
#[cfg(test)]
mod test_device;
mod vouch;

pub use engine::decoded::Decoded;
pub use gdf_core::scope::Ctx;
#[doc(hidden)]
pub use null_count::init;
