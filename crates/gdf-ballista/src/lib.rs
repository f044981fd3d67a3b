//! SQL on gdf in [Ballista](https://datafusion.apache.org/ballista/): executors whose query stages contain islands of
//! [gdf-datafusion](gdf_datafusion).
//!
//! The scheduler is Ballista's, unchanged. [`executor`] configures an executor that runs the parts of its tasks that
//! gdf can run as islands, on its CPU or its GPU. [`client`] returns a session with settings for such executors; other
//! clients of Ballista can use the cluster, too. Executors with and without gdf, and with and without a GPU, can be in
//! the same cluster.
//!
//! The guide page `docs/guide/distributed.md` shows how to start a cluster, what runs where, and what happens if an
//! executor ends.
//!
//! # Features
//! - `cuda`: support for CUDA devices. Features of the crate `gdf` select where the kernels come from.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod client;
mod engine;
mod executor;
mod metrics;

pub use self::client::client;
pub use self::engine::GdfEngine;
pub use self::executor::{executor, serve};
