//! Compares the functions on bitmasks with code that handles one bit at a time. The tests cover all bit offsets, and
//! lengths around those at which a function changes from single bits to words.

use super::*;

const SIZES: [usize; 17] = [0, 1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 128, 129, 511, 1000];

/// A simple pseudorandom generator.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.next() as u8).collect()
    }
}

#[test]
fn sizes() {
    for (n, expected_words, expected_bytes) in
        [(0, 0, 0), (1, 1, 64), (32, 1, 64), (33, 2, 64), (512, 16, 64), (513, 17, 128)]
    {
        assert_eq!((words(n), bytes(n)), (expected_words, expected_bytes));
    }
    assert_eq!((used_bytes(0), used_bytes(1), used_bytes(8), used_bytes(9)), (0, 1, 1, 2));
}

#[test]
fn single_bits() {
    let mut bytes = [0u8; 3];
    for i in 0..24 {
        set_bit(&mut bytes, i);
        assert!(get_bit(&bytes, i));
        assert_eq!(count_ones_in_range(&bytes, 0, 24), 1);
        clear_bit(&mut bytes, i);
        assert_eq!(bytes, [0; 3]);
        put_bit(&mut bytes, i, true);
        put_bit(&mut bytes, i, true);
        assert_eq!(iter_ones(&bytes, 0, 24).collect::<Vec<_>>(), [i]);
        put_bit(&mut bytes, i, false);
        assert_eq!(bytes, [0; 3]);
    }
}

#[test]
fn counting_loading_and_iterating() {
    let mut random = Random(7);
    for len in SIZES {
        for start in 0..17 {
            // The vector ends with the last byte of the range, so that a function that reads past the range panics.
            let bytes = random.bytes(used_bytes(start + len));
            let expected: Vec<bool> = (start..start + len).map(|i| get_bit(&bytes, i)).collect();
            let ones = expected.iter().filter(|b| **b).count();
            assert_eq!(count_ones_in_range(&bytes, start, len), ones);
            assert_eq!(count_zeros_in_range(&bytes, start, len), len - ones);
            assert_eq!(iter(&bytes, start, len).collect::<Vec<_>>(), expected);
            let positions: Vec<usize> = (0..len).filter(|i| expected[*i]).collect();
            assert_eq!(iter_ones(&bytes, start, len).collect::<Vec<_>>(), positions);
            if len <= 64 {
                let word = expected.iter().enumerate().fold(0u64, |w, (i, b)| w | (*b as u64) << i);
                assert_eq!(load_bits(&bytes, start, len), word);
            }
        }
    }
}

#[test]
fn storing_leaves_neighbors() {
    let mut random = Random(11);
    for len in 0..=64 {
        for start in 0..17 {
            let before = random.bytes(used_bytes(start + len) + 1);
            let mut after = before.clone();
            let value = random.next();
            store_bits(&mut after, start, len, value);
            for i in 0..before.len() * 8 {
                let expected = match i.checked_sub(start) {
                    Some(k) if k < len => (value >> k) & 1 == 1,
                    _ => get_bit(&before, i),
                };
                assert_eq!(get_bit(&after, i), expected, "len {len} start {start} bit {i}");
            }
        }
    }
}

#[test]
fn copying_at_all_offsets() {
    let mut random = Random(13);
    for len in SIZES {
        for source_start in 0..9 {
            for target_start in 0..9 {
                let source = random.bytes(used_bytes(source_start + len));
                let before = random.bytes(used_bytes(target_start + len) + 1);
                let mut after = before.clone();
                copy_bits(&source, source_start, &mut after, target_start, len);
                for i in 0..before.len() * 8 {
                    let expected = match i.checked_sub(target_start) {
                        Some(k) if k < len => get_bit(&source, source_start + k),
                        _ => get_bit(&before, i),
                    };
                    assert_eq!(get_bit(&after, i), expected, "{len} {source_start} {target_start} {i}");
                }
            }
        }
    }
}

#[test]
fn filling() {
    let mut random = Random(17);
    for len in SIZES {
        for start in 0..17 {
            for value in [false, true] {
                let before = random.bytes(used_bytes(start + len) + 1);
                let mut after = before.clone();
                fill_bits(&mut after, start, len, value);
                for i in 0..before.len() * 8 {
                    let inside = i >= start && i < start + len;
                    assert_eq!(get_bit(&after, i), if inside { value } else { get_bit(&before, i) });
                }
            }
        }
    }
}

#[test]
fn combining() {
    let mut random = Random(19);
    for len in SIZES {
        for (a_start, b_start) in [(0, 0), (3, 0), (0, 5), (3, 3), (7, 1), (8, 16)] {
            let a = random.bytes(used_bytes(a_start + len));
            let b = random.bytes(used_bytes(b_start + len));
            let mut and = vec![0xff; used_bytes(len) + 1];
            let mut or = and.clone();
            let mut not = and.clone();
            and_bits((&a, a_start), (&b, b_start), &mut and, len);
            or_bits((&a, a_start), (&b, b_start), &mut or, len);
            not_bits((&a, a_start), &mut not, len);
            for i in 0..used_bytes(len) * 8 {
                let (x, y) =
                    if i < len { (get_bit(&a, a_start + i), get_bit(&b, b_start + i)) } else { (false, false) };
                assert_eq!(get_bit(&and, i), x && y);
                assert_eq!(get_bit(&or, i), x || y);
                assert_eq!(get_bit(&not, i), i < len && !x);
            }
            for out in [and, or, not] {
                assert_eq!(out[used_bytes(len)], 0xff, "the byte after the result is unchanged");
            }
        }
    }
}

#[test]
fn packing() {
    let mut random = Random(23);
    for len in SIZES {
        let values: Vec<bool> = (0..len).map(|_| random.next() & 1 == 1).collect();
        let mut bytes = vec![0xff; used_bytes(len) + 1];
        let ones = pack_bools(values.iter().copied(), &mut bytes);
        assert_eq!(ones, values.iter().filter(|b| **b).count());
        assert_eq!(iter(&bytes, 0, len).collect::<Vec<_>>(), values);
        for i in len..used_bytes(len) * 8 {
            assert!(!get_bit(&bytes, i));
        }
        assert_eq!(bytes[used_bytes(len)], 0xff);
    }
}

proptest::proptest! {
    #[test]
    fn copies_count_the_same(
        source in proptest::collection::vec(proptest::num::u8::ANY, 0..200),
        start in 0usize..1600,
        len in 0usize..1600,
        target_start in 0usize..70,
    ) {
        let start = start.min(source.len() * 8);
        let len = len.min(source.len() * 8 - start);
        let mut target = vec![0; used_bytes(target_start + len)];
        copy_bits(&source, start, &mut target, target_start, len);
        let ones = count_ones_in_range(&source, start, len);
        proptest::prop_assert_eq!(count_ones_in_range(&target, 0, target.len() * 8), ones);
        proptest::prop_assert!(iter_ones(&source, start, len).eq(iter_ones(&target, target_start, len)));
    }
}
