//! Case conversion of strings.

use gdf_core::{Column, ColumnView, Literal, Result};
use gdf_engine::host::{BLOCK, Utf8Piece, ascii_bytes, pieces};
use gdf_engine::input::Input;
use gdf_engine::strings::{self, ChunkLaunch, InPlace, TextSink, open_text};
use gdf_kernels::generated::strings::{ToCase, ToCaseKernel, ToCaseMode, ToCaseParameters};

use super::case_table::CaseTable;
use super::{CharacterTypes, characters};
use crate::Ctx;

/// The case to which [`to_case`] converts characters, according to Unicode's full mapping.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Case {
    /// Upper case.
    Upper,
    /// Lower case.
    Lower,
    /// Swapped case: lower case becomes upper case, and upper case becomes lower case. A character with both
    /// mappings, such as a titlecase letter, does not change.
    Swapped,
}

/// Converts the characters of each string to `case`. Nulls stay null.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): the result has more bytes than the offsets of the type can
///   represent.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch); driver and memory errors.
pub fn to_case(column: ColumnView<'_>, case: Case, ctx: Ctx<'_>) -> Result<Column> {
    let kernels = match case {
        Case::Upper => [ToCaseKernel::UpperWrite, ToCaseKernel::UpperBytes],
        Case::Lower => [ToCaseKernel::LowerWrite, ToCaseKernel::LowerBytes],
        Case::Swapped => [ToCaseKernel::MixedWrite, ToCaseKernel::MixedBytes],
    };
    let of_chunks = match case {
        Case::Upper => [ToCaseKernel::UpperChunksSizes, ToCaseKernel::UpperChunksWrite],
        Case::Lower => [ToCaseKernel::LowerChunksSizes, ToCaseKernel::LowerChunksWrite],
        Case::Swapped => [ToCaseKernel::MixedChunksSizes, ToCaseKernel::MixedChunksWrite],
    };
    let ascii = match case {
        Case::Upper => |bytes: &mut [u8]| flip(bytes, UPPER.flipped),
        Case::Lower => |bytes: &mut [u8]| flip(bytes, LOWER.flipped),
        Case::Swapped => swap_ascii,
    };
    let other = |character| match case {
        Case::Upper => UPPER.anywhere(character),
        Case::Lower => LOWER.anywhere(character),
        Case::Swapped => swapping(character).map_or(Some(character), |case| case.anywhere(character)),
    };
    let p = ToCaseParameters { mode: ToCaseMode::Swapped as i32, ..ToCaseParameters::default() };
    strings::map_in_place(
        "to_case",
        column,
        ctx,
        &InPlace { ascii, other },
        |text, sink| match case {
            Case::Upper => put_in_case(text, UPPER, sink),
            Case::Lower => put_in_case(text, LOWER, sink),
            Case::Swapped => put_swapped(text, sink),
        },
        |launch| {
            let chunks = launch.text_chunks(strings::LONG_TEXT);
            let arguments = arguments(launch, ToCaseParameters { chunks, ..p });
            let of_rows = ChunkLaunch { chunks, links: false, units: chunks.count as usize * 32 };
            launch.run_chunks(of_chunks, of_rows, &arguments, || launch.run_in_place(kernels, &arguments))
        },
    )
}

/// Converts the first character of each string, and each character after one of `delimiters`, to title case.
///
/// All other characters are converted to lower case.
///
/// # Errors
/// * The errors of [`to_case`].
pub fn capitalize(column: ColumnView<'_>, delimiters: &str, ctx: Ctx<'_>) -> Result<Column> {
    let set = Literal::from(delimiters).to_operand_scalar(ctx.stream, ctx.mr.temporary)?;
    strings::map(
        "capitalize",
        column,
        ctx,
        |text, sink| put_words(text, |before| delimiters.contains(before), sink),
        |launch| {
            let delimiters = open_text(Input::Scalar(&set), ctx.stream)?;
            let mode = ToCaseMode::AfterDelimiters as i32;
            let chunks = launch.text_chunks(i64::MAX);
            let p = ToCaseParameters { delimiters: delimiters.desc(), mode, chunks, ..ToCaseParameters::default() };
            launch.run(MIXED, &arguments(launch, p))
        },
    )
}

