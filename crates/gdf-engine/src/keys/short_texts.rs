//! Represents texts of at most seven bytes by numbers.
//!
//! If the texts of a block of rows all have the same length and are adjacent in memory, vector instructions read their
//! bytes as an array.

use std::ops::Range;

use crate::host::{Offset, ends_of, vectorized};
use crate::keys::text::Text;
use crate::limits::cpu::KEY_BLOCK;

/// The conversion of short texts to numbers. The highest bits of a number are the bytes of the text, with the first
/// byte highest. The lowest bits are the length of the text minus `min`.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortTexts {
    min: usize,
    max: usize,
    length_bits: u32,
}

impl ShortTexts {
    /// The maximum length of a text in bytes. A number of 64 bits holds seven bytes and the length.
    pub(super) const MAX_BYTES: usize = 7;
    /// The number of a text whose length is not from `min` to `max`. No other text has this number.
    const FOREIGN: u64 = u64::MAX;

    /// Returns the conversion of texts of `min` to `max` bytes, or `None` if `max` is more than
    /// [`MAX_BYTES`](Self::MAX_BYTES).
    pub(super) fn new(min: usize, max: usize) -> Option<Self> {
        // A maximum of 0 would require a shift by 64 bits, which is not allowed.
        let max = max.max(1);
        (max <= Self::MAX_BYTES).then(|| Self { min, max, length_bits: usize::BITS - (max - min).leading_zeros() })
    }

    #[inline]
    fn number(self, text: Text<'_>) -> u64 {
        let len = text.len();
        if len < self.min || len > self.max {
            return Self::FOREIGN;
        }
        let bytes = match text.all.get(text.begin..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(bytes) => u64::from_be_bytes(*bytes),
            None => text.bytes().iter().fold(0, |number, byte| number << 8 | u64::from(*byte)) << (8 * (8 - len) % 64),
        };
        let own = bytes & !(u64::MAX >> (8 * len));
        own >> (64 - 8 * self.max) << self.length_bits | (len - self.min) as u64
    }

    fn length_part(self, len: usize) -> Option<u64> {
        (self.min..=self.max).contains(&len).then(|| (len - self.min) as u64)
    }

    pub(super) fn numbers_into<O: Offset>(self, offsets: &[O], bytes: &[u8], first: usize, out: &mut [u64]) {
        let Some(offsets) = offsets.get(first..first + out.len() + 1) else { return out.fill(Self::FOREIGN) };
        if let Some((len, bytes)) = even_texts(offsets, bytes) {
            return self.even_numbers_into(len, bytes, out);
        }
        for (out, ends) in out.iter_mut().zip(offsets.windows(2)) {
            *out = self.number(Text::new(bytes, Some(ends[0].position()), Some(ends[1].position())));
        }
    }

    /// Writes the numbers of texts that have `len` bytes each and are adjacent in memory.
    fn even_numbers_into(self, len: usize, bytes: &[u8], out: &mut [u64]) {
        let Some(low) = self.length_part(len) else { return out.fill(Self::FOREIGN) };
        let shift = (8 * (self.max - len)) as u32 + self.length_bits;
        match len {
            1 => even_numbers(bytes.as_chunks::<1>().0, shift, low, out),
            2 => even_numbers(bytes.as_chunks::<2>().0, shift, low, out),
            3 => even_numbers(bytes.as_chunks::<3>().0, shift, low, out),
            4 => even_numbers(bytes.as_chunks::<4>().0, shift, low, out),
            5 => even_numbers(bytes.as_chunks::<5>().0, shift, low, out),
            6 => even_numbers(bytes.as_chunks::<6>().0, shift, low, out),
            7 => even_numbers(bytes.as_chunks::<7>().0, shift, low, out),
            _ => out.fill(low),
        }
    }

    pub(super) fn ends<O: Offset>(self, offsets: &[O], bytes: &[u8], rows: Range<usize>) -> Option<(u64, u64)> {
        let mut numbers = [0; KEY_BLOCK];
        let blocks = rows.clone().step_by(KEY_BLOCK).filter_map(|first| {
            let numbers = &mut numbers[..KEY_BLOCK.min(rows.end - first)];
            self.numbers_into(offsets, bytes, first, numbers);
            ends_of(numbers)
        });
        blocks.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct TextEnds {
    pub(super) lengths: (usize, usize),
    /// The smallest and the largest number of the texts. The field is `None` if the texts have different lengths, or
    /// more than [`MAX_BYTES`](ShortTexts::MAX_BYTES) bytes each.
    pub(super) numbers: Option<(u64, u64)>,
}

impl TextEnds {
    /// Reads lengths and numbers in one pass. The offsets of a block are then still in the cache when its numbers are
    /// computed.
    pub(super) fn new<O: Offset>(offsets: &[O], bytes: &[u8], rows: Range<usize>) -> Self {
        let ends = offsets.get(rows.start..rows.end + 1).unwrap_or_default();
        let lengths = match even_texts(ends, bytes) {
            Some((len, _)) => (len, len),
            None => {
                let len = |ends: &[O]| Text::new(bytes, Some(ends[0].position()), Some(ends[1].position())).len();
                let lengths = ends.windows(2).map(len);
                lengths.fold((usize::MAX, 0), |(min, max), len| (min.min(len), max.max(len)))
            }
        };
        let texts = if lengths.0 == lengths.1 { ShortTexts::new(lengths.0, lengths.1) } else { None };
        Self { lengths, numbers: texts.and_then(|texts| texts.ends(offsets, bytes, rows)) }
    }

    pub(super) fn with(self, other: Self) -> Self {
        let lengths = (self.lengths.0.min(other.lengths.0), self.lengths.1.max(other.lengths.1));
        let both = self.numbers.zip(other.numbers).filter(|_| lengths.0 == lengths.1);
        Self { lengths, numbers: both.map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))) }
    }
}

