//! A table of the keys of rows, for join and distinct. Packed keys that lie close together index it directly, and others are
//! hashed. Where they do and no key has two rows, a place is the number of a row and nothing else, so that a quarter of
//! the memory is looked at. Parts of the table belong to tasks, each of which looks at all rows and takes its own: nothing
//! is shared, and rows of a key are in their order.

use bytemuck::{Pod, Zeroable};
use gdf_core::Result;
use gdf_driver::Stream;
use gdf_memory::{Access, Buffer, HostVec, Resources};

use super::keys::Packing;
use super::{
    CHUNK, HostColumn, HostKeys, KEY_BLOCK, NOWHERE, PLAIN, for_each_chunk, for_each_task, map_chunks, mix64, split_mut,
};
use crate::keys::KeySide;

/// What errors call the operation.
const JOIN: &str = "join keys";

/// `places`, `starts`: none.
pub(crate) const NO_MATCH: u32 = u32::MAX;

/// Rows that are looked up side by side, while memory answers.
const TOGETHER: usize = 64;

/// Rows of a build side that is worth several tasks.
const PARTED: usize = 1 << 16;

/// A key, or no key while `count` is 0.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
struct Slot {
    word: u64,
    /// The first of its rows, or of its places among the grouped rows.
    first: u32,
    /// Rows that have it.
    count: u32,
}

/// How the numbers of keys become places.
#[derive(Clone, Copy, Debug)]
enum Plan {
    /// By word: packed keys are distances from the least ones.
    Direct,
    /// By hash, in as many parts of the table of equal length.
    Hashed { parts: usize },
}

/// The table: slots by place, and the row numbers by key if some key has several.
#[derive(Debug)]
pub(crate) struct KeyTable {
    /// Of `places` places and one more for nulls without a bit: slots, or if `single` a row number each.
    slots: Buffer,
    single: bool,
    places: usize,
    plan: Plan,
    grouped: Option<Buffer>,
    /// How the keys pack: their ranges are looked at once.
    packing: Option<Packing>,
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
    places: usize,
    plan: Plan,
}

/// The same as slices: of one of the first two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeySlots<'a> {
    slots: &'a [Slot],
    rows: &'a [u32],
    /// Row numbers by key, if some key has several.
    pub(crate) grouped: Option<&'a [u32]>,
    places: usize,
    plan: Plan,
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
        Ok(OpenKeyTable { slots, single: self.single, grouped, places: self.places, plan: self.plan })
    }

    pub(crate) fn new(build: &KeySide<'_>, stream: &Stream, mr: Resources<'_>) -> Result<Self> {
        let columns = open_key_columns(build, stream)?;
        let keys = HostKeys::open(JOIN, &columns, build.exclude_nulls, build.exclude_nans)?;
        let rows = build.rows();
        let mut words = HostVec::<u64>::uninitialized(rows, stream, mr.temporary)?;
        // Flags are needed where some row may have no key, or a null that is no number.
        let mut flags = HostVec::<u32>::uninitialized(if keys.all_plain() { 0 } else { rows }, stream, mr.temporary)?;
        for_each_pair(&mut words, &mut flags, |first, words, flags| {
            let mut plain = [PLAIN; KEY_BLOCK];
            for (index, block) in words.chunks_mut(KEY_BLOCK).enumerate() {
                let at = index * KEY_BLOCK;
                let flags = flags.get_mut(at..at + block.len()).unwrap_or(&mut plain[..block.len()]);
                keys.words_into(first + at, block, flags);
            }
        });
        let input = Input { words: &words, flags: &flags, keys: &keys };
        let places = (rows * 2).max(16);
        let mut plan =
            Plan::Hashed { parts: if rows < PARTED { 1 } else { rayon::current_num_threads().clamp(1, 16) } };
        let mut length = places;
        if let Some(greatest) = keys.packed_bits().and_then(|_| input.greatest())
            && greatest < (places as u64).saturating_mul(2)
        {
            (plan, length) = (Plan::Direct, greatest as usize + 1);
        }
        if let Plan::Hashed { parts } = &mut plan {
            length = places.next_multiple_of(*parts);
        }
        let table = match input.fill(plan, length, stream, mr)? {
            Some(table) => table,
            // Keys that crowd into one part of the table: the whole of it has room for all.
            None => {
                let whole = input.fill(Plan::Hashed { parts: 1 }, places, stream, mr)?;
                whole.ok_or(gdf_core::Error::InvalidData { what: "more keys than rows" })?
            }
        };
        Ok(table)
    }
}

