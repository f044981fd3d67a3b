#![forbid(unsafe_code)]
//! The CUDA compiler for gdf's kernels, found on the machine or fetched without root, and the compilation of images
//! with it.
//!
//! `cargo xtask kernels` and `gdf kernels install` are built on this crate. Both therefore compile the same sources
//! with the same flags and share one cache. Libraries and programs that use gdf do not need this crate.
//!
//! | idea | here |
//! |---|---|
//! | the compiler | [`toolkit::Toolkit`], [`toolkit::find`], [`toolkit::fetch`] |
//! | sources to images | [`compile::Build`] |
//! | what host and kernels agree on | [`contract::generate`] |
//! | what to show meanwhile | [`progress::Progress`] |
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
