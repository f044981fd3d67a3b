//! Texts as keys. The code that hashes and compares texts of up to 32 bytes has no branches on the length. The lengths
//! of random texts are hard to predict, and a mispredicted branch costs more than the hash of a text.

use gdf_core::Result;

use crate::host::Bits;
use crate::policy::NullPolicy;

const WINDOW: usize = 32;

/// The masks of the bytes of a window that belong to a text. The index is the length of the text.
const MASKS: [[u64; 4]; WINDOW + 1] = {
    let mut masks = [[0; 4]; WINDOW + 1];
    let mut bit = 0;
    while bit < WINDOW * 8 {
        let mut len = bit / 8 + 1;
        while len <= WINDOW {
            masks[len][bit / 64] |= 1 << (bit % 64);
            len += 1;
        }
        bit += 1;
    }
    masks
};

/// A text, which is a range of bytes of a larger slice.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    pub(super) all: &'a [u8],
    pub(super) begin: usize,
    end: usize,
}

/// Returns the exclusive or of both halves of a 128-bit product.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

impl<'a> Text<'a> {
    /// Returns the text of the bytes `begin .. end` of `all`.
    #[inline]
    pub fn new(all: &'a [u8], begin: Option<usize>, end: Option<usize>) -> Self {
        match (begin, end) {
            (Some(begin), Some(end)) if begin <= end && end <= all.len() => Self { all, begin, end },
            _ => Self { all, begin: 0, end: 0 },
        }
    }

    #[inline]
    pub fn len(self) -> usize {
        self.end - self.begin
    }

    pub fn bytes(self) -> &'a [u8] {
        self.all.get(self.begin..self.end).unwrap_or_default()
    }

    /// Returns the bytes of the window that begins at position `at` of `all`. Bytes after the end of `all` are zero.
    #[inline]
    fn window(self, at: usize) -> [u64; 4] {
        if let Some(bytes) = self.all.get(at..).and_then(|rest| rest.first_chunk::<WINDOW>()) {
            return words(bytes);
        }
        let (mut bytes, rest) = ([0; WINDOW], self.all.get(at..).unwrap_or_default());
        bytes.iter_mut().zip(rest).for_each(|(byte, from)| *byte = *from);
        words(&bytes)
    }

    #[inline]
    pub(crate) fn prefix_and_hash(self) -> (TextPrefix, u64) {
        match MASKS.get(self.len()) {
            Some(mask) => {
                let ([a, b, c, d], mask) = (self.window(self.begin), mask);
                let own = [a & mask[0], b & mask[1], c & mask[2], d & mask[3]];
                (TextPrefix(own), fold(mix(own, SEEDS[0] ^ self.len() as u64), SEEDS[0]))
            }
            None => (TextPrefix(self.window(self.begin)), self.hash()),
        }
    }

    /// Returns whether the prefix contains the whole text.
    #[inline]
    pub(crate) fn is_prefix(self) -> bool {
        self.len() <= WINDOW
    }

    #[inline]
    pub fn hash(self) -> u64 {
        let mut hash = SEEDS[0] ^ self.len() as u64;
        let mut at = self.begin;
        while self.end - at > WINDOW {
            hash = mix(self.window(at), hash);
            at += WINDOW;
        }
        let ([a, b, c, d], mask) = (self.window(at), &MASKS[self.end - at]);
        fold(mix([a & mask[0], b & mask[1], c & mask[2], d & mask[3]], hash), SEEDS[0])
    }

    #[inline]
    pub fn same(self, other: Text<'_>) -> bool {
        if self.len() != other.len() {
            return false;
        }
        let Some(mask) = MASKS.get(self.len()) else { return self.bytes() == other.bytes() };
        let (a, b) = (self.window(self.begin), other.window(other.begin));
        let lower = (a[0] ^ b[0]) & mask[0] | (a[1] ^ b[1]) & mask[1];
        let upper = (a[2] ^ b[2]) & mask[2] | (a[3] ^ b[3]) & mask[3];
        lower | upper == 0
    }
}

/// The first `WINDOW` bytes of a text, with zeros after the end of a shorter text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct TextPrefix([u64; 4]);

#[derive(Clone, Copy, Debug)]
pub(crate) enum TextOffsets<'a> {
    Short(&'a [i32]),
    Long(&'a [i64]),
}

#[derive(Clone, Copy, Debug)]
pub struct KeyTexts<'a> {
    pub(super) offsets: TextOffsets<'a>,
    pub(super) bytes: &'a [u8],
    pub(super) validity: Option<Bits<'a>>,
    pub(super) null_policy: NullPolicy,
}

