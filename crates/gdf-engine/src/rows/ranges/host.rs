//! `copy_ranges` on the CPU. The part of a range within a task is one copy of adjacent bytes.

use std::ops::Range;

use bytemuck::Pod;
use gdf_core::Result;
use gdf_driver::Stream;
use gdf_memory::Buffer;
use smallvec::SmallVec;

use super::RowRanges;
use crate::Ctx;
use crate::host::{Bits, HostColumn, for_each_chunk, for_each_task, mask_from_chunks, task_rows};
use crate::rows::host::{LeafValidity, RowBits, RowRuns, RowSource, Run, copy_runs};

pub(super) struct OpenRanges<'a> {
    ends: HostColumn<'a>,
    begins: Option<HostColumn<'a>>,
    sizes: Option<HostColumn<'a>>,
}

impl<'a> OpenRanges<'a> {
    pub(super) fn open(ranges: &RowRanges<'a>, stream: &Stream) -> Result<Self> {
        Ok(Self {
            ends: HostColumn::open(ranges.ends, stream)?,
            begins: ranges.begins.map(|begins| HostColumn::open(begins, stream)).transpose()?,
            sizes: ranges.sizes.map(|sizes| HostColumn::open(sizes, stream)).transpose()?,
        })
    }

    pub(super) fn ranges(&self, ranges: &RowRanges<'_>, table_rows: usize) -> Result<HostRanges<'_>> {
        Ok(HostRanges {
            ends: self.ends.values()?,
            begins: self.begins.as_ref().map(HostColumn::values).transpose()?,
            has_begin: self.begins.as_ref().map(HostColumn::validity).transpose()?.flatten(),
            sizes: self.sizes.as_ref().map(HostColumn::values).transpose()?,
            rows: ranges.rows,
            table_rows,
            nullable: ranges.nullable(),
        })
    }
}

pub(crate) struct HostRanges<'a> {
    ends: &'a [i64],
    begins: Option<&'a [i64]>,
    has_begin: Option<Bits<'a>>,
    sizes: Option<&'a [i64]>,
    rows: usize,
    table_rows: usize,
    nullable: bool,
}

/// The rows of the table for neighboring rows of the result.
#[derive(Clone, Copy)]
enum Part {
    /// Consecutive rows, of which this row is the first.
    From(usize),
    /// Copies of this row.
    Copies(usize),
    Null,
}

impl<'a> HostRanges<'a> {
    /// Makes ranges of rows of a table of `table_rows` rows. A range without a bit in `has_begin` has null rows.
    pub(crate) fn of_slices(
        ends: &'a [i64],
        begins: &'a [i64],
        has_begin: Option<Bits<'a>>,
        rows: usize,
        table_rows: usize,
    ) -> Self {
        let nullable = has_begin.is_some();
        Self { ends, begins: Some(begins), has_begin, sizes: None, rows, table_rows, nullable }
    }

    /// Divides `rows` into parts, each of which is in a single range. For each part, the function calls `emit` with the
    /// position of the part in `rows`, the number of rows, and the rows of the table.
    fn for_each_part(&self, rows: Range<usize>, mut emit: impl FnMut(usize, usize, Part)) {
        let end_of = |range: usize| self.ends.get(range).map_or(self.rows, |end| *end as usize);
        let mut range = self.ends.partition_point(|end| *end as usize <= rows.start);
        let mut row = rows.start;
        while row < rows.end {
            while end_of(range) <= row {
                range += 1;
            }
            let len = end_of(range).min(rows.end) - row;
            let start = range.checked_sub(1).map_or(0, end_of);
            let (part, len) = self.part(range, row - start, len);
            emit(row - rows.start, len, part);
            row += len;
        }
    }

    /// Returns the rows of the table for the first of `len` rows of a range, and the number of these first rows. It is
    /// less than `len` if the table has only some of the rows. `skipped` rows of the range precede the `len` rows.
    fn part(&self, range: usize, skipped: usize, len: usize) -> (Part, usize) {
        let is_null = self.has_begin.is_some_and(|mask| !mask.get(range))
            || self.sizes.is_some_and(|sizes| sizes.get(range).is_none_or(|size| *size == 0));
        let Some(begins) = self.begins else {
            let is_copied = !is_null && range < self.table_rows;
            return (if is_copied { Part::Copies(range) } else { Part::Null }, len);
        };
        let first = begins.get(range).map_or(i64::MAX, |begin| begin.saturating_add_unsigned(skipped as u64));
        match usize::try_from(first) {
            _ if is_null => (Part::Null, len),
            Ok(first) if first < self.table_rows => (Part::From(first), len.min(self.table_rows - first)),
            Ok(_) => (Part::Null, len),
            Err(_) => (Part::Null, len.min(first.unsigned_abs() as usize)),
        }
    }
}

