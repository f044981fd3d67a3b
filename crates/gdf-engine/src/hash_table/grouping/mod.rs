//! Grouping: the assignment of rows to groups, for group-by and distinct.
//!
//! If there are few groups, the rows are divided into a range per thread. Each thread numbers the groups of its range
//! in a table of its own, and the tables are then merged into one table.
//!
//! If there are many groups, merging the tables would take long. Rows are then first partitioned by their keys
//! ([`parts`]), so that no group is in two tables. Keys in ascending order need no table ([`sorted`]).

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

/// Packed keys of at most this many bits are looked up in an array.
const DIRECT_BITS: u32 = 16;

/// The groups of a range of positions.
#[derive(Debug)]
pub struct RangeGroups<'r> {
    pub positions: Range<usize>,
    pub groups: usize,
    /// Maps the number of a group within the range to the number of the group among all groups. Both numbers start at
    /// 1, and 0 stands for rows in no group. `None` means that the groups of the range follow each other among all
    /// groups. The first of them may be the last group of the range before.
    pub map: Option<HostVec<'r, u32>>,
    /// Without a map, the number of groups before the first group of the range.
    pub before: usize,
}

impl RangeGroups<'_> {
    pub fn group(&self, id: u32) -> usize {
        match &self.map {
            Some(map) => map[id as usize] as usize,
            None if id == 0 => 0,
            None => self.before + id as usize,
        }
    }
}

#[derive(Debug)]
pub struct Grouping<'r> {
    /// The number of the group of each row within the row's range, by position. The numbers start at 1, and 0 means
    /// that the row is in no group. The vector is empty if the visitor does not need the numbers.
    pub ids: HostVec<'r, u32>,
    /// The number of the row at each position. `None` means that rows were not moved, so that each position is the row
    /// number.
    pub rows: Option<HostVec<'r, u32>>,
    pub ranges: Vec<RangeGroups<'r>>,
    pub first_rows: HostVec<'r, u64>,
}

/// A visitor works on rows while the numbers of their groups are still in the cache.
pub trait Visit: Sync {
    /// Whether the visitor does nothing.
    const IDLE: bool = false;
    /// The state that is kept for a range of rows.
    type State: Send;
    /// Returns whether the caller needs the group numbers after the visit.
    fn keeps_ids(&self) -> bool {
        false
    }
    fn begin(&self) -> Result<Self::State>;
    /// Visits the rows from `first` on. `ids` holds the numbers of the groups of these rows, and its length is the
    /// number of rows.
    fn rows(&self, state: &mut Self::State, first: usize, ids: &[u32], groups: usize) -> Result<()>;
}

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
    /// Groups the rows, and returns the state that `visit` kept for each range.
    ///
    /// If the function partitions the rows by their keys, it does not call `visit`, and returns no states.
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

/// Divides the rows into at most one range per thread, and into no more ranges than there are tasks of [`task_rows`]
/// rows.
fn ranges_of(rows: usize) -> Vec<Range<usize>> {
    let count = rows.div_ceil(task_rows()).clamp(1, gdf_core::thread_count().max(1));
    let length = rows.div_ceil(count).next_multiple_of(64).max(64);
    (0..rows.max(1)).step_by(length).map(|first| first..(first + length).min(rows)).collect()
}

/// Returns the number of the group of a row in `table`, and adds the group if it is new.
fn insert(keys: &HostKeys<'_>, table: &mut GroupTable<'_>, row: usize) -> Result<u32> {
    let (mut word, mut flag) = ([0], [VALID]);
    keys.words_into(row, &mut word, &mut flag);
    table.find_or_insert(word[0], flag[0], row, |other| keys.same(row, keys, other))
}

/// Numbers the groups of the rows `positions`, and returns the first row of each group.
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
