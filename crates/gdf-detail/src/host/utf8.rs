//! Characters of UTF-8, as `kernels/include/gdf/utf8.cuh` walks them. Bytes that are no UTF-8 are passed on as they are.

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Utf8Piece<'a> {
    /// Bytes below 128, one at least.
    Ascii(&'a [u8]),
    /// Any other character.
    Character(char),
    /// A byte that begins none.
    Stray(u8),
}

impl Utf8Piece<'_> {
    /// How many bytes it has.
    pub(crate) fn size(self) -> usize {
        match self {
            Utf8Piece::Ascii(bytes) => bytes.len(),
            Utf8Piece::Character(character) => character.len_utf8(),
            Utf8Piece::Stray(_) => 1,
        }
    }
}

/// The pieces of a text, in order.
pub(crate) fn pieces(text: &[u8]) -> impl Iterator<Item = Utf8Piece<'_>> {
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

/// How many bytes below 128 a text begins with.
fn ascii_run(text: &[u8]) -> usize {
    let words = text.as_chunks::<8>().0;
    let whole = words.iter().take_while(|word| u64::from_le_bytes(**word) & 0x8080_8080_8080_8080 == 0).count() * 8;
    whole + text.get(whole..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii()).count()
}

/// The character of two to four bytes that a text begins with.
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

/// How many characters begin in a text.
pub(crate) fn character_count(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

/// Where character `number` of a text begins, its end if it has as many; `None` if it has fewer.
pub(crate) fn character_place(text: &[u8], number: usize) -> Option<usize> {
    if number == 0 {
        return Some(0);
    }
    let mut begins = text.iter().enumerate().filter(|(_, byte)| **byte & 0xc0 != 0x80).map(|(at, _)| at);
    begins.nth(number).or_else(|| (character_count(text) == number).then_some(text.len()))
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

    #[test]
    fn stray_bytes_end() {
        for text in [&[0x80][..], &[0xff, b'a'], &[0xe2, 0x82], &[0xed, 0xa0, 0x80]] {
            assert!(pieces(text).any(|piece| matches!(piece, Utf8Piece::Stray(_))), "{text:?}");
        }
    }
}
