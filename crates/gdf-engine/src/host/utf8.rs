//! The characters of UTF-8 text, decoded as in `kernels/include/gdf/utf8.cuh`. Bytes that are not UTF-8 are kept.

use super::BLOCK;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Utf8Piece<'a> {
    /// At least one byte, all below 128.
    Ascii(&'a [u8]),
    /// A character that is not ASCII.
    Character(char),
    /// A byte at which no character begins.
    Stray(u8),
}

impl Utf8Piece<'_> {
    pub fn size(self) -> usize {
        match self {
            Utf8Piece::Ascii(bytes) => bytes.len(),
            Utf8Piece::Character(character) => character.len_utf8(),
            Utf8Piece::Stray(_) => 1,
        }
    }
}

pub fn pieces(text: &[u8]) -> impl Iterator<Item = Utf8Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let run = ascii_run(rest);
        if let Some((ascii, after)) = rest.split_at_checked(run).filter(|_| run > 0) {
            rest = after;
            return Some(Utf8Piece::Ascii(ascii));
        }
        let (piece, len) = match decoded(rest) {
            Some(character) => (Utf8Piece::Character(character), character.len_utf8()),
            None => (Utf8Piece::Stray(*rest.first()?), 1),
        };
        rest = rest.get(len..).unwrap_or_default();
        Some(piece)
    })
}

fn ascii_run(text: &[u8]) -> usize {
    let words = text.as_chunks::<8>().0;
    let whole = words.iter().take_while(|word| u64::from_le_bytes(**word) & 0x8080_8080_8080_8080 == 0).count() * 8;
    whole + text.get(whole..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii()).count()
}

/// Returns the number of leading bytes below 128 of a block.
#[inline]
pub fn ascii_bytes(block: &[u8; BLOCK]) -> usize {
    let beyond = |word: &[u8; 8]| u64::from_le_bytes(*word) & 0x8080_8080_8080_8080;
    let found = block.as_chunks().0.iter().enumerate().find(|(_, word)| beyond(word) != 0);
    found.map_or(BLOCK, |(at, word)| at * 8 + beyond(word).trailing_zeros() as usize / 8)
}

/// Decodes the first character of a text, if the character has two to four bytes.
fn decoded(text: &[u8]) -> Option<char> {
    let tail = |at: usize| text.get(at).map(|byte| u32::from(byte & 0x3f));
    let first = u32::from(*text.first()?);
    let code = match first {
        0xc0..0xe0 => (first & 0x1f) << 6 | tail(1)?,
        0xe0..0xf0 => (first & 0x0f) << 12 | tail(1)? << 6 | tail(2)?,
        0xf0.. => (first & 0x07) << 18 | tail(1)? << 12 | tail(2)? << 6 | tail(3)?,
        _ => return None,
    };
    char::from_u32(code)
}

/// Returns a word in which the highest bit of a byte is set if the same byte of `word` is a continuation byte.
fn continuations(word: [u8; 8]) -> u64 {
    let word = u64::from_le_bytes(word);
    word & !(word << 1) & 0x8080_8080_8080_8080
}

/// Returns the sum of the bytes of a word. The sum must be less than 256.
fn sum_of_bytes(word: u64) -> usize {
    (word.wrapping_mul(0x0101_0101_0101_0101) >> 56) as usize
}

