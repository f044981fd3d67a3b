//! SQL on gdf: an executor for the plans of [DataFusion](datafusion) on CPUs and GPUs.
//!
//! [`GdfSession::with_gdf`] enables gdf in a session with one line. DataFusion parses, optimizes and plans a query. Each
//! maximal subtree of the physical plan that gdf covers, an *island*, becomes one [`GdfExec`]; everything else stays
//! DataFusion's. `EXPLAIN` shows the islands, and why a node is in none.
//!
//! Values, types and errors are DataFusion's. The README lists what is covered, the adapters where the rules of the two
//! libraries differ, and the differences that remain.
//!
//! # Features
//! - `cuda`: CUDA devices. The kernels come as for `gdf`, whose features choose them.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod edge;
mod error;
mod exec;
mod explain;
mod files;
mod islands;
mod lower;
mod options;
mod plan;
mod planner;
mod session;
mod table;
mod types;
mod values;
mod verify;
mod work;

pub use self::error::IslandError;
pub use self::exec::GdfExec;
pub use self::explain::explain;
pub use self::files::{FileFormat, GdfFiles};
pub use self::islands::GdfIslands;
pub use self::options::{Counts, Fallback, GdfOptions};
pub use self::session::GdfSession;
pub use self::table::GdfTable;
pub use gdf_driver::Device;
