//! Which group each row is in: ranges of rows on several threads, each with a table of its own, then one of all.

use std::ops::Range;

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_memory::{HostVec, ResourceRef};

use super::table::GroupTable;
use crate::host::{CHUNK, HostKeys, KEY_BLOCK, NOWHERE, PLAIN};

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
    pub(super) fn new(keys: &HostKeys<'_>, rows: usize, stream: &Stream, mr: ResourceRef<'r>) -> Result<Self> {
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
                *id = insert(keys, &mut all, *row as usize)?;
            }
            ranges.push(RangeGroups { rows, groups: table.len(), map: Some(map) });
        }
        Ok(Self { ids, ranges, first_rows: all.into_first_rows() })
    }

    pub(super) fn groups(&self) -> usize {
        self.first_rows.len()
    }
}

/// The group of a row, in a table that may be of another range.
fn insert(keys: &HostKeys<'_>, table: &mut GroupTable<'_>, row: usize) -> Result<u32> {
    let (mut word, mut flag) = ([0], [PLAIN]);
    keys.words_into(row, &mut word, &mut flag);
    table.find_or_insert(word[0], flag[0], row, |other| keys.same(row, keys, other))
}

/// Numbers the groups of rows `first ..`.
fn number<'r>(
    keys: &HostKeys<'_>,
    first: usize,
    ids: &mut [u32],
    stream: &Stream,
    mr: ResourceRef<'r>,
) -> Result<GroupTable<'r>> {
    let mut table = GroupTable::new(stream, mr)?;
    let (mut words, mut flags) = ([0; KEY_BLOCK], [PLAIN; KEY_BLOCK]);
    for (block, ids) in ids.chunks_mut(KEY_BLOCK).enumerate() {
        let begin = first + block * KEY_BLOCK;
        let (words, flags) = (&mut words[..ids.len()], &mut flags[..ids.len()]);
        keys.words_into(begin, words, flags);
        for (((row, id), word), flag) in (begin..).zip(ids).zip(words).zip(flags) {
            if *flag != NOWHERE {
                *id = table.find_or_insert(*word, *flag, row, |other| keys.same(row, keys, other))?;
            }
        }
    }
    Ok(table)
}
