//! Partitions keys by some of their bits on all threads. Algorithms partition keys so that the work on each partition
//! fits in a cache.

use std::sync::atomic::{AtomicPtr, Ordering};

use bytemuck::Pod;

use crate::host::{for_each_task, map_indices, task_rows};

/// A key that is partitioned by the digits of its word. Repeated calls of `word` for the same key must return the same
/// word.
pub trait Digits: Pod + Send + Sync {
    fn word(&self) -> u64;
}

impl Digits for u32 {
    #[inline]
    fn word(&self) -> u64 {
        u64::from(*self)
    }
}

impl Digits for u64 {
    #[inline]
    fn word(&self) -> u64 {
        *self
    }
}

impl Digits for [u64; 2] {
    #[inline]
    fn word(&self) -> u64 {
        self[0]
    }
}

/// A range of bits of a word.
#[derive(Clone, Copy, Debug)]
pub struct Digit {
    pub shift: u32,
    /// The number of bits, at most 16.
    pub bits: u32,
}

impl Digit {
    #[inline]
    pub fn of<K: Digits>(self, key: &K) -> usize {
        (key.word() >> self.shift) as usize & (self.values() - 1)
    }

    pub fn values(self) -> usize {
        1 << self.bits
    }
}

/// The number of rows that are produced at a time.
const BLOCK: usize = crate::limits::cpu::PARTITION_BLOCK;

/// Writes the keys of the rows `0..to.len()` to `to`, in the order of their digits. Keys with the same digit keep their
/// order. The function returns the position in `to` at which the keys of each digit begin, followed by the end of the
/// keys of the last digit.
///
/// `produce(first_row, keys)` fills `keys` with the keys of the rows from `first_row` on. The function calls `produce`
/// twice for each row, and both calls must return the same key.
pub fn partition_produced<K: Pod + Send + Sync>(
    to: &mut [K],
    digits: usize,
    produce: impl Fn(usize, &mut [K]) + Sync,
    digit: impl Fn(&K) -> usize + Sync,
) -> Vec<usize> {
    let rows = to.len();
    let tasks = rows.div_ceil(task_rows()).clamp(1, 4 * gdf_core::thread_count().max(1));
    let length = rows.div_ceil(tasks).max(1);
    let for_each_key = |task: usize, work: &mut dyn FnMut(&[K])| {
        let mut block = [K::zeroed(); BLOCK];
        let end = ((task + 1) * length).min(rows);
        let mut first = (task * length).min(end);
        while first < end {
            let keys = &mut block[..BLOCK.min(end - first)];
            produce(first, keys);
            work(keys);
            first += keys.len();
        }
    };
    let count = |task: usize| {
        let mut counts = vec![0_usize; digits];
        for_each_key(task, &mut |keys| keys.iter().for_each(|key| counts[digit(key)] += 1));
        counts
    };
    let mut counts: Vec<Vec<usize>> = map_indices(tasks, &count);
    let mut starts = Vec::with_capacity(digits + 1);
    let mut next = 0;
    for value in 0..digits {
        starts.push(next);
        for counts in &mut counts {
            next += std::mem::replace(&mut counts[value], next);
        }
    }
    starts.push(next);
    // Within the positions of a digit, each task has a range. The range ends where the range of the next task begins.
    // The range of the last task ends where the positions of the next digit begin.
    let ends: Vec<Vec<usize>> = (0..tasks)
        .map(|task| match counts.get(task + 1) {
            Some(after) => after.clone(),
            None => starts[1..].to_vec(),
        })
        .collect();
    let target = AtomicPtr::new(to.as_mut_ptr());
    for_each_task(counts.iter_mut().zip(&ends).collect(), |task, (positions, ends)| {
        let target = target.load(Ordering::Relaxed);
        for_each_key(task, &mut |keys| {
            for key in keys {
                let digit = digit(key);
                let position = &mut positions[digit];
                if *position < ends[digit] {
                    // SAFETY: `target` points to `to`, which this function borrows mutably. Writing from other
                    // threads is sound, because `K: Send`. Each digit and task has a range of positions. The ranges
                    // are neighbors in `0..starts[digits]`, and `starts[digits]` is the number of counted keys, which
                    // is `to.len()`. The ranges are therefore disjoint and within `to`. The check above keeps
                    // `*position` within the range of this digit and task. `*position` then grows, so that each
                    // position is written at most once.
                    unsafe { target.add(*position).write(*key) };
                    *position += 1;
                }
            }
        });
    });
    starts
}

/// Copies the keys of `from` to `to` in the order of their digits. Both slices have the same length. Keys with the same
/// digit keep their order.
pub fn partition<K: Digits>(from: &[K], to: &mut [K], digit: Digit) -> Vec<usize> {
    assert_eq!(from.len(), to.len(), "keys and their places");
    let produce = |first: usize, keys: &mut [K]| keys.copy_from_slice(&from[first..first + keys.len()]);
    partition_produced(to, digit.values(), produce, |key| digit.of(key))
}

/// Partitions keys in the same way as [`partition`], but only on the calling thread.
pub fn partition_here<K: Digits>(from: &[K], to: &mut [K], digit: Digit, counts: &mut Vec<usize>) {
    counts.clear();
    counts.resize(digit.values(), 0);
    from.iter().for_each(|key| counts[digit.of(key)] += 1);
    let mut next = 0;
    counts.iter_mut().for_each(|count| next += std::mem::replace(count, next));
    for key in from {
        let position = &mut counts[digit.of(key)];
        to[*position] = *key;
        *position += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order_within_a_digit() {
        let keys: Vec<[u64; 2]> = (0..300_000_u64).map(|i| [i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 7, i]).collect();
        for digit in [Digit { shift: 3, bits: 5 }, Digit { shift: 46, bits: 11 }, Digit { shift: 63, bits: 4 }] {
            let mut expected = keys.clone();
            expected.sort_by_key(|key| digit.of(key));
            let mut found = vec![[0; 2]; keys.len()];
            let starts = partition(&keys, &mut found, digit);
            assert_eq!(found, expected);
            assert_eq!((starts.len(), starts[digit.values()]), (digit.values() + 1, keys.len()));
            for (value, ends) in starts.windows(2).enumerate() {
                assert!(found[ends[0]..ends[1]].iter().all(|key| digit.of(key) == value));
            }
            found.fill([0; 2]);
            partition_here(&keys, &mut found, digit, &mut Vec::new());
            assert_eq!(found, expected);
        }
        assert_eq!(partition::<u32>(&[], &mut [], Digit { shift: 0, bits: 1 }), [0, 0, 0]);
    }
}
