//! Which group each row is in.
//!
//! With few groups, ranges of rows are numbered on several threads, each with a table of its own, then one of all. With
//! many, the table of a range would miss the caches at every row, and bringing tables together would cost as much again;
//! then rows are split by their keys first ([`super::parts`]).

use std::ops::Range;

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_memory::{HostVec, ResourceRef};

use super::parts;
use super::table::{DirectTable, GroupTable};
use crate::host::{CHUNK, HostKeys, KEY_BLOCK, NOWHERE, PLAIN};

/// Packed keys of up to so many bits are looked up in an array.
const DIRECT_BITS: u32 = 16;

/// The groups of a range of places.
#[derive(Debug)]
pub(super) struct RangeGroups<'r> {
    pub(super) places: Range<usize>,
    pub(super) groups: usize,
    /// The number among all groups by that among these, both from 1 on, 0 for none; absent where they follow `before`.
    pub(super) map: Option<HostVec<'r, u32>>,
    /// Groups of the ranges before, where no group is in two.
    pub(super) before: usize,
}

impl RangeGroups<'_> {
    /// The number among all groups.
    pub(super) fn group(&self, id: u32) -> usize {
        match &self.map {
            Some(map) => map[id as usize] as usize,
            None if id == 0 => 0,
            None => self.before + id as usize,
        }
    }
}

/// The groups of all rows.
#[derive(Debug)]
pub(super) struct Grouping<'r> {
    /// Of each place the number of its group among those of its range, from 1 on; 0 for none.
    pub(super) ids: HostVec<'r, u32>,
    /// The row of each place; absent where it is the place. Rows in no group may have none.
    pub(super) rows: Option<HostVec<'r, u32>>,
    pub(super) ranges: Vec<RangeGroups<'r>>,
    /// A row of each group.
    pub(super) first_rows: HostVec<'r, u64>,
}

impl<'r> Grouping<'r> {
    pub(super) fn new(keys: &HostKeys<'_>, rows: usize, stream: &Stream, mr: ResourceRef<'r>) -> Result<Self> {
        use rayon::prelude::*;
        let direct = keys.packed_bits().filter(|bits| *bits <= DIRECT_BITS && (1 << bits) <= rows.max(64) * 4);
        if direct.is_none()
            && let Some(bits) = parts::bits(keys, rows, stream, mr)?
        {
            return parts::grouping(keys, rows, bits, stream, mr);
        }
        let mut ids = HostVec::<u32>::zeroed(rows, stream, mr)?;
        let count = rows.div_ceil(CHUNK).clamp(1, rayon::current_num_threads().max(1));
        let length = rows.div_ceil(count).next_multiple_of(64).max(64);
        let run = |(index, ids): (usize, &mut [u32])| {
            let first = index * length;
            let first_rows = match direct {
                Some(bits) => number_directly(keys, bits, first, ids, stream, mr)?,
                None => number(keys, first, ids, stream, mr)?,
            };
            Ok((first..first + ids.len(), first_rows))
        };
        let mut tables: Vec<(Range<usize>, HostVec<'r, u64>)> = if count == 1 {
            vec![run((0, &mut ids))?]
        } else {
            ids.par_chunks_mut(length).enumerate().map(run).collect::<Result<_>>()?
        };
        if let [(_, _)] = &tables[..]
            && let Some((places, first_rows)) = tables.pop()
        {
            let ranges = vec![RangeGroups { places, groups: first_rows.len(), map: None, before: 0 }];
            return Ok(Self { ids, rows: None, ranges, first_rows });
        }
        let mut all = GroupTable::new(stream, mr)?;
        let mut ranges = Vec::with_capacity(tables.len());
        for (places, first_rows) in tables {
            let mut map = HostVec::<u32>::zeroed(first_rows.len() + 1, stream, mr)?;
            for (id, row) in map[1..].iter_mut().zip(&first_rows[..]) {
                *id = insert(keys, &mut all, *row as usize)?;
            }
            ranges.push(RangeGroups { places, groups: first_rows.len(), map: Some(map), before: 0 });
        }
        Ok(Self { ids, rows: None, ranges, first_rows: all.into_first_rows() })
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

/// `work(row, id, word, flag)` for rows `first ..` that may be in a group.
fn for_each_key(
    keys: &HostKeys<'_>,
    first: usize,
    ids: &mut [u32],
    mut work: impl FnMut(usize, &mut u32, u64, u32) -> Result<()>,
) -> Result<()> {
    let (mut words, mut flags) = ([0; KEY_BLOCK], [PLAIN; KEY_BLOCK]);
    for (block, ids) in ids.chunks_mut(KEY_BLOCK).enumerate() {
        let begin = first + block * KEY_BLOCK;
        let (words, flags) = (&mut words[..ids.len()], &mut flags[..ids.len()]);
        keys.words_into(begin, words, flags);
        for (((row, id), word), flag) in (begin..).zip(ids).zip(words).zip(flags) {
            if *flag != NOWHERE {
                work(row, id, *word, *flag)?;
            }
        }
    }
    Ok(())
}

/// Numbers the groups of rows `first ..`; returns a row of each.
fn number<'r>(
    keys: &HostKeys<'_>,
    first: usize,
    ids: &mut [u32],
    stream: &Stream,
    mr: ResourceRef<'r>,
) -> Result<HostVec<'r, u64>> {
    let mut table = GroupTable::new(stream, mr)?;
    for_each_key(keys, first, ids, |row, id, word, flag| {
        *id = table.find_or_insert(word, flag, row, |other| keys.same(row, keys, other))?;
        Ok(())
    })?;
    Ok(table.into_first_rows())
}

/// As [`number`], for words of few bits.
fn number_directly<'r>(
    keys: &HostKeys<'_>,
    bits: u32,
    first: usize,
    ids: &mut [u32],
    stream: &Stream,
    mr: ResourceRef<'r>,
) -> Result<HostVec<'r, u64>> {
    let mut table = DirectTable::new(bits, stream, mr)?;
    if keys.all_take_part() {
        let (mut words, mut flags) = ([0; KEY_BLOCK], [PLAIN; KEY_BLOCK]);
        for (block, ids) in ids.chunks_mut(KEY_BLOCK).enumerate() {
            let begin = first + block * KEY_BLOCK;
            let words = &mut words[..ids.len()];
            keys.words_into(begin, words, &mut flags[..ids.len()]);
            table.number(words, begin, ids)?;
        }
        return Ok(table.into_first_rows());
    }
    for_each_key(keys, first, ids, |row, id, word, _| table.number(&[word], row, std::slice::from_mut(id)))?;
    Ok(table.into_first_rows())
}