impl<'a> KeyTexts<'a> {
    /// Returns the text of a row. The row may be null.
    pub fn text(&self, row: usize) -> Text<'a> {
        match self.offsets {
            TextOffsets::Short(offsets) => text(offsets, self.bytes, row),
            TextOffsets::Long(offsets) => text(offsets, self.bytes, row),
        }
    }

    pub fn null_policy(&self) -> NullPolicy {
        self.null_policy
    }

    /// Calls `take` for each of `rows` rows from `first` on.
    #[inline(always)]
    pub fn for_each(
        &self,
        first: usize,
        rows: usize,
        take: impl FnMut(usize, Option<Text<'a>>) -> Result<()>,
    ) -> Result<()> {
        #[inline(always)]
        fn each<'a, O: Copy + TryInto<usize>>(
            texts: &KeyTexts<'a>,
            offsets: &[O],
            first: usize,
            rows: usize,
            mut take: impl FnMut(usize, Option<Text<'a>>) -> Result<()>,
        ) -> Result<()> {
            let ends = offsets.get(first..first + rows + 1).unwrap_or_default();
            for (at, ends) in ends.windows(2).enumerate() {
                let valid = texts.validity.is_none_or(|validity| validity.get(first + at));
                let text = || Text::new(texts.bytes, ends[0].try_into().ok(), ends[1].try_into().ok());
                take(at, valid.then(text))?;
            }
            Ok(())
        }
        match self.offsets {
            TextOffsets::Short(offsets) => each(self, offsets, first, rows, take),
            TextOffsets::Long(offsets) => each(self, offsets, first, rows, take),
        }
    }
}

#[inline]
pub(crate) fn text<'a, O: Copy + TryInto<usize>>(offsets: &[O], bytes: &'a [u8], row: usize) -> Text<'a> {
    let end = |at: usize| offsets.get(at).and_then(|offset| (*offset).try_into().ok());
    Text::new(bytes, end(row), end(row + 1))
}

const SEEDS: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03, 0x8ebc_6af0_9c88_c6e3];

#[inline]
fn words(bytes: &[u8; WINDOW]) -> [u64; 4] {
    match bytes.as_chunks::<8>().0 {
        [a, b, c, d] => {
            [u64::from_le_bytes(*a), u64::from_le_bytes(*b), u64::from_le_bytes(*c), u64::from_le_bytes(*d)]
        }
        _ => [0; 4],
    }
}

#[inline]
fn mix(window: [u64; 4], hash: u64) -> u64 {
    let [a, b, c, d] = window;
    fold(a ^ SEEDS[1], b ^ hash) ^ fold(c ^ SEEDS[2], d ^ hash.rotate_left(32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(all: &[u8], begin: usize, end: usize) -> Text<'_> {
        Text::new(all, Some(begin), Some(end))
    }

    #[test]
    fn hashes_of_texts_differ() {
        let all = b"the quick brown fox jumps over the lazy dog, twice if need be";
        let mut hashes: Vec<u64> = (0..=all.len()).map(|len| text(all, 0, len).hash()).collect();
        for at in 0..all.len() {
            let mut other = all.to_vec();
            other[at] ^= 1;
            hashes.push(text(&other, 0, other.len()).hash());
        }
        hashes.push(text(&[0], 0, 1).hash());
        hashes.push(text(&[0, 0], 0, 2).hash());
        let count = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), count);
    }

    /// Tests texts of each length at each distance from the end of the slice, with other bytes before and after the
    /// text.
    #[test]
    fn what_lies_around_a_text_does_not_matter() {
        for len in 0..70 {
            let own: Vec<u8> = (0..len).map(|at| at as u8 * 3 + 1).collect();
            let mut hashes = Vec::new();
            for (before, after) in [(0, 0), (1, 1), (7, 15), (16, 16), (40, 40)] {
                let all = [vec![0xa5; before], own.clone(), vec![0x5a; after]].concat();
                let here = text(&all, before, before + len);
                assert_eq!((here.bytes(), here.len()), (&own[..], len));
                assert!(here.same(text(&own, 0, len)), "{len} bytes between {before} and {after}");
                hashes.push(here.hash());
                for at in 0..len {
                    let mut other = own.clone();
                    other[at] ^= 0x80;
                    assert!(!here.same(text(&other, 0, len)), "byte {at} of {len}");
                }
                if after > 0 {
                    assert!(!here.same(text(&all, before, before + len + 1)));
                }
            }
            assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
        }
    }

    #[test]
    fn offsets_that_make_no_sense_are_empty_texts() {
        for (begin, end) in [(None, Some(1)), (Some(2), Some(1)), (Some(1), Some(4)), (Some(9), Some(9))] {
            assert_eq!(Text::new(b"abc", begin, end).bytes(), b"");
        }
    }
}
