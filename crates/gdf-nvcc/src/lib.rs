#![forbid(unsafe_code)]
//! Compiles gdf's kernels to images with the CUDA compiler. The crate finds the compiler on the machine, or fetches it
//! without root.
//!
//! `cargo xtask kernels` and `gdf kernels install` use this crate. Therefore both commands compile the same sources
//! with the same options and share one cache. Libraries and programs that use gdf do not need this crate.
//!
//! | idea | here |
//! |---|---|
//! | the compiler | [`toolkit::Toolkit`], [`toolkit::find`], [`toolkit::fetch`] |
//! | sources to images | [`compile::Build`] |
//! | the declarations that host and kernels share | [`contract::generate`] |
//! | progress reports | [`progress::Progress`] |
//!
//! The users of this crate are programs for people. Therefore the errors are texts ([`anyhow::Error`]).

mod cache;
pub mod compile;
pub mod contract;
mod fetch;
mod pins;
pub mod progress;
pub mod toolkit;
mod trust;

pub use gdf_kernels_build::sources;
