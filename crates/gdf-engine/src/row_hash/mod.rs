//! Computes a hash of each row over columns of any hashable type. README.md describes the engine.

mod columns;
pub mod cuda;
mod functions;
pub mod host;

pub use columns::{HashedColumn, hashed_columns};
pub use cuda::OpenTable;
pub use functions::{Function, Murmur32, Murmur128, XxHash32, XxHash64};
pub use host::{HashedRows, OpenColumns};
