//! Tables that are indexed directly by packed keys of a small range.

use std::ops::Range;

use gdf_core::Result;
use gdf_memory::HostVec;

use super::build::{Input, Lookups};
use super::{KeyTable, Layout, NO_MATCH};
use crate::Ctx;
use crate::host::{for_each_task, split_mut};
use crate::keys::{EXCLUDED, VALID};
use crate::limits::HostLimits;

impl Input<'_> {
    /// Makes a table that is indexed by keys below `capacity`. One more position, at `capacity`, is for nulls that have
    /// no bit in the word.
    pub(super) fn direct(&self, capacity: usize, lookups: Lookups, ctx: Ctx<'_>) -> Result<KeyTable> {
        let (dense, is_set) = (self.is_dense(capacity as u64), lookups.is_set);
        if dense
            && !is_set
            && let Some(table) = self.rows_by_key(capacity, ctx)?
        {
            return Ok(table);
        }
        let (bits, parts) = self.bits(capacity, ctx)?;
        if is_set {
            let (slots, packing) = (bits.into_buffer()?, self.keys.packing().cloned());
            return Ok(KeyTable { slots, ranks: None, layout: Layout::Set, capacity, grouped: None, packing });
        }
        // An array of row numbers is preferred, because a lookup takes one load. If the keys are dense, the call of
        // `rows_by_key` above has already found a key with several rows.
        if !dense
            && parts.iter().all(|part| part.keys == part.rows)
            && let Some(table) = self.rows_by_key(capacity, ctx)?
        {
            return Ok(table);
        }
        self.ranked(capacity, bits, &parts, ctx)
    }

    /// Makes a table with a row number for each key. The function returns `None` if a key has several rows.
    fn rows_by_key(&self, capacity: usize, ctx: Ctx<'_>) -> Result<Option<KeyTable>> {
        let shares = self.shares(capacity + 1);
        let mut numbers = HostVec::<u32>::uninitialized(capacity + 1, ctx.stream, ctx.mr.output)?;
        let mut unique = vec![true; shares.len()];
        let pieces = split_mut(&mut numbers, shares.iter().map(Range::len));
        let tasks: Vec<_> = shares.into_iter().zip(pieces).zip(&mut unique).collect();
        for_each_task(tasks, |_, ((places, numbers), unique)| {
            numbers.fill(NO_MATCH);
            *unique = self.each_place(capacity, places, |row, at| {
                let first = numbers[at] == NO_MATCH;
                numbers[at] = row as u32;
                first
            });
        });
        if unique.contains(&false) {
            return Ok(None);
        }
        let (slots, packing) = (numbers.into_buffer()?, self.keys.packing().cloned());
        Ok(Some(KeyTable { slots, ranks: None, layout: Layout::Rows, capacity, grouped: None, packing }))
    }

    /// Returns a bit for each possible key, in words of 64 bits.
    fn bits<'r>(&self, capacity: usize, ctx: Ctx<'r>) -> Result<(HostVec<'r, u64>, Vec<Part>)> {
        let words = (capacity + 1).div_ceil(64);
        let mut bits = HostVec::<u64>::zeroed(words, ctx.stream, ctx.mr.output)?;
        let mut parts: Vec<_> = self.shares(words).into_iter().map(|words| Part { words, rows: 0, keys: 0 }).collect();
        let pieces = split_mut(&mut bits, parts.iter().map(|part| part.words.len()).collect::<Vec<_>>());
        let tasks: Vec<_> = pieces.into_iter().zip(&mut parts).collect();
        for_each_task(tasks, |_, (bits, part)| {
            self.each_place(capacity, part.places(), |_, at| {
                bits[at / 64] |= 1 << (at % 64);
                part.rows += 1;
                true
            });
            part.keys = bits.iter().map(|word| word.count_ones() as usize).sum();
        });
        Ok((bits, parts))
    }

    /// Groups the row numbers by key, in the order of the keys. The rank of a key is its index among the keys that
    /// occur.
    fn ranked(&self, capacity: usize, bits: HostVec<'_, u64>, parts: &[Part], ctx: Ctx<'_>) -> Result<KeyTable> {
        let mut before = HostVec::<u32>::uninitialized(bits.len(), ctx.stream, ctx.mr.output)?;
        let mut keys = 0;
        for (before, word) in before.iter_mut().zip(&*bits) {
            *before = keys;
            keys += word.count_ones();
        }
        let rows = parts.iter().map(|part| part.rows).sum();
        // `starts` has, for each key, the position at which the row numbers of the key begin. The row numbers of a key
        // end where those of the next key begin.
        let mut starts = HostVec::<u32>::uninitialized(keys as usize + 1, ctx.stream, ctx.mr.output)?;
        let mut grouped = HostVec::<u32>::uninitialized(rows, ctx.stream, ctx.mr.output)?;
        starts[0] = 0;
        let pieces = split_mut(&mut starts[1..], parts.iter().map(|part| part.keys));
        let lists = split_mut(&mut grouped, parts.iter().map(|part| part.rows));
        let mut tasks = Vec::with_capacity(parts.len());
        let mut first_row = 0;
        for ((part, starts), list) in parts.iter().zip(pieces).zip(lists) {
            tasks.push((part, starts, list, first_row));
            first_row += part.rows as u32;
        }
        for_each_task(tasks, |_, (part, starts, list, first_row)| {
            let Some(bits) = bits.get(part.words.clone()).filter(|bits| !bits.is_empty()) else { return };
            let before = &before[part.words.clone()];
            let key = |at: usize| (rank(bits[at / 64], before[at / 64], at % 64) - before[0]) as usize;
            starts.fill(0);
            self.each_place(capacity, part.places(), |_, at| {
                starts[key(at)] += 1;
                true
            });
            let mut begin = first_row;
            for start in starts.iter_mut() {
                (*start, begin) = (begin, begin + *start);
            }
            // The loop advances the start of a key by one for each row of the key. After the loop, the element of a key
            // is the start of the next key.
            self.each_place(capacity, part.places(), |row, at| {
                let next = &mut starts[key(at)];
                list[(*next - first_row) as usize] = row as u32;
                *next += 1;
                true
            });
        });
        let grouped = Some(grouped.into_buffer()?);
        let ranks = Some([before.into_buffer()?, starts.into_buffer()?]);
        let (slots, packing) = (bits.into_buffer()?, self.keys.packing().cloned());
        Ok(KeyTable { slots, ranks, layout: Layout::Ranked, capacity, grouped, packing })
    }

    /// Divides `count` positions into a range per task.
    fn shares(&self, count: usize) -> Vec<Range<usize>> {
        let few = self.words.len() < HostLimits::current().build_rows;
        let parts = if few { 1 } else { gdf_core::thread_count().clamp(1, 16) };
        let share = count.div_ceil(parts);
        (0..parts).map(|part| (part * share).min(count)..((part + 1) * share).min(count)).collect()
    }

    /// Calls `work(row, at)` for each row whose position is in `places`.
    fn each_place(&self, capacity: usize, places: Range<usize>, mut work: impl FnMut(usize, usize) -> bool) -> bool {
        let place = |row: usize, word: u64| match self.flag(row) {
            VALID => Some(word as usize),
            EXCLUDED => None,
            _ => Some(capacity),
        };
        for (row, word) in self.words.iter().enumerate() {
            let Some(place) = place(row, *word) else { continue };
            let at = place.wrapping_sub(places.start);
            if at < places.len() && !work(row, at) {
                return false;
            }
        }
        true
    }
}

#[derive(Clone, Debug)]
struct Part {
    words: Range<usize>,
    rows: usize,
    keys: usize,
}

impl Part {
    fn places(&self) -> Range<usize> {
        self.words.start * 64..self.words.end * 64
    }
}

/// Returns the rank of the bit `at` of a word, which is the number of set bits before this bit in all words.
#[inline]
pub(super) fn rank(word: u64, before: u32, at: usize) -> u32 {
    before + (word & ((1 << at) - 1)).count_ones()
}
