//! `distinct` on the CPU: rows are grouped by key, as for a group-by. At most one row of each group stays.

use gdf_core::{Column, DataType, Error, Result};
use gdf_driver::Stream;
use gdf_engine::hash_table::{Grouping, RangeGroups, Visit, open_key_columns};
use gdf_engine::host::{HostMask, HostOutput, column, for_each_chunk, for_each_task, mask_from_words, split_mut};
use gdf_engine::keys::{EXCLUDED, HostKeys, KeySide, VALID, row_indices};
use gdf_memory::{HostVec, ResourceRef};

use super::plan::{DISTINCT, DuplicateKeepOption};
use crate::Ctx;

pub(super) fn distinct_mask(side: &KeySide<'_>, keep: DuplicateKeepOption, ctx: Ctx<'_>) -> Result<Column> {
    let rows = side.rows();
    let columns = open_key_columns(side, ctx.stream)?;
    let keys = HostKeys::of_side(DISTINCT, &columns, side)?;
    let mut stay = HostVec::<u64>::zeroed(rows.div_ceil(64), ctx.stream, ctx.mr.temporary)?;
    let mut put = |row: usize| stay[row / 64] |= 1 << (row % 64);
    let rows_noted = |note: Note| {
        let notes = Notes { note, stream: ctx.stream, mr: ctx.mr.temporary };
        let (grouping, states) = Grouping::new(&keys, rows, &notes, ctx.stream, ctx.mr.temporary)?;
        Ok::<_, Error>((notes.finish(&grouping, states)?, grouping))
    };
    match keep {
        DuplicateKeepOption::Any | DuplicateKeepOption::First => {
            let (grouping, _) = Grouping::new(&keys, rows, &(), ctx.stream, ctx.mr.temporary)?;
            grouping.first_rows.iter().for_each(|row| put(*row as usize));
        }
        DuplicateKeepOption::Last => rows_noted(Note::Last)?.0.iter().for_each(|row| put(*row as usize)),
        DuplicateKeepOption::None => {
            let (counts, grouping) = rows_noted(Note::Count)?;
            let alone = grouping.first_rows.iter().zip(&counts[..]).filter(|(_, count)| **count == 1);
            alone.for_each(|(row, _)| put(*row as usize));
        }
    }
    // If a key is not equal to itself, for example because of a NaN, its row is in no group.
    let nowhere = |word: usize| {
        let (mut words, mut flags) = ([0; 64], [VALID; 64]);
        let count = (rows - word * 64).min(64);
        keys.words_into(word * 64, &mut words[..count], &mut flags[..count]);
        flags.iter().enumerate().fold(0, |bits, (bit, flag)| bits | u64::from(*flag == EXCLUDED) << bit)
    };
    let all = keys.all_take_part();
    let stays = |word: usize| stay[word] | if all { 0 } else { nowhere(word) };
    let (bits, _) = mask_from_words(rows, ctx.stream, ctx.mr.output, stays)?;
    let bits = bits.slice(0, rows.div_ceil(8))?;
    column(&DataType::Boolean, rows, [bits], HostMask { validity: None, nulls: 0 })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Note {
    Last,
    /// The number of rows of the group, but at most 2.
    Count,
}

impl Note {
    #[inline]
    fn row(self, before: u32, row: u32) -> u32 {
        match self {
            Note::Last => row,
            Note::Count => (before + 1).min(2),
        }
    }

    fn merge(self, before: u32, after: u32) -> u32 {
        match self {
            Note::Last => after,
            Note::Count => (before + after).min(2),
        }
    }
}

struct Notes<'a, 'r> {
    note: Note,
    stream: &'a Stream,
    mr: ResourceRef<'r>,
}

impl<'r> Visit for Notes<'_, 'r> {
    type State = HostVec<'r, u32>;

    fn begin(&self) -> Result<Self::State> {
        Ok(HostVec::new(self.stream, self.mr))
    }

    fn rows(&self, values: &mut Self::State, first: usize, ids: &[u32], groups: usize) -> Result<()> {
        while values.len() <= groups {
            values.try_push(0)?;
        }
        (first..).zip(ids).for_each(|(row, id)| {
            values[*id as usize] = self.note.row(values[*id as usize], row as u32);
        });
        Ok(())
    }
}

impl<'r> Notes<'_, 'r> {
    fn finish(&self, grouping: &Grouping<'_>, states: Vec<HostVec<'r, u32>>) -> Result<HostVec<'r, u32>> {
        let mut all = HostVec::<u32>::zeroed(grouping.groups(), self.stream, self.mr)?;
        let Some(rows) = &grouping.rows else {
            for (range, values) in grouping.ranges.iter().zip(&states) {
                for (id, value) in (1..).zip(values.get(1..).unwrap_or_default()) {
                    let kept = &mut all[range.group(id) - 1];
                    *kept = self.note.merge(*kept, *value);
                }
            }
            return Ok(all);
        };
        let pieces = split_mut(&mut all, grouping.ranges.iter().map(|range| range.groups));
        let tasks: Vec<(&mut [u32], &RangeGroups<'_>)> = pieces.into_iter().zip(&grouping.ranges).collect();
        for_each_task(tasks, |_, (values, range)| {
            for (row, id) in rows[range.positions.clone()].iter().zip(&grouping.ids[range.positions.clone()]) {
                let value = &mut values[*id as usize - 1];
                *value = self.note.row(*value, *row);
            }
        });
        Ok(all)
    }
}

pub(super) fn row_numbers(rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    let mut output = HostOutput::<u32>::new(rows, ctx)?;
    for_each_chunk(output.values(ctx.stream)?, |first, chunk| {
        (first..).zip(chunk).for_each(|(row, number)| *number = row as u32);
    });
    output.finish(&row_indices(rows), HostMask::none())
}
