//! Results that CPU code writes.

use bytemuck::Pod;
use gdf_core::bitmask::low_bits;
use gdf_core::{Column, ColumnParts, DataType, NullCount, Result};
use gdf_driver::Stream;
use gdf_memory::{Buffer, ResourceRef};

use super::{map_tasks, task_rows};
use crate::Ctx;
use crate::vouch;

/// A finished validity mask. `validity` is `None` if no row can be null.
#[derive(Debug, Default)]
pub struct HostMask {
    pub validity: Option<Buffer>,
    pub nulls: usize,
}

/// Makes a mask, or Boolean values, of `len` rows on all threads. `word(i)` returns the bits of rows `64 * i ..`. Bits
/// after the end are cleared.
pub fn mask_from_words(
    len: usize,
    stream: &Stream,
    mr: ResourceRef<'_>,
    word: impl Fn(usize) -> u64 + Sync,
) -> Result<(Buffer, usize)> {
    let words = len.div_ceil(64);
    let tail = low_bits(len - words.saturating_sub(1) * 64);
    fill_words(words, stream, mr, &|first, words_out| {
        let mut ones = 0;
        for (index, slot) in words_out.iter_mut().enumerate() {
            let index = first + index;
            let value = word(index) & if index + 1 == words { tail } else { u64::MAX };
            ones += value.count_ones() as usize;
            *slot = value.to_le();
        }
        ones
    })
}

/// Makes a mask in the same way as [`mask_from_words`]. `write(first, words)` writes all words of a chunk at once.
pub fn mask_from_chunks(
    len: usize,
    stream: &Stream,
    mr: ResourceRef<'_>,
    write: &(dyn Fn(usize, &mut [u64]) + Sync),
) -> Result<(Buffer, usize)> {
    let words = len.div_ceil(64);
    let tail = low_bits(len - words.saturating_sub(1) * 64);
    fill_words(words, stream, mr, &|first, out| {
        write(first, out);
        if first + out.len() == words
            && let Some(last) = out.last_mut()
        {
            *last &= tail;
        }
        let ones = out.iter().map(|word| word.count_ones() as usize).sum();
        out.iter_mut().for_each(|word| *word = word.to_le());
        ones
    })
}

/// Makes a buffer of `words` words, which `fill(first, words)` writes in chunks. The function is not generic, because a
/// generic function would be compiled again for each operation that calls it.
fn fill_words(
    words: usize,
    stream: &Stream,
    mr: ResourceRef<'_>,
    fill: &(dyn Fn(usize, &mut [u64]) -> usize + Sync),
) -> Result<(Buffer, usize)> {
    let mut buffer = Buffer::uninitialized(words * 8, stream, mr)?;
    let out = buffer.write_on(stream)?.into_mut_slice::<u64>()?;
    let task = task_rows() / 64;
    let ones = map_tasks(out.chunks_mut(task).collect(), &|chunk, out: &mut [u64]| fill(chunk * task, out));
    Ok((buffer, ones.into_iter().sum()))
}

impl HostMask {
    /// Returns a mask for rows that are all valid.
    pub fn none() -> Self {
        Self::default()
    }

    /// Makes a mask in which row `i` is valid if bit `i % 64` of `word(i / 64)` is set.
    pub fn from_words(
        len: usize,
        stream: &Stream,
        mr: ResourceRef<'_>,
        word: impl Fn(usize) -> u64 + Sync,
    ) -> Result<Self> {
        let (buffer, valid) = mask_from_words(len, stream, mr, word)?;
        Ok(Self { validity: Some(buffer), nulls: len - valid })
    }
}

/// A fixed-width result of `len` rows of `T`. The memory is uninitialized, and the operation must write every row.
#[derive(Debug)]
pub struct HostOutput<T: Pod> {
    buffer: Buffer,
    len: usize,
    values: std::marker::PhantomData<T>,
}

impl<T: Pod> HostOutput<T> {
    pub fn new(len: usize, ctx: Ctx<'_>) -> Result<Self> {
        let bytes = len.checked_mul(size_of::<T>()).ok_or(gdf_memory::MemoryError::OutOfMemory {
            requested: usize::MAX,
            free: None,
            resource: ctx.mr.output.resource().name(),
        })?;
        let buffer = Buffer::uninitialized(bytes, ctx.stream, ctx.mr.output)?;
        Ok(Self { buffer, len, values: std::marker::PhantomData })
    }

    pub fn values(&mut self, stream: &Stream) -> Result<&mut [T]> {
        Ok(self.buffer.write_on(stream)?.into_mut_slice()?)
    }

    pub fn into_buffer(self) -> Buffer {
        self.buffer
    }

    pub fn finish(self, data_type: &DataType, mask: HostMask) -> Result<Column> {
        column(data_type, self.len, [self.buffer], mask)
    }
}

/// Makes a column without children on the CPU from finished buffers.
pub fn column(
    data_type: &DataType,
    len: usize,
    buffers: impl IntoIterator<Item = Buffer>,
    mask: HostMask,
) -> Result<Column> {
    let mut parts = ColumnParts::new(data_type.clone(), gdf_driver::Device::Cpu, len);
    parts.buffers = buffers.into_iter().collect();
    parts.null_count = NullCount::Known(mask.nulls);
    parts.validity = mask.validity;
    vouch::result(parts)
}
