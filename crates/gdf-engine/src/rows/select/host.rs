//! Selects the rows of a boolean mask on the CPU. A first pass counts the selected rows of each chunk, which yields the
//! position of each chunk in the result.

use bytemuck::Pod;
use gdf_core::{Column, DataType, Result};
use gdf_memory::Buffer;
use smallvec::SmallVec;

use crate::Ctx;
use crate::host::{Bits, HostColumn, compact, extract, for_each_task, map_chunks, split_mut, task_rows};
use crate::layout::row_indices;
use crate::rows::host::{LeafValidity, RowBits, RowRuns, RowSource, Run, copy_runs};
use crate::vouch;

/// The selected rows. A row is selected if its mask element is true and not null.
#[derive(Debug)]
pub(super) struct Selection<'a> {
    values: Bits<'a>,
    validity: Option<Bits<'a>>,
    /// The number of rows of a chunk.
    chunk: usize,
    /// The number of selected rows before each chunk, followed by the number of all selected rows.
    starts: Vec<usize>,
}

impl<'a> Selection<'a> {
    pub(super) fn new(mask: &'a HostColumn<'_>) -> Result<Self> {
        let mut selection =
            Self { values: mask.bits()?, validity: mask.validity()?, chunk: task_rows(), starts: vec![0] };
        let counts = map_chunks(mask.len(), |rows| {
            selection.words_of(rows.start / selection.chunk).map(|word| word.count_ones() as usize).sum::<usize>()
        });
        let mut total = 0;
        selection.starts.extend(counts.into_iter().map(|count| {
            total += count;
            total
        }));
        Ok(selection)
    }

    pub(super) fn total(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Returns the numbers of the selected rows.
    pub(super) fn numbers(&self, ctx: Ctx<'_>) -> Result<Column> {
        match row_indices(self.values.len()) {
            DataType::UInt32 => self.numbers_as(DataType::UInt32, |row| row as u32, ctx),
            wide => self.numbers_as(wide, |row| row as u64, ctx),
        }
    }

    fn numbers_as<T: Pod + Send + Sync>(
        &self,
        data_type: DataType,
        number: impl Fn(usize) -> T + Sync,
        ctx: Ctx<'_>,
    ) -> Result<Column> {
        let mut buffer = Buffer::uninitialized(self.total() * size_of::<T>(), ctx.stream, ctx.mr.output)?;
        let out = buffer.write_on(ctx.stream)?.into_mut_slice::<T>()?;
        let pieces = split_mut(out, (0..self.chunks()).map(|chunk| self.count(chunk)));
        for_each_task(pieces, |chunk, piece: &mut [T]| {
            for (slot, row) in piece.iter_mut().zip(self.rows_of(chunk)) {
                *slot = number(row);
            }
        });
        vouch::numbers(data_type, buffer, self.total(), ctx.stream)
    }

    fn chunks(&self) -> usize {
        self.starts.len() - 1
    }

    fn count(&self, chunk: usize) -> usize {
        self.starts[chunk + 1] - self.starts[chunk]
    }

    /// Returns a bit for each of the rows `64 * index ..`. The bit is set if the row is selected.
    fn word(&self, index: usize) -> u64 {
        let values = self.values.word(index);
        self.validity.map_or(values, |validity| values & validity.word(index))
    }

    fn words_of(&self, chunk: usize) -> impl Iterator<Item = u64> {
        let words = self.chunk / 64;
        let first = chunk * words;
        (first..(first + words).min(self.values.words())).map(|word| self.word(word))
    }

    /// Returns the numbers of the selected rows of a chunk.
    fn rows_of(&self, chunk: usize) -> impl Iterator<Item = usize> {
        let first = chunk * self.chunk;
        self.words_of(chunk).enumerate().flat_map(move |(at, word)| ones(word).map(move |bit| first + at * 64 + bit))
    }
}

impl RowSource for Selection<'_> {
    fn rows(&self) -> usize {
        self.total()
    }

    fn write_row_numbers(&self, to: &mut [i64]) {
        let pieces = split_mut(to, (0..self.chunks()).map(|chunk| self.count(chunk)));
        for_each_task(pieces, |chunk, piece: &mut [i64]| {
            piece.iter_mut().zip(self.rows_of(chunk)).for_each(|(slot, row)| *slot = row as i64);
        });
    }

    fn copy_values<T: Pod + Send + Sync>(&self, from: &[T], to: &mut [T]) {
        let pieces = split_mut(to, (0..self.chunks()).map(|chunk| self.count(chunk)));
        for_each_task(pieces, |chunk, piece| {
            compact(&from[chunk * self.chunk..], self.words_of(chunk), piece);
        });
    }

