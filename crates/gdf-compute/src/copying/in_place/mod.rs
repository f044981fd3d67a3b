//! `copy_range_in_place` and `fill_in_place`: write rows to the memory of a column. No other column may share this
//! memory.

mod cuda;
mod host;

use std::ops::Range;

use gdf_core::{Column, ColumnParts, ColumnView, DataType, Error, NullCount, PhysicalType, Result, physical_type};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::check::len_of;
use gdf_engine::input::Input;

use crate::Ctx;
use crate::vouch;

/// Copies the rows `source_rows` of `source` to `target`, from row `target_begin` on.
///
/// Implements `gdf_api::copying::copy_range_in_place` with the stream and the memory resources of `ctx`. Returns the
/// errors of that function.
pub fn copy_range_in_place(
    source: ColumnView<'_>,
    source_rows: Range<usize>,
    target: &mut Column,
    target_begin: usize,
    ctx: Ctx<'_>,
) -> Result<()> {
    let len = len_of(&source_rows).map_err(|error| error.in_argument("source_rows"))?;
    let rows = source.slice(source_rows.start, len).map_err(|error| error.in_argument("source_rows"))?;
    write_rows("copy_range_in_place", rows.into(), target, target_begin, len, ctx)
}

/// Replaces `len` rows of `target`, from row `begin` on, by the rows of `source`.
pub(crate) fn write_rows(
    operation: &'static str,
    source: Input<'_>,
    target: &mut Column,
    begin: usize,
    len: usize,
    ctx: Ctx<'_>,
) -> Result<()> {
    let width = width(target.data_type()).ok_or_else(|| Error::unsupported(operation, target.data_type()))?;
    check::types(target.data_type(), source.data_type())?;
    target.view().slice(begin, len)?;
    check::column(source.view(), ctx)?;
    check::column(target.view(), ctx)?;
    if source.has_validity() && !target.has_validity() {
        return Err(Error::invalid_argument(
            "the source has a validity mask, but the target has none; pass a target with a mask",
        )
        .in_argument("target"));
    }
    if len == 0 {
        return Ok(());
    }
    // The column is restored from its parts even if writing fails.
    let nothing = Column::empty_in(&DataType::Null, ctx.stream, ctx.mr.output)?;
    let mut parts = std::mem::replace(target, nothing).into_parts();
    let rows = parts.offset + begin..parts.offset + begin + len;
    // The null count may be a word of device memory, in the same allocation as the mask. The parts drop this null count
    // first. The mask can then be the only owner of the allocation, which a write requires.
    let before = parts.null_count.known().map_or(NullCount::Unknown, NullCount::Known);
    parts.null_count = NullCount::Unknown;
    let written = separate_mask(&mut parts, ctx).and_then(|()| match ctx.stream.device() {
        Device::Cpu => host::write(source, &mut parts, rows, width, ctx),
        Device::Cuda(_) => cuda::write(source, &mut parts, rows, width, ctx),
    });
    if written.is_err() || parts.validity.is_none() {
        parts.null_count = before;
    }
    *target = vouch::result(parts)?;
    written
}

/// Copies the mask if the mask is in the allocation of the values, as in results of some operations on CUDA, and nobody
/// else uses the allocation. The values are then the only owner of the allocation.
fn separate_mask(parts: &mut ColumnParts, ctx: Ctx<'_>) -> Result<()> {
    let ColumnParts { validity, buffers, .. } = parts;
    if let Some(mask) = validity
        && mask.same_allocation(&buffers[0])
        && mask.is_unique_among(2)
    {
        *mask = mask.deep_copy(ctx.stream, ctx.mr.output)?;
    }
    Ok(())
}

/// Returns the number of bytes of a row, or 0 for booleans.
fn width(data_type: &DataType) -> Option<usize> {
    match physical_type(data_type) {
        PhysicalType::Bool => Some(0),
        PhysicalType::Dictionary | PhysicalType::View { .. } => None,
        other => other.width().filter(|width| matches!(width, 1 | 2 | 4 | 8 | 16 | 32)),
    }
}
