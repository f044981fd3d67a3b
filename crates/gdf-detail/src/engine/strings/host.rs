//! The host half: what each row has is counted, then written, in chunks on all threads.

use bytemuck::Pod;
use gdf_core::{Column, NullCount, Result};
use gdf_memory::{Buffer, ResourceRef};

use crate::Ctx;
use crate::engine::elementwise::Rows;
use crate::engine::rows::{OutputBuffers, RowKind, byte_len, check_offsets};
use crate::host::{HostColumn, Offset, StringRows, for_each_task, split_mut, task_rows};
use crate::vouch;

/// What a functor puts the elements of a row into: first they are counted, then written.
pub(crate) struct RowSink<'t, T> {
    target: Option<&'t mut [T]>,
    at: usize,
}

/// Bytes of a text.
pub(crate) type TextSink<'t> = RowSink<'t, u8>;

impl<T: Copy> RowSink<'_, T> {
    /// Elements, in their order.
    pub(crate) fn put(&mut self, elements: &[T]) {
        self.put_with(elements.len(), |slots| slots.copy_from_slice(elements));
    }

    /// So many elements, which `fill` writes; it is not called while they are counted.
    pub(crate) fn put_with(&mut self, len: usize, fill: impl FnOnce(&mut [T])) {
        let end = self.at.saturating_add(len);
        if let Some(slots) = self.target.as_mut().and_then(|target| target.get_mut(self.at..end)) {
            fill(slots);
        }
        self.at = end;
    }

    /// Elements, so many times.
    pub(crate) fn put_times(&mut self, elements: &[T], times: usize) {
        self.put_with(elements.len().saturating_mul(times), |slots| {
            for piece in slots.chunks_mut(elements.len().max(1)) {
                piece.copy_from_slice(elements);
            }
        });
    }
}

impl TextSink<'_> {
    /// A character.
    pub(crate) fn put_char(&mut self, character: char) {
        self.put(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

/// Rows of text, with their validity.
pub(crate) struct Texts<'a> {
    rows: StringRows<'a>,
    validity: Option<crate::host::Bits<'a>>,
    broadcast: bool,
    chars: &'a [u8],
}

impl<'a> Texts<'a> {
    pub(crate) fn open(column: &'a HostColumn<'_>) -> Result<Self> {
        let large = super::is_large("text", column.view())?;
        let (validity, broadcast) = (column.validity()?, column.broadcast());
        Ok(Self { rows: StringRows::open(column, large)?, validity, broadcast, chars: column.chars()? })
    }

    /// Whether a row is not null.
    #[inline]
    pub(crate) fn is_valid(&self, row: usize) -> bool {
        self.validity.is_none_or(|mask| mask.get(if self.broadcast { 0 } else { row }))
    }

    /// The bytes of a row that is not null.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<&'a [u8]> {
        self.is_valid(row).then(|| self.rows.get_valid(row))
    }

    /// How many bytes all rows have, and those that a slice leaves out.
    pub(crate) fn bytes(&self) -> usize {
        self.chars.len()
    }
}

impl Texts<'_> {
    /// Where a part of a row's text lies in the character buffer.
    pub(super) fn begin_of(&self, part: &[u8]) -> i64 {
        if part.is_empty() { 0 } else { part.as_ptr().addr().wrapping_sub(self.chars.as_ptr().addr()) as i64 }
    }
}

/// What `build` and `spans` make results with.
pub(crate) struct Builder<'a> {
    pub(super) rows: usize,
    pub(super) nullable: bool,
    pub(super) large: bool,
    pub(super) ctx: Ctx<'a>,
    /// Where text goes; offsets and masks go to the output of `ctx`.
    pub(super) bytes: ResourceRef<'a>,
}

