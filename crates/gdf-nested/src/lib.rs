//! Operations on lists, maps and structs, on the CPU and on CUDA. The stream and the resources are explicit arguments.
//!
//! `gdf-detail` re-exports the operations, together with the operations of other crates.
#![deny(missing_docs)]

pub mod lists;
pub mod maps;
pub mod structs;

pub(crate) use gdf_engine::Ctx;
