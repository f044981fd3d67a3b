//! Operations on tables, on both backends, with stream and resources explicit: joins, group-by, windows, partitioning.
//!
//! `gdf-detail` has them beside those of other crates.
#![deny(missing_docs)]

pub mod groupby;
pub mod join;
pub mod partitioning;
pub mod quantiles;
pub mod reduction;
pub mod replace;
pub mod rolling;
pub mod search;
pub mod transform;

pub(crate) use gdf_engine::Ctx;
