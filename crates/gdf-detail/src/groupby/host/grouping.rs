//! Which group each row is in: ranges of rows on several threads, each with a table of its own, then one of all.

use std::ops::Range;

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_memory::{HostVec, ResourceRef};

use super::table::GroupTable;
use crate::groupby::packing::Packing;
use crate::host::{CHUNK, KeyColumn};

/// The key columns, open, and how they pack.
#[derive(Debug)]
pub(super) struct Keys<'a> {
    pub(super) columns: Vec<KeyColumn<'a>>,
    pub(super) packing: Option<Packing>,
    /// Rows with a null are in no group.
    pub(super) exclude: bool,
}

/// Rows whose keys are worked out together.
const BLOCK: usize = 1024;

/// Flags of a row: its key is its word; that and a null; it is in no group.
const PLAIN: u32 = 0;
const NULL: u32 = 1;
const NOWHERE: u32 = 2;

impl Keys<'_> {
    /// Words and flags of rows `first ..`.
    fn words_into(&self, first: usize, words: &mut [u64], flags: &mut [u32]) {
        words.fill(0);
        flags.fill(PLAIN);
        let Some(packing) = &self.packing else {
            self.columns.iter().for_each(|column| column.hash_into(first, words));
            if self.exclude {
                self.columns.iter().for_each(|column| mark_nulls(column, first, flags));
            }
            return;
        };
        let mut buffer = [0; BLOCK];
        let bits = &mut buffer[..words.len()];
        for ((column, shift), null_bit) in self.columns.iter().zip(&packing.shifts).zip(&packing.null_bits) {
            column.bits_into(first, bits);
            if !column.has_validity() {
                words.iter_mut().zip(&*bits).for_each(|(word, bits)| *word |= bits << shift);
                continue;
            }
            for (((row, word), bits), flag) in (first..).zip(&mut *words).zip(&*bits).zip(&mut *flags) {
                if column.is_valid(row) {
                    *word |= bits << shift;
                } else if let Some(bit) = null_bit {
                    *word |= 1 << bit;
                } else {
                    *flag = if packing.special_null { NULL } else { NOWHERE };
                }
            }
        }
    }

    fn same(&self, i: usize, j: usize) -> bool {
        self.packing.is_some() || self.columns.iter().all(|column| column.equal(i, j))
    }

    /// The group of a row, in a table that may be of another range.
    fn insert(&self, table: &mut GroupTable<'_>, row: usize) -> Result<u32> {
        let (mut word, mut flag) = ([0], [PLAIN]);
        self.words_into(row, &mut word, &mut flag);
        table.find_or_insert(word[0], flag[0], row, |other| self.same(row, other))
    }
}

fn mark_nulls(column: &KeyColumn<'_>, first: usize, flags: &mut [u32]) {
    if column.has_validity() {
        for (row, flag) in (first..).zip(flags) {
            if !column.is_valid(row) {
                *flag = NOWHERE;
            }
        }
    }
}

/// The groups of a range of rows.
#[derive(Debug)]
pub(super) struct RangeGroups<'r> {
    pub(super) rows: Range<usize>,
    pub(super) groups: usize,
    /// The number among all groups by that among these, both from 1 on, 0 for none; absent where they are the same.
    pub(super) map: Option<HostVec<'r, u32>>,
}

impl RangeGroups<'_> {
    /// The number among all groups.
    pub(super) fn group(&self, id: u32) -> usize {
        self.map.as_ref().map_or(id, |map| map[id as usize]) as usize
    }
}

/// The groups of all rows.
#[derive(Debug)]
pub(super) struct Grouping<'r> {
    /// Of each row the number of its group among those of its range, from 1 on; 0 for none.
    pub(super) ids: HostVec<'r, u32>,
    pub(super) ranges: Vec<RangeGroups<'r>>,
    /// A row of each group.
    pub(super) first_rows: HostVec<'r, u64>,
}

impl<'r> Grouping<'r> {
    pub(super) fn new(keys: &Keys<'_>, rows: usize, stream: &Stream, mr: ResourceRef<'r>) -> Result<Self> {
        use rayon::prelude::*;
        let mut ids = HostVec::<u32>::zeroed(rows, stream, mr)?;
        let count = rows.div_ceil(CHUNK).clamp(1, rayon::current_num_threads().max(1));
        let length = rows.div_ceil(count).next_multiple_of(64).max(64);
        let run = |(index, ids): (usize, &mut [u32])| {
            let first = index * length;
            Ok((first..first + ids.len(), number(keys, first, ids, stream, mr)?))
        };
        let mut tables: Vec<(Range<usize>, GroupTable<'r>)> = if count == 1 {
            vec![run((0, &mut ids))?]
        } else {
            ids.par_chunks_mut(length).enumerate().map(run).collect::<Result<_>>()?
        };
        if let [(_, _)] = &tables[..]
            && let Some((rows, table)) = tables.pop()
        {
            let ranges = vec![RangeGroups { rows, groups: table.len(), map: None }];
            return Ok(Self { ids, ranges, first_rows: table.into_first_rows() });
        }
        let mut all = GroupTable::new(stream, mr)?;
        let mut ranges = Vec::with_capacity(tables.len());
        for (rows, table) in tables {
            let mut map = HostVec::<u32>::zeroed(table.len() + 1, stream, mr)?;
            for (id, row) in map[1..].iter_mut().zip(table.first_rows()) {
                *id = keys.insert(&mut all, *row as usize)?;
            }
            ranges.push(RangeGroups { rows, groups: table.len(), map: Some(map) });
        }
        Ok(Self { ids, ranges, first_rows: all.into_first_rows() })
    }

    pub(super) fn groups(&self) -> usize {
        self.first_rows.len()
    }
}

/// Numbers the groups of rows `first ..`.
fn number<'r>(
    keys: &Keys<'_>,
    first: usize,
    ids: &mut [u32],
    stream: &Stream,
    mr: ResourceRef<'r>,
) -> Result<GroupTable<'r>> {
    let mut table = GroupTable::new(stream, mr)?;
    let (mut words, mut flags) = ([0; BLOCK], [PLAIN; BLOCK]);
    for (block, ids) in ids.chunks_mut(BLOCK).enumerate() {
        let begin = first + block * BLOCK;
        let (words, flags) = (&mut words[..ids.len()], &mut flags[..ids.len()]);
        keys.words_into(begin, words, flags);
        for (((row, id), word), flag) in (begin..).zip(ids).zip(words).zip(flags) {
            if *flag != NOWHERE {
                *id = table.find_or_insert(*word, *flag, row, |other| keys.same(row, other))?;
            }
        }
    }
    Ok(table)
}