impl Builder<'_> {
    /// A text for each row: `row` puts what it has into the sink, the same each time, or returns false: null.
    pub(crate) fn text(&self, row: impl Fn(usize, &mut TextSink<'_>) -> bool + Sync) -> Result<OutputBuffers> {
        self.elements(self.large, self.bytes, row)
    }

    /// Any number of elements for each row, as [`text`](Self::text); they lie in memory of `mr`.
    pub(super) fn elements<T: Pod + Send + Sync>(
        &self,
        large: bool,
        mr: ResourceRef<'_>,
        row: impl Fn(usize, &mut RowSink<'_, T>) -> bool + Sync,
    ) -> Result<OutputBuffers> {
        let sizes = |first: usize, ends: &mut [usize]| {
            let (mut sink, mut bits) = (RowSink { target: None, at: 0 }, 0_u64);
            for (bit, end) in ends.iter_mut().enumerate() {
                let before = sink.at;
                if row(first + bit, &mut sink) {
                    bits |= 1 << bit;
                } else {
                    sink.at = before;
                }
                *end = sink.at;
            }
            bits
        };
        let write = |index: usize, target: &mut [T]| {
            row(index, &mut RowSink { target: Some(target), at: 0 });
        };
        let rows = RowFunctions { sizes: &sizes, write: &write };
        if large { self.with_offsets::<T, i64>(mr, rows) } else { self.with_offsets::<T, i32>(mr, rows) }
    }

    fn with_offsets<T: Pod + Send + Sync, O: Offset>(
        &self,
        mr: ResourceRef<'_>,
        functions: RowFunctions<'_, T>,
    ) -> Result<OutputBuffers> {
        let (rows, ctx, task) = (self.rows, self.ctx, task_rows());
        let mut offsets =
            Buffer::uninitialized(byte_len(rows + 1, size_of::<O>(), ctx.mr)?, ctx.stream, ctx.mr.output)?;
        let Some((first, ends)) = offsets.write_on(ctx.stream)?.into_mut_slice::<O>()?.split_first_mut() else {
            return Err(gdf_core::Error::invalid_data("offsets of no rows"));
        };
        *first = O::zeroed();
        let mask = || Buffer::uninitialized(rows.div_ceil(64) * 8, ctx.stream, ctx.mr.output);
        let mut mask = self.nullable.then(mask).transpose()?;
        let masks = match &mut mask {
            Some(mask) => mask.write_on(ctx.stream)?.into_mut_slice::<u64>()?,
            None => &mut [],
        };

        // Where each row ends within its chunk; wrapped where that is refused below.
        let mut totals = vec![(0, 0); rows.div_ceil(task)];
        let masks = split_mut(masks, totals.iter().map(|_| task / 64));
        for_each_task(ends.chunks_mut(task).zip(masks).zip(&mut totals).collect(), |chunk, ((ends, mask), total)| {
            let mut block = [0; 64];
            for (word, ends) in ends.chunks_mut(64).enumerate() {
                let block = &mut block[..ends.len()];
                let bits = (functions.sizes)(chunk * task + word * 64, block);
                for (end, in_block) in ends.iter_mut().zip(&*block) {
                    *end = O::new(total.0 + in_block);
                }
                total.0 += block.last().copied().unwrap_or_default();
                total.1 += ends.len() - bits.count_ones() as usize;
                if let Some(slot) = mask.get_mut(word) {
                    *slot = bits.to_le();
                }
            }
        });
        let total = totals.iter().map(|(size, _)| *size as u64).sum();
        check_offsets(RowKind::Strings { large: O::LARGE }, total)?;

        let bytes = byte_len(usize::try_from(total).unwrap_or(usize::MAX), size_of::<T>(), ctx.mr)?;
        let mut elements = Buffer::uninitialized(bytes, ctx.stream, mr)?;
        let pieces =
            split_mut(elements.write_on(ctx.stream)?.into_mut_slice::<T>()?, totals.iter().map(|(size, _)| *size));
        let starts = totals.iter().scan(0, |next, (size, _)| {
            let start = *next;
            *next += size;
            Some(start)
        });
        let tasks = ends.chunks_mut(task).zip(pieces).zip(starts).collect();
        for_each_task(tasks, |chunk, ((ends, piece), start)| {
            let mut at = 0;
            for (index, end) in (chunk * task..).zip(ends) {
                let next = end.position();
                if let Some(target) = piece.get_mut(at..next).filter(|target| !target.is_empty()) {
                    (functions.write)(index, target);
                }
                at = next;
                *end = O::new(start + next);
            }
        });
        let nulls = totals.iter().map(|(_, nulls)| nulls).sum();
        Ok(OutputBuffers { buffers: [offsets, elements].into(), validity: mask, null_count: NullCount::Known(nulls) })
    }
}

/// A functor behind pointers: what surrounds it is compiled once for each type of element and width of offsets.
#[derive(Clone, Copy)]
struct RowFunctions<'a, T> {
    /// Where each row of up to 64 ends, counted from the first of them; a bit for each that is valid.
    sizes: &'a (dyn Fn(usize, &mut [usize]) -> u64 + Sync),
    /// Writes a row that has elements.
    write: &'a (dyn Fn(usize, &mut [T]) + Sync),
}

