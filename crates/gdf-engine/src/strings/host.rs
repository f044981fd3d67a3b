//! Text functions on the CPU. All threads make the texts of chunks of rows in scratch memory. When the sizes of all
//! chunks are known, the texts are copied to the result.

use bytemuck::Pod;
use gdf_core::{Column, NullCount, Result};
use gdf_kernels::generated::common::TextSpan;
use gdf_memory::{Buffer, ResourceRef};

use crate::Ctx;
use crate::elementwise::Rows;
use crate::host::{BLOCK, HostColumn, Offset, StringRows, block_of, for_each_task, map_tasks, split_mut, task_rows};
use crate::layout::{OutputBuffers, RowKind, byte_len, check_offsets};
use crate::vouch;

/// A sink that receives the elements of a row from a functor. If the memory of the sink has no space for an element,
/// the element is only counted.
pub struct RowSink<'t, T> {
    target: &'t mut [T],
    at: usize,
    /// The text from which most rows copy their elements.
    source: &'t [u8],
}

/// A sink that receives the bytes of a text from a functor.
pub type TextSink<'t> = RowSink<'t, u8>;

impl<T: Copy> RowSink<'_, T> {
    #[inline]
    pub fn push(&mut self, element: T) {
        if let Some(slot) = self.target.get_mut(self.at) {
            *slot = element;
        }
        self.at = self.at.saturating_add(1);
    }

    /// Appends `len` elements, which `fill` writes. If there is no space for the elements, they are counted and `fill`
    /// is not called.
    #[inline]
    pub fn put_with(&mut self, len: usize, fill: impl FnOnce(&mut [T])) {
        let end = self.at.saturating_add(len);
        if let Some(slots) = self.target.get_mut(self.at..end) {
            fill(slots);
        }
        self.at = end;
    }
}

impl TextSink<'_> {
    /// Appends bytes. Most texts are short, and calling a copy function takes longer than copying a short text. The
    /// next row overwrites the surplus bytes of the block, because rows are written in order.
    #[inline]
    pub fn put(&mut self, bytes: &[u8]) {
        if bytes.len() <= BLOCK
            && let Some(block) = block_of::<BLOCK>(self.source, bytes)
            && let Some(slots) = self.target.get_mut(self.at..).and_then(|rest| rest.first_chunk_mut())
        {
            *slots = *block;
            self.at += bytes.len();
        } else {
            self.put_few(bytes);
        }
    }

    #[inline(never)]
    fn put_few(&mut self, bytes: &[u8]) {
        self.put_with(bytes.len(), |slots| copy_few(bytes, slots));
    }

    /// Returns the first `BLOCK` bytes of a text. If the text has fewer bytes, the other bytes of the result are
    /// unspecified.
    #[inline]
    pub fn block(&self, text: &[u8]) -> [u8; BLOCK] {
        block_of(self.source, text).copied().unwrap_or_else(|| {
            let mut block = [0; BLOCK];
            block.iter_mut().zip(text).for_each(|(slot, byte)| *slot = *byte);
            block
        })
    }

    /// Appends the first `len` bytes of a block.
    #[inline]
    pub fn put_block(&mut self, block: &[u8; BLOCK], len: usize) {
        let len = len.min(BLOCK);
        match self.target.get_mut(self.at..).and_then(|rest| rest.first_chunk_mut()) {
            Some(slots) => {
                *slots = *block;
                self.at += len;
            }
            None => self.put_few(block.get(..len).unwrap_or_default()),
        }
    }

    pub fn put_times(&mut self, bytes: &[u8], times: usize) {
        match bytes {
            [byte] if times <= BLOCK => self.put_block(&[*byte; BLOCK], times),
            [byte] => self.put_with(times, |slots| slots.fill(*byte)),
            _ if times <= 4 => (0..times).for_each(|_| self.put(bytes)),
            _ => self.put_with(bytes.len().saturating_mul(times), |slots| {
                slots.chunks_mut(bytes.len().max(1)).for_each(|slots| copy_few(bytes, slots));
            }),
        }
    }

    pub fn put_char(&mut self, character: char) {
        let mut block = [0; BLOCK];
        let len = character.encode_utf8(&mut block).len();
        self.put_block(&block, len);
    }
}

