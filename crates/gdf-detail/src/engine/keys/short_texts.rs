//! Texts of at most seven bytes as numbers.

use crate::engine::keys::text::Text;

/// Texts of few bytes as numbers: the bytes, the first one highest, and below them how many there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortTexts {
    min: usize,
    max: usize,
    length_bits: u32,
}

impl ShortTexts {
    /// Bytes of which, with their number, 64 bits hold as many.
    pub(super) const MAX_BYTES: usize = 7;
    /// Of texts that are shorter or longer than the others: no number of these.
    const FOREIGN: u64 = u64::MAX;

    /// Texts of `min` to `max` bytes, if these are few.
    pub(super) fn new(min: usize, max: usize) -> Option<Self> {
        // A byte more than none, so that shifts are of less than 64 bits.
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

    /// The numbers of rows `first ..`.
    pub(super) fn numbers_into<O: Copy + TryInto<usize>>(
        self,
        offsets: &[O],
        bytes: &[u8],
        first: usize,
        out: &mut [u64],
    ) {
        let Some(offsets) = offsets.get(first..first + out.len() + 1) else { return out.fill(Self::FOREIGN) };
        for (out, ends) in out.iter_mut().zip(offsets.windows(2)) {
            *out = self.number(Text::new(bytes, ends[0].try_into().ok(), ends[1].try_into().ok()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(all: &[u8], begin: usize, end: usize) -> Text<'_> {
        Text::new(all, Some(begin), Some(end))
    }

    /// Numbers differ as texts do, and order as they do where one does not begin with the other.
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
}
