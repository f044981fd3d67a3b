//! The reduction engine: one row of all rows that are not null, or of those of each segment. See `README.md`.

pub(crate) mod cuda;
pub(crate) mod host;
mod moments;
mod pairwise;
mod segments;

pub(crate) use moments::Moments;
pub(crate) use pairwise::Pairwise;
pub(crate) use segments::{NOT_ASCENDING, Segments, ascending, check};
