//! Operations on tables on both backends: joins, group-by, windows, partitioning. The caller passes the stream and
//! the resources explicitly.
//!
//! `gdf-detail` re-exports these operations together with the operations of other crates.
#![deny(missing_docs)]

pub mod dictionary;
pub mod groupby;
pub mod join;
pub mod merge;
pub mod partitioning;
pub mod quantiles;
pub mod reduction;
pub mod replace;
pub mod reshape;
pub mod rolling;
pub mod search;
pub mod sorting;
pub mod transform;
mod vouch;

pub(crate) use gdf_engine::Ctx;
