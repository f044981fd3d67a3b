//! The case of all characters.

use gdf_core::{Column, ColumnView, Result};
use gdf_kernels::generated::common::Nothing;
use gdf_kernels::generated::strings::{ToCase, ToCaseKernel};

use super::upper_case::{BLOCK_BITS, BLOCKS, FIRST_LONG, LEADS, MAPPINGS};
use crate::Ctx;
use crate::cuda::Kernel;
use crate::engine::strings::{self, Pass};
use crate::host::{Utf8Piece, pieces};

/// What [`to_case`] makes of characters.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Case {
    /// Upper case, by Unicode's full mapping.
    Upper,
}

/// Each row of text with its characters in that case; nulls stay null.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for what is no `Utf8` or `LargeUtf8`.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result has more bytes than offsets of the type can say.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
pub fn to_case(column: ColumnView<'_>, case: Case, ctx: Ctx<'_>) -> Result<Column> {
    let (sizes, write) = match case {
        Case::Upper => (ToCaseKernel::UpperSizes, ToCaseKernel::UpperWrite),
    };
    strings::map(
        "to_case",
        column,
        ctx,
        |texts| texts.map(upper_size, write_upper),
        |launch| {
            let &strings::Launch { input, bytes, out, counts, scratch, mailbox, .. } = launch;
            let arguments = ToCase { input, bytes, out, p: Nothing::default(), counts, scratch, mailbox };
            let kernel = if launch.pass == Pass::Sizes { sizes } else { write };
            launch.run(&Kernel::choose(kernel, launch.stream)?, &arguments)
        },
    )
}

/// The characters that a character becomes, the first always.
fn upper(character: char) -> impl Iterator<Item = char> {
    let code = u32::from(character);
    let words = mapping(code).map_or([code, 0, 0], |(number, [first, second, third])| {
        if number < FIRST_LONG {
            [code & !0xffff | code.wrapping_add(first.into()) & 0xffff, 0, 0]
        } else {
            [first.into(), second.into(), third.into()]
        }
    });
    words
        .into_iter()
        .enumerate()
        .filter(|(at, word)| *at == 0 || *word != 0)
        .filter_map(|(_, word)| char::from_u32(word))
}

fn mapping(code: u32) -> Option<(usize, [u16; 3])> {
    let block = BLOCKS.get(usize::from(*LEADS.get((code >> BLOCK_BITS) as usize)?))?;
    let number = usize::from(*block.get(code as usize & ((1 << BLOCK_BITS) - 1))?);
    Some((number, *MAPPINGS.get(number)?))
}

fn upper_size(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    let size = |piece| match piece {
        Utf8Piece::Ascii(bytes) => bytes.len(),
        Utf8Piece::Character(character) => upper(character).map(char::len_utf8).sum(),
        Utf8Piece::Stray(_) => 1,
    };
    pieces(text).map(size).sum()
}

fn write_upper(text: &[u8], target: &mut [u8]) {
    let mut at = 0;
    let mut put = |bytes: &[u8]| {
        if let Some(slot) = target.get_mut(at..at + bytes.len()) {
            slot.copy_from_slice(bytes);
            slot.make_ascii_uppercase();
        }
        at += bytes.len();
    };
    for piece in pieces(text) {
        match piece {
            Utf8Piece::Ascii(bytes) => put(bytes),
            Utf8Piece::Character(character) => {
                upper(character).for_each(|one| put(one.encode_utf8(&mut [0; 4]).as_bytes()));
            }
            Utf8Piece::Stray(byte) => put(&[byte]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::upper_case::UNICODE_VERSION;
    use super::*;

    /// Of every character, where the compiler knows the Unicode of the table.
    #[test]
    fn the_table_is_that_of_the_standard_library() {
        assert!(size_of_val(&LEADS) + size_of_val(&BLOCKS) + size_of_val(&MAPPINGS) <= 16 << 10);
        if UNICODE_VERSION != char::UNICODE_VERSION {
            return;
        }
        for character in '\0'..=char::MAX {
            assert!(upper(character).eq(character.to_uppercase()), "{character:?}");
        }
    }

    #[test]
    fn sizes_are_what_is_written() {
        for text in ["", "abc", "straße", "ŉﬀı ꭰ ΐ ﬃ", "aß€😀z 𐐨"] {
            let mut target = vec![0; upper_size(text.as_bytes())];
            write_upper(text.as_bytes(), &mut target);
            assert_eq!(str::from_utf8(&target).unwrap(), text.to_uppercase());
        }
    }
}
