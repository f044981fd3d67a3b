//! Downloads columns from device memory to Arrow arrays. Each buffer is copied once. Only the range that the rows need
//! is copied. The memory of the arrays comes from the CPU's current resource. The offset of each array is 0, except for
//! run-end encoded arrays, which keep the offset of the rows.

use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer as ArrowBuffer};
use arrow_data::ArrayData;
use bytemuck::Pod;
use gdf_driver::{Device, Stream};
use gdf_memory::{Buffer, current_resource};

use super::build::{build, null_buffer, share_buffer, without_rows};
use super::prefetch::Prefetched;
use crate::column::check_range;
use crate::host_vec::zeroed_host_vec;
use crate::layout::{Content, layout, rows_per_parent};
use crate::types::{PhysicalType, physical_type};
use crate::{Column, Error, Result, bitmask};

/// Copies `len` rows to the CPU.
pub(crate) fn download(column: &Column, row: usize, len: usize, stream: &Stream) -> Result<ArrayData> {
    let prefetched = Prefetched::new(&[(column, row, len)], stream)?;
    Source { prefetched: &prefetched, stream }.download(column, row, len)
}

/// Copies all rows of small columns to the CPU.
pub(crate) fn download_small(columns: &[Column], stream: &Stream) -> Result<Option<Vec<ArrayData>>> {
    let rows: Vec<_> = columns.iter().map(|column| (column, column.offset(), column.len())).collect();
    let prefetched = Prefetched::new(&rows, stream)?;
    if !prefetched.is_complete() {
        return Ok(None);
    }
    let source = Source { prefetched: &prefetched, stream };
    rows.iter().map(|&(column, row, len)| source.download(column, row, len)).collect::<Result<_>>().map(Some)
}

/// The source of the bytes of a download.
struct Source<'a> {
    prefetched: &'a Prefetched<'a>,
    stream: &'a Stream,
}

impl Source<'_> {
    fn download(&self, column: &Column, row: usize, len: usize) -> Result<ArrayData> {
        if let Some(empty) = without_rows(column, len, |child| self.download(child, child.offset(), 0))? {
            return Ok(empty);
        }
        let physical = physical_type(column.data_type());
        let nulls = match column.validity() {
            Some(validity) => Some(BooleanBuffer::new(self.bits(validity, row, len)?, 0, len)),
            None => None,
        };
        let is_whole = len == column.len();
        let nulls = nulls.map(|bits| if is_whole { null_buffer(bits, column) } else { bits.into() });
        let mut buffers = Vec::with_capacity(column.buffers().len());
        let mut pointed = None;
        let rest = std::iter::repeat(&("data", Content::Bytes));
        for (buffer, (_, content)) in column.buffers().iter().zip(layout(column.data_type()).buffers.iter().chain(rest))
        {
            buffers.push(match *content {
                Content::Bits => self.bits(buffer, row, len)?,
                Content::Fixed { width, .. } => share_host(&self.fetch(buffer, row * width, len * width)?)?,
                Content::Offsets { width } => {
                    let copy = self.fetch(buffer, row * width, (len + 1) * width)?;
                    let (offsets, first, last) = rebase(copy, width)?;
                    pointed = Some((first, last));
                    offsets
                }
                Content::Bytes => match pointed {
                    Some((first, last)) => {
                        check_range(first, last - first, buffer.len())?;
                        share_host(&self.fetch(buffer, first, last - first)?)?
                    }
                    None => share_host(&self.fetch(buffer, 0, buffer.len())?)?,
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
            children.push(self.download(child, child.offset() + start, len)?);
        }
        let offset = if physical == PhysicalType::RunEnd { row } else { 0 };
        let builder = ArrayData::builder(column.data_type().clone()).len(len).offset(offset).nulls(nulls);
        build(builder.buffers(buffers).child_data(children), column)
    }

    /// Copies `len` bytes from `start` on to memory of the CPU's current resource.
    fn fetch(&self, buffer: &Buffer, start: usize, len: usize) -> Result<Buffer> {
        let (cpu, resource) = (Stream::default_for(Device::Cpu)?, current_resource(Device::Cpu)?);
        let mut copy = Buffer::uninitialized(len, &cpu, resource.as_ref())?;
        let mut target = copy.write_on(&cpu)?;
        match self.prefetched.find(buffer, start, len) {
            Some(bytes) => target.as_mut_slice()?.copy_from_slice(bytes),
            None => buffer.slice(start, len)?.read_into(target.as_mut_slice()?, self.stream)?,
        }
        drop(target);
        Ok(copy)
    }

    /// Fetches the `len` bits from bit `start` on.
    fn bits(&self, buffer: &Buffer, start: usize, len: usize) -> Result<ArrowBuffer> {
        let source = share_host(&self.fetch(buffer, start / 8, bitmask::used_bytes(start % 8 + len))?)?;
        if start.is_multiple_of(8) {
            return Ok(source);
        }
        let mut bits = zeroed_host_vec(bitmask::used_bytes(len))?;
        bitmask::copy_bits(&source, start % 8, &mut bits, 0, len);
        Ok(bits.into())
    }
}

fn share_host(buffer: &Buffer) -> Result<ArrowBuffer> {
    share_buffer(buffer, &Stream::default_for(Device::Cpu)?)
}

/// Subtracts the first offset from all offsets.
fn rebase(mut buffer: Buffer, width: usize) -> Result<(ArrowBuffer, usize, usize)> {
    fn moved<T: Pod + ArrowNativeType>(buffer: &mut Buffer, sub: impl Fn(T, T) -> T) -> Result<(usize, usize)> {
        let mut access = buffer.write_on(&Stream::default_for(Device::Cpu)?)?;
        let offsets = access.as_mut_slice::<T>()?;
        let (first, last) = match (offsets.first(), offsets.last()) {
            (Some(first), Some(last)) => (*first, *last),
            _ => {
                return Err(Error::invalid_data(
                    "the offsets of the column are empty, but a column with offsets needs at least 1 offset",
                ));
            }
        };
        let invalid = Error::invalid_data(
            "the offsets of the column are negative or descend; offsets must start at 0 or more and must not descend",
        );
        let (Some(start), Some(end)) = (first.to_usize(), last.to_usize()) else { return Err(invalid) };
        if start > end {
            return Err(invalid);
        }
        if start > 0 {
            offsets.iter_mut().for_each(|offset| *offset = sub(*offset, first));
        }
        Ok((start, end))
    }
    let (start, end) = match width {
        8 => moved::<i64>(&mut buffer, i64::wrapping_sub)?,
        _ => moved::<i32>(&mut buffer, i32::wrapping_sub)?,
    };
    Ok((share_host(&buffer)?, start, end))
}
