//! The reduction engine: one row of all rows that are not null, or of those of each segment. See `README.md`.

pub mod cuda;
pub mod host;
mod moments;
mod pairwise;
mod segments;

pub use moments::Moments;
pub use pairwise::Pairwise;
pub use segments::{NOT_ASCENDING, Segments, ascending, check};
