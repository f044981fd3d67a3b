//! The reduction engine. A reduction computes one row from all rows that are not null, or one row per segment.
//! `README.md` describes the engine.

pub mod cuda;
pub mod host;
mod moments;
mod pairwise;
mod segments;

pub use moments::Moments;
pub use pairwise::Pairwise;
pub use segments::{NOT_ASCENDING, Segments, ascending, check};