/// Returns the number of characters of a text.
pub fn character_count(text: &[u8]) -> usize {
    // The compiler vectorizes blocks of a fixed length.
    let (blocks, rest) = text.as_chunks::<BLOCK>();
    let in_blocks: usize = blocks.iter().map(|block| BLOCK - continuations_in(block, BLOCK)).sum();
    let (words, tail) = rest.as_chunks::<8>();
    let in_words: usize = words.iter().map(|word| 8 - sum_of_bytes(continuations(*word) >> 7)).sum();
    in_blocks + in_words + tail.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

/// Returns how many of the first `len` bytes of a block are continuation bytes.
#[inline]
pub fn continuations_in(block: &[u8; BLOCK], len: usize) -> usize {
    // The slice from `BLOCK - len` on begins with `len` bytes of ones.
    const ONES: [u8; 2 * BLOCK] = {
        let mut bytes = [0; 2 * BLOCK];
        bytes.split_at_mut(BLOCK).0.copy_from_slice(&[0xff; BLOCK]);
        bytes
    };
    let Some(counted) = ONES.get(BLOCK.saturating_sub(len)..).and_then(|ones| ones.first_chunk::<BLOCK>()) else {
        return 0;
    };
    let words = block.as_chunks().0.iter().zip(counted.as_chunks().0);
    // The block has four words. Each byte of the sum is therefore at most four.
    let sums =
        words.fold(0, |sums, (word, counted)| sums + ((continuations(*word) & u64::from_le_bytes(*counted)) >> 7));
    sum_of_bytes(sums)
}

/// Returns the position at which character `number` of a text begins, or the end of the text if the text has fewer
/// characters.
#[inline]
pub fn character_place_or_end(text: &[u8], number: usize) -> usize {
    if let Some(word) = text.first_chunk()
        && number < 8
        && u64::from_le_bytes(*word) & 0x8080_8080_8080_8080 >> (8 * (7 - number)) == 0
    {
        return number; // all bytes up to and including this position are ASCII
    }
    place_by_words(text, number)
}

fn place_by_words(text: &[u8], number: usize) -> usize {
    let (mut left, mut from) = (number, 0);
    for word in text.as_chunks::<8>().0 {
        let begins = 8 - sum_of_bytes(continuations(*word) >> 7);
        if begins > left {
            break;
        }
        left -= begins;
        from += 8;
    }
    let mut begins = text.iter().enumerate().skip(from).filter(|(_, byte)| **byte & 0xc0 != 0x80);
    begins.nth(left).map_or(text.len(), |(at, _)| at)
}

/// Returns the position at which character `number` of a text begins. If the text has exactly `number` characters,
/// the result is the end of the text. If the text has fewer characters, the result is `None`.
pub fn character_place(text: &[u8], number: usize) -> Option<usize> {
    if number == 0 {
        return Some(0);
    }
    let place = character_place_or_end(text, number);
    (place < text.len() || character_count(text) == number).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_those_of_the_text() {
        for text in [
            "",
            "a",
            "ß",
            "abcdefgh",
            "abcdefghiß",
            "ßßa😀€ 😀😀",
            "\u{7f}\u{80}\u{7ff}\u{800}\u{ffff}\u{10000}\u{10ffff}",
        ] {
            let mut again = String::new();
            for piece in pieces(text.as_bytes()) {
                match piece {
                    Utf8Piece::Ascii(bytes) => again += str::from_utf8(bytes).unwrap(),
                    Utf8Piece::Character(character) => again.push(character),
                    Utf8Piece::Stray(byte) => panic!("{byte:#x} of {text:?}"),
                }
            }
            assert_eq!(again, text);
        }
    }

    /// Tests texts whose lengths are close to the lengths of words and blocks. A character of more than one byte
    /// stands at each position in turn.
    #[test]
    fn characters_are_counted_and_found() {
        let ascii = "abcdefghijklmnopqrstuvwxyz0123456789".repeat(2);
        for (len, at) in (0..ascii.len()).flat_map(|len| (0..=len).map(move |at| (len, at))) {
            for one in ["", "é", "東", "😀"] {
                let text = [&ascii[..at], one, &ascii[at..len]].concat();
                let count = text.chars().count();
                assert_eq!(character_count(text.as_bytes()), count, "{text}");
                for number in 0..count + 3 {
                    let place = text.char_indices().nth(number).map(|(at, _)| at);
                    assert_eq!(character_place_or_end(text.as_bytes(), number), place.unwrap_or(text.len()), "{text}");
                    let place = place.or((number == count).then_some(text.len()));
                    assert_eq!(character_place(text.as_bytes(), number), place, "{text}");
                }
            }
        }
    }

    #[test]
    fn bytes_of_ascii_are_those_before_another() {
        for at in 0..=BLOCK {
            let block = std::array::from_fn(|byte| if byte == at { 0x80 } else { 0x7f });
            assert_eq!(ascii_bytes(&block), at);
            for len in 0..=BLOCK {
                assert_eq!(continuations_in(&block, len), usize::from(at < len));
            }
        }
    }

    #[test]
    fn stray_bytes_end() {
        for text in [&[0x80][..], &[0xff, b'a'], &[0xe2, 0x82], &[0xed, 0xa0, 0x80]] {
            assert!(pieces(text).any(|piece| matches!(piece, Utf8Piece::Stray(_))), "{text:?}");
        }
    }
}
