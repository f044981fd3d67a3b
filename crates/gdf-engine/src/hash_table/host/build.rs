//! The construction of the hash table of a build side's keys.

use gdf_core::Result;
use gdf_memory::HostVec;

use super::{BuildSlot, JOIN, KeyTable, Layout, hashed, open_key_columns};
use crate::Ctx;
use crate::host::{for_each_chunk, for_each_task, map_chunks, split_mut, task_rows};
use crate::keys::{EXCLUDED, HostKeys, KEY_BLOCK, KeySide, KeyedRow, VALID};
use crate::limits::HostLimits;
use crate::partition::partition_produced;

/// The maximum number of partitions. Partitioning writes to one position of each partition alternately, and a core can
/// write to this many positions with few cache misses.
const MAX_PARTS: usize = 1 << 10;

/// The maximum number of positions of a sparse direct table, in which most positions have no key. At this maximum, an
/// array of row numbers has 32 MiB, about the size of a last-level cache. Bits and ranks have 1.5 MiB.
const MAX_SPARSE: u64 = 1 << 23;

/// The use that a caller will make of a table.
#[derive(Clone, Copy, Debug)]
pub struct Lookups {
    /// Whether the caller only asks if a key occurs in the build side, and not which rows have the key.
    pub is_set: bool,
    /// The number of rows that the caller will look up, or 0 if the number is unknown.
    pub probe_rows: usize,
}

impl KeyTable {
    pub fn new(build: &KeySide<'_>, lookups: Lookups, ctx: Ctx<'_>) -> Result<Self> {
        let columns = open_key_columns(build, ctx.stream)?;
        let keys = HostKeys::of_side(JOIN, &columns, build)?;
        let rows = build.rows();
        let mut words = HostVec::<u64>::uninitialized(rows, ctx.stream, ctx.mr.temporary)?;
        // If the flag of every row is `VALID`, no flags are stored. A missing flag counts as `VALID`.
        let mut flags =
            HostVec::<u32>::uninitialized(if keys.all_plain() { 0 } else { rows }, ctx.stream, ctx.mr.temporary)?;
        for_each_pair(&mut words, &mut flags, |first, words, flags| {
            let mut plain = [VALID; KEY_BLOCK];
            for (index, block) in words.chunks_mut(KEY_BLOCK).enumerate() {
                let at = index * KEY_BLOCK;
                let flags = flags.get_mut(at..at + block.len()).unwrap_or(&mut plain[..block.len()]);
                keys.words_into(first + at, block, flags);
            }
        });
        let input = Input { words: &words, flags: &flags, keys: &keys };
        let capacity = (rows * 2).max(16);
        let limits = HostLimits::current();
        let parts = match rows < limits.build_rows {
            true => 1,
            false => (capacity / limits.build_part_places).next_power_of_two().min(MAX_PARTS),
        };
        if let Some(max) = keys.packed_bits().and_then(|_| input.max()) {
            // A direct table has a bit or a row number for each key of the range. If the range is dense or small, this
            // memory costs little compared with hashing and comparing the key of each row.
            let sparse = (rows.saturating_add(lookups.probe_rows) as u64).saturating_mul(8).min(MAX_SPARSE);
            if input.is_dense(max.saturating_add(1)) || max < sparse {
                return input.direct(max as usize + 1, lookups, ctx);
            }
        }
        let table = match input.fill(parts, capacity.next_multiple_of(parts), lookups.is_set, ctx)? {
            Some(table) => table,
            // Too many keys fell into one partition. A table with a single partition has slots for the keys of all
            // rows.
            None => {
                let whole = input.fill(1, capacity, lookups.is_set, ctx)?;
                whole.ok_or(gdf_core::Error::internal("the hash table of a build side has more keys than rows"))?
            }
        };
        Ok(table)
    }
}

/// Calls `work(first, words, flags)` for chunks of rows on all threads.
fn for_each_pair(words: &mut [u64], flags: &mut [u32], work: impl Fn(usize, &mut [u64], &mut [u32]) + Sync) {
    if flags.is_empty() {
        return for_each_chunk(words, |first, words| work(first, words, &mut []));
    }
    let rows = task_rows();
    let tasks = words.chunks_mut(rows).zip(flags.chunks_mut(rows)).collect::<Vec<_>>();
    for_each_task(tasks, |index, (words, flags)| work(index * rows, words, flags));
}

pub(super) struct Input<'a> {
    pub(super) words: &'a [u64],
    flags: &'a [u32],
    pub(super) keys: &'a HostKeys<'a>,
}

