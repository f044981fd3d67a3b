//! One hash of each row over columns of any hashable type: see README.md.

mod columns;
pub(crate) mod cuda;
mod functions;
pub(crate) mod host;

pub(crate) use columns::{HashedColumn, hashed_columns};
pub(crate) use cuda::OpenTable;
pub(crate) use functions::{Function, Murmur32, Murmur128, XxHash32, XxHash64};
pub(crate) use host::{HashedRows, OpenColumns};
