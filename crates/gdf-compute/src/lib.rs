//! Operations on values and rows, on both backends, with stream and resources explicit.
//!
//! `gdf-detail` has them beside those of the crates above this one.
#![deny(missing_docs)]

pub mod binaryop;
pub mod concatenate;
pub mod contiguous_split;
pub mod copying;
pub mod datetime;
pub mod expression;
pub mod filling;
pub mod hashing;
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

pub use gdf_engine::Ctx;