/// Values of fixed width for each row, null where `row` gives none.
pub(crate) fn try_map<O: Pod + Send + Sync, const N: usize>(
    rows: &Rows<'_, N>,
    row: impl Fn(usize) -> Option<O> + Sync,
) -> Result<Column> {
    let (len, ctx, task) = (rows.len(), rows.ctx, task_rows());
    let mut values = Buffer::uninitialized(byte_len(len, size_of::<O>(), ctx.mr)?, ctx.stream, ctx.mr.output)?;
    let mut mask = Buffer::uninitialized(len.div_ceil(64) * 8, ctx.stream, ctx.mr.output)?;
    let mut nulls = vec![0; len.div_ceil(task)];
    let masks = mask.write_on(ctx.stream)?.into_mut_slice::<u64>()?.chunks_mut(task / 64);
    let chunks = values.write_on(ctx.stream)?.into_mut_slice::<O>()?.chunks_mut(task);
    for_each_task(chunks.zip(masks).zip(&mut nulls).collect(), |chunk, ((values, mask), nulls)| {
        for ((word, values), slot) in values.chunks_mut(64).enumerate().zip(mask) {
            let mut bits = 0_u64;
            for (bit, value) in values.iter_mut().enumerate() {
                let found = row(chunk * task + word * 64 + bit);
                bits |= u64::from(found.is_some()) << bit;
                *value = found.unwrap_or_else(O::zeroed);
            }
            *nulls += values.len() - bits.count_ones() as usize;
            *slot = bits.to_le();
        }
    });
    let mut parts = gdf_core::ColumnParts::new(rows.output_type.clone(), ctx.stream.device(), len).buffer(values);
    parts.validity = Some(mask);
    parts.null_count = NullCount::Known(nulls.into_iter().sum());
    vouch::result(parts)
}

#[cfg(test)]
mod tests {
    use gdf_core::Error;
    use gdf_driver::{Device, Stream};
    use gdf_memory::{Resources, current_resource};

    use super::*;

    /// Whether so many bytes in two rows are refused before a byte is written.
    fn overflows(bytes: usize) -> bool {
        let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu).unwrap());
        let ctx = Ctx::new(&stream, Resources::new(&mr, &mr));
        let builder = Builder { rows: 2, nullable: false, large: false, ctx, bytes: ctx.mr.output };
        let result = builder.text(|row, sink| {
            sink.put_with(if row == 0 { 1 } else { bytes - 1 }, |_| panic!("written"));
            true
        });
        matches!(result, Err(Error::OffsetOverflow { needed, .. }) if needed == bytes as u64)
    }

    #[test]
    fn overflow_is_found_before_anything_is_written() {
        assert!(overflows(1 << 31));
        assert!(overflows((1 << 32) + 1));
    }
}
