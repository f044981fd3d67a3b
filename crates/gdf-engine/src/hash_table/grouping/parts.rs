//! Grouping by partitions. Rows are partitioned by bits of their keys' words. The groups of a partition then fit in a
//! core's cache, and no group is in two partitions.

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_memory::{HostVec, ResourceRef};

use super::{GroupTable, Grouping, RangeGroups};
use crate::host::{for_each_task, split_mut};
use crate::keys::{EXCLUDED, HostKeys, KEY_BLOCK, KeyedRow, VALID};
use crate::limits::HostLimits;
use crate::partition::partition_produced;

/// The binary logarithm of the intended number of groups of a partition. The table and the accumulators of such a
/// partition fit in the L2 cache.
const PART_BITS: u32 = 15;
/// The lower and the upper bound of the binary logarithm of the number of partitions. The lower bound provides work for
/// all threads. The upper bound limits the cache misses while rows are partitioned: a core then writes to one position
/// of each partition alternately.
const BITS: std::ops::RangeInclusive<u32> = 5..=10;

/// The number of turns in which the sample is examined. The sample consists of blocks of rows, and the blocks of each
/// turn are spread over all rows.
const TURNS: usize = 4;

/// Returns the binary logarithm of the number of partitions, or `None` if there are few rows or few groups.
pub(super) fn bits(keys: &HostKeys<'_>, rows: usize, stream: &Stream, mr: ResourceRef<'_>) -> Result<Option<u32>> {
    let HostLimits { group_split_rows, group_sample_rows: sample, .. } = HostLimits::current();
    if rows < group_split_rows || u32::try_from(rows).is_err() {
        return Ok(None);
    }
    // The blocks are spread over all rows, because neighboring rows often have the same key.
    let mut table = GroupTable::new(stream, mr)?;
    let (mut words, mut flags) = ([0; KEY_BLOCK], [VALID; KEY_BLOCK]);
    let blocks = sample / KEY_BLOCK;
    for turn in 0..TURNS {
        for block in (turn..blocks).step_by(TURNS) {
            let first = block * (rows / blocks);
            keys.words_into(first, &mut words, &mut flags);
            for ((row, word), flag) in (first..).zip(&words).zip(&flags).filter(|(_, flag)| **flag != EXCLUDED) {
                table.find_or_insert(*word, *flag, row, |other| keys.same(row, keys, other))?;
            }
        }
        // Each turn finds fewer new groups than the turn before. Few groups in the turns so far mean few groups in all
        // rows.
        if table.len() <= sample / TURNS / 16 {
            return Ok(None);
        }
    }
    let at_most = if let Some(bits) = dense_bits(keys, rows) {
        bits
    } else if table.len() > sample / 8 * 7 {
        rows.ilog2()
    } else {
        // Either there are some ten thousand groups, or there are a few large groups and many small groups. The sample
        // does not tell which.
        sample.ilog2() + 5
    };
    let bits = at_most.saturating_sub(PART_BITS).clamp(*BITS.start(), *BITS.end());
    Ok((table.len() > sample / 8 * 3).then_some(bits))
}

/// Returns the number of bits of packed keys, if the keys are dense and have more bits than the upper bound of `BITS`.
fn dense_bits(keys: &HostKeys<'_>, rows: usize) -> Option<u32> {
    keys.packed_bits().filter(|bits| *bits > *BITS.end() && *bits <= rows.ilog2() + 2)
}

struct Split {
    bits: u32,
    /// The width of a dense packed key in bits. The highest bits of the key are the index of its partition.
    packed: Option<u32>,
}

impl Split {
    #[inline]
    fn part(&self, word: u64) -> usize {
        match self.packed {
            Some(bits) => (word >> (bits - self.bits)) as usize & ((1 << self.bits) - 1),
            None => (hash(word) >> (64 - self.bits)) as usize,
        }
    }
}

