//! The case of all characters.

use gdf_core::{Column, ColumnView, Result};
use gdf_kernels::generated::common::Nothing;
use gdf_kernels::generated::strings::{ToCase, ToCaseKernel};

use super::upper_case::{BLOCK_BITS, BLOCKS, FIRST_LONG, LEADS, MAPPINGS};
use crate::Ctx;
use crate::engine::strings::{self, TextSink};
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
    let kernels = match case {
        Case::Upper => [ToCaseKernel::UpperSizes, ToCaseKernel::UpperWrite],
    };
    strings::map("to_case", column, ctx, put_upper, |launch| {
        let &strings::Launch { inputs: [input], out, counts, scratch, mailbox, .. } = launch;
        launch.run(kernels, &ToCase { input, out, p: Nothing::default(), counts, scratch, mailbox })
    })
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

fn put_upper(text: &[u8], sink: &mut TextSink<'_>) {
    let ascii = |bytes: &[u8], sink: &mut TextSink<'_>| {
        sink.put_with(bytes.len(), |slot| {
            slot.copy_from_slice(bytes);
            slot.make_ascii_uppercase();
        });
    };
    if text.is_ascii() {
        return ascii(text, sink);
    }
    for piece in pieces(text) {
        match piece {
            Utf8Piece::Ascii(bytes) => ascii(bytes, sink),
            Utf8Piece::Character(character) => upper(character).for_each(|one| sink.put_char(one)),
            Utf8Piece::Stray(byte) => sink.put(&[byte]),
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
}
