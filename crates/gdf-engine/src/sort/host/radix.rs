//! Radix sort of keys by the bits of their words. All threads together first partition the keys by their highest bits.
//! Each partition is then sorted within the cache of a core.

use std::cmp::Ordering;

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_memory::{HostVec, ResourceRef};
use rayon::prelude::*;

use crate::host::{for_each_task, split_mut};
use crate::limits::HostLimits;
use crate::partition::{Digit, Digits, partition, partition_here};

/// The maximum number of bits of a digit.
const DIGIT: u32 = 11;

/// The bits of a key's word that still decide the order, which are `bits` bits from bit `low` on. Keys that are sorted
/// together have equal higher bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct SortBits {
    pub(super) low: u32,
    pub(super) bits: u32,
}

/// The order of keys whose words are equal in the sorted bits. The closure compares whole keys.
#[derive(Clone, Copy)]
pub(super) enum Ties<C> {
    /// Keys with equal sorted bits are in the right order before the sort. The sort keeps this order.
    InOrder(C),
    Compared(C),
}

impl<C> Ties<C> {
    fn compare(&self) -> &C {
        match self {
            Ties::InOrder(compare) | Ties::Compared(compare) => compare,
        }
    }
}

/// Returns the keys in sorted order. The closure in `ties` compares whole keys.
pub(super) fn sorted<'r, K: Digits>(
    mut keys: HostVec<'r, K>,
    by: SortBits,
    ties: Ties<impl Fn(&K, &K) -> Ordering + Sync>,
    stream: &Stream,
    mr: ResourceRef<'r>,
) -> Result<HostVec<'r, K>> {
    let limits = HostLimits::current();
    if keys.len() < limits.sort_rows || by.bits == 0 {
        if !(by.bits == 0 && matches!(ties, Ties::InOrder(_))) {
            gdf_core::prepare_threads();
            keys.par_sort_unstable_by(ties.compare());
        }
        return Ok(keys);
    }
    let bits = by.bits.min(DIGIT).min(keys.len().ilog2() - limits.sort_part_rows.ilog2());
    let rest = SortBits { low: by.low, bits: by.bits - bits };
    let mut scratch = HostVec::<K>::uninitialized(keys.len(), stream, mr)?;
    let starts = partition(&keys, &mut scratch, Digit { shift: by.low + rest.bits, bits });
    let lengths = || starts.windows(2).map(|ends| ends[1] - ends[0]);
    let parts = split_mut(&mut scratch, lengths()).into_iter().zip(split_mut(&mut keys, lengths())).collect();
    for_each_task(parts, |_, (part, scratch)| {
        sort_part(part, scratch, rest, &ties, false, &mut Vec::new(), limits);
    });
    Ok(scratch)
}

