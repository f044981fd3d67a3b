//! The hash table of a join's build side.
//!
//! * *Direct*: packed keys of a small range index the table. If no key has two rows, or the table is a set, a slot is a row
//!   number alone, a quarter of the memory of a slot otherwise; then the range may be larger, the more so the more rows
//!   will be looked up.
//! * *Hashed*: all other keys, with linear probing.
//!
//! Tasks build disjoint partitions of the table, so that nothing is shared and the rows of a key keep their order. The
//! partitions of a hashed table fit a cache, and rows are partitioned first. A direct table has a partition per thread,
//! and each thread reads all rows and inserts those of its partition.

use bytemuck::{Pod, Zeroable};
use gdf_core::Result;
use gdf_driver::Stream;
use gdf_memory::{Access, Buffer};

use crate::engine::keys::host::HostPacking;
use crate::engine::keys::{EXCLUDED, HostKeys, KeySide, VALID, mix64};
use crate::host::HostColumn;

mod build;
mod members;

pub(crate) use members::members;

pub(crate) use build::Lookups;

/// The name of the operation in errors.
const JOIN: &str = "join keys";

/// As the row number of a slot, or as the start of its rows: none.
pub(crate) const NO_MATCH: u32 = u32::MAX;

/// Rows that are looked up side by side, while memory answers.
const LOOKUP_BATCH: usize = 64;

/// A key, or no key while `count` is 0.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
struct BuildSlot {
    word: u64,
    /// The first of its rows, or of its positions among the grouped rows.
    first: u32,
    /// Rows that have it.
    count: u32,
}

/// How slots are found by the words of keys.
#[derive(Clone, Copy, Debug)]
enum TablePlan {
    /// By word: packed keys are distances from the smallest ones.
    Direct,
    /// By hash, in as many parts of the table of equal length.
    Hashed { parts: usize },
}

/// The table: slots, and the row numbers by key if some key has several.
#[derive(Debug)]
pub(crate) struct KeyTable {
    /// `capacity` slots and one more for nulls without a bit: each a [`BuildSlot`], or if `single` a row number.
    slots: Buffer,
    single: bool,
    capacity: usize,
    plan: TablePlan,
    grouped: Option<Buffer>,
    /// How the keys pack: their ranges are looked at once.
    packing: Option<HostPacking>,
}

/// Keys with what they are made of.
pub(crate) fn open_key_columns<'a>(side: &KeySide<'a>, stream: &Stream) -> Result<Vec<HostColumn<'a>>> {
    side.keys.columns().iter().map(|key| HostColumn::open(*key, stream)).collect()
}

/// The table, open for reading.
#[derive(Debug)]
pub(crate) struct OpenKeyTable<'a> {
    slots: Access<'a>,
    single: bool,
    grouped: Option<Access<'a>>,
    capacity: usize,
    plan: TablePlan,
}

/// The same as slices: of one of the first two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeySlots<'a> {
    slots: &'a [BuildSlot],
    rows: &'a [u32],
    /// Row numbers by key, if some key has several.
    pub(crate) grouped: Option<&'a [u32]>,
    capacity: usize,
    plan: TablePlan,
}

/// Rows that have a key: where they begin, and how many.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matches {
    pub(crate) start: u32,
    pub(crate) count: u32,
}

impl Matches {
    pub(crate) const NONE: Self = Self { start: NO_MATCH, count: 0 };
}

impl KeyTable {
    pub(crate) fn memory_size(&self) -> usize {
        self.slots.len() + self.grouped.as_ref().map_or(0, Buffer::len)
    }

    /// The keys of the side that the table was built of.
    pub(crate) fn own_keys<'a>(&self, columns: &'a [HostColumn<'_>], side: &KeySide<'_>) -> Result<HostKeys<'a>> {
        self.keys(columns, side, false)
    }

    /// Keys to be looked up.
    pub(crate) fn other_keys<'a>(&self, columns: &'a [HostColumn<'_>], side: &KeySide<'_>) -> Result<HostKeys<'a>> {
        self.keys(columns, side, true)
    }

    fn keys<'a>(&self, columns: &'a [HostColumn<'_>], side: &KeySide<'_>, foreign: bool) -> Result<HostKeys<'a>> {
        let (nulls, nans) = (side.exclude_nulls, side.exclude_nans);
        HostKeys::open_packed(JOIN, columns, self.packing.as_ref(), foreign, nulls, nans)
    }

    pub(crate) fn open(&self, stream: &Stream) -> Result<OpenKeyTable<'_>> {
        let grouped = self.grouped.as_ref().map(|grouped| grouped.read_on(stream)).transpose()?;
        let slots = self.slots.read_on(stream)?;
        Ok(OpenKeyTable { slots, single: self.single, grouped, capacity: self.capacity, plan: self.plan })
    }
}

