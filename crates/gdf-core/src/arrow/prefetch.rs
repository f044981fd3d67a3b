//! Downloads the bytes of several small columns together.
//!
//! If a result has few rows, waiting for the device takes longer than copying the bytes. Therefore each round fetches
//! bytes of all columns with one wait.
//!
//! The first round fetches all ranges that are known. Each later round fetches the ranges to which the fetched offsets
//! refer.

use std::collections::HashMap;

use arrow_buffer::Buffer as ArrowBuffer;
use gdf_driver::{Device, Stream};
use gdf_memory::{Buffer, current_resource};

use super::build::share_buffer;
use crate::layout::{Content, layout, rows_per_parent};
use crate::types::physical_type;
use crate::{Column, Result, bitmask};

/// The largest number of bytes that are fetched for all columns together.
const MOST: usize = 1 << 20;

/// The largest size in bytes of a buffer that is fetched as a whole while the needed range is unknown.
const WHOLE: usize = 16 << 10;

/// A range of bytes of a buffer.
#[derive(Clone, Copy)]
struct Part<'a> {
    buffer: &'a Buffer,
    start: usize,
    len: usize,
}

impl Part<'_> {
    fn contains(&self, start: usize, len: usize) -> bool {
        let end = start.checked_add(len);
        start >= self.start && end.is_some_and(|end| end <= self.start + self.len)
    }
}

pub(crate) struct Prefetched<'a> {
    /// The fetched parts of each buffer. The key is the address of the `Buffer` in its column. The address stays valid,
    /// because the column is borrowed for `'a`.
    parts: HashMap<*const Buffer, Vec<(Part<'a>, ArrowBuffer)>>,
    complete: bool,
}