/// Copies `from` to `to`, which has the same length.
pub fn copy_few(from: &[u8], to: &mut [u8]) {
    fn ends<const N: usize>(from: &[u8], to: &mut [u8]) {
        if let (Some(first), Some(last)) = (from.first_chunk::<N>(), from.last_chunk()) {
            to.first_chunk_mut().into_iter().for_each(|to| *to = *first);
            to.last_chunk_mut::<N>().into_iter().for_each(|to| *to = *last);
        }
    }
    match from.len() {
        0..4 => to.iter_mut().zip(from).for_each(|(to, from)| *to = *from),
        4..8 => ends::<4>(from, to),
        8..16 => ends::<8>(from, to),
        16..=32 => ends::<16>(from, to),
        _ if from.len() == to.len() => to.copy_from_slice(from),
        _ => {}
    }
}

/// Rows of text, with their validity.
pub struct Texts<'a> {
    rows: StringRows<'a>,
    validity: Option<crate::host::Bits<'a>>,
    broadcast: bool,
    chars: &'a [u8],
}

impl<'a> Texts<'a> {
    pub fn open(column: &'a HostColumn<'_>) -> Result<Self> {
        super::is_large("text", column.view())?;
        let (validity, broadcast) = (column.validity()?, column.broadcast());
        Ok(Self { rows: StringRows::open(column)?, validity, broadcast, chars: column.chars()? })
    }

    #[inline]
    pub fn is_valid(&self, row: usize) -> bool {
        self.validity.is_none_or(|mask| mask.get(if self.broadcast { 0 } else { row }))
    }

    /// Returns the bytes of a row, or `None` if the row is null.
    #[inline]
    pub fn get(&self, row: usize) -> Option<&'a [u8]> {
        self.is_valid(row).then(|| self.rows.get_valid(row))
    }

    /// Returns the bytes of all rows.
    pub fn bytes(&self) -> &'a [u8] {
        self.chars
    }
}

impl Texts<'_> {
    /// Returns the span of a part of a row's text. The span of an empty part begins anywhere.
    pub fn span_of(&self, part: &[u8]) -> TextSpan {
        let place = part.as_ptr().addr().wrapping_sub(self.chars.as_ptr().addr()) as i64;
        TextSpan { begin: if part.is_empty() { 0 } else { place }, size: part.len() as i64 }
    }
}

/// The context in which `build` and `spans` make results.
#[derive(Clone, Copy)]
pub struct Builder<'a> {
    pub(super) rows: usize,
    pub(super) nullable: bool,
    pub(super) large: bool,
    pub(super) ctx: Ctx<'a>,
    /// The memory resource of the elements. Offsets and masks are allocated from the output resource of `ctx`.
    pub(super) bytes: ResourceRef<'a>,
    /// The text from which most rows copy their elements.
    pub(super) source: &'a [u8],
}

#[derive(Default)]
struct Chunk {
    size: usize,
    nulls: usize,
    /// The elements of the chunk, possibly followed by unused memory.
    elements: Option<Buffer>,
}

/// A closure that makes up to 64 rows. Its arguments are the first row, a slot for the end of each row, the memory of
/// the elements, and the position of the first element in this memory. The result has a bit for each row, which is set
/// if the row is valid.
type MakeRows<'a, T> = &'a (dyn Fn(usize, &mut [usize], &mut [T], usize) -> u64 + Sync);

/// The maximum number of bytes of scratch memory of a chunk. The elements of a larger chunk are only counted in the
/// first pass. For so many bytes, the copy from scratch memory would take longer than making the elements again.
const MAX_CHUNK: usize = 4 << 20;

