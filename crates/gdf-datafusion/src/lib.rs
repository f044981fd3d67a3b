//! SQL on gdf: an executor for the plans of [DataFusion](datafusion) on CPUs and GPUs.
//!
//! [`GdfSession::with_gdf`] enables gdf in a session with one line. DataFusion parses, optimizes and plans a query.
//! Each *island*, a maximal subtree of the physical plan that gdf supports, is replaced by one [`GdfExec`]. DataFusion
//! runs all other nodes. `EXPLAIN` shows the islands, and the reason why gdf does not run a node.
//!
//! ```
//! use std::sync::Arc;
//!
//! use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
//! use datafusion::prelude::SessionContext;
//! use gdf_datafusion::{Device, GdfOptions, GdfSession, GdfTable};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> datafusion::error::Result<()> {
//! let cities: ArrayRef = Arc::new(StringArray::from(vec!["Lyon", "Oslo", "Lyon"]));
//! let km: ArrayRef = Arc::new(Int64Array::from(vec![2, 40, 71]));
//! let trips = RecordBatch::try_from_iter([("city", cities), ("km", km)])?;
//!
//! let options = GdfOptions::on(Device::Cpu);
//! let ctx = SessionContext::new().with_gdf(options.clone());
//! ctx.register_table("trips", Arc::new(GdfTable::from_batches(&[trips], options.device())?))?;
//! let query = "SELECT sum(km) AS km FROM trips GROUP BY city ORDER BY km DESC";
//! let rows = ctx.sql(query).await?.collect().await?;
//! assert_eq!(rows[0].column(0).as_ref(), &Int64Array::from(vec![73, 40]));
//! assert_eq!(options.counts().islands, 1);
//! # Ok(())
//! # }
//! ```
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
mod by_path;
mod cache;
#[cfg(feature = "codec")]
mod codec;
mod collected;
mod copy;
mod deep;
mod device_thread;
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
mod planner;
mod schema;
mod session;
mod slices;
mod table;
mod time_limit;
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
pub use self::files::{FileFormat, FileOptions, GdfFiles, GdfFolder, split_scan};
pub use self::islands::GdfIslands;
pub use self::options::{Counts, Fallback, GdfOptions};
pub use self::session::GdfSession;
pub use self::table::GdfTable;
pub use gdf_driver::Device;