/// `work(first, words, flags)` for chunks of rows on all threads; `flags` may be empty.
fn for_each_pair(words: &mut [u64], flags: &mut [u32], work: impl Fn(usize, &mut [u64], &mut [u32]) + Sync) {
    if flags.is_empty() {
        return for_each_chunk(words, |first, words| work(first, words, &mut []));
    }
    let tasks = words.chunks_mut(CHUNK).zip(flags.chunks_mut(CHUNK)).collect::<Vec<_>>();
    for_each_task(tasks, |index, (words, flags)| work(index * CHUNK, words, flags));
}

/// The build side's keys as numbers.
struct Input<'a> {
    words: &'a [u64],
    flags: &'a [u32],
    keys: &'a HostKeys<'a>,
}

impl Input<'_> {
    fn flag(&self, row: usize) -> u32 {
        self.flags.get(row).copied().unwrap_or(PLAIN)
    }

    /// The greatest word.
    fn greatest(&self) -> Option<u64> {
        let chunks = map_chunks(self.words.len(), |rows| {
            rows.filter(|row| self.flag(*row) == PLAIN).map(|row| self.words[row]).max()
        });
        chunks.into_iter().flatten().max()
    }

    /// None: a part of the table was too small.
    fn fill(&self, plan: Plan, places: usize, stream: &Stream, mr: Resources<'_>) -> Result<Option<KeyTable>> {
        let parts = match plan {
            Plan::Direct if self.words.len() < PARTED => 1,
            Plan::Direct => rayon::current_num_threads().clamp(1, 16),
            Plan::Hashed { parts } => parts,
        };
        let share = places.div_ceil(parts);
        // The place of nulls belongs to the last part.
        let begin = |part: usize| (part * share).min(places);
        let own = |part: usize| begin(part + 1) - begin(part);
        let lengths = || (0..parts).map(|part| own(part) + usize::from(part + 1 == parts));
        let seat = |part: usize| Seat { plan, places, first: begin(part), own: own(part), nulls: part + 1 == parts };
        if matches!(plan, Plan::Direct) {
            let mut numbers = HostVec::<u32>::uninitialized(places + 1, stream, mr.output)?;
            let mut unique = vec![true; parts];
            let tasks: Vec<_> = split_mut(&mut numbers, lengths()).into_iter().zip(&mut unique).collect();
            for_each_task(tasks, |part, (numbers, unique)| *unique = self.insert_unique(seat(part), numbers));
            if unique.iter().all(|unique| *unique) {
                let (slots, packing) = (numbers.into_buffer()?, self.keys.packing().cloned());
                return Ok(Some(KeyTable { slots, single: true, places, plan, grouped: None, packing }));
            }
        }
        let mut slots = HostVec::<Slot>::zeroed(places + 1, stream, mr.output)?;
        let mut results = vec![Part::default(); parts];
        let tasks: Vec<_> = split_mut(&mut slots, lengths()).into_iter().zip(&mut results).collect();
        for_each_task(tasks, |part, (slots, result)| *result = self.insert(seat(part), slots));
        if results.iter().any(|part| part.full) {
            return Ok(None);
        }
        let mut grouped = None;
        if results.iter().any(|part| part.duplicates) {
            let mut numbers =
                HostVec::<u32>::uninitialized(results.iter().map(|part| part.rows).sum(), stream, mr.output)?;
            let mut start = 0;
            let mut tasks = Vec::with_capacity(parts);
            let pieces = split_mut(&mut numbers, results.iter().map(|part| part.rows));
            for ((slots, numbers), part) in split_mut(&mut slots, lengths()).into_iter().zip(pieces).zip(&results) {
                tasks.push((slots, numbers, start));
                start += part.rows;
            }
            for_each_task(tasks, |part, (slots, numbers, start)| self.group(seat(part), slots, numbers, start));
            grouped = Some(numbers.into_buffer()?);
        }
        let (slots, packing) = (slots.into_buffer()?, self.keys.packing().cloned());
        Ok(Some(KeyTable { slots, single: false, places, plan, grouped, packing }))
    }

    /// The row of each key whose place is in `numbers`; false if a key has two.
    fn insert_unique(&self, seat: Seat, numbers: &mut [u32]) -> bool {
        numbers.fill(NO_MATCH);
        for (row, word) in self.words.iter().enumerate() {
            let Some(at) = seat.home(*word, self.flag(row)) else { continue };
            if numbers[at] != NO_MATCH {
                return false;
            }
            numbers[at] = row as u32;
        }
        true
    }

    /// Inserts the rows whose places are in `slots`.
    fn insert(&self, seat: Seat, slots: &mut [Slot]) -> Part {
        let mut part = Part::default();
        for (row, word) in self.words.iter().enumerate() {
            let Some(home) = seat.home(*word, self.flag(row)) else { continue };
            let Some(at) = self.find(seat, slots, home, row, *word) else {
                part.full = true;
                return part;
            };
            let slot = &mut slots[at];
            if slot.count == 0 {
                (slot.word, slot.first) = (*word, row as u32);
            }
            part.duplicates |= slot.count > 0;
            slot.count += 1;
            part.rows += 1;
        }
        part
    }

    /// Groups the numbers of the part's rows by key; `start` is the place of the first among all.
    fn group(&self, seat: Seat, slots: &mut [Slot], numbers: &mut [u32], start: usize) {
        let mut before = start as u32;
        for slot in slots.iter_mut() {
            // The next place of each key; rows are still compared by its first row.
            (slot.count, before) = (before, before + slot.count);
        }
        for (row, word) in self.words.iter().enumerate() {
            let Some(home) = seat.home(*word, self.flag(row)) else { continue };
            let mut at = home;
            while home < seat.own && !self.holds(seat.plan, &slots[at], row, *word) {
                at = seat.next(at);
            }
            numbers[slots[at].count as usize - start] = row as u32;
            slots[at].count += 1;
        }
        // What was the next place is the end now.
        let mut begin = start as u32;
        for slot in slots.iter_mut() {
            let end = slot.count;
            (slot.first, slot.count, begin) = (begin, end - begin, end);
        }
    }

    /// The slot of a row's key, or a free one for it.
    fn find(&self, seat: Seat, slots: &[Slot], home: usize, row: usize, word: u64) -> Option<usize> {
        if home >= seat.own || matches!(seat.plan, Plan::Direct) {
            return Some(home);
        }
        let mut at = home;
        for _ in 0..seat.own {
            if slots[at].count == 0 || self.holds(seat.plan, &slots[at], row, word) {
                return Some(at);
            }
            at = seat.next(at);
        }
        None
    }

    fn holds(&self, plan: Plan, slot: &Slot, row: usize, word: u64) -> bool {
        matches!(plan, Plan::Direct) || slot.word == word && self.keys.same(row, self.keys, slot.first as usize)
    }
}