impl<'a> Builder<'a> {
    /// Returns the same builder, for rows that mostly consist of parts of `source`.
    pub fn of<'b>(&self, source: &'b [u8]) -> Builder<'b>
    where
        'a: 'b,
    {
        Builder { source, ..*self }
    }

    /// Makes a text for each row. `row` writes the text to the sink, and returns false if the row is null. `row` may be
    /// called twice for a row, and must write the same text each time.
    pub fn text(&self, row: impl Fn(usize, &mut TextSink<'_>) -> bool + Sync) -> Result<OutputBuffers> {
        self.elements(self.bytes, || (), |(), index, sink| row(index, sink))
    }

    /// Makes any number of elements for each row in the same way as [`text`](Self::text), in memory of `mr`.
    pub(super) fn elements<T: Pod + Send + Sync, S>(
        &self,
        mr: ResourceRef<'_>,
        state: impl Fn() -> S + Sync,
        row: impl Fn(&mut S, usize, &mut RowSink<'_, T>) -> bool + Sync,
    ) -> Result<OutputBuffers> {
        let source = self.source;
        // `make` is a trait object, so that the compiler makes only one copy of `with_offsets` for each pair of element
        // type and offset type.
        let make = |first: usize, ends: &mut [usize], target: &mut [T], at: usize| {
            let (mut state, mut sink, mut bits) = (state(), RowSink { target, at, source }, 0_u64);
            for (bit, end) in ends.iter_mut().enumerate() {
                let before = sink.at;
                if row(&mut state, first + bit, &mut sink) {
                    bits |= 1 << bit;
                } else {
                    sink.at = before;
                }
                *end = sink.at;
            }
            bits
        };
        if self.large { self.with_offsets::<T, i64>(mr, &make) } else { self.with_offsets::<T, i32>(mr, &make) }
    }

    fn with_offsets<T: Pod + Send + Sync, O: Offset>(
        &self,
        mr: ResourceRef<'_>,
        make: MakeRows<'_, T>,
    ) -> Result<OutputBuffers> {
        let (rows, ctx, task) = (self.rows, self.ctx, task_rows());
        let mut offsets =
            Buffer::uninitialized(byte_len(rows + 1, size_of::<O>(), ctx.mr)?, ctx.stream, ctx.mr.output)?;
        let Some((first, ends)) = offsets.write_on(ctx.stream)?.into_mut_slice::<O>()?.split_first_mut() else {
            return Err(gdf_core::Error::invalid_data("the buffer of offsets has no room for the first offset"));
        };
        *first = O::zeroed();
        let mask = || Buffer::uninitialized(rows.div_ceil(64) * 8, ctx.stream, ctx.mr.output);
        let mut mask = self.nullable.then(mask).transpose()?;
        let masks = match &mut mask {
            Some(mask) => mask.write_on(ctx.stream)?.into_mut_slice::<u64>()?,
            None => &mut [],
        };

        // The tasks write the end of each row within its chunk. An end that does not fit in the offset type wraps
        // around, and `check_offsets` below then returns an error.
        let masks = split_mut(masks, (0..rows.div_ceil(task)).map(|_| task / 64));
        let tasks: Vec<_> = ends.chunks_mut(task).zip(masks).collect();
        let chunks = map_tasks(tasks, &|chunk, (ends, mask): (&mut [O], _)| self.chunk(chunk * task, ends, mask, make));
        let total = chunks.iter().fold(0, |total: u64, chunk| total.saturating_add(chunk.size as u64));
        check_offsets(RowKind::Strings { large: O::LARGE }, total)?;

        let bytes = byte_len(usize::try_from(total).unwrap_or(usize::MAX), size_of::<T>(), ctx.mr)?;
        let mut elements = Buffer::uninitialized(bytes, ctx.stream, mr)?;
        let sizes = chunks.iter().map(|chunk| chunk.size);
        let pieces = split_mut(elements.write_on(ctx.stream)?.into_mut_slice::<T>()?, sizes);
        let nulls = chunks.iter().map(|chunk| chunk.nulls).sum();
        let mut next = 0;
        let tasks = ends.chunks_mut(task).zip(pieces).zip(chunks).map(|((ends, piece), chunk)| {
            let start = next;
            next += chunk.size;
            (ends, piece, start, chunk.elements)
        });
        for_each_task(tasks.collect(), |chunk, (ends, piece, start, elements)| {
            let made = elements.as_ref().and_then(|made| made.read_on(ctx.stream).ok());
            match made.as_ref().and_then(|made| made.as_slice::<T>().ok()?.get(..piece.len())) {
                Some(made) => piece.copy_from_slice(made),
                None => {
                    let mut at = 0;
                    for (word, ends) in ends.chunks(64).enumerate() {
                        let mut block = [0; 64];
                        make(chunk * task + word * 64, &mut block[..ends.len()], piece, at);
                        at = block[ends.len() - 1];
                    }
                }
            }
            ends.iter_mut().for_each(|end| *end = O::new(start + end.position()));
        });
        Ok(OutputBuffers {
            buffers: [offsets, elements].into(),
            validity: mask,
            null_count: NullCount::Known(nulls),
            elements: None,
        })
    }

    /// Makes the rows of a chunk, from `first` on, in scratch memory of about their size.
    fn chunk<T: Pod, O: Offset>(&self, first: usize, ends: &mut [O], mask: &mut [u64], make: MakeRows<'_, T>) -> Chunk {
        let (stream, rows) = (self.ctx.stream, ends.len());
        let (mut chunk, mut word, mut grows) = (Chunk::default(), 0, rows > 64);
        loop {
            let elements = chunk.elements.as_mut().and_then(|made| made.write_on(stream).ok());
            let target = elements.and_then(|made| made.into_mut_slice::<T>().ok()).unwrap_or_default();
            let mut needed = None;
            for (at, ends) in ends.chunks_mut(64).enumerate().skip(word) {
                let mut block = [0; 64];
                let block = &mut block[..ends.len()];
                let bits = make(first + at * 64, block, target, chunk.size);
                let size = block[block.len() - 1];
                if grows && size > target.len() {
                    needed = Some(size);
                    break;
                }
                ends.iter_mut().zip(&*block).for_each(|(end, at)| *end = O::new(*at));
                (chunk.size, word) = (size, at + 1);
                chunk.nulls += ends.len() - bits.count_ones() as usize;
                if let Some(slot) = mask.get_mut(at) {
                    *slot = bits.to_le();
                }
            }
            let Some(needed) = needed else { return chunk };
            // The estimate assumes that the remaining rows are as long as the rows so far, and adds an eighth and 64
            // elements.
            let all = needed.saturating_mul(rows) / rows.min(word * 64 + 64);
            let bytes = all.saturating_add(all / 8 + 64).saturating_mul(size_of::<T>());
            let made = target.get(..chunk.size).filter(|_| bytes <= MAX_CHUNK);
            let larger = made.and_then(|made| self.copied(made, bytes));
            grows = larger.is_some();
            chunk.elements = larger;
        }
    }

    /// Returns `bytes` bytes of scratch memory that begin with a copy of `elements`, or `None` if the memory cannot be
    /// allocated.
    fn copied<T: Pod>(&self, elements: &[T], bytes: usize) -> Option<Buffer> {
        let mut larger = Buffer::uninitialized(bytes, self.ctx.stream, self.ctx.mr.temporary).ok()?;
        let target = larger.write_on(self.ctx.stream).ok()?.into_mut_slice::<T>().ok()?;
        target.get_mut(..elements.len())?.copy_from_slice(elements);
        Some(larger)
    }
}

/// Makes a column of fixed-width values.
pub fn try_map<O: Pod + Send + Sync, const N: usize>(
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

    /// Returns whether two rows with `bytes` bytes in total result in an error before any byte is written.
    fn overflows(bytes: usize) -> bool {
        let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu).unwrap());
        let ctx = Ctx::new(&stream, Resources::new(&mr, &mr));
        let builder = Builder { rows: 2, nullable: false, large: false, ctx, bytes: ctx.mr.output, source: &[] };
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
