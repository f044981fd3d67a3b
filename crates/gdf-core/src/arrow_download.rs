//! Device memory to Arrow arrays: every buffer once, and only the range that the rows need. Results start at row 0.

use arrow_buffer::{BooleanBuffer, Buffer as ArrowBuffer};
use arrow_data::ArrayData;
use gdf_driver::Stream;
use gdf_memory::Buffer;

use crate::arrow_export::{build, null_buffer};
use crate::column::check_range;
use crate::data_type::{PhysicalType, physical_type};
use crate::fixed_factories::zeroed_host_vec;
use crate::layout::{Content, layout, rows_per_parent};
use crate::{Column, Error, Result, bitmask};

/// Copies `len` rows; `row`, the first, counts from the start of the own buffers.
pub(crate) fn download(column: &Column, row: usize, len: usize, stream: &Stream) -> Result<ArrayData> {
    let physical = physical_type(column.data_type());
    let nulls = match column.validity() {
        Some(validity) => Some(BooleanBuffer::new(download_bits(validity, row, len, stream)?, 0, len)),
        None => None,
    };
    let is_whole = len == column.len();
    let nulls = nulls.map(|bits| if is_whole { null_buffer(bits, column) } else { bits.into() });
    let mut buffers = Vec::with_capacity(column.buffers().len());
    let mut pointed = None;
    let rest = std::iter::repeat(&("data", Content::Bytes));
    for (buffer, (_, content)) in column.buffers().iter().zip(layout(column.data_type()).buffers.iter().chain(rest)) {
        buffers.push(match *content {
            Content::Bits => download_bits(buffer, row, len, stream)?,
            Content::Fixed { width, .. } => buffer.slice(row * width, len * width)?.to_host(stream)?.into(),
            Content::Offsets { width } => {
                let bytes = buffer.slice(row * width, (len + 1) * width)?.to_host(stream)?;
                let (offsets, first, last) = rebase(&bytes, width)?;
                pointed = Some((first, last));
                offsets
            }
            Content::Bytes => match pointed {
                Some((first, last)) => {
                    check_range(first, last - first, buffer.len())?;
                    buffer.slice(first, last - first)?.to_host(stream)?.into()
                }
                None => buffer.to_host(stream)?.into(),
            },
        });
    }
    let mut children = Vec::with_capacity(column.children().len());
    for child in column.children() {
        let (start, len) = match (rows_per_parent(physical), pointed) {
            (Some(each), _) => (row * each, len * each),
            (None, Some((first, last))) => (first, last - first),
            (None, None) => (0, child.len()),
        };
        check_range(start, len, child.len())?;
        children.push(download(child, child.offset() + start, len, stream)?);
    }
    let offset = if physical == PhysicalType::RunEnd { row } else { 0 };
    let builder = ArrayData::builder(column.data_type().clone()).len(len).offset(offset).nulls(nulls);
    build(builder.buffers(buffers).child_data(children), column)
}

/// `len` bits from `start` on, moved to bit 0.
fn download_bits(buffer: &Buffer, start: usize, len: usize, stream: &Stream) -> Result<ArrowBuffer> {
    let source = buffer.slice(start / 8, bitmask::used_bytes(start % 8 + len))?.to_host(stream)?;
    if start.is_multiple_of(8) {
        return Ok(source.into());
    }
    let mut bits = zeroed_host_vec(bitmask::used_bytes(len))?;
    bitmask::copy_bits(&source, start % 8, &mut bits, 0, len);
    Ok(bits.into())
}

/// Offsets whose first is 0, and the first and last as they were, in order.
fn rebase(bytes: &[u8], width: usize) -> Result<(ArrowBuffer, usize, usize)> {
    fn moved<T: bytemuck::Pod + arrow_buffer::ArrowNativeType>(
        bytes: &[u8],
        sub: impl Fn(T, T) -> T,
    ) -> Result<(ArrowBuffer, usize, usize)> {
        let mut offsets: Vec<T> = bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect();
        let (first, last) = match (offsets.first(), offsets.last()) {
            (Some(first), Some(last)) => (*first, *last),
            _ => return Err(Error::InvalidData { what: "no offsets" }),
        };
        let invalid = Error::InvalidData { what: "descending or negative offsets" };
        let (Some(start), Some(end)) = (first.to_usize(), last.to_usize()) else { return Err(invalid) };
        if start > end {
            return Err(invalid);
        }
        offsets.iter_mut().for_each(|offset| *offset = sub(*offset, first));
        Ok((ArrowBuffer::from_vec(offsets), start, end))
    }
    if width == 8 { moved::<i64>(bytes, i64::wrapping_sub) } else { moved::<i32>(bytes, i32::wrapping_sub) }
}