/// Converts the first character of each string, and each character after a character that has none of `types`, to title
/// case.
///
/// All other characters are converted to lower case.
///
/// # Errors
/// * The errors of [`to_case`].
pub fn title(column: ColumnView<'_>, types: CharacterTypes, ctx: Ctx<'_>) -> Result<Column> {
    let mode = ToCaseMode::AfterOtherTypes as i32;
    let p = ToCaseParameters { mode, types: types.bits(), ..ToCaseParameters::default() };
    strings::map(
        "title",
        column,
        ctx,
        |text, sink| put_words(text, |before| !CharacterTypes::of(before.into()).meets(types), sink),
        |launch| {
            let chunks = launch.text_chunks(i64::MAX);
            launch.run(MIXED, &arguments(launch, ToCaseParameters { chunks, ..p }))
        },
    )
}

const MIXED: ToCaseKernel = ToCaseKernel::MixedWrite;

fn arguments<'a>(launch: &strings::Launch<'a, 1>, p: ToCaseParameters<'a>) -> ToCase<'a> {
    let &strings::Launch { inputs: [text], out, counts, mailbox, .. } = launch;
    ToCase { out, p: ToCaseParameters { text, ..p }, counts, mailbox }
}

/// The tables that `cargo xtask codegen` generates.
static UPPER_TABLE: CaseTable = CaseTable::read(include_bytes!("tables/upper_case.bin"));
static LOWER_TABLE: CaseTable = CaseTable::read(include_bytes!("tables/lower_case.bin"));
static TITLE_TABLE: CaseTable = CaseTable::read(include_bytes!("tables/title_case.bin"));

/// The mapping of characters to one case.
#[derive(Clone, Copy)]
struct LetterCase {
    table: &'static CaseTable,
    /// The first of the 26 consecutive ASCII letters whose case changes: `A` or `a`.
    flipped: u8,
    /// Whether a sigma at the end of a word has another mapping.
    final_sigma: bool,
}

const UPPER: LetterCase = LetterCase { table: &UPPER_TABLE, flipped: b'a', final_sigma: false };
const LOWER: LetterCase = LetterCase { table: &LOWER_TABLE, flipped: b'A', final_sigma: true };
const TITLE: LetterCase = LetterCase { table: &TITLE_TABLE, flipped: b'a', final_sigma: false };

impl LetterCase {
    /// Returns the mapping of a character: one to three characters.
    fn of(self, character: char) -> [u32; 3] {
        self.table.of(character)
    }

    /// Returns the mapping of a character, if the mapping is a single character and does not depend on neighboring
    /// characters.
    fn anywhere(self, character: char) -> Option<char> {
        match self.of(character) {
            [first, 0, 0] if !(self.final_sigma && character == 'Σ') => char::from_u32(first),
            _ => None,
        }
    }

    fn changes(self, character: char) -> bool {
        self.of(character)[0] != u32::from(character)
    }

    /// Writes the mapping of the character that begins at the byte `at` of `text`.
    fn put(self, character: char, text: &[u8], at: usize, sink: &mut TextSink<'_>) {
        if self.final_sigma && character == 'Σ' && ends_word(text, at) {
            return sink.put_char('ς');
        }
        let [first, others @ ..] = self.of(character);
        char::from_u32(first).into_iter().for_each(|one| sink.put_char(one));
        for other in others.into_iter().filter(|other| *other != 0) {
            char::from_u32(other).into_iter().for_each(|one| sink.put_char(one));
        }
    }
}

/// The role of a character before or after a sigma, for Unicode's condition `Final_Sigma`.
#[derive(PartialEq, Eq)]
enum Context {
    None,
    Cased,
    PassedOver,
}

fn context(character: char) -> Context {
    match LOWER_TABLE.context(character.into()) {
        1 => Context::Cased,
        2 => Context::PassedOver,
        _ => Context::None,
    }
}

/// Returns whether the sigma at `at` ends a word: Unicode's condition `Final_Sigma`.
fn ends_word(text: &[u8], at: usize) -> bool {
    let (before, after) = text.split_at_checked(at).unwrap_or_default();
    is_cased(before, characters::last)
        && !is_cased(after.get('Σ'.len_utf8()..).unwrap_or_default(), |rest| {
            characters::first(rest).map(|(one, rest)| (rest, one))
        })
}

/// Skips case-ignorable characters, and returns whether the next character is cased.
fn is_cased<'a>(mut rest: &'a [u8], next: impl Fn(&'a [u8]) -> Option<(&'a [u8], &'a [u8])>) -> bool {
    while let Some((left, one)) = next(rest) {
        match context(characters::code(one)) {
            Context::PassedOver => rest = left,
            found => return found == Context::Cased,
        }
    }
    false
}

