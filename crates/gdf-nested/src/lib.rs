//! Operations on lists, maps and structs, on the CPU and on CUDA.
#![deny(missing_docs)]

pub mod lists;
pub mod maps;
pub mod structs;
mod vouch;

pub(crate) use gdf_engine::Ctx;
