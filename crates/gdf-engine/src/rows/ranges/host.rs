//! `copy_ranges` on the CPU. The part of a range within a task is one copy of adjacent bytes.

use std::ops::Range;

use bytemuck::Pod;
use gdf_core::Result;
use gdf_driver::Stream;
use gdf_memory::Buffer;
use smallvec::SmallVec;

use super::RowRanges;
use crate::Ctx;
use crate::host::{Bits, HostColumn, for_each_chunk, for_each_task, mask_from_words, task_rows};
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

pub(super) struct HostRanges<'a> {
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
    /// The rows from this row on.
    From(usize),
    /// Copies of this row.
    Copies(usize),
    Null,
}

impl HostRanges<'_> {
    /// Calls `emit` with the position in `rows`, the number of rows and the rows of the table of each part of `rows`.
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
            emit(row - rows.start, len, self.part(range, row - start, len));
            row += len;
        }
    }

    /// Returns the rows of the table for `len` rows of a range. `skipped` rows of the range precede these rows.
    fn part(&self, range: usize, skipped: usize, len: usize) -> Part {
        let is_null = self.has_begin.is_some_and(|mask| !mask.get(range))
            || self.sizes.is_some_and(|sizes| sizes.get(range).is_none_or(|size| *size == 0));
        let first = match self.begins {
            None => Some(range),
            Some(begins) => begins.get(range).and_then(|begin| usize::try_from(*begin).ok()?.checked_add(skipped)),
        };
        let needed = if self.begins.is_some() { len } else { 1 };
        match first.filter(|first| first.checked_add(needed).is_some_and(|end| end <= self.table_rows)) {
            Some(first) if !is_null && self.begins.is_some() => Part::From(first),
            Some(first) if !is_null => Part::Copies(first),
            _ => Part::Null,
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

    fn copy_values<T: Pod + Send + Sync>(&self, from: &[T], to: &mut [T]) {
        for_each_chunk(to, |first, chunk| {
            self.for_each_part(first..first + chunk.len(), |at, len, part| {
                let slots = &mut chunk[at..at + len];
                match part {
                    Part::From(row) => slots.copy_from_slice(&from[row..row + len]),
                    Part::Copies(row) => slots.fill(from[row]),
                    Part::Null => slots.fill(T::zeroed()),
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
        mask_from_words(self.rows, ctx.stream, ctx.mr.output, |word| {
            let mut bits = 0_u64;
            self.for_each_part(word * 64..self.rows.min(word * 64 + 64), |at, len, part| {
                let mut set = |bit: usize, value: bool| bits |= u64::from(value) << (at + bit);
                match (part, from) {
                    (Part::Null, _) => {}
                    (_, None) => (0..len).for_each(|bit| set(bit, true)),
                    (Part::From(row), Some(from)) => (0..len).for_each(|bit| set(bit, from.get(row + bit))),
                    (Part::Copies(row), Some(from)) => {
                        let value = from.get(row);
                        (0..len).for_each(|bit| set(bit, value));
                    }
                }
            });
            bits
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