    fn copy_bytes(&self, from: &[u8], width: usize, to: &mut [u8]) {
        let pieces = split_mut(to, (0..self.chunks()).map(|chunk| self.count(chunk) * width));
        for_each_task(pieces, |chunk, piece| {
            for (target, row) in piece.chunks_exact_mut(width).zip(self.rows_of(chunk)) {
                let first = row * width;
                target.copy_from_slice(&from[first..first + width]);
            }
        });
    }

    /// Copies the selected bits. Adjacent chunks may share a word of the result. The word is written by the task of the
    /// chunk that has the first bit of the word.
    fn copy_bits(&self, from: Option<&impl RowBits>, ctx: Ctx<'_>) -> Result<(Buffer, usize)> {
        let words = |bits: usize| bits.div_ceil(64);
        let mut buffer = Buffer::uninitialized(words(self.total()) * 8, ctx.stream, ctx.mr.output)?;
        let out = buffer.write_on(ctx.stream)?.into_mut_slice::<u64>()?;
        let lengths = self.starts.windows(2).map(|range| words(range[1]) - words(range[0]));
        let mut ones = vec![0_usize; self.chunks()];
        let tasks = split_mut(out, lengths).into_iter().zip(&mut ones).collect();
        for_each_task(tasks, |chunk, (piece, ones): (&mut [u64], &mut usize)| {
            let start = self.starts[chunk];
            let mut skip = words(start) * 64 - start;
            let mut source = chunk * (self.chunk / 64)..self.values.words();
            let (mut pending, mut held) = (0_u128, 0);
            for slot in piece {
                while held < 64 {
                    let Some(index) = source.next() else { break };
                    let selected = self.word(index);
                    let (mut bits, mut count) = (
                        extract(from.map_or(u64::MAX, |bits| bits.word(index)), selected),
                        selected.count_ones() as usize,
                    );
                    let skipped = skip.min(count);
                    skip -= skipped;
                    count -= skipped;
                    bits = if count == 0 { 0 } else { bits >> skipped };
                    pending |= u128::from(bits) << held;
                    held += count;
                }
                let complete = pending as u64;
                *ones += complete.count_ones() as usize;
                *slot = complete.to_le();
                pending >>= 64;
                held = held.saturating_sub(64);
            }
        });
        Ok((buffer, ones.into_iter().sum()))
    }

    fn copy_strings(
        &self,
        from: &HostColumn<'_>,
        hiding: Option<&LeafValidity<'_>>,
        ctx: Ctx<'_>,
    ) -> Result<SmallVec<[Buffer; 2]>> {
        copy_runs(from, hiding, self, self.total(), ctx)
    }
}

fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

impl RowRuns for Selection<'_> {
    fn tasks(&self) -> usize {
        self.chunks()
    }

    fn task_rows(&self, task: usize) -> usize {
        self.count(task)
    }

    fn for_each_run(&self, task: usize, mut emit: impl FnMut(Run)) {
        let mut run: Option<(usize, usize)> = None;
        for (at, mut word) in self.words_of(task).enumerate() {
            let mut bit = 0;
            while word != 0 {
                let gap = word.trailing_zeros();
                let len = (word >> gap).trailing_ones();
                bit += gap as usize;
                let first = task * self.chunk + at * 64 + bit;
                run = match run {
                    Some((begin, end)) if end == first => Some((begin, first + len as usize)),
                    other => {
                        if let Some((begin, end)) = other {
                            emit(Run::Rows { first: begin, len: end - begin });
                        }
                        Some((first, first + len as usize))
                    }
                };
                bit += len as usize;
                word = word.checked_shr(gap + len).unwrap_or(0);
            }
        }
        if let Some((begin, end)) = run {
            emit(Run::Rows { first: begin, len: end - begin });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> impl Iterator<Item = u64> {
        let random = (1..200_u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(i as u32 % 64));
        [0, 1, u64::MAX, u64::MAX - 1, 1 << 63, u64::MAX >> 1, 0xaaaa_aaaa_aaaa_aaaa].into_iter().chain(random)
    }

    #[test]
    fn runs_cover_the_set_bits() {
        for word in words() {
            let bytes = [word, u64::MAX, word].map(u64::to_le_bytes).concat();
            let len = 3 * 64 - 5;
            let selection =
                Selection { values: Bits::new(&bytes, 0, len), validity: None, chunk: 192, starts: vec![0, 0] };
            let mut rows = Vec::new();
            selection.for_each_run(0, |run| match run {
                Run::Rows { first, len } => rows.extend(first..first + len),
                Run::Null { .. } => panic!("a selection has no null rows"),
            });
            assert_eq!(rows, (0..len).filter(|&i| selection.values.get(i)).collect::<Vec<_>>());
        }
    }
}
