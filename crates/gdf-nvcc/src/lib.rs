#![forbid(unsafe_code)]
//! Compiles gdf's kernels to images with the CUDA compiler. The compiler is found on the machine, or fetched without
//! root.
//!
//! `cargo xtask kernels` and `gdf kernels install` are built on this crate. Both therefore compile the same sources
//! with the same flags and share one cache. Libraries and programs that use gdf do not need this crate.
//!
//! | idea | here |
//! |---|---|
//! | the compiler | [`toolkit::Toolkit`], [`toolkit::find`], [`toolkit::fetch`] |
//! | sources to images | [`compile::Build`] |
//! | the declarations that host and kernels share | [`contract::generate`] |
//! | progress reports | [`progress::Progress`] |
//!
//! The crate serves programs, so its errors are texts for people ([`anyhow::Error`]).

mod cache;
pub mod compile;
pub mod contract;
mod fetch;
mod pins;
pub mod progress;
pub mod toolkit;

pub use gdf_kernels_build::sources;
