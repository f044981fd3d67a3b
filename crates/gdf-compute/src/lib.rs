//! Operations on values and rows for both backends. The stream and the memory resources are explicit arguments.
//!
//! `gdf-detail` re-exports these operations, together with the operations of the crates that depend on this crate.
#![deny(missing_docs)]

pub mod binaryop;
pub mod collect;
pub mod concatenate;
pub mod contiguous_split;
pub mod copying;
pub mod datetime;
pub mod expression;
pub mod filling;
pub mod hashing;
pub mod keys;
pub mod labeling;
pub mod lists;
pub mod null_mask;
pub mod quantiles;
pub mod reduction;
pub mod replace;
pub mod reshape;
pub mod round;
pub mod scan;
pub mod search;
pub mod sorting;
pub mod stream_compaction;
pub mod transform;
pub mod unary;
mod vouch;
pub mod vouched;

pub use gdf_engine::Ctx;
