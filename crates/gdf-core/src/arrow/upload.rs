//! Uploads Arrow arrays to device memory. Each buffer is uploaded once. Only the range that the rows need is uploaded,
//! so the offset of the resulting column is 0. Run-end encoded columns keep their offset.

use arrow_buffer::Buffer as ArrowBuffer;
use arrow_data::ArrayData;
use gdf_driver::Stream;
use gdf_memory::{Buffer, ResourceRef};

use crate::host_vec::{reserved, zeroed_host_vec};
use crate::layout::{Content, can_be_dirty, layout, rows_per_parent};
use crate::types::{PhysicalType, physical_type};
use crate::{Column, ColumnParts, Counted, Error, NullCount, Result, bitmask};

/// Returns whether null rows of the array certainly have no data.
pub(crate) fn is_sanitized(data: &ArrayData) -> bool {
    data.null_count() == 0 || !can_be_dirty(data.data_type())
}

pub(crate) fn upload(
    data: &ArrayData,
    start: usize,
    len: usize,
    stream: &Stream,
    mr: ResourceRef<'_>,
) -> Result<Column> {
    let row = data.offset() + start;
    let physical = physical_type(data.data_type());
    let mut parts = ColumnParts::new(data.data_type().clone(), stream.device(), len);
    parts.sanitized = is_sanitized(data);
    if let Some(nulls) = data.nulls() {
        let bit = nulls.offset() + start;
        let zeros = if len == data.len() {
            nulls.null_count()
        } else {
            bitmask::count_zeros_in_range(nulls.buffer(), bit, len)
        };
        if zeros > 0 {
            parts.null_count = NullCount::Known(zeros);
            parts.validity = Some(upload_bits(nulls.buffer(), bit, len, stream, mr)?);
        }
    }
    // The range to which the offsets refer. The range counts bytes of the character buffer, or rows of the child.
    let mut pointed = None;
    let rest = std::iter::repeat(&("data", Content::Bytes));
    for (buffer, (_, content)) in data.buffers().iter().zip(layout(data.data_type()).buffers.iter().chain(rest)) {
        let copy = match *content {
            Content::Bits => upload_bits(buffer, row, len, stream, mr)?,
            Content::Fixed { width, .. } => Buffer::from_host(range(buffer, row * width, len * width)?, stream, mr)?,
            Content::Offsets { width } => {
                let (copy, first, last) = upload_offsets(buffer, row, len, width, stream, mr)?;
                pointed = Some((first, last));
                copy
            }
            Content::Bytes => {
                let (first, last) = pointed.unwrap_or((0, buffer.len()));
                Buffer::from_host(range(buffer, first, last.saturating_sub(first))?, stream, mr)?
            }
        };
        parts.buffers.push(copy);
    }
    for child in data.child_data() {
        let (start, len) = match (rows_per_parent(physical), pointed) {
            (Some(each), _) => (row * each, len * each),
            (None, Some((first, last))) => (first, last.saturating_sub(first)),
            (None, None) => (0, child.len()),
        };
        if start.checked_add(len).is_none_or(|end| end > child.len()) {
            return Err(Error::range_out_of_bounds(Counted::Rows, start, len, child.len()));
        }
        parts.children.push(upload(child, start, len, stream, mr)?);
    }
    if physical == PhysicalType::RunEnd {
        parts.offset = row;
    }
    Column::assemble(parts, true)
}

fn range(buffer: &ArrowBuffer, start: usize, len: usize) -> Result<&[u8]> {
    let end = start.saturating_add(len);
    buffer.get(start..end).ok_or_else(|| Error::index_out_of_bounds(Counted::Bytes, end, buffer.len()))
}

/// Uploads the `len` bits from bit `start` on.
fn upload_bits(buffer: &ArrowBuffer, start: usize, len: usize, stream: &Stream, mr: ResourceRef<'_>) -> Result<Buffer> {
    let source = range(buffer, start / 8, bitmask::used_bytes(start % 8 + len))?;
    if start.is_multiple_of(8) {
        return Ok(Buffer::from_host(source, stream, mr)?);
    }
    let mut bits = zeroed_host_vec(bitmask::bytes(len))?;
    bitmask::copy_bits(source, start % 8, &mut bits, 0, len);
    Ok(Buffer::from_host(&bits, stream, mr)?)
}

/// Uploads the `len + 1` offsets from row `row` on, and subtracts the first of these offsets from each.
fn upload_offsets(
    buffer: &ArrowBuffer,
    row: usize,
    len: usize,
    width: usize,
    stream: &Stream,
    mr: ResourceRef<'_>,
) -> Result<(Buffer, usize, usize)> {
    if buffer.is_empty() {
        // Arrow allows arrays without rows to omit the offsets.
        return Ok((Buffer::zeroed((len + 1) * width, stream, mr)?, 0, 0));
    }
    let source = range(buffer, row * width, (len + 1) * width)?;
    let read = |i: usize| -> i64 {
        let bytes = &source[i * width..(i + 1) * width];
        match bytes.try_into() {
            Ok(wide) => i64::from_ne_bytes(wide),
            Err(_) => i64::from(bytemuck::pod_read_unaligned::<i32>(bytes)),
        }
    };
    let invalid = |_| Error::invalid_data("an offset of the array is negative; offsets must be at least 0");
    let (first, last) = (read(0), read(len));
    let ends = (usize::try_from(first).map_err(invalid)?, usize::try_from(last).map_err(invalid)?);
    if first == 0 {
        return Ok((Buffer::from_host(source, stream, mr)?, ends.0, ends.1));
    }
    let copy = if width == 8 {
        let mut offsets = reserved::<i64>(len + 1)?;
        offsets.extend((0..=len).map(|i| read(i).wrapping_sub(first)));
        Buffer::from_host(bytemuck::cast_slice(&offsets), stream, mr)?
    } else {
        let mut offsets = reserved::<i32>(len + 1)?;
        offsets.extend((0..=len).map(|i| (read(i) - first) as i32));
        Buffer::from_host(bytemuck::cast_slice(&offsets), stream, mr)?
    };
    Ok((copy, ends.0, ends.1))
}