/// Returns the common length of the texts between these offsets, and the bytes of all texts.
fn even_texts<'a, O: Offset>(offsets: &[O], bytes: &'a [u8]) -> Option<(usize, &'a [u8])> {
    let [first, second, ..] = offsets else { return None };
    let (begin, len) = (first.position(), second.position().wrapping_sub(first.position()));
    // The last offset must equal the first offset plus all lengths. This check also detects a sum that has overflowed
    // the offset type.
    let own = bytes.get(begin..begin.checked_add(len.checked_mul(offsets.len() - 1)?)?)?;
    let ends_there = offsets.last().is_some_and(|last| last.position() == begin + own.len());
    (ends_there && has_equal_steps(offsets, O::new(len))).then_some((len, own))
}

vectorized! {
    /// Returns whether each offset is `step` more than the offset before.
    fn has_equal_steps[O: Offset](offsets: &[O], step: O) -> bool {
        let mut blocks = offsets.windows(STEPS + 1).step_by(STEPS);
        let whole = blocks.all(|block| {
            block[1..].iter().zip(block).fold(true, |equal, (end, begin)| equal & (end.since(*begin) == step))
        });
        let done = offsets.len().saturating_sub(1) / STEPS * STEPS;
        whole && offsets[done..].windows(2).all(|ends| ends[1].since(ends[0]) == step)
    }
}

/// The number of offsets that are compared without a branch. A branch for each offset would prevent vector
/// instructions.
const STEPS: usize = 128;

