//! The CPU's versions.

mod functions;
mod hash;
mod rows;

pub(crate) use functions::{Function, Murmur32, Murmur128, XxHash32, XxHash64};
pub(super) use hash::hash;
pub(crate) use rows::OpenColumns;
