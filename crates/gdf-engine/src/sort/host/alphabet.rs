//! Encodes the first bytes of texts as integers of the same order. The distinct bytes of the texts are numbered in the
//! order of their values. An encoded byte takes only as many bits as these numbers need.

use crate::host::map_chunks;

/// The number of leading bytes of each text from which the alphabet is made. A word never holds more bytes.
const MOST: usize = 64;

/// The encoding of the first bytes of the texts of a column in a word. The first byte is in the highest bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alphabet {
    /// The code of each byte that occurs. The codes start at 1, and 0 stands for the end of the text.
    codes: [u8; 256],
    /// The number of bits of a code.
    width: u32,
    /// The number of bytes that a word holds.
    count: u32,
    /// Whether texts with equal words are equal.
    pub(super) exact: bool,
}

/// The bytes that occur in some texts, and the length of the longest text.
#[derive(Clone, Copy)]
struct Seen {
    bytes: [bool; 256],
    longest: usize,
}

impl Seen {
    const NOTHING: Self = Self { bytes: [false; 256], longest: 0 };

    fn add(&mut self, text: &[u8]) {
        text.iter().take(MOST).for_each(|byte| self.bytes[usize::from(*byte)] = true);
        self.longest = self.longest.max(text.len());
    }

    fn or(mut self, other: &Self) -> Self {
        self.bytes.iter_mut().zip(other.bytes).for_each(|(seen, other)| *seen |= other);
        Self { bytes: self.bytes, longest: self.longest.max(other.longest) }
    }
}

impl Alphabet {
    /// Makes an encoding in words of at most `capacity` bits.
    pub(super) fn new<'t>(text: impl Fn(usize) -> &'t [u8] + Sync, rows: usize, capacity: u32) -> Self {
        let parts = map_chunks(rows, |rows| {
            let mut seen = Seen::NOTHING;
            rows.for_each(|row| seen.add(text(row)));
            seen
        });
        Self::of(&parts.iter().fold(Seen::NOTHING, Seen::or), capacity)
    }

    fn of(seen: &Seen, capacity: u32) -> Self {
        let mut codes = [0; 256];
        let mut next = 0_u32;
        for (code, _) in codes.iter_mut().zip(seen.bytes).filter(|(_, seen)| *seen) {
            next += 1;
            *code = next as u8;
        }
        // If all 256 bytes occur, no number is left for the end of the text. The end then shares the number of the
        // smallest byte.
        let all = next == 256;
        if all {
            codes = std::array::from_fn(|byte| byte as u8);
        }
        let width = if all { 8 } else { u32::BITS - next.leading_zeros() };
        let fit = capacity.checked_div(width).unwrap_or(0);
        let count = fit.min(u32::try_from(seen.longest).unwrap_or(u32::MAX));
        Self { codes, width, count, exact: !all && (width == 0 || seen.longest <= fit as usize) }
    }

    pub(super) fn bits(&self) -> u32 {
        self.width * self.count
    }

    #[inline]
    pub(super) fn word(&self, text: &[u8]) -> u64 {
        let taken = text.len().min(self.count as usize);
        let word =
            text[..taken].iter().fold(0, |word, byte| word << self.width | u64::from(self.codes[usize::from(*byte)]));
        let rest = (self.count - taken as u32) * self.width;
        word.checked_shl(rest).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&[u8]], capacity: u32) -> Alphabet {
        let mut seen = Seen::NOTHING;
        texts.iter().for_each(|text| seen.add(text));
        Alphabet::of(&seen, capacity)
    }

    fn check(texts: &[&[u8]], capacity: u32) -> Alphabet {
        let alphabet = of(texts, capacity);
        assert!(alphabet.bits() <= capacity);
        for a in texts {
            assert!(alphabet.bits() == 64 || alphabet.word(a) >> alphabet.bits() == 0);
            for b in texts {
                let order = alphabet.word(a).cmp(&alphabet.word(b));
                assert!(order == a.cmp(b) || (order.is_eq() && !alphabet.exact), "{a:?}, {b:?}");
            }
        }
        alphabet
    }

    #[test]
    fn words_are_in_the_order_of_texts() {
        let digits: [&[u8]; 7] = [b"", b"0", b"00", b"9", b"99999", b"123456789", b"1234567890123456"];
        let alphabet = check(&digits, 64);
        assert!(alphabet.exact && alphabet.bits() == 64);
        assert!(!check(&digits, 63).exact);
        assert_eq!(check(&digits[..5], 64).bits(), 10);
        let zeros: [&[u8]; 3] = [b"", b"\0", b"\0\0"];
        assert!(check(&zeros, 64).exact);
        assert_eq!(check(&[b"", b""], 0).bits(), 0);
        assert_eq!(check(&[b"abc", b"abd"], 1).bits(), 0);
    }

    #[test]
    fn all_bytes_leave_none_for_the_end() {
        let every: Vec<u8> = (0..=255).collect();
        let texts: Vec<&[u8]> = every.chunks(1).chain(every.chunks(5)).chain([&[][..]]).collect();
        let alphabet = check(&texts, 64);
        assert!(!alphabet.exact && alphabet.bits() == 40);
        let texts: Vec<&[u8]> = every[1..].chunks(3).chain([&[][..]]).collect();
        assert!(check(&texts, 64).exact);
    }
}
