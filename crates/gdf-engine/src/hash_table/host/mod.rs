//! The hash table of a join's build side. A table has one of two layouts.
//!
//! * *Direct*: packed keys of a small range index the table. The more rows will be looked up, the larger the range may
//!   be.
//!   - If the caller only asks whether keys occur, the table has a bit for each key of the range.
//!   - If no key has several rows, the table has a row number for each key of the range.
//!   - Otherwise the table has a bit for each key of the range, and two arrays. The first array has the row numbers,
//!     grouped by key. The second array has, for each key that occurs, the position of its group in the first array.
//!     The index of a key in the second array is the number of set bits before the bit of the key.
//! * *Hashed*: all other keys are looked up by their hashes, with linear probing.
//!
//! The table is divided into partitions, and one task writes each partition.

use bytemuck::{Pod, Zeroable};
use gdf_core::{Error, Result};
use gdf_driver::Stream;
use gdf_memory::{Access, Buffer};

use crate::host::{HostColumn, vectorized};
use crate::keys::host::HostPacking;
use crate::keys::{EXCLUDED, HostKeys, KEY_BLOCK, KeySide, VALID, mix64};

mod build;
mod direct;
mod members;

pub use members::members;

pub use build::Lookups;

const JOIN: &str = "join keys";

pub const NO_MATCH: u32 = u32::MAX;

/// The number of rows that are looked up together, so that their memory accesses overlap.
const LOOKUP_BATCH: usize = 64;

/// A slot of a hashed table. The slot is free if `count` is 0.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
struct BuildSlot {
    word: u64,
    /// The first row of the key. In a table with grouped row numbers, this field is instead the position of the key's
    /// first row number.
    first: u32,
    /// The number of rows that have the key.
    count: u32,
}

/// The method by which a table finds the rows of a key from the key's word.
#[derive(Clone, Copy, Debug)]
enum Layout {
    /// [`BuildSlot`]s by hash. The table is divided into `parts` partitions of equal length.
    Hashed { parts: usize },
    /// A row number for each word.
    Rows,
    /// A bit for each word, and nothing else.
    Set,
    /// A bit for each word. The rank of a set bit is the index of the key in the array of row starts.
    Ranked,
}

/// The table of a build side, and the row numbers grouped by key if some key has several rows.
#[derive(Debug)]
pub struct KeyTable {
    /// The `capacity` slots, row numbers or bits of the table, and one more entry. That entry is for nulls that have no
    /// bit in the word.
    slots: Buffer,
    /// Two arrays of a table with ranked bits. The first array has the number of set bits before each word of bits. The
    /// second array has, for each set bit, the position at which the row numbers of the key begin among the grouped row
    /// numbers.
    ranks: Option<[Buffer; 2]>,
    layout: Layout,
    capacity: usize,
    grouped: Option<Buffer>,
    /// The packing of the keys, which is kept so that the ranges of the keys are measured only once.
    packing: Option<HostPacking>,
}

pub fn open_key_columns<'a>(side: &KeySide<'a>, stream: &Stream) -> Result<Vec<HostColumn<'a>>> {
    side.keys.columns().iter().map(|key| HostColumn::open(*key, stream)).collect()
}

#[derive(Debug)]
pub struct OpenKeyTable<'a> {
    slots: Access<'a>,
    ranks: Option<[Access<'a>; 2]>,
    grouped: Option<Access<'a>>,
    capacity: usize,
    layout: Layout,
}

#[derive(Clone, Copy, Debug)]
pub struct KeySlots<'a> {
    slots: Slots<'a>,
    /// The row numbers grouped by key, if some key has several rows.
    pub grouped: Option<&'a [u32]>,
    capacity: usize,
}

