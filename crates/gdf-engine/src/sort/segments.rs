//! Sorts the values of each segment of a column of numbers. For longer segments, callers sort a table whose first key
//! is the number of the segment.

use gdf_core::{Abilities, Column, ColumnView, DataType, PhysicalType, Result, ValueOrder, physical_type};
use gdf_driver::Device;

use super::segment::{KeptValue, LONGEST_SEGMENT, MarkedSegments, SegmentExtent, SegmentOutput};
use super::{KeyColumn, cuda, host};
use crate::Ctx;
use crate::host::task_rows;
use crate::keys::row_indices;

/// Returns the number of values of the longest segment in which [`mark_distinct`] marks values. On the CPU, one thread
/// handles a segment, which may be as long as a task.
pub fn longest_marked_segment(device: Device) -> usize {
    match device {
        Device::Cpu => LONGEST_SEGMENT.max(task_rows().min(1 << 20)),
        Device::Cuda(_) => LONGEST_SEGMENT,
    }
}

impl SegmentExtent {
    /// Returns the extent of segments with these offsets, of the type `Int32` or `Int64`. There are at least two
    /// offsets, and they ascend.
    ///
    /// # Errors
    /// * Driver and memory errors.
    pub fn of(offsets: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Self> {
        match ctx.stream.device() {
            Device::Cpu => host::segment_extent(offsets, ctx),
            Device::Cuda(_) => cuda::segment_extent(offsets, ctx),
        }
    }
}

/// The result of [`sort_segments`].
#[derive(Debug)]
pub enum SortedSegments {
    /// The sorted values.
    Values(Column),
    /// The row numbers of the sorted values, counted from the first row of the first segment.
    Rows(Column),
}

/// Returns whether [`sort_segments`] sorts values of this type.
pub fn sorts_segments_of(data_type: &DataType) -> bool {
    Abilities::of(data_type).as_stored().order == Some(ValueOrder::Words)
}

/// Sorts each segment of `key`. Equal values keep their order. The type of the values must be one of
/// [`sorts_segments_of`], and no segment may have more than [`LONGEST_SEGMENT`] rows.
///
/// The result has row numbers instead of values if values may be null or are booleans.
///
/// # Errors
/// * Driver and memory errors.
pub fn sort_segments(
    offsets: ColumnView<'_>,
    key: KeyColumn<'_>,
    extent: SegmentExtent,
    ctx: Ctx<'_>,
) -> Result<SortedSegments> {
    let data_type = key.view.data_type();
    if key.view.has_validity() || physical_type(data_type) == PhysicalType::Bool {
        // The caller only gathers by the row numbers, so they are allocated as scratch memory.
        let rows = sort_to(offsets, key, extent, &SegmentOutput::Rows(row_indices(extent.rows())), ctx.scratch())?;
        return Ok(SortedSegments::Rows(rows));
    }
    let values = sort_to(offsets, key, extent, &SegmentOutput::Values(data_type.clone()), ctx)?;
    Ok(SortedSegments::Values(values))
}

fn sort_to(
    offsets: ColumnView<'_>,
    key: KeyColumn<'_>,
    extent: SegmentExtent,
    output: &SegmentOutput,
    ctx: Ctx<'_>,
) -> Result<Column> {
    match ctx.stream.device() {
        Device::Cpu => host::sort_segments(offsets, key, extent, output, ctx),
        Device::Cuda(_) => cuda::sort_segments(offsets, key, extent, output, ctx),
    }
}

/// Returns whether [`mark_distinct`] marks values of this type. Floats are excluded, because equal floats may have
/// different bits.
pub fn marks_segments_of(data_type: &DataType) -> bool {
    use PhysicalType as P;
    sorts_segments_of(data_type) && !matches!(physical_type(data_type), P::Bool | P::F16 | P::F32 | P::F64)
}

/// Marks the values of each segment that `keep` keeps of several equal values. The type of the values must be one of
/// [`marks_segments_of`], the values must have no nulls, and no segment may have more than [`longest_marked_segment`]
/// rows. Each value is compared with the other values of a short segment, and looked up in a hash table of a long one.
///
/// # Errors
/// * Driver and memory errors.
pub fn mark_distinct(
    offsets: ColumnView<'_>,
    values: ColumnView<'_>,
    extent: SegmentExtent,
    keep: KeptValue,
    ctx: Ctx<'_>,
) -> Result<MarkedSegments> {
    match ctx.stream.device() {
        Device::Cpu => host::mark_distinct(offsets, values, extent, keep, ctx),
        Device::Cuda(_) => cuda::mark_distinct(offsets, values, extent, keep, ctx),
    }
}