fn swap_ascii(bytes: &mut [u8]) {
    for byte in bytes {
        *byte ^= u8::from(byte.is_ascii_alphabetic()) << 5;
    }
}

/// Writes the characters of `text`. `ascii` changes blocks of ASCII characters, and `other` writes each other
/// character.
fn put_all(
    text: &[u8],
    ascii: impl Fn(&mut [u8; BLOCK]),
    other: impl Fn(char, usize, &mut TextSink<'_>),
    sink: &mut TextSink<'_>,
) {
    let mut rest = text;
    while let Some(first) = rest.first() {
        let mut size = 1;
        if first.is_ascii() {
            let mut block = sink.block(rest);
            size = ascii_bytes(&block).min(rest.len());
            ascii(&mut block);
            sink.put_block(&block, size);
        } else if let Some(Utf8Piece::Character(character)) = pieces(rest).next() {
            size = character.len_utf8();
            other(character, text.len() - rest.len(), sink);
        } else {
            sink.put(&[*first]);
        }
        rest = rest.get(size..).unwrap_or_default();
    }
}

/// Flips the case of the 26 letters from `first` on.
fn flip(bytes: &mut [u8], first: u8) {
    for byte in bytes {
        *byte ^= u8::from(byte.wrapping_sub(first) < 26) << 5;
    }
}

fn put_in_case(text: &[u8], case: LetterCase, sink: &mut TextSink<'_>) {
    let other = |character, at, sink: &mut TextSink<'_>| case.put(character, text, at, sink);
    put_all(text, |block| flip(block, case.flipped), other, sink);
}

/// Returns the case to which a character is converted in order to swap the case.
fn swapping(character: char) -> Option<LetterCase> {
    match (UPPER.changes(character), LOWER.changes(character)) {
        (true, false) => Some(UPPER),
        (false, true) => Some(LOWER),
        _ => None,
    }
}

fn put_swapped(text: &[u8], sink: &mut TextSink<'_>) {
    let other = |character, at, sink: &mut TextSink<'_>| match swapping(character) {
        Some(case) => case.put(character, text, at, sink),
        None => sink.put_char(character),
    };
    put_all(text, |block| swap_ascii(block), other, sink);
}

/// Writes a text with words in title case.
fn put_words(text: &[u8], begins: impl Fn(char) -> bool, sink: &mut TextSink<'_>) {
    let (mut at, mut first) = (0, true);
    for piece in pieces(text) {
        match piece {
            Utf8Piece::Ascii(bytes) => {
                sink.put_with(bytes.len(), |slots| {
                    let mut first = first;
                    for (slot, byte) in slots.iter_mut().zip(bytes) {
                        *slot = if first { byte.to_ascii_uppercase() } else { byte.to_ascii_lowercase() };
                        first = begins(char::from(*byte));
                    }
                });
                first = bytes.last().is_some_and(|byte| begins(char::from(*byte)));
            }
            Utf8Piece::Character(character) => {
                let case = if first { TITLE } else { LOWER };
                case.put(character, text, at, sink);
                first = begins(character);
            }
            Utf8Piece::Stray(byte) => sink.put(&[byte]),
        }
        at += piece.size();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If the standard library has the same Unicode version as the tables, the test compares every character.
    #[test]
    fn the_tables_are_those_of_the_standard_library() {
        for case in [UPPER, LOWER, TITLE] {
            assert!(case.table.size() <= 16 << 10);
            assert_eq!(case.table.version, UPPER_TABLE.version);
        }
        if UPPER_TABLE.version != char::UNICODE_VERSION {
            return;
        }
        for character in '\0'..=char::MAX {
            let becomes = |case: LetterCase, expected: &str| {
                let [first, others @ ..] = case.of(character);
                let others = others.into_iter().filter(|other| *other != 0);
                let all: Option<String> = std::iter::once(first).chain(others).map(char::from_u32).collect();
                assert_eq!(all.as_deref(), Some(expected), "{character:?}");
            };
            becomes(UPPER, &character.to_uppercase().to_string());
            becomes(LOWER, &character.to_lowercase().to_string());
            let changes = |to: &str| to != character.to_string();
            assert_eq!(UPPER.changes(character), changes(&character.to_uppercase().to_string()), "{character:?}");
            assert_eq!(LOWER.changes(character), changes(&character.to_lowercase().to_string()), "{character:?}");
        }
    }
}
