//! Sorting rows by normalized keys: see README.md.

mod bounds;
pub mod cuda;
pub mod host;
mod key;
mod plan;
mod ranks;
mod segment;
mod segments;

pub use bounds::value_bounds;
pub use key::{Bound, NullOrder, Order};
pub use key::{KeyColumn, MAX_KEYS, SortedRows, check_has_keys, keys};
pub use ranks::{RankedOrder, ranked_order, ranks};
pub use segment::{KeptValue, LONGEST_SEGMENT, MarkedSegments, SegmentExtent, SegmentOutput};
pub use segments::{
    SortedSegments, longest_marked_segment, mark_distinct, marks_segments_of, sort_segments, sorts_segments_of,
};
