//! Which group each row is in, for group-by and distinct.
//!
//! With few groups, ranges of rows are numbered on several threads, each with a table of its own, then one of all. With
//! many, the table of a range would miss the caches at every row, and bringing tables together would cost as much again;
//! then rows are split by their keys first ([`parts`]). Keys in ascending order need no table ([`sorted`]).

use std::ops::Range;

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_memory::{HostVec, ResourceRef};

mod parts;
mod sorted;
mod table;
mod texts;

pub use table::GroupTable;
use table::{DirectTable, Table};
use texts::TextTable;

use crate::host::{map_tasks, split_mut, task_rows};
use crate::keys::{HostKeys, KEY_BLOCK, VALID};

/// Packed keys of up to so many bits are looked up in an array.
const DIRECT_BITS: u32 = 16;

/// The groups of a range of places.
#[derive(Debug)]
pub struct RangeGroups<'r> {
    pub positions: Range<usize>,
    pub groups: usize,
    /// The number among all groups by that among these, both from 1 on, 0 for none; absent where they follow `before`.
    pub map: Option<HostVec<'r, u32>>,
    /// Groups of the ranges before, where no group is in two.
    pub before: usize,
}

impl RangeGroups<'_> {
    /// The number among all groups.
    pub fn group(&self, id: u32) -> usize {
        match &self.map {
            Some(map) => map[id as usize] as usize,
            None if id == 0 => 0,
            None => self.before + id as usize,
        }
    }
}

/// The groups of all rows.
#[derive(Debug)]
pub struct Grouping<'r> {
    /// Of each place the number of its group among those of its range, from 1 on; 0 for none. Empty if nobody asks.
    pub ids: HostVec<'r, u32>,
    /// The row of each place; absent where it is the place. Rows in no group may have none.
    pub rows: Option<HostVec<'r, u32>>,
    pub ranges: Vec<RangeGroups<'r>>,
    /// The first row of each group.
    pub first_rows: HostVec<'r, u64>,
}

/// What is done with rows while the numbers of their groups are at hand, so that nobody has to read those again.
pub trait Visit: Sync {
    /// Whether nothing is done: then nobody needs the numbers of rows that are split by their keys either.
    const IDLE: bool = false;
    /// What is kept of a range of rows.
    type State: Send;
    /// Whether the numbers are wanted later, too.
    fn keeps_ids(&self) -> bool {
        false
    }
    fn begin(&self) -> Result<Self::State>;
    /// Rows `first ..` and the numbers of their groups, of which the range has had `groups` so far.
    fn rows(&self, state: &mut Self::State, first: usize, ids: &[u32], groups: usize) -> Result<()>;
}

/// Nothing is done.
impl Visit for () {
    const IDLE: bool = true;
    type State = ();
    fn begin(&self) -> Result<()> {
        Ok(())
    }
    fn rows(&self, _state: &mut (), _first: usize, _ids: &[u32], _groups: usize) -> Result<()> {
        Ok(())
    }
}

