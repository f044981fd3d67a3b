//! Splits texts into characters. The functions follow the same rules as `kernels/include/gdf/search_text.cuh` and
//! `characters.cuh`.

pub(super) use gdf_engine::host::{character_count as count, character_place_or_end as place};

fn begins(byte: &u8) -> bool {
    byte & 0xc0 != 0x80
}

/// Splits the text after its first character.
#[inline]
pub(super) fn first(text: &[u8]) -> Option<(&[u8], &[u8])> {
    match text {
        [] => None,
        [byte, next, ..] if byte.is_ascii() && begins(next) => text.split_at_checked(1),
        _ => text.split_at_checked(place(text, 1)),
    }
}

/// Splits the text before its last character.
#[inline]
pub(super) fn last(text: &[u8]) -> Option<(&[u8], &[u8])> {
    text.split_at_checked(text.iter().rposition(begins)?)
}

pub(super) fn each(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (one, after) = first(rest)?;
        rest = after;
        Some(one)
    })
}

/// Returns the code point of a character, or 0 if the bytes are not a character.
pub(super) fn code(one: &[u8]) -> char {
    str::from_utf8(one).ok().and_then(|one| one.chars().next()).unwrap_or_default()
}

pub(super) fn is_space(one: &[u8]) -> bool {
    match one {
        [byte] => matches!(byte, b' ' | b'\t'..=b'\r'),
        _ => code(one).is_whitespace(),
    }
}