/// A part of the table, of `own` places from `first` on, and with the place of nulls behind them if `nulls`.
#[derive(Clone, Copy, Debug)]
struct Seat {
    plan: Plan,
    places: usize,
    first: usize,
    own: usize,
    nulls: bool,
}

impl Seat {
    /// Where in the part the search for a key begins, if it is there.
    fn home(self, word: u64, flag: u32) -> Option<usize> {
        let place = match (flag, self.plan) {
            (PLAIN, Plan::Direct) => word as usize,
            (PLAIN, Plan::Hashed { .. }) => hashed(word, self.places),
            (NOWHERE, _) => return None,
            _ => return self.nulls.then_some(self.own),
        };
        let at = place.wrapping_sub(self.first);
        (at < self.own).then_some(at)
    }

    fn next(self, at: usize) -> usize {
        if at + 1 == self.own { 0 } else { at + 1 }
    }
}

/// The place of a word among `places`.
fn hashed(word: u64, places: usize) -> usize {
    ((u128::from(mix64(word)) * places as u128) >> 64) as usize
}

/// What a part of the table turned out to have.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    rows: usize,
    duplicates: bool,
    full: bool,
}

impl OpenKeyTable<'_> {
    pub(crate) fn slices(&self) -> Result<KeySlots<'_>> {
        let grouped = self.grouped.as_ref().map(|grouped| grouped.as_slice::<u32>()).transpose()?;
        let slots = if self.single { &[] } else { self.slots.as_slice()? };
        let rows = if self.single { self.slots.as_slice()? } else { &[] };
        Ok(KeySlots { slots, rows, grouped, places: self.places, plan: self.plan })
    }
}