#[derive(Clone, Copy, Debug)]
enum Slots<'a> {
    Hashed { slots: &'a [BuildSlot], parts: usize },
    Rows(&'a [u32]),
    Set(&'a [u64]),
    Ranked { bits: &'a [u64], before: &'a [u32], starts: &'a [u32] },
}

/// The rows that have a key: the position of the first row number among the grouped row numbers, and the number of
/// rows. If the table has no grouped row numbers, `start` is the row itself.
#[derive(Clone, Copy, Debug)]
pub struct Matches {
    pub start: u32,
    pub count: u32,
}

impl Matches {
    pub const NONE: Self = Self { start: NO_MATCH, count: 0 };
}

impl KeyTable {
    /// Returns whether no two rows have equal keys. The table must not be a set, which does not compare rows.
    pub fn has_distinct_keys(&self) -> bool {
        self.grouped.is_none()
    }

    pub fn memory_size(&self) -> usize {
        [&self.slots].into_iter().chain(self.ranks.iter().flatten()).chain(&self.grouped).map(Buffer::len).sum()
    }

    /// Returns the keys of the build side.
    pub fn own_keys<'a>(&self, columns: &'a [HostColumn<'_>], side: &KeySide<'_>) -> Result<HostKeys<'a>> {
        HostKeys::of_table(JOIN, columns, self.packing.as_ref(), side)
    }

    /// Returns the keys of the probe side.
    pub fn other_keys<'a>(&self, columns: &'a [HostColumn<'_>], side: &KeySide<'_>) -> Result<HostKeys<'a>> {
        Ok(self.own_keys(columns, side)?.foreign())
    }

    pub fn open(&self, stream: &Stream) -> Result<OpenKeyTable<'_>> {
        let grouped = self.grouped.as_ref().map(|grouped| grouped.read_on(stream)).transpose()?;
        let slots = self.slots.read_on(stream)?;
        let ranks = match &self.ranks {
            Some([before, starts]) => Some([before.read_on(stream)?, starts.read_on(stream)?]),
            None => None,
        };
        Ok(OpenKeyTable { slots, ranks, grouped, capacity: self.capacity, layout: self.layout })
    }
}

/// Returns the position of a key in a direct table, or the position of nulls, which is `capacity`. The second result is
/// whether the table has the position.
#[inline(always)]
fn place_of(word: u64, flag: u32, capacity: usize) -> (usize, bool) {
    let valid = flag == VALID;
    let word = if valid { word } else { capacity as u64 };
    (word.min(capacity as u64) as usize, flag != EXCLUDED && !(valid && word >= capacity as u64))
}

vectorized! {
    /// Looks up each word in a table that has a row number for each word, and one for nulls at the end.
    fn rows_of_words(table: &[u32], words: &[u64], flags: &[u32], rows: &mut [u32]) -> usize {
        let Some(capacity) = table.len().checked_sub(1) else {
            rows.fill(NO_MATCH);
            return 0;
        };
        for ((word, flag), row) in words.iter().zip(flags).zip(&mut *rows) {
            let (at, has) = place_of(*word, *flag, capacity);
            *row = if has { table[at] } else { NO_MATCH };
        }
        rows.iter().map(|row| usize::from(*row != NO_MATCH)).sum()
    }
}

vectorized! {
    /// Looks up each word in a table that has a bit for each word, and one for nulls at the end. The result of a word
    /// whose bit is set is 0.
    fn presence_of_words(bits: &[u64], capacity: usize, words: &[u64], flags: &[u32], rows: &mut [u32]) -> usize {
        for ((word, flag), row) in words.iter().zip(flags).zip(&mut *rows) {
            let (at, has) = place_of(*word, *flag, capacity);
            let set = bits[at / 64] >> (at % 64) & u64::from(has);
            *row = (set as u32).wrapping_sub(1);
        }
        rows.iter().map(|row| usize::from(*row != NO_MATCH)).sum()
    }
}

fn hashed(word: u64, capacity: usize) -> usize {
    ((u128::from(mix64(word)) * capacity as u128) >> 64) as usize
}

impl OpenKeyTable<'_> {
    pub fn slices(&self) -> Result<KeySlots<'_>> {
        let grouped = self.grouped.as_ref().map(|grouped| grouped.as_slice::<u32>()).transpose()?;
        let slots = match self.layout {
            Layout::Hashed { parts } => Slots::Hashed { slots: self.slots.as_slice()?, parts },
            Layout::Rows => Slots::Rows(self.slots.as_slice()?),
            Layout::Set => Slots::Set(self.slots.as_slice()?),
            Layout::Ranked => {
                let ranks =
                    self.ranks.as_ref().ok_or_else(|| Error::internal("the hash table of ranked keys has no ranks"))?;
                let [before, starts] = ranks;
                Slots::Ranked { bits: self.slots.as_slice()?, before: before.as_slice()?, starts: starts.as_slice()? }
            }
        };
        Ok(KeySlots { slots, grouped, capacity: self.capacity })
    }
}