impl RowSource for HostRanges<'_> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn nullable(&self) -> bool {
        self.nullable
    }

    fn write_row_numbers(&self, to: &mut [i64]) {
        for_each_chunk(to, |first, chunk| {
            self.for_each_part(first..first + chunk.len(), |at, len, part| {
                let slots = chunk[at..at + len].iter_mut();
                match part {
                    Part::From(row) => slots.zip(row as i64..).for_each(|(slot, row)| *slot = row),
                    Part::Copies(row) => slots.for_each(|slot| *slot = row as i64),
                    Part::Null => slots.for_each(|slot| *slot = -1),
                }
            });
        });
    }

    fn copy_values<T: Pod + Send + Sync>(&self, from: &[T], to: &mut [T]) {
        for_each_chunk(to, |first, chunk| {
            self.for_each_part(first..first + chunk.len(), |at, len, part| {
                let slots = &mut chunk[at..];
                match part {
                    Part::From(row) => copy_run(&from[row..], len, slots),
                    Part::Copies(row) => fill_run(from[row], len, slots),
                    Part::Null => fill_run(T::zeroed(), len, slots),
                }
            });
        });
    }

    fn copy_bytes(&self, from: &[u8], width: usize, to: &mut [u8]) {
        let task = task_rows();
        for_each_task(to.chunks_mut(task.saturating_mul(width).max(1)).collect(), |index, chunk: &mut [u8]| {
            let first = index * task;
            self.for_each_part(first..first + chunk.len() / width, |at, len, part| {
                let slots = &mut chunk[at * width..(at + len) * width];
                match part {
                    Part::From(row) => slots.copy_from_slice(&from[row * width..(row + len) * width]),
                    Part::Copies(row) => {
                        let value = &from[row * width..(row + 1) * width];
                        slots.chunks_exact_mut(width).for_each(|slot| slot.copy_from_slice(value));
                    }
                    Part::Null => slots.fill(0),
                }
            });
        });
    }

    fn copy_bits(&self, from: Option<&impl RowBits>, ctx: Ctx<'_>) -> Result<(Buffer, usize)> {
        mask_from_chunks(self.rows, ctx.stream, ctx.mr.output, &|first, words| {
            words.fill(0);
            let rows = first * 64..self.rows.min((first + words.len()) * 64);
            self.for_each_part(rows, |at, len, part| match (part, from) {
                (Part::Null, _) => {}
                (Part::From(row), Some(from)) => set_bits(words, at, len, |bit| from.get(row + bit)),
                (Part::Copies(row), Some(from)) if !from.get(row) => {}
                (Part::From(_) | Part::Copies(_), _) => set_all(words, at, len),
            });
        })
    }

    fn copy_strings(
        &self,
        from: &HostColumn<'_>,
        hiding: Option<&LeafValidity<'_>>,
        ctx: Ctx<'_>,
    ) -> Result<SmallVec<[Buffer; 2]>> {
        copy_runs(from, hiding, self, self.rows, ctx)
    }
}

/// The number of values that are copied at once. Most ranges are short, and a copy of a fixed number of values needs no
/// function call.
const TOGETHER: usize = 8;

/// Copies the first `len` values. The function may also overwrite values of `to` after position `len`, up to the next
/// multiple of [`TOGETHER`]. Later ranges write those values.
#[inline]
fn copy_run<T: Pod>(from: &[T], len: usize, to: &mut [T]) {
    let whole = len.next_multiple_of(TOGETHER);
    if len > 8 * TOGETHER || whole > from.len().min(to.len()) {
        return to[..len].copy_from_slice(&from[..len]);
    }
    let (from, to) = (from[..whole].as_chunks::<TOGETHER>().0, to[..whole].as_chunks_mut::<TOGETHER>().0);
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
}

/// Writes `value` to the first `len` places, in the same way as [`copy_run`].
#[inline]
fn fill_run<T: Pod>(value: T, len: usize, to: &mut [T]) {
    let whole = len.next_multiple_of(TOGETHER);
    if len > 8 * TOGETHER || whole > to.len() {
        return to[..len].fill(value);
    }
    to[..whole].as_chunks_mut::<TOGETHER>().0.iter_mut().for_each(|to| *to = [value; TOGETHER]);
}

/// Calls `work(word, mask, first)` for each word that contains some of the `len` bits from bit `at` on. `mask` has
/// these bits of the word set. `first` is the number of the `len` bits that lie before the word.
fn for_each_word(at: usize, len: usize, mut work: impl FnMut(usize, u64, usize)) {
    let mut done = 0;
    while done < len {
        let (word, bit) = ((at + done) / 64, (at + done) % 64);
        let count = (64 - bit).min(len - done);
        work(word, (u64::MAX >> (64 - count)) << bit, done);
        done += count;
    }
}

fn set_all(words: &mut [u64], at: usize, len: usize) {
    for_each_word(at, len, |word, mask, _| words[word] |= mask);
}

fn set_bits(words: &mut [u64], at: usize, len: usize, is_set: impl Fn(usize) -> bool) {
    for_each_word(at, len, |word, mask, first| {
        let bits = (0..mask.count_ones()).fold(0, |bits, bit| bits | u64::from(is_set(first + bit as usize)) << bit);
        words[word] |= bits << mask.trailing_zeros();
    });
}

impl RowRuns for HostRanges<'_> {
    fn tasks(&self) -> usize {
        self.rows.div_ceil(task_rows())
    }

    fn task_rows(&self, task: usize) -> usize {
        task_rows().min(self.rows - task * task_rows())
    }

    fn for_each_run(&self, task: usize, mut emit: impl FnMut(Run)) {
        let first = task * task_rows();
        self.for_each_part(first..first + RowRuns::task_rows(self, task), |_, len, part| match part {
            Part::From(first) => emit(Run::Rows { first, len }),
            Part::Copies(first) => (0..len).for_each(|_| emit(Run::Rows { first, len: 1 })),
            Part::Null => emit(Run::Null { len }),
        });
    }
}
