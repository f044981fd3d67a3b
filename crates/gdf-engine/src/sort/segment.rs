//! Segments of rows: where they are, how long they may be, and which of their values are kept.

use gdf_core::{Column, DataType};

/// The number of values of the longest segment that [`sort_segments`](super::sort_segments) sorts.
pub const LONGEST_SEGMENT: usize = gdf_kernels::generated::sorting::LONGEST_SEGMENT;

/// The rows of a column that belong to segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentExtent {
    /// The first row of the first segment.
    pub begin: usize,
    /// The end of the last segment.
    pub end: usize,
    /// The number of rows of the longest segment.
    pub longest: usize,
}

impl SegmentExtent {
    /// Returns the number of rows.
    pub fn rows(self) -> usize {
        self.end - self.begin
    }
}

/// The output of a sort of segments, with the type of its result.
#[derive(Debug)]
pub enum SegmentOutput {
    Values(DataType),
    /// The row numbers of the sorted values, counted from the first row of the first segment.
    Rows(DataType),
}

impl SegmentOutput {
    pub(super) fn data_type(&self) -> &DataType {
        match self {
            SegmentOutput::Values(data_type) | SegmentOutput::Rows(data_type) => data_type,
        }
    }
}

/// The value that is kept of several equal values of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptValue {
    First,
    Last,
    /// A value is kept only if no other value of the segment is equal.
    Alone,
}

/// The result of [`mark_distinct`](super::mark_distinct).
#[derive(Debug)]
pub struct MarkedSegments {
    /// A `UInt8` column with a row for each row of the segments: 1 if the value is kept, and 0 otherwise.
    pub marks: Column,
    /// The number of kept values of each segment, as `Int64`.
    pub sizes: Column,
}