impl KeySlots<'_> {
    /// Finds the matches of at most [`KEY_BLOCK`](crate::keys::KEY_BLOCK) rows.
    pub fn find_block(&self, words: &[u64], flags: &[u32], same: impl Fn(usize, usize) -> bool, found: &mut [Matches]) {
        match self.slots {
            Slots::Hashed { slots, parts } => {
                let blocks = words.chunks(LOOKUP_BATCH).zip(flags.chunks(LOOKUP_BATCH));
                for (block, ((words, flags), found)) in blocks.zip(found.chunks_mut(LOOKUP_BATCH)).enumerate() {
                    let same = |index, row| same(block * LOOKUP_BATCH + index, row);
                    self.find_batch(slots, parts, words, flags, same, found);
                }
            }
            Slots::Rows(_) | Slots::Set(_) => {
                let mut rows = [NO_MATCH; KEY_BLOCK];
                let rows = &mut rows[..words.len()];
                self.find_rows(words, flags, false, rows);
                for (found, row) in found.iter_mut().zip(rows) {
                    *found = Matches { start: *row, count: u32::from(*row != NO_MATCH) };
                }
            }
            Slots::Ranked { bits, before, starts } => self.find_direct(words, flags, found, |place| {
                let word = bits[place / 64];
                if word >> (place % 64) & 1 == 0 {
                    return Matches::NONE;
                }
                let key = direct::rank(word, before[place / 64], place % 64) as usize;
                let start = starts[key];
                Matches { start, count: starts[key + 1] - start }
            }),
        }
    }

    /// Writes the row that matches each of at most [`KEY_BLOCK`](crate::keys::KEY_BLOCK) rows, or [`NO_MATCH`], and
    /// returns the number of matches. The function returns `None`, and writes nothing, if keys of the table may have
    /// several rows or if the table has hashed slots. If only the presence of matches is asked for, any number except
    /// [`NO_MATCH`] stands for a match.
    pub fn find_rows(&self, words: &[u64], flags: &[u32], presence: bool, rows: &mut [u32]) -> Option<usize> {
        match self.slots {
            Slots::Rows(table) => Some(rows_of_words(table, words, flags, rows)),
            Slots::Set(bits) => Some(presence_of_words(bits, self.capacity, words, flags, rows)),
            Slots::Ranked { bits, .. } if presence => Some(presence_of_words(bits, self.capacity, words, flags, rows)),
            Slots::Ranked { .. } | Slots::Hashed { .. } => None,
        }
    }

    /// Finds the matches of each row in a direct table. Words beyond the end of the table have no matches.
    #[inline]
    fn find_direct(&self, words: &[u64], flags: &[u32], found: &mut [Matches], matches: impl Fn(usize) -> Matches) {
        for ((word, flag), found) in words.iter().zip(flags).zip(found) {
            let (at, has) = place_of(*word, *flag, self.capacity);
            *found = if has { matches(at) } else { Matches::NONE };
        }
    }

    /// Finds matches in the same way as [`find_block`](Self::find_block), for at most [`LOOKUP_BATCH`] rows.
    fn find_batch(
        &self,
        slots: &[BuildSlot],
        parts: usize,
        words: &[u64],
        flags: &[u32],
        same: impl Fn(usize, usize) -> bool,
        found: &mut [Matches],
    ) {
        let position = |word: u64, flag: u32| match flag {
            VALID => Some(hashed(word, self.capacity)),
            EXCLUDED => None,
            _ => Some(self.capacity),
        };
        let mut first = [BuildSlot::default(); LOOKUP_BATCH];
        for ((slot, word), flag) in first.iter_mut().zip(words).zip(flags) {
            *slot = position(*word, *flag).map_or_else(BuildSlot::default, |at| slots[at]);
        }
        let mut rows = [0; LOOKUP_BATCH];
        rows.iter_mut().zip(&first[..words.len()]).for_each(|(row, slot)| *row = self.first_row(slot));
        for (index, ((slot, found), flag)) in first.iter().zip(found).zip(flags).enumerate() {
            let matches = Matches { start: slot.first, count: slot.count };
            *found = match *flag {
                _ if slot.count == 0 => Matches::NONE,
                VALID if slot.word != words[index] || !same(index, rows[index] as usize) => {
                    self.find_hashed(slots, parts, words[index], |row| same(index, row))
                }
                _ => matches,
            };
        }
    }

    fn first_row(&self, slot: &BuildSlot) -> u32 {
        match self.grouped {
            Some(grouped) if slot.count > 0 => grouped[slot.first as usize],
            _ => slot.first,
        }
    }

    /// Finds the matches of a word by linear probing, after [`find_batch`](Self::find_batch) has found another key in
    /// the first slot.
    fn find_hashed(&self, slots: &[BuildSlot], parts: usize, word: u64, same: impl Fn(usize) -> bool) -> Matches {
        let mut at = hashed(word, self.capacity);
        let share = self.capacity / parts;
        let end = (hashed(word, parts) + 1) * share;
        loop {
            let slot = slots[at];
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
