//! The algorithms of gdf on both backends, with stream and resources explicit.
//!
//! Every operation lives at `<capability>/<operation>.rs` (checks, plan, choice of backend) with its two versions at
//! `<capability>/host/<operation>.rs` and `<capability>/cuda/<operation>.rs`, of the same name and signature. The
//! device of `stream` decides which one runs; inputs must be on that device, and nothing is ever computed elsewhere.
//! Nothing here has defaults: `gdf-api` supplies them.
//!
//! Inputs that are not [validated](gdf_core::Column::validated) are validated before anything is planned, once: the column
//! keeps the verdict. On CUDA that is 1 launch and 1 wait more than an operation says; for validated columns it is free.
//! So every function that is given columns may also fail with [`BrokenData`](gdf_core::Error::BrokenData).
#![deny(missing_docs)]

pub mod binaryop;
pub mod concatenate;
pub mod copying;
pub mod datetime;
pub mod groupby;
pub mod hashing;
pub mod join;
#[doc(hidden)]
pub mod limits;
pub mod null_mask;
pub mod partitioning;
pub mod reduction;
pub mod replace;
pub mod scan;
pub mod sorting;
pub mod stream_compaction;
pub mod strings;
pub mod unary;
pub mod validation;

mod check;
mod context;
mod cuda;
mod engine;
mod host;
mod keys;
mod policy;
#[cfg(test)]
mod test_device;
mod vouch;

pub use context::Ctx;
use engine::rows;

/// Tells `gdf_core` how to count nulls in device memory. Cheap, and may be called any number of times; `gdf-api` does so
/// whenever an operation begins.
#[doc(hidden)]
pub fn init() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| gdf_core::set_null_counter(null_mask::count_view));
}
