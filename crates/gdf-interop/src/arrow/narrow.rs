//! Columns whose rows run along with those of their children, with as little offset and as short children as can be.

use gdf_core::layout::rows_per_parent;
use gdf_core::{ColumnParts, physical_type};
use gdf_memory::Buffer;

use crate::Result;

/// The same rows of a struct, a fixed-size list or a sparse union, of which the offset has gone to the children, which end
/// with the last row. A mask moves by `step` rows at a time, whole bytes, so with nulls an offset below `step` stays. Parts of
/// other types stay as they are. Nothing is copied.
pub(super) fn narrowed(mut parts: ColumnParts, step: usize) -> Result<ColumnParts> {
    let Some(each) = rows_per_parent(physical_type(&parts.data_type)) else { return Ok(parts) };
    let moved = if parts.validity.is_some() { parts.offset - parts.offset % step } else { parts.offset };
    parts.offset -= moved;
    let rows = parts.offset + parts.len;
    if let Some(mask) = &mut parts.validity {
        skip(mask, moved / 8)?;
    }
    // such columns have a byte per row in their buffers, if any
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
