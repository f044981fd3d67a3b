//! Reduces the offset and the length of columns whose children have a fixed number of rows per row of the parent.

use gdf_core::layout::rows_per_parent;
use gdf_core::{ColumnParts, physical_type};
use gdf_memory::Buffer;

use crate::Result;

/// Moves the offset of a struct, a fixed-size list or a sparse union to the children, and cuts the children after the
/// last row. If there is a validity mask, the offset modulo `step` stays, because the mask can only move by whole
/// steps.
pub(super) fn narrowed(mut parts: ColumnParts, step: usize) -> Result<ColumnParts> {
    let Some(each) = rows_per_parent(physical_type(&parts.data_type)) else { return Ok(parts) };
    let moved = if parts.validity.is_some() { parts.offset - parts.offset % step } else { parts.offset };
    parts.offset -= moved;
    let rows = parts.offset + parts.len;
    if let Some(mask) = &mut parts.validity {
        skip(mask, moved / 8)?;
    }
    // Only a sparse union has a buffer: the buffer of type ids, with one byte per row.
    parts.buffers.iter_mut().try_for_each(|buffer| skip(buffer, moved))?;
    for child in &mut parts.children {
        *child = child.slice(moved * each, rows * each)?;
    }
    Ok(parts)
}

fn skip(buffer: &mut Buffer, bytes: usize) -> Result<()> {
    if bytes > 0 {
        *buffer = buffer.slice(bytes, buffer.len() - bytes)?;
    }
    Ok(())
}
