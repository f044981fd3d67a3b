//! Joins by a condition on the CPU.

use std::ops::Range;

use bytemuck::Pod;
use gdf_compute::expression::{PairCondition, Wanted};
use gdf_core::{Column, DataType, Result};
use gdf_engine::host::{HostMask, HostOutput, for_each_task, split_mut, task_rows};
use gdf_engine::keys::row_indices;
use gdf_engine::limits::HostLimits;
use gdf_memory::HostVec;

use super::groups::Rows;
use crate::Ctx;
use crate::join::hash_join::Kind;

/// The maximum number of pairs of a group, as a multiple of the maximum in joins that gather values.
const MORE_PAIRS: usize = 64;

pub(super) fn group_rows(condition: &PairCondition<'_>, kind: Kind) -> usize {
    let padded = condition.right().num_rows().next_multiple_of(64);
    match kind {
        Kind::Semi | Kind::Anti => condition.left().num_rows().max(1),
        Kind::Inner | Kind::Left => (HostLimits::current().join_pairs * MORE_PAIRS / padded.max(1)).max(1),
    }
}

struct Found<'r> {
    counts: HostVec<'r, u64>,
    /// A bit for each pair of a left row and a right row.
    bits: HostVec<'r, u64>,
    words: usize,
}

fn find<'r>(condition: &PairCondition<'_>, rows: Range<usize>, kind: Kind, ctx: Ctx<'r>) -> Result<Found<'r>> {
    let words = match kind {
        Kind::Inner | Kind::Left => condition.right().num_rows().div_ceil(64),
        Kind::Semi | Kind::Anti => 0,
    };
    let wanted = if words > 0 { Wanted::All } else { Wanted::First };
    let mut counts = HostVec::<u64>::zeroed(rows.len(), ctx.stream, ctx.mr.temporary)?;
    let mut bits = HostVec::<u64>::uninitialized(rows.len() * words, ctx.stream, ctx.mr.temporary)?;
    condition.find(rows.start, wanted, &mut counts, &mut bits, ctx)?;
    Ok(Found { counts, bits, words })
}

fn results(kind: Kind, count: u64) -> usize {
    match kind {
        Kind::Inner => count as usize,
        Kind::Left => count.max(1) as usize,
        Kind::Semi => usize::from(count > 0),
        Kind::Anti => usize::from(count == 0),
    }
}

pub(super) fn size(condition: &PairCondition<'_>, kind: Kind, ctx: Ctx<'_>) -> Result<usize> {
    let wanted = if matches!(kind, Kind::Inner | Kind::Left) { Wanted::All } else { Wanted::First };
    let mut counts = HostVec::<u64>::zeroed(condition.left().num_rows(), ctx.stream, ctx.mr.temporary)?;
    condition.find(0, wanted, &mut counts, &mut [], ctx)?;
    Ok(counts.iter().map(|count| results(kind, *count)).sum())
}

pub(super) fn rows(condition: &PairCondition<'_>, range: Range<usize>, kind: Kind, ctx: Ctx<'_>) -> Result<Rows> {
    let found = find(condition, range.clone(), kind, ctx)?;
    let task = task_rows();
    let chunks = found.counts.chunks(task);
    let sizes: Vec<usize> = chunks.map(|counts| counts.iter().map(|count| results(kind, *count)).sum()).collect();
    let writer = Writer { found: &found, first: range.start, kind, task, sizes };
    let left = match row_indices(condition.left().num_rows()) {
        DataType::UInt32 => writer.left::<u32>(&DataType::UInt32, ctx)?,
        other => writer.left::<u64>(&other, ctx)?,
    };
    let right = match (kind, row_indices(condition.right().num_rows())) {
        (Kind::Semi | Kind::Anti, _) => None,
        (_, DataType::UInt32) => Some(writer.right::<u32>(&DataType::UInt32, ctx)?),
        (_, other) => Some(writer.right::<u64>(&other, ctx)?),
    };
    Ok(Rows { left, right })
}

trait RowNumber: Pod + Send + Sync {
    const NO_ROW: Self;

    fn of(row: usize) -> Self;
}

impl RowNumber for u32 {
    const NO_ROW: u32 = u32::MAX;

    fn of(row: usize) -> u32 {
        row as u32
    }
}

impl RowNumber for u64 {
    const NO_ROW: u64 = u64::MAX;

    fn of(row: usize) -> u64 {
        row as u64
    }
}

struct Writer<'a> {
    found: &'a Found<'a>,
    first: usize,
    kind: Kind,
    task: usize,
    sizes: Vec<usize>,
}

impl Writer<'_> {
    fn left<T: RowNumber>(&self, data_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
        self.column::<T>(data_type, ctx, &|row, slots| slots.fill(T::of(self.first + row)))
    }

    fn right<T: RowNumber>(&self, data_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
        self.column::<T>(data_type, ctx, &|row, slots| {
            if self.found.counts[row] == 0 {
                return slots.fill(T::NO_ROW);
            }
            let mut slots = slots.iter_mut();
            let words = &self.found.bits[row * self.found.words..][..self.found.words];
            for (at, word) in words.iter().enumerate().filter(|(_, word)| **word != 0) {
                let mut word = *word;
                while word != 0 {
                    if let Some(slot) = slots.next() {
                        *slot = T::of(at * 64 + word.trailing_zeros() as usize);
                    }
                    word &= word - 1;
                }
            }
        })
    }

    /// Makes a column.
    fn column<T: RowNumber>(
        &self,
        data_type: &DataType,
        ctx: Ctx<'_>,
        write: &(dyn Fn(usize, &mut [T]) + Sync),
    ) -> Result<Column> {
        let mut output = HostOutput::<T>::new(self.sizes.iter().sum(), ctx)?;
        let tasks = split_mut(output.values(ctx.stream)?, self.sizes.iter().copied());
        for_each_task(tasks, |index, mut slots: &mut [T]| {
            let first = index * self.task;
            for (row, count) in (first..).zip(self.found.counts[first..].iter().take(self.task)) {
                let (own, rest) = std::mem::take(&mut slots).split_at_mut(results(self.kind, *count));
                write(row, own);
                slots = rest;
            }
        });
        output.finish(data_type, HostMask::none())
    }
}
