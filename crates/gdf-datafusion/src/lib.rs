//! SQL on gdf: an executor for the plans of [DataFusion](datafusion) on CPUs and GPUs.
//!
//! [`GdfSession::with_gdf`] enables gdf in a session with one line. DataFusion parses, optimizes and plans a query.
//! Each *island*, a maximal subtree of the physical plan that gdf supports, is replaced by one [`GdfExec`]. DataFusion
//! runs all other nodes. `EXPLAIN` shows the islands, and the reason why gdf does not run a node.
//!
//! Queries return the values, types and errors that DataFusion returns without gdf, except where DataFusion's rows are
//! wrong: such queries are rewritten or refused. The README lists these, and the supported
//! nodes and functions, the adapters where the rules of the two libraries differ, and the differences that remain.
//!
//! # Features
//! - `codec`: `GdfCodec`, which serializes plans for distributed engines.
//! - `cuda`: support for CUDA devices. Features of the crate `gdf` select where the kernels come from.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod analyze;
mod cache;
#[cfg(feature = "codec")]
mod codec;
mod collected;
mod edge;
mod error;
mod exact;
mod exec;
mod explain;
mod files;
mod islands;
mod join_order;
mod lower;
mod mend;
mod options;
mod plan;
mod planner;
mod session;
mod table;
mod types;
mod values;
mod verify;
mod window_filter;
mod work;

pub use self::cache::PlanCache;
#[cfg(feature = "codec")]
pub use self::codec::GdfCodec;
pub use self::error::IslandError;
pub use self::exec::GdfExec;
pub use self::explain::explain;
pub use self::files::{FileFormat, GdfFiles, GdfFolder, split_scan};
pub use self::islands::GdfIslands;
pub use self::options::{Counts, Fallback, GdfOptions};
pub use self::session::GdfSession;
pub use self::table::GdfTable;
pub use gdf_driver::Device;