/// The slot of a word, of `capacity`.
fn hashed(word: u64, capacity: usize) -> usize {
    ((u128::from(mix64(word)) * capacity as u128) >> 64) as usize
}

impl OpenKeyTable<'_> {
    pub(crate) fn slices(&self) -> Result<KeySlots<'_>> {
        let grouped = self.grouped.as_ref().map(|grouped| grouped.as_slice::<u32>()).transpose()?;
        let slots = if self.single { &[] } else { self.slots.as_slice()? };
        let rows = if self.single { self.slots.as_slice()? } else { &[] };
        Ok(KeySlots { slots, rows, grouped, capacity: self.capacity, plan: self.plan })
    }
}

impl KeySlots<'_> {
    /// The matches of the keys of at most [`KEY_BLOCK`](crate::engine::keys::KEY_BLOCK) rows. `same(i, row)` compares the `i`-th of them with a row of the
    /// build side where words do not tell all.
    pub(crate) fn find_block(
        &self,
        words: &[u64],
        flags: &[u32],
        same: impl Fn(usize, usize) -> bool,
        found: &mut [Matches],
    ) {
        if !self.rows.is_empty() {
            let (rows, of_nulls) = (&self.rows[..self.capacity], self.rows[self.capacity]);
            for ((word, flag), found) in words.iter().zip(flags).zip(found) {
                let start = match *flag {
                    VALID => rows.get(*word as usize).copied().unwrap_or(NO_MATCH),
                    EXCLUDED => NO_MATCH,
                    _ => of_nulls,
                };
                *found = Matches { start, count: u32::from(start != NO_MATCH) };
            }
            return;
        }
        let blocks = words.chunks(LOOKUP_BATCH).zip(flags.chunks(LOOKUP_BATCH)).zip(found.chunks_mut(LOOKUP_BATCH));
        for (block, ((words, flags), found)) in blocks.enumerate() {
            self.find_batch(words, flags, |index, row| same(block * LOOKUP_BATCH + index, row), found);
        }
    }

    /// As find_block, of at most [`LOOKUP_BATCH`] rows: all first looks are under way before any is needed.
    fn find_batch(&self, words: &[u64], flags: &[u32], same: impl Fn(usize, usize) -> bool, found: &mut [Matches]) {
        let position = |word: u64, flag: u32| match (flag, self.plan) {
            (VALID, TablePlan::Direct) => (word < self.capacity as u64).then_some(word as usize),
            (VALID, TablePlan::Hashed { .. }) => Some(hashed(word, self.capacity)),
            (EXCLUDED, _) => None,
            _ => Some(self.capacity),
        };
        let mut first = [BuildSlot::default(); LOOKUP_BATCH];
        for ((slot, word), flag) in first.iter_mut().zip(words).zip(flags) {
            *slot = position(*word, *flag).map_or_else(BuildSlot::default, |at| self.slots[at]);
        }
        let hashed = match self.plan {
            TablePlan::Direct => None,
            TablePlan::Hashed { parts } => Some(parts),
        };
        let mut rows = [0; LOOKUP_BATCH];
        if hashed.is_some() {
            rows.iter_mut().zip(&first[..words.len()]).for_each(|(row, slot)| *row = self.first_row(slot));
        }
        for (index, ((slot, found), flag)) in first.iter().zip(found).zip(flags).enumerate() {
            let matches = Matches { start: slot.first, count: slot.count };
            *found = match hashed.filter(|_| *flag == VALID) {
                _ if slot.count == 0 => Matches::NONE,
                Some(_) if slot.word == words[index] && same(index, rows[index] as usize) => matches,
                Some(parts) => self.find_hashed(parts, words[index], |row| same(index, row)),
                None => matches,
            };
        }
    }

    /// A row of the slot's key.
    fn first_row(&self, slot: &BuildSlot) -> u32 {
        match self.grouped {
            Some(grouped) if slot.count > 0 => grouped[slot.first as usize],
            _ => slot.first,
        }
    }

    /// As find_together, of a word whose first place has another key.
    fn find_hashed(&self, parts: usize, word: u64, same: impl Fn(usize) -> bool) -> Matches {
        let mut at = hashed(word, self.capacity);
        let share = self.capacity / parts;
        let end = (hashed(word, parts) + 1) * share;
        loop {
            let slot = self.slots[at];
            if slot.count == 0 {
                return Matches::NONE;
            }
            if slot.word == word && same(self.first_row(&slot) as usize) {
                return Matches { start: slot.first, count: slot.count };
            }
            at += 1;
            if at == end {
                at -= share;
            }
        }
    }
}