impl Input<'_> {
    pub(super) fn flag(&self, row: usize) -> u32 {
        self.flags.get(row).copied().unwrap_or(VALID)
    }

    fn max(&self) -> Option<u64> {
        let chunks = map_chunks(self.words.len(), |rows| {
            rows.filter(|row| self.flag(*row) == VALID).map(|row| self.words[row]).max()
        });
        chunks.into_iter().flatten().max()
    }

    pub(super) fn is_dense(&self, end: u64) -> bool {
        end <= (self.words.len() as u64).saturating_mul(4).max(32)
    }

    /// Divides the positions of a table into `parts` partitions, each of which one task writes.
    fn writers(parts: usize, capacity: usize) -> Vec<SlotWriter> {
        let share = capacity.div_ceil(parts);
        let begin = |part: usize| (part * share).min(capacity);
        let own = |part: usize| begin(part + 1) - begin(part);
        let writer =
            |part: usize| SlotWriter { capacity, first: begin(part), own: own(part), nulls: part + 1 == parts };
        (0..parts).map(writer).collect()
    }

    /// Fills a hashed table. The function returns `None` if the keys of a partition leave no slot free.
    fn fill(&self, parts: usize, capacity: usize, is_set: bool, ctx: Ctx<'_>) -> Result<Option<KeyTable>> {
        let writers = Self::writers(parts, capacity);
        let lengths = || writers.iter().map(SlotWriter::places);
        let (pairs, starts) = match parts {
            1 => (HostVec::new(ctx.stream, ctx.mr.temporary), Vec::new()),
            parts => self.by_part(parts, ctx)?,
        };
        let rows_of = |part: usize| {
            starts.get(part..part + 2).map_or(BuildRows::All, |ends| BuildRows::Some(&pairs[ends[0]..ends[1]]))
        };
        let mut slots = HostVec::<BuildSlot>::uninitialized(capacity + 1, ctx.stream, ctx.mr.output)?;
        let mut results = vec![Part::default(); writers.len()];
        let tasks: Vec<_> = split_mut(&mut slots, lengths()).into_iter().zip(&mut results).collect();
        for_each_task(tasks, |part, (slots, result)| {
            slots.fill(BuildSlot::default());
            *result = self.insert(writers[part], rows_of(part), slots);
        });
        if results.iter().any(|part| part.full) {
            return Ok(None);
        }
        let mut grouped = None;
        if !is_set && results.iter().any(|part| part.duplicates) {
            let mut numbers =
                HostVec::<u32>::uninitialized(results.iter().map(|part| part.rows).sum(), ctx.stream, ctx.mr.output)?;
            let mut start = 0;
            let mut tasks = Vec::with_capacity(writers.len());
            let pieces = split_mut(&mut numbers, results.iter().map(|part| part.rows));
            for ((slots, numbers), part) in split_mut(&mut slots, lengths()).into_iter().zip(pieces).zip(&results) {
                tasks.push((slots, numbers, start));
                start += part.rows;
            }
            for_each_task(tasks, |part, (slots, numbers, start)| {
                self.group(writers[part], rows_of(part), slots, numbers, start);
            });
            grouped = Some(numbers.into_buffer()?);
        }
        let (slots, packing) = (slots.into_buffer()?, self.keys.packing().cloned());
        Ok(Some(KeyTable { slots, ranks: None, layout: Layout::Hashed { parts }, capacity, grouped, packing }))
    }

    /// Partitions the rows for a hashed table. The rows of a partition keep their order. Excluded rows come after the
    /// last partition.
    fn by_part<'r>(&self, parts: usize, ctx: Ctx<'r>) -> Result<(HostVec<'r, KeyedRow>, Vec<usize>)> {
        let mut pairs = HostVec::<KeyedRow>::uninitialized(self.words.len(), ctx.stream, ctx.mr.temporary)?;
        let produce = |first: usize, pairs: &mut [KeyedRow]| {
            for ((row, pair), word) in (first..).zip(pairs).zip(&self.words[first..]) {
                *pair = KeyedRow::new(*word, self.flag(row), row);
            }
        };
        let part = |pair: &KeyedRow| match pair.flag() {
            VALID => hashed(pair.word(), parts),
            EXCLUDED => parts,
            _ => parts - 1,
        };
        let starts = partition_produced(&mut pairs, parts + 1, produce, part);
        Ok((pairs, starts))
    }

    fn each(&self, rows: BuildRows<'_>, mut work: impl FnMut(usize, u64, u32) -> bool) {
        match rows {
            BuildRows::All => _ = self.words.iter().enumerate().all(|(row, word)| work(row, *word, self.flag(row))),
            BuildRows::Some(pairs) => {
                _ = pairs.iter().all(|pair| work(pair.row() as usize, pair.word(), pair.flag()));
            }
        }
    }

    /// Inserts the rows of `rows` that belong to the partition of `writer`.
    fn insert(&self, writer: SlotWriter, rows: BuildRows<'_>, slots: &mut [BuildSlot]) -> Part {
        let mut part = Part::default();
        self.each(rows, |row, word, flag| {
            let Some(home) = writer.home(word, flag) else { return true };
            let Some(at) = self.find(writer, slots, home, row, word) else {
                part.full = true;
                return false;
            };
            let slot = &mut slots[at];
            if slot.count == 0 {
                (slot.word, slot.first) = (word, row as u32);
            }
            part.duplicates |= slot.count > 0;
            part.keys += usize::from(slot.count == 0 && home < writer.own);
            slot.count += 1;
            part.rows += 1;
            // A partition counts as full when its last free slot is taken. The search for an absent key ends only at a
            // free slot.
            part.full = part.keys == writer.own;
            !part.full
        });
        part
    }

    /// Writes the row numbers of the partition to `numbers`, grouped by key.
    fn group(
        &self,
        writer: SlotWriter,
        rows: BuildRows<'_>,
        slots: &mut [BuildSlot],
        numbers: &mut [u32],
        start: usize,
    ) {
        let mut before = start as u32;
        for slot in slots.iter_mut() {
            // `count` becomes the position at which the next row number of the key is written. `first` remains the
            // first row of the key, with which rows are compared.
            (slot.count, before) = (before, before + slot.count);
        }
        self.each(rows, |row, word, flag| {
            let Some(home) = writer.home(word, flag) else { return true };
            let mut at = home;
            while home < writer.own && !self.holds(&slots[at], row, word) {
                at = writer.next(at);
            }
            numbers[slots[at].count as usize - start] = row as u32;
            slots[at].count += 1;
            true
        });
        // `count` is now the position after the last row number of the key.
        let mut begin = start as u32;
        for slot in slots.iter_mut() {
            let end = slot.count;
            (slot.first, slot.count, begin) = (begin, end - begin, end);
        }
    }

    /// Returns the slot of a row's key, as a position within the partition. If the key is new, the slot is free. The
    /// result is `None` if the key is new and no slot is free.
    fn find(&self, writer: SlotWriter, slots: &[BuildSlot], home: usize, row: usize, word: u64) -> Option<usize> {
        if home >= writer.own {
            return Some(home);
        }
        let mut at = home;
        for _ in 0..writer.own {
            if slots[at].count == 0 || self.holds(&slots[at], row, word) {
                return Some(at);
            }
            at = writer.next(at);
        }
        None
    }

    fn holds(&self, slot: &BuildSlot, row: usize, word: u64) -> bool {
        // A row is not compared with itself, because reading its text again may cause a cache miss.
        let same = |other: usize| other == row || self.keys.same(row, self.keys, other);
        slot.word == word && same(slot.first as usize)
    }
}

#[derive(Clone, Copy, Debug)]
enum BuildRows<'a> {
    /// All rows of the build side. The partition skips the rows that belong to other partitions.
    All,
    Some(&'a [KeyedRow]),
}

/// A partition of the table, which consists of the `own` positions from `first` on.
#[derive(Clone, Copy, Debug)]
struct SlotWriter {
    capacity: usize,
    first: usize,
    own: usize,
    nulls: bool,
}

impl SlotWriter {
    fn places(&self) -> usize {
        self.own + usize::from(self.nulls)
    }

    /// Returns the position within the partition at which the search for a key begins. The result is `None` if the row
    /// does not belong to the partition.
    fn home(self, word: u64, flag: u32) -> Option<usize> {
        let position = match flag {
            VALID => hashed(word, self.capacity),
            EXCLUDED => return None,
            _ => return self.nulls.then_some(self.own),
        };
        let at = position.wrapping_sub(self.first);
        (at < self.own).then_some(at)
    }

    fn next(self, at: usize) -> usize {
        if at + 1 == self.own { 0 } else { at + 1 }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Part {
    rows: usize,
    keys: usize,
    duplicates: bool,
    full: bool,
}
