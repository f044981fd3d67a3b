//! The public functions of gdf.
//!
//! Each function opens a [`Scope`](scope::Scope): a tracing span, the device of the inputs, and the stream and the
//! memory resources that are current in this thread. The function then makes one call to `gdf-detail`, which makes all
//! checks and does all work. An operation runs on the device of its inputs. No function copies data to another device
//! or computes on another device.
//!
//! The first function that gets an input that is not [validated](gdf_core::Column::validated) validates the input. On a
//! GPU the validation costs one launch and one wait, once for each input. Every function may therefore also return
//! [`BrokenData`](gdf_core::Error::BrokenData).
#![forbid(unsafe_code)]

pub mod scope;

pub mod binaryop;
pub mod concatenate;
pub mod contiguous_split;
pub mod copying;
pub mod datetime;
pub mod device;
pub mod dictionary;
pub mod filling;
pub mod groupby;
pub mod hashing;
pub mod join;
pub mod json;
pub mod labeling;
pub mod lists;
pub mod maps;
pub mod merge;
pub mod null_mask;
pub mod partitioning;
pub mod pipeline;
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
pub mod structs;
pub mod transform;
pub mod unary;
pub mod validation;