fn hash(word: u64) -> u64 {
    (word ^ (word >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Groups the rows by partitions.
pub(super) fn grouping<'r>(
    keys: &HostKeys<'_>,
    rows: usize,
    bits: u32,
    kept: usize,
    stream: &Stream,
    mr: ResourceRef<'r>,
) -> Result<Grouping<'r>> {
    let split = Split { bits, packed: dense_bits(keys, rows) };

    let mut pairs = HostVec::<KeyedRow>::uninitialized(rows, stream, mr)?;
    let produce = |first: usize, pairs: &mut [KeyedRow]| {
        let (mut words, mut flags) = ([0; KEY_BLOCK], [VALID; KEY_BLOCK]);
        let (words, flags) = (&mut words[..pairs.len()], &mut flags[..pairs.len()]);
        keys.words_into(first, words, flags);
        for (((row, pair), word), flag) in (first..).zip(pairs).zip(words).zip(flags) {
            *pair = KeyedRow::new(*word, *flag, row);
        }
    };
    let starts = partition_produced(&mut pairs, 1 << bits, produce, |pair| split.part(pair.word()));

    let mut ids = HostVec::<u32>::uninitialized(kept, stream, mr)?;
    let mut row_numbers = HostVec::<u32>::uninitialized(kept, stream, mr)?;
    let mut firsts = HostVec::<u32>::uninitialized(rows, stream, mr)?;
    let mut counts: Vec<Result<Counts>> = (0..1 << bits).map(|_| Ok(Counts::default())).collect();
    let lengths = || starts.windows(2).map(|ends| ends[1] - ends[0]);
    let mut first = 0;
    let begins = lengths().map(|length| {
        first += length;
        first - length
    });
    let pieces = split_mut(&mut ids, lengths())
        .into_iter()
        .zip(split_mut(&mut row_numbers, lengths()))
        .zip(split_mut(&mut firsts, lengths()))
        .zip(&mut counts)
        .zip(begins);
    // If there are many partitions, each task numbers the groups of several partitions, and uses one table for all of
    // its partitions.
    let together = (1 << bits) / 64;
    let mut tasks: Vec<Vec<Part<'_>>> = Vec::new();
    for (index, ((((ids, rows), firsts), counts), begin)) in pieces.enumerate() {
        if together == 0 || index % together == 0 {
            tasks.push(Vec::with_capacity(together));
        }
        let part = Part { pairs: &pairs[begin..begin + firsts.len()], ids, rows, firsts, counts };
        if let Some(task) = tasks.last_mut() {
            task.push(part);
        }
    }
    let low_bits = split.packed.map(|all| all - bits);
    for_each_task(tasks, |_, parts| {
        let table = match low_bits {
            Some(bits) => PartTable::direct(bits, stream, mr),
            None => PartTable::hashed(parts.iter().map(|part| part.pairs.len()).max().unwrap_or(0), stream, mr),
        };
        let mut table = match table {
            Ok(table) => table,
            Err(error) => {
                // The task stores the error in the result of its first partition. The results of its other partitions
                // are not read then.
                if let Some(part) = parts.into_iter().next() {
                    *part.counts = Err(error);
                }
                return;
            }
        };
        for mut part in parts {
            *part.counts = table.number(keys, bits, &mut part, stream, mr);
        }
    });

    let counts = counts.into_iter().collect::<Result<Vec<_>>>()?;
    let groups = counts.iter().map(|count| count.groups).sum();
    let mut first_rows = HostVec::<u64>::uninitialized(groups, stream, mr)?;
    let pieces = split_mut(&mut first_rows, counts.iter().map(|count| count.groups));
    let firsts = &firsts[..];
    let tasks: Vec<_> = pieces.into_iter().zip(&starts).collect();
    for_each_task(tasks, |_, (piece, start)| {
        piece.iter_mut().zip(&firsts[*start..]).for_each(|(to, row)| *to = u64::from(*row));
    });
    let mut before = 0;
    let ranges = counts.iter().zip(&starts).filter(|(count, _)| count.groups > 0).map(|(count, start)| {
        let range = RangeGroups { positions: *start..*start + count.rows, groups: count.groups, map: None, before };
        before += count.groups;
        range
    });
    Ok(Grouping { ranges: ranges.collect(), ids, rows: Some(row_numbers), first_rows })
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    rows: usize,
    groups: usize,
}

struct Part<'a> {
    pairs: &'a [KeyedRow],
    ids: &'a mut [u32],
    rows: &'a mut [u32],
    firsts: &'a mut [u32],
    counts: &'a mut Result<Counts>,
}