/// Sorts the keys of `part` by these bits.
fn sort_part<K: Digits, C: Fn(&K, &K) -> Ordering + Sync>(
    part: &mut [K],
    scratch: &mut [K],
    by: SortBits,
    ties: &Ties<C>,
    into_scratch: bool,
    counts: &mut Vec<usize>,
    limits: HostLimits,
) {
    let in_order = matches!(ties, Ties::InOrder(_));
    if part.len() <= 64 || by.bits == 0 || (part.len() <= limits.sort_part_rows && !(in_order && by.bits <= DIGIT)) {
        if part.len() > 1 && !(in_order && by.bits == 0) {
            if part.len() < limits.sort_shared_rows {
                part.sort_unstable_by(ties.compare());
            } else {
                gdf_core::prepare_threads();
                part.par_sort_unstable_by(ties.compare());
            }
        }
        if into_scratch {
            scratch.copy_from_slice(part);
        }
        return;
    }
    if in_order && by.bits <= 2 * DIGIT {
        let passes = by.bits.div_ceil(DIGIT);
        let bits = by.bits.div_ceil(passes);
        partition_here(part, scratch, Digit { shift: by.low, bits }, counts);
        if passes == 2 {
            partition_here(scratch, part, Digit { shift: by.low + bits, bits: by.bits - bits }, counts);
        }
        match (passes == 1, into_scratch) {
            (true, false) => part.copy_from_slice(scratch),
            (false, true) => scratch.copy_from_slice(part),
            _ => {}
        }
        return;
    }
    let bits = by.bits.min(8);
    let digit = Digit { shift: by.low + by.bits - bits, bits };
    partition_here(part, scratch, digit, counts);
    // The partition has advanced the counter of each digit to the end of the keys of that digit.
    let ends = counts.clone();
    let rest = SortBits { low: by.low, bits: by.bits - bits };
    let mut start = 0;
    for end in ends {
        sort_part(&mut scratch[start..end], &mut part[start..end], rest, ties, !into_scratch, counts, limits);
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use gdf_memory::{HostResource, Resource};

    use super::*;

    fn random(i: u64) -> u64 {
        let x = i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }

    fn shapes() -> Vec<Box<dyn Fn(u64) -> u64>> {
        vec![
            Box::new(random),
            Box::new(|i| random(i) >> 20),
            Box::new(|i| random(i) >> 45),
            Box::new(|i| random(i) % 3),
            Box::new(|_| 0),
            Box::new(|i| i),
            Box::new(|i| u64::MAX - i),
            Box::new(|i| if i % 1000 == 0 { random(i) } else { 1 << 50 }),
        ]
    }

    fn bits_of(words: &[u64]) -> u32 {
        words.iter().map(|word| 64 - word.leading_zeros()).max().unwrap_or(0)
    }

    #[test]
    fn keys_come_out_in_order() {
        let (stream, resource) = (Stream::cpu(), Resource::new(HostResource::new()));
        let mr = resource.as_ref();
        for (shape, len) in
            (0..8).flat_map(|shape| [0, 1, 1000, HostLimits::DEFAULT.sort_rows, 100_003].map(|len| (shape, len)))
        {
            let word = &shapes()[shape];
            let words: Vec<u64> = (0..len as u64).map(word).collect();
            let by = SortBits { low: 0, bits: bits_of(&words) };
            let mut expected = words.clone();
            expected.sort_unstable();
            let keys = HostVec::from_slice(&words, &stream, mr).unwrap();
            let found = sorted(keys, by, Ties::InOrder(u64::cmp), &stream, mr).unwrap();
            assert_eq!(&found[..], expected, "shape {shape}, {len} keys");

            let pairs: Vec<[u64; 2]> = words.iter().zip(0..).map(|(word, row)| [*word, row]).collect();
            let mut expected = pairs.clone();
            expected.sort_unstable();
            let keys = HostVec::from_slice(&pairs, &stream, mr).unwrap();
            let found = sorted(keys, by, Ties::InOrder(Ord::cmp), &stream, mr).unwrap();
            assert_eq!(&found[..], expected, "shape {shape}, {len} pairs");

            // `compare` puts pairs with equal first numbers in descending order of their second numbers.
            let compare = |a: &[u64; 2], b: &[u64; 2]| a[0].cmp(&b[0]).then(b[1].cmp(&a[1]));
            expected.sort_unstable_by(compare);
            let keys = HostVec::from_slice(&pairs, &stream, mr).unwrap();
            let found = sorted(keys, by, Ties::Compared(compare), &stream, mr).unwrap();
            assert_eq!(&found[..], expected, "shape {shape}, {len} pairs with ties");
        }
    }

    #[test]
    fn low_bits_are_left_as_they_are() {
        let (stream, resource) = (Stream::cpu(), Resource::new(HostResource::new()));
        let words: Vec<u64> = (0..200_000).map(|row| random(row) >> 40 << 18 | row).collect();
        let mut expected = words.clone();
        expected.sort_unstable();
        let keys = HostVec::from_slice(&words, &stream, resource.as_ref()).unwrap();
        let by = SortBits { low: 18, bits: 24 };
        let found = sorted(keys, by, Ties::InOrder(u64::cmp), &stream, resource.as_ref()).unwrap();
        assert_eq!(&found[..], expected);
    }
}
