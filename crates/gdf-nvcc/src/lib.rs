#![forbid(unsafe_code)]
//! The CUDA compiler for gdf's kernels: found on the machine or fetched without root, and what it is asked to compile.
//!
//! `cargo xtask kernels` and `gdf kernels install` stand on this crate, so that both compile the same sources with the same
//! flags and find each other's results in one cache. Libraries and programs that use gdf do not need it.
//!
//! | idea | here |
//! |---|---|
//! | the compiler | [`toolkit::Toolkit`], [`toolkit::find`], [`toolkit::fetch`] |
//! | sources to images | [`compile::Build`] |
//! | what host and kernels agree on | [`contract::generate`] |
//! | what to show meanwhile | [`progress::Progress`] |
//!
//! It serves programs, so its errors are texts for people ([`anyhow::Error`]).

mod cache;
pub mod compile;
pub mod contract;
mod fetch;
mod pins;
pub mod progress;
pub mod toolkit;

pub use gdf_kernels_build::sources;
