//! The public functions of gdf.
//!
//! Each opens a [`Scope`](scope::Scope) — a tracing span, the inputs' device, and the stream and memory resources that
//! are current in this thread — and makes one call to `gdf-detail`, which holds all checks and work. The device of the
//! inputs decides where an operation runs; nothing is copied to, or computed on, another device.
//!
//! Inputs that are not [validated](gdf_core::Column::validated) are validated by the first function that gets them, which on
//! a GPU costs a launch and a wait, once. So every function may also fail with [`BrokenData`](gdf_core::Error::BrokenData).
#![forbid(unsafe_code)]

pub mod scope;

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
mod short_forms;
pub mod sorting;
pub mod stream_compaction;
pub mod strings;
pub mod transform;
pub mod unary;
pub mod validation;
