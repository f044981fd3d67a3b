//! A result in one allocation: values, mask, null count and characters follow one another.

use gdf_core::{Column, ColumnParts, DataType, NullCount, PhysicalType, Result, physical_type};
use gdf_driver::Stream;
use gdf_kernels::{ColumnOut, Out, WIDE_OFFSETS};
use gdf_memory::{AccessMut, BUFFER_PADDING, Buffer, MemoryError};

use super::output::{kernel_type, mask_bytes};
use crate::Ctx;
use crate::vouch;

/// A result without children in one allocation. The values or offsets come first, followed by the mask and the null
/// count, and then by the characters.
#[derive(Debug)]
pub struct SingleOutput {
    data_type: DataType,
    len: usize,
    buffer: Buffer,
    values: usize,
    masked: bool,
    chars: usize,
}

impl SingleOutput {
    /// Allocates a result of `len` rows. The result has memory for a mask if `masked` is true, and for `chars` bytes
    /// of strings.
    pub fn new(data_type: &DataType, len: usize, masked: bool, chars: usize, ctx: Ctx<'_>) -> Result<Self> {
        let values = values_bytes(data_type, len).and_then(|bytes| bytes.checked_next_multiple_of(BUFFER_PADDING));
        let mask = if masked { mask_bytes(len) + BUFFER_PADDING } else { 0 };
        let fixed = values.and_then(|values| values.checked_add(mask));
        let bytes = fixed.and_then(|fixed| fixed.checked_add(chars)).ok_or(MemoryError::OutOfMemory {
            requested: usize::MAX,
            free: None,
            resource: ctx.mr.output.resource().name(),
        })?;
        let buffer = Buffer::uninitialized(bytes, ctx.stream, ctx.mr.output)?;
        Ok(Self { data_type: data_type.clone(), len, buffer, values: bytes - chars - mask, masked, chars })
    }

    fn mask_end(&self) -> usize {
        self.values + if self.masked { mask_bytes(self.len) + BUFFER_PADDING } else { 0 }
    }

    pub fn open(&mut self, stream: &Stream) -> Result<OpenSingle<'_>> {
        let physical = physical_type(&self.data_type);
        let mask = self.masked.then_some(self.values);
        let characters = physical.has_byte_offsets().then(|| self.mask_end());
        let shape = ColumnOut {
            length: self.len as i64,
            data_type: kernel_type(physical) as i32,
            flags: if physical.is_large() { WIDE_OFFSETS } else { 0 },
            ..ColumnOut::default()
        };
        Ok(OpenSingle { access: self.buffer.write_on(stream)?, shape, mask, characters })
    }

    /// Makes the column. The kernel that writes the column must already be enqueued.
    pub fn finish(self, stream: &Stream) -> Result<Column> {
        let (validity, null_count) = self.mask()?;
        vouch::result(self.parts(stream)?.validity(validity, null_count))
    }

    /// Returns the mask that kernels write, and its null count.
    pub fn mask(&self) -> Result<(Option<Buffer>, NullCount)> {
        if !self.masked {
            return Ok((None, NullCount::Known(0)));
        }
        let mask = self.buffer.slice(self.values, self.len.div_ceil(8))?;
        let count = self.buffer.slice(self.values + mask_bytes(self.len), 8)?;
        Ok((Some(mask), NullCount::device(count)))
    }

    /// Returns the parts of the column, without its validity.
    pub fn parts(&self, stream: &Stream) -> Result<ColumnParts> {
        let bytes = match physical_type(&self.data_type) {
            PhysicalType::Bool => self.len.div_ceil(8),
            _ => values_bytes(&self.data_type, self.len).unwrap_or(0),
        };
        let mut parts = ColumnParts::new(self.data_type.clone(), stream.device(), self.len);
        parts.buffers.push(self.buffer.slice(0, bytes)?);
        if physical_type(&self.data_type).has_byte_offsets() {
            parts.buffers.push(self.buffer.slice(self.mask_end(), self.chars)?);
        }
        Ok(parts)
    }
}

#[derive(Debug)]
pub struct OpenSingle<'a> {
    access: AccessMut<'a>,
    shape: ColumnOut<'static>,
    mask: Option<usize>,
    characters: Option<usize>,
}

impl OpenSingle<'_> {
    pub fn desc(&self) -> ColumnOut<'_> {
        let first = Out::<u8>::of(&self.access);
        let null_count = |mask: usize| first.at(mask + mask_bytes(self.shape.length as usize));
        ColumnOut {
            data: self.characters.map_or(first, |at| first.at(at)),
            offsets: self.characters.map_or(Out::NULL, |_| first),
            validity: self.mask.map_or(Out::NULL, |mask| first.at(mask)),
            null_count: self.mask.map_or(Out::NULL, null_count),
            ..self.shape
        }
    }
}

fn values_bytes(data_type: &DataType, len: usize) -> Option<usize> {
    match physical_type(data_type) {
        // Kernels write Booleans in whole 32-bit words.
        PhysicalType::Bool => Some(len.div_ceil(32) * 4),
        physical if physical.has_byte_offsets() => {
            len.checked_add(1)?.checked_mul(if physical.is_large() { 8 } else { 4 })
        }
        physical => physical.width().unwrap_or(0).checked_mul(len),
    }
}