impl KeySlots<'_> {
    /// The matches of the keys of at most [`KEY_BLOCK`] rows. `same(i, row)` compares the `i`-th of them with a row of the
    /// build side where words do not tell all.
    pub(crate) fn find_block(
        &self,
        words: &[u64],
        flags: &[u32],
        same: impl Fn(usize, usize) -> bool,
        found: &mut [Matches],
    ) {
        if !self.rows.is_empty() {
            let (rows, of_nulls) = (&self.rows[..self.places], self.rows[self.places]);
            for ((word, flag), found) in words.iter().zip(flags).zip(found) {
                let start = match *flag {
                    PLAIN => rows.get(*word as usize).copied().unwrap_or(NO_MATCH),
                    NOWHERE => NO_MATCH,
                    _ => of_nulls,
                };
                *found = Matches { start, count: u32::from(start != NO_MATCH) };
            }
            return;
        }
        let blocks = words.chunks(TOGETHER).zip(flags.chunks(TOGETHER)).zip(found.chunks_mut(TOGETHER));
        for (block, ((words, flags), found)) in blocks.enumerate() {
            self.find_together(words, flags, |index, row| same(block * TOGETHER + index, row), found);
        }
    }

    /// As find_block, of at most [`TOGETHER`] rows: all first looks are under way before any is needed.
    fn find_together(&self, words: &[u64], flags: &[u32], same: impl Fn(usize, usize) -> bool, found: &mut [Matches]) {
        let place = |word: u64, flag: u32| match (flag, self.plan) {
            (PLAIN, Plan::Direct) => (word < self.places as u64).then_some(word as usize),
            (PLAIN, Plan::Hashed { .. }) => Some(hashed(word, self.places)),
            (NOWHERE, _) => None,
            _ => Some(self.places),
        };
        let mut first = [Slot::default(); TOGETHER];
        for ((slot, word), flag) in first.iter_mut().zip(words).zip(flags) {
            *slot = place(*word, *flag).map_or_else(Slot::default, |at| self.slots[at]);
        }
        for (index, ((slot, found), flag)) in first.iter().zip(found).zip(flags).enumerate() {
            *found = match self.plan {
                _ if slot.count == 0 => Matches::NONE,
                Plan::Hashed { parts } if *flag == PLAIN => {
                    self.find_hashed(parts, words[index], |row| same(index, row))
                }
                _ => Matches { start: slot.first, count: slot.count },
            };
        }
    }

    fn find_hashed(&self, parts: usize, word: u64, same: impl Fn(usize) -> bool) -> Matches {
        let mut at = hashed(word, self.places);
        let share = self.places / parts;
        loop {
            let slot = self.slots[at];
            if slot.count == 0 {
                return Matches::NONE;
            }
            let row = self.grouped.map_or(slot.first, |grouped| grouped[slot.first as usize]);
            if slot.word == word && same(row as usize) {
                return Matches { start: slot.first, count: slot.count };
            }
            at += 1;
            if at.is_multiple_of(share) {
                at -= share;
            }
        }
    }
}
