//! SQL on gdf on several machines: islands of [gdf-datafusion](gdf_datafusion) in the stages of datafusion-distributed.
//!
//! A coordinator plans a query and divides the plan into stages. Workers run the tasks of the stages, and exchange rows
//! by Arrow Flight. Each worker replaces the parts of its tasks that gdf can run by islands, for its own device.
//! Workers with and without a GPU can be in the same cluster.
//!
//! The guide page `docs/guide/distributed.md` shows how to start a cluster, what runs where, and what happens if a
//! worker ends.
//!
//! # Features
//! - `cuda`: support for CUDA devices. Features of the crate `gdf` select where the kernels come from.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod coordinator;
mod named;
mod worker;

pub use self::coordinator::coordinator;
pub use self::worker::{serve, worker};
