//! Deterministic data. Every value is a hash of the column's name and the row number. Therefore any thread can generate
//! any part of a column.

use gdf::arrow::buffer::{BooleanBuffer, Buffer};
use rayon::prelude::*;

/// The number of rows of a task. The number is a multiple of 64, because two tasks must not write to the same word of
/// bits.
const CHUNK: usize = 1 << 16;

/// An endless column of random words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words {
    seed: u64,
}

impl Words {
    /// Returns the column called `name`. Different names give different columns.
    pub(crate) fn new(name: &str) -> Words {
        let seed = name.bytes().fold(0, |seed, byte| finish(seed ^ u64::from(byte)));
        Words { seed }
    }

    /// Returns the word of one row. The generator is splitmix64. Its state is a counter, so the word of any row can be
    /// generated without the preceding words.
    pub(crate) fn at(self, row: usize) -> u64 {
        finish(self.seed.wrapping_add((row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// Returns an integer of `low..high`. If `high - low` is at most 2³², the probabilities of two integers differ by
    /// at most a factor of 1 + 2⁻³².
    pub(crate) fn integer(self, row: usize, low: i64, high: i64) -> i64 {
        let span = high.wrapping_sub(low) as u64;
        low.wrapping_add(((u128::from(self.at(row)) * u128::from(span)) >> 64) as i64)
    }

    /// Returns a number of `0.0..1.0` that is a multiple of 2⁻⁵³.
    pub(crate) fn unit(self, row: usize) -> f64 {
        (self.at(row) >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
}

/// Applies the last steps of splitmix64. The steps are a permutation of all words.
fn finish(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// A random order of `0..len`. The elements are computed one at a time.
///
/// The order is computed from a permutation of the numbers below the next power of two. While the result is not below
/// `len`, the permutation is applied to the result again. On average, fewer than two applications are needed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Permutation {
    words: Words,
    len: u64,
    mask: u64,
    shift: u32,
}

impl Permutation {
    /// Returns the order called `name`.
    pub(crate) fn new(name: &str, len: usize) -> Permutation {
        let mask = (len.max(2) as u64).next_power_of_two() - 1;
        Permutation { words: Words::new(name), len: len as u64, mask, shift: (mask.count_ones() / 2).max(1) }
    }

    /// Returns the element at `row`.
    pub(crate) fn at(self, row: usize) -> usize {
        let mut value = row as u64;
        loop {
            value = self.step(value);
            if value < self.len {
                return value as usize;
            }
        }
    }

    /// Applies a permutation of the numbers up to `mask`. The function is a permutation because each of its steps can
    /// be inverted: the addition, the multiplication by an odd number, and the exclusive or of the number and its own
    /// high bits.
    fn step(self, mut value: u64) -> u64 {
        for round in 0..4 {
            let key = self.words.at(round);
            value = value.wrapping_add(key).wrapping_mul(key | 1) & self.mask;
            value ^= value >> self.shift;
        }
        value
    }
}

/// Returns `len` values. All threads compute values.
pub(crate) fn values<T: Copy + Default + Send>(len: usize, value: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut values = vec![T::default(); len];
    fill(&mut values, value);
    values
}

/// Returns `len` bits. All threads compute bits.
pub(crate) fn bits(len: usize, bit: impl Fn(usize) -> bool + Sync) -> BooleanBuffer {
    let word = |index: usize| {
        let rows = index * 64..(index * 64 + 64).min(len);
        rows.rev().fold(0_u64, |word, row| word << 1 | u64::from(bit(row)))
    };
    BooleanBuffer::new(Buffer::from_vec(values(len.div_ceil(64), word)), 0, len)
}

/// Returns the offsets and the bytes of `len` texts. All threads write texts. `size(row)` is the number of bytes of a
/// row. `write(row, text)` writes these bytes.
pub(crate) fn texts(
    len: usize,
    size: impl Fn(usize) -> usize + Sync,
    write: impl Fn(usize, &mut [u8]) + Sync,
) -> (Vec<i32>, Vec<u8>) {
    let mut offsets = values(len + 1, |row| if row == 0 { 0 } else { size(row - 1) as i32 });
    let mut end = 0;
    for offset in &mut offsets {
        end += *offset;
        *offset = end;
    }
    let mut bytes = vec![0; end as usize];
    let mut pieces = Vec::with_capacity(len.div_ceil(CHUNK));
    let mut rest = &mut bytes[..];
    for first in (0..len).step_by(CHUNK) {
        let rows = first..(first + CHUNK).min(len);
        let (piece, after) = rest.split_at_mut((offsets[rows.end] - offsets[rows.start]) as usize);
        pieces.push((rows, piece));
        rest = after;
    }
    pieces.into_par_iter().for_each(|(rows, mut piece)| {
        for row in rows {
            let text;
            (text, piece) = piece.split_at_mut((offsets[row + 1] - offsets[row]) as usize);
            write(row, text);
        }
    });
    (offsets, bytes)
}

fn fill<T: Send>(values: &mut [T], value: impl Fn(usize) -> T + Sync) {
    values.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, values)| {
        for (at, place) in values.iter_mut().enumerate() {
            *place = value(chunk * CHUNK + at);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_does_not_depend_on_how_it_is_split() {
        let words = Words::new("a");
        let long = values(3 * CHUNK + 5, |row| words.at(row));
        assert!((0..long.len()).all(|row| long[row] == words.at(row)));
        assert_ne!(words.at(0), Words::new("b").at(0));
    }

    #[test]
    fn integers_fill_their_range() {
        let words = Words::new("a");
        let drawn = values(10_000, |row| words.integer(row, -3, 4));
        assert!(drawn.iter().all(|value| (-3..4).contains(value)));
        for value in -3..4 {
            let count = drawn.iter().filter(|drawn| **drawn == value).count();
            assert!((1200..1700).contains(&count), "{value} is drawn {count} times");
        }
        assert!(values(10_000, |row| words.unit(row)).iter().all(|value| (0.0..1.0).contains(value)));
    }

    #[test]
    fn permutations_name_each_row_once() {
        for len in [1, 2, 3, 31, 64, 1000, 4097, 100_000] {
            let permutation = Permutation::new("order", len);
            let mut seen = vec![false; len];
            (0..len).for_each(|row| seen[permutation.at(row)] = true);
            assert!(seen.iter().all(|seen| *seen), "{len}");
        }
    }

    #[test]
    fn permutations_leave_few_rows_near_their_place() {
        let len = 100_000;
        let permutation = Permutation::new("order", len);
        let near = (1..len).filter(|row| permutation.at(*row).abs_diff(permutation.at(row - 1)) < 100).count();
        assert!(near < 400, "{near} of {len} rows lie beside the row before");
    }

    #[test]
    fn bits_past_the_end_are_zero() {
        for len in [0, 1, 63, 64, 65, 1000] {
            let made = bits(len, |row| row % 3 == 0);
            assert!((0..len).all(|row| made.value(row) == (row % 3 == 0)));
            let set: u32 = made.values().iter().map(|byte| byte.count_ones()).sum();
            assert_eq!(set as usize, len.div_ceil(3));
        }
    }

    #[test]
    fn texts_are_whole() {
        let len = CHUNK + 10;
        let (offsets, bytes) = texts(len, |row| row % 4, |row, text| text.fill(b'a' + (row % 4) as u8));
        assert_eq!(offsets.len(), len + 1);
        for row in [0, 1, 2, 3, CHUNK - 1, CHUNK, CHUNK + 9] {
            let text = &bytes[offsets[row] as usize..offsets[row + 1] as usize];
            assert_eq!(text, vec![b'a' + (row % 4) as u8; row % 4]);
        }
    }
}