vectorized! {
    /// Writes the numbers of texts of equal length. A number consists of the bytes of the text, shifted left by `shift`
    /// bits, and of `low` in the lowest bits.
    fn even_numbers[const LEN: usize](texts: &[[u8; LEN]], shift: u32, low: u64, out: &mut [u64]) {
        for (out, text) in out.iter_mut().zip(texts) {
            *out = text.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)) << shift | low;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(all: &[u8], begin: usize, end: usize) -> Text<'_> {
        Text::new(all, Some(begin), Some(end))
    }

    /// Different texts have different numbers. Numbers have the order of the texts, unless one text is a prefix of the
    /// other.
    #[test]
    fn numbers_of_short_texts_differ() {
        let all: &[&[u8]] = &[
            b"",
            b"\0",
            b"\0\0",
            b"A",
            b"A\0",
            b"AB",
            b"B",
            b"\xff",
            b"\xff\xff\xff\xff\xff\xff\xff",
            b"TRUCK",
            b"REG AIR",
        ];
        let texts = ShortTexts::new(0, 7).unwrap();
        for around in [0, 9] {
            let numbers: Vec<u64> = all
                .iter()
                .map(|own| {
                    let all = [&vec![b'x'; around], *own, &vec![b'y'; around]].concat();
                    texts.number(text(&all, around, around + own.len()))
                })
                .collect();
            for (i, number) in numbers.iter().enumerate() {
                assert!(*number < 1 << 59 && !numbers[..i].contains(number), "{:?}", all[i]);
            }
        }
        assert!(ShortTexts::new(0, 8).is_none());
        let none = ShortTexts::new(0, 0).unwrap();
        assert_ne!(none.number(text(b"", 0, 0)), none.number(text(b"\x01", 0, 1)));
        let two = ShortTexts::new(2, 2).unwrap();
        assert_eq!(two.number(text(b"31", 0, 2)), 0x3331);
        for foreign in [&b""[..], b"3", b"311"] {
            assert_eq!(two.number(text(foreign, 0, foreign.len())), ShortTexts::FOREIGN);
        }
    }

    fn offsets_of<O: Offset>(texts: &[&[u8]], before: usize) -> (Vec<O>, Vec<u8>) {
        let mut bytes = vec![b'#'; before];
        let mut offsets = vec![O::new(before)];
        for text in texts {
            bytes.extend_from_slice(text);
            offsets.push(O::new(bytes.len()));
        }
        (offsets, bytes)
    }

    /// Checks that texts converted as a block have the same numbers, lengths and ends as texts converted separately.
    #[track_caller]
    fn check<O: Offset>(offsets: &[O], bytes: &[u8], of: ShortTexts) {
        let rows = offsets.len() - 1;
        for first in [0, 1, 3].map(|first: usize| first.min(rows)) {
            let text = |row: usize| {
                let (begin, end) = (offsets[row].position(), offsets[row + 1].position());
                Text::new(bytes, Some(begin), Some(end))
            };
            let expected: Vec<u64> = (first..rows).map(|row| of.number(text(row))).collect();
            let mut numbers = vec![7; rows - first];
            of.numbers_into(offsets, bytes, first, &mut numbers);
            assert_eq!(numbers, expected, "rows {first} .. {rows}");
            let min_and_max = expected.iter().min().copied().zip(expected.iter().max().copied());
            assert_eq!(of.ends(offsets, bytes, first..rows), min_and_max);

            let ends = TextEnds::new(offsets, bytes, first..rows);
            let lengths = (first..rows).map(|row| text(row).len());
            assert_eq!(ends.lengths, (lengths.clone().min().unwrap_or(usize::MAX), lengths.max().unwrap_or(0)));
            if let Some(numbers) = ends.numbers {
                let alone = ShortTexts::new(ends.lengths.0, ends.lengths.1).unwrap();
                assert_eq!(Some(numbers), alone.ends(offsets, bytes, first..rows));
            }
            assert_eq!(ends.numbers.is_some(), first < rows && ends.lengths.0 == ends.lengths.1 && ends.lengths.1 <= 7);
        }
    }

    fn check_texts(texts: &[&[u8]], before: usize) {
        for (min, max) in [(0, 7), (1, 1), (1, 5), (2, 3), (0, 0), (7, 7)] {
            let of = ShortTexts::new(min, max).unwrap();
            let (offsets, bytes) = offsets_of::<i32>(texts, before);
            check(&offsets, &bytes, of);
            let (offsets, bytes) = offsets_of::<i64>(texts, before);
            check(&offsets, &bytes, of);
        }
    }

    const BYTES: &[u8] = b"A\0\xffzA\0\0 R9";

    #[test]
    fn even_texts_have_the_numbers_of_each() {
        for len in 0..=8 {
            for rows in [0, 1, 2, 7, STEPS - 1, STEPS, STEPS + 1, KEY_BLOCK - 1, KEY_BLOCK, KEY_BLOCK + 1] {
                let texts: Vec<&[u8]> = (0..rows).map(|row| &BYTES[row % 3..][..len.min(7)]).collect();
                let long: Vec<&[u8]> = (0..rows).map(|_| &BYTES[..8]).collect();
                check_texts(if len == 8 { &long } else { &texts }, rows % 5);
            }
        }
    }

    /// Tests blocks in which one text, or two texts side by side, have another length, at different positions.
    #[test]
    fn uneven_texts_have_the_numbers_of_each() {
        for rows in [2, STEPS, STEPS + 1, 2 * STEPS + 1, KEY_BLOCK + 1] {
            for at in [0, 1, STEPS - 1, STEPS, rows - 1].into_iter().filter(|at| *at < rows) {
                for other in [&b""[..], b"A\0", b"A\0\0A\0\0A"] {
                    let mut texts: Vec<&[u8]> = vec![b"A"; rows];
                    texts[at] = other;
                    check_texts(&texts, 0);
                    texts[(at + 1) % rows] = b"";
                    check_texts(&texts, 1);
                }
            }
        }
    }

    #[test]
    fn offsets_that_make_no_sense_are_texts_without_bytes() {
        let of = ShortTexts::new(0, 1).unwrap();
        for offsets in [
            &[0, 1, 2, 3, 4, 5][..],
            &[-1, 0, 1, 2],
            &[-2, -1, 0],
            &[3, 2, 1],
            &[0, 1, 0, 1],
            &[4, 5],
            &[i32::MAX, i32::MIN],
            &[0, 1, i32::MIN],
        ] {
            check(offsets, b"abcd", of);
            check(&offsets.iter().map(|offset| i64::from(*offset)).collect::<Vec<_>>(), b"abcd", of);
        }
    }

    #[test]
    fn ends_of_parts_are_those_of_all() {
        let of = |texts: &[&[u8]]| {
            let (offsets, bytes) = offsets_of::<i32>(texts, 0);
            TextEnds::new(&offsets, &bytes, 0..texts.len())
        };
        let both = of(&[b"B", b"C"]).with(of(&[b"A", b"B"]));
        assert_eq!((both.lengths, both.numbers), ((1, 1), Some((0x41, 0x43))));
        let both = of(&[b"B", b"C"]).with(of(&[b"AA"]));
        assert_eq!((both.lengths, both.numbers), ((1, 2), None));
        let both = of(&[b"B", b""]).with(of(&[b"A"]));
        assert_eq!((both.lengths, both.numbers), ((0, 1), None));
    }
}