impl<'r> Grouping<'r> {
    /// The groups, and what `visit` kept of each range. Where rows are split by their keys, it is not asked: there are no
    /// states, but `ids` and `rows`, if it is not idle.
    pub fn new<V: Visit>(
        keys: &HostKeys<'_>,
        rows: usize,
        visit: &V,
        stream: &Stream,
        mr: ResourceRef<'r>,
    ) -> Result<(Self, Vec<V::State>)> {
        let direct = keys.packed_bits().filter(|bits| *bits <= DIRECT_BITS && (1 << bits) <= rows.max(64) * 4);
        if direct.is_none()
            && let Some(sorted) = sorted::grouping(keys, rows, visit, stream, mr)?
        {
            return Ok(sorted);
        }
        if direct.is_none()
            && let Some(bits) = parts::bits(keys, rows, stream, mr)?
        {
            let kept = if V::IDLE { 0 } else { rows };
            return Ok((parts::grouping(keys, rows, bits, kept, stream, mr)?, Vec::new()));
        }
        let mut ids = HostVec::<u32>::uninitialized(if visit.keeps_ids() { rows } else { 0 }, stream, mr)?;
        let positions = ranges_of(rows);
        let kept = split_mut(&mut ids, positions.iter().map(Range::len));
        let run = |_, (positions, kept): (Range<usize>, &mut [u32])| {
            let table = match direct {
                Some(bits) => Table::Direct(DirectTable::new(bits, stream, mr)?),
                None if keys.texts().is_some() => Table::Texts(TextTable::new(stream, mr)?),
                None => Table::Hashed(GroupTable::new(stream, mr)?),
            };
            let (first_rows, state) = number(keys, table, positions.clone(), kept, visit)?;
            Ok((positions, first_rows, state))
        };
        let tables = map_tasks(positions.into_iter().zip(kept).collect(), &run);
        let tables: Vec<(Range<usize>, HostVec<'r, u64>, V::State)> = tables.into_iter().collect::<Result<_>>()?;
        let alone = tables.len() == 1;
        let mut all = GroupTable::new(stream, mr)?;
        let (mut ranges, mut states) = (Vec::with_capacity(tables.len()), Vec::with_capacity(tables.len()));
        for (positions, first_rows, state) in tables {
            states.push(state);
            if alone {
                ranges.push(RangeGroups { positions, groups: first_rows.len(), map: None, before: 0 });
                return Ok((Self { ids, rows: None, ranges, first_rows }, states));
            }
            let mut map = HostVec::<u32>::zeroed(first_rows.len() + 1, stream, mr)?;
            for (id, row) in map[1..].iter_mut().zip(&first_rows[..]) {
                *id = insert(keys, &mut all, *row as usize)?;
            }
            ranges.push(RangeGroups { positions, groups: first_rows.len(), map: Some(map), before: 0 });
        }
        Ok((Self { ids, rows: None, ranges, first_rows: all.into_first_rows() }, states))
    }

    pub fn groups(&self) -> usize {
        self.first_rows.len()
    }
}

/// A range of rows for each thread.
fn ranges_of(rows: usize) -> Vec<Range<usize>> {
    let count = rows.div_ceil(task_rows()).clamp(1, gdf_core::thread_count().max(1));
    let length = rows.div_ceil(count).next_multiple_of(64).max(64);
    (0..rows.max(1)).step_by(length).map(|first| first..(first + length).min(rows)).collect()
}

/// The group of a row, in a table that may be of another range.
fn insert(keys: &HostKeys<'_>, table: &mut GroupTable<'_>, row: usize) -> Result<u32> {
    let (mut word, mut flag) = ([0], [VALID]);
    keys.words_into(row, &mut word, &mut flag);
    table.find_or_insert(word[0], flag[0], row, |other| keys.same(row, keys, other))
}

/// Numbers the groups of the rows `positions`; returns the first row of each. `kept` is empty or as long.
fn number<'r, V: Visit>(
    keys: &HostKeys<'_>,
    mut table: Table<'r>,
    positions: Range<usize>,
    kept: &mut [u32],
    visit: &V,
) -> Result<(HostVec<'r, u64>, V::State)> {
    let mut state = visit.begin()?;
    let (mut words, mut flags, mut block) = ([0; KEY_BLOCK], [VALID; KEY_BLOCK], [0; KEY_BLOCK]);
    let (packed, texts) = (keys.packed_bits().is_some(), keys.texts());
    for first in positions.clone().step_by(KEY_BLOCK) {
        let (at, len) = (first - positions.start, KEY_BLOCK.min(positions.end - first));
        let (words, flags) = (&mut words[..len], &mut flags[..len]);
        let ids = kept.get_mut(at..at + len).unwrap_or(&mut block[..len]);
        if let (Table::Texts(table), Some(texts)) = (&mut table, &texts) {
            table.number(texts, first, ids)?;
        } else {
            keys.words_into(first, words, flags);
        }
        match &mut table {
            Table::Texts(_) => {}
            Table::Direct(table) if keys.all_take_part() => table.number(words, first, ids)?,
            Table::Direct(table) => table.number_some(words, flags, first, ids)?,
            Table::Hashed(table) if packed => table.number(words, flags, first, ids, |_, _| true)?,
            Table::Hashed(table) => table.number(words, flags, first, ids, |row, other| keys.same(row, keys, other))?,
        }
        visit.rows(&mut state, first, ids, table.len())?;
    }
    Ok((table.into_first_rows(), state))
}