#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct PartSlot {
    word: u64,
    id: u32,
    /// The two lowest bits are the flag of the key. The other bits are the number of the partition that last used the
    /// slot. A slot that was last used by another partition counts as free, so that the table need not be cleared
    /// between partitions.
    stamp: u32,
}

enum PartTable<'r> {
    Direct { ids: HostVec<'r, u32>, mask: u64 },
    Hashed { slots: HostVec<'r, PartSlot>, stamp: u32 },
}

impl<'r> PartTable<'r> {
    fn direct(bits: u32, stream: &Stream, mr: ResourceRef<'r>) -> Result<Self> {
        Ok(PartTable::Direct { ids: HostVec::zeroed(1 << bits, stream, mr)?, mask: (1 << bits) - 1 })
    }

    fn hashed(rows: usize, stream: &Stream, mr: ResourceRef<'r>) -> Result<Self> {
        let slots = (rows.min(1 << PART_BITS) * 2).next_power_of_two().max(64);
        Ok(PartTable::Hashed { slots: HostVec::zeroed(slots, stream, mr)?, stamp: 0 })
    }

    fn number(
        &mut self,
        keys: &HostKeys<'_>,
        part_bits: u32,
        part: &mut Part<'_>,
        stream: &Stream,
        mr: ResourceRef<'r>,
    ) -> Result<Counts> {
        let Part { pairs, ids, rows, firsts, .. } = part;
        let mut counts = Counts::default();
        let mut put = |at: usize, id: u32, row: u32| {
            if let (Some(to_id), Some(to_row)) = (ids.get_mut(at), rows.get_mut(at)) {
                (*to_id, *to_row) = (id, row);
            }
        };
        let keyed = pairs.iter().map(|pair| (pair.word(), pair.row(), pair.flag()));
        let keyed = keyed.filter(|(_, _, flag)| *flag != EXCLUDED);
        match self {
            PartTable::Direct { ids: positions, mask } => {
                positions.fill(0);
                for (word, row, _) in keyed {
                    let id = &mut positions[(word & *mask) as usize];
                    if *id == 0 {
                        firsts[counts.groups] = row;
                        counts.groups += 1;
                        *id = counts.groups as u32;
                    }
                    put(counts.rows, *id, row);
                    counts.rows += 1;
                }
            }
            PartTable::Hashed { slots, stamp } => {
                *stamp += 4;
                let mut mask = slots.len() - 1;
                for (word, row, flag) in keyed {
                    if counts.groups * 2 >= slots.len() {
                        grow(slots, *stamp, part_bits, stream, mr)?;
                        mask = slots.len() - 1;
                    }
                    let mut at = position(word, part_bits, slots.len());
                    let id = loop {
                        let slot = &mut slots[at & mask];
                        if slot.stamp & !3 != *stamp {
                            firsts[counts.groups] = row;
                            counts.groups += 1;
                            *slot = PartSlot { word, id: counts.groups as u32, stamp: *stamp | flag };
                            break slot.id;
                        }
                        if slot.word == word
                            && slot.stamp == *stamp | flag
                            && keys.same(row as usize, keys, firsts[slot.id as usize - 1] as usize)
                        {
                            break slot.id;
                        }
                        at += 1;
                    };
                    put(counts.rows, id, row);
                    counts.rows += 1;
                }
            }
        }
        Ok(counts)
    }
}

/// Returns the position of a word in the table. All words of a partition have the same highest `part_bits` bits of the
/// hash, because these bits select the partition. The next lower bits therefore select the slot.
fn position(word: u64, part_bits: u32, slots: usize) -> usize {
    ((hash(word) << part_bits) >> (64 - slots.trailing_zeros())) as usize
}

fn grow<'r>(
    slots: &mut HostVec<'r, PartSlot>,
    stamp: u32,
    part_bits: u32,
    stream: &Stream,
    mr: ResourceRef<'r>,
) -> Result<()> {
    let mut larger = HostVec::<PartSlot>::zeroed(slots.len() * 4, stream, mr)?;
    let mask = larger.len() - 1;
    for slot in slots.iter().filter(|slot| slot.stamp & !3 == stamp) {
        let mut at = position(slot.word, part_bits, mask + 1);
        while larger[at & mask].id != 0 {
            at += 1;
        }
        larger[at & mask] = *slot;
    }
    *slots = larger;
    Ok(())
}