impl<'a> Prefetched<'a> {
    /// Fetches the bytes that the rows of each column need.
    ///
    /// An entry of `columns` consists of a column, the first row and the number of rows. If the rows need more than
    /// [`MOST`] bytes, the function fetches only some of the bytes, or no bytes.
    pub(crate) fn new(columns: &[(&'a Column, usize, usize)], stream: &Stream) -> Result<Self> {
        let mut prefetched = Prefetched { parts: HashMap::new(), complete: false };
        let mut fetched = 0_usize;
        loop {
            let mut missing = Missing { known: &prefetched, parts: Vec::new() };
            for &(column, row, len) in columns {
                missing.look(column, row, len);
            }
            let parts = missing.parts;
            if parts.is_empty() {
                prefetched.complete = true;
                return Ok(prefetched);
            }
            fetched = parts.iter().fold(fetched, |sum, part| sum.saturating_add(part.len));
            if fetched > MOST {
                return Ok(prefetched);
            }
            prefetched.fetch(parts, stream)?;
        }
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    /// Returns the `len` bytes of a buffer that begin at `start`.
    pub(crate) fn find(&self, buffer: &Buffer, start: usize, len: usize) -> Option<&[u8]> {
        let found = self.parts.get(&std::ptr::from_ref(buffer))?.iter().find(|(part, _)| part.contains(start, len));
        found.map(|(part, bytes)| &bytes[start - part.start..][..len])
    }

    fn fetch(&mut self, parts: Vec<Part<'a>>, stream: &Stream) -> Result<()> {
        let slices =
            parts.iter().map(|part| Ok(part.buffer.slice(part.start, part.len)?)).collect::<Result<Vec<_>>>()?;
        let (cpu, resource) = (Stream::default_for(Device::Cpu)?, current_resource(Device::Cpu)?);
        let total = parts.iter().map(|part| part.len).sum();
        let mut block = Buffer::uninitialized(total, &cpu, resource.as_ref())?;
        Buffer::read_all_into(&slices, block.write_on(&cpu)?.as_mut_slice()?, stream)?;
        let bytes = share_buffer(&block, &cpu)?;
        let mut offset = 0;
        for part in parts {
            let own = bytes.slice_with_length(offset, part.len);
            offset += part.len;
            self.parts.entry(std::ptr::from_ref(part.buffer)).or_default().push((part, own));
        }
        Ok(())
    }
}

/// The parts of buffers that are needed but have not been fetched. Offsets in device memory may be invalid, so sums and
/// products saturate.
struct Missing<'p, 'a> {
    known: &'p Prefetched<'a>,
    parts: Vec<Part<'a>>,
}

/// The range of the child's rows, or of the character buffer's bytes, to which a range of rows refers.
enum Elements {
    All,
    Range(usize, usize),
    /// The range is unknown, because the offsets have not been fetched.
    Unknown,
}

impl<'a> Missing<'_, 'a> {
    /// Collects the missing parts that [`download`](super::download::download) reads for these rows of a column.
    fn look(&mut self, column: &'a Column, row: usize, len: usize) {
        if len == 0 {
            return;
        }
        if let Some(validity) = column.validity() {
            self.bits(validity, row, len);
        }
        let mut elements = Elements::All;
        let rest = std::iter::repeat(&("data", Content::Bytes));
        for (buffer, (_, content)) in column.buffers().iter().zip(layout(column.data_type()).buffers.iter().chain(rest))
        {
            match *content {
                Content::Bits => self.bits(buffer, row, len),
                Content::Fixed { width, .. } => {
                    self.bytes(buffer, row.saturating_mul(width), len.saturating_mul(width))
                }
                Content::Offsets { width } => {
                    self.bytes(buffer, row.saturating_mul(width), len.saturating_add(1).saturating_mul(width));
                    elements = self.elements(buffer, row, len, width);
                }
                Content::Bytes => match elements {
                    Elements::Range(start, len) => self.bytes(buffer, start, len),
                    Elements::Unknown if buffer.len() > WHOLE => {}
                    Elements::Unknown | Elements::All => self.bytes(buffer, 0, buffer.len()),
                },
            }
        }
        let each = rows_per_parent(physical_type(column.data_type()));
        for child in column.children() {
            match (each, &elements) {
                (Some(each), _) => {
                    let row = child.offset().saturating_add(row.saturating_mul(each));
                    self.look(child, row, len.saturating_mul(each));
                }
                (None, Elements::Range(start, len)) => self.look(child, child.offset().saturating_add(*start), *len),
                (None, Elements::Unknown) if child.alloc_size() > WHOLE => {}
                (None, Elements::Unknown | Elements::All) => self.look(child, child.offset(), child.len()),
            }
        }
    }

    fn bits(&mut self, buffer: &'a Buffer, start: usize, len: usize) {
        self.bytes(buffer, start / 8, bitmask::used_bytes((start % 8).saturating_add(len)));
    }

    /// Adds this range of a buffer, unless the range was fetched or exceeds the buffer.
    fn bytes(&mut self, buffer: &'a Buffer, start: usize, len: usize) {
        let is_there = start.checked_add(len).is_some_and(|end| end <= buffer.len());
        if len > 0 && is_there && self.known.find(buffer, start, len).is_none() {
            self.parts.push(Part { buffer, start, len });
        }
    }

    fn elements(&self, offsets: &Buffer, row: usize, len: usize, width: usize) -> Elements {
        let (start, size) = (row.saturating_mul(width), len.saturating_add(1).saturating_mul(width));
        let Some(bytes) = self.known.find(offsets, start, size) else { return Elements::Unknown };
        let at = |index: usize| {
            let entry = &bytes[index * width..][..width];
            let value = match *entry {
                [a, b, c, d] => i64::from(i32::from_le_bytes([a, b, c, d])),
                _ => i64::from_le_bytes(entry.try_into().ok()?),
            };
            usize::try_from(value).ok()
        };
        match (at(0), at(len)) {
            (Some(first), Some(last)) if first <= last => Elements::Range(first, last - first),
            // The offsets are invalid. The code that reads the offsets reports the error.
            _ => Elements::Range(0, 0),
        }
    }
}
