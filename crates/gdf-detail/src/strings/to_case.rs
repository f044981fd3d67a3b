//! The case of characters.

use gdf_core::{Column, ColumnParts, ColumnView, Literal, Result};
use gdf_driver::Device;
use gdf_kernels::generated::strings::{ToCase, ToCaseKernel, ToCaseMode, ToCaseParameters};
use gdf_memory::Buffer;

use super::{CharacterTypes, characters, lower_case, title_case, upper_case};
use crate::Ctx;
use crate::check;
use crate::engine::strings::{self, TextSink, open_text};
use crate::host::{BLOCK, HostColumn, HostOutput, Offset, Utf8Piece, ascii_bytes, for_each_chunk, map_chunks, pieces};
use crate::null_mask::copy_bitmask;
use crate::operand::Input;
use crate::vouch;

/// What [`to_case`] makes of characters, each by Unicode's full mapping.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Case {
    /// Upper case.
    Upper,
    /// Lower case.
    Lower,
    /// Lower case to upper case and the reverse; characters that have both, as titlecase letters do, stay.
    Swapped,
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
        Case::Lower => [ToCaseKernel::LowerSizes, ToCaseKernel::LowerWrite],
        Case::Swapped => MIXED,
    };
    let ascii = match case {
        Case::Upper => |bytes: &mut [u8]| flip(bytes, UPPER.flipped),
        Case::Lower => |bytes: &mut [u8]| flip(bytes, LOWER.flipped),
        Case::Swapped => swap_ascii,
    };
    strings::is_large("to_case", column)?;
    if ctx.stream.device() == Device::Cpu
        && let Some(result) = map_ascii(column, ascii, ctx)?
    {
        return Ok(result);
    }
    strings::map(
        "to_case",
        column,
        ctx,
        |text, sink| match case {
            Case::Upper => put_in_case(text, UPPER, sink),
            Case::Lower => put_in_case(text, LOWER, sink),
            Case::Swapped => put_swapped(text, sink),
        },
        |launch| {
            let p = ToCaseParameters { mode: ToCaseMode::Swapped as i32, ..ToCaseParameters::default() };
            run(launch, kernels, p)
        },
    )
}

/// Each row with its first character, and those that follow one of `delimiters`, in title case, the others in lower case.
///
/// # Errors
/// * As [`to_case`].
pub fn capitalize(column: ColumnView<'_>, delimiters: &str, ctx: Ctx<'_>) -> Result<Column> {
    let set = Literal::from(delimiters).to_operand_scalar(ctx.stream, ctx.mr.temporary)?;
    strings::map(
        "capitalize",
        column,
        ctx,
        |text, sink| put_words(text, |before| delimiters.contains(before), sink),
        |launch| {
            let (text, _open) = open_text(Input::Scalar(&set), ctx.stream)?;
            run(
                launch,
                MIXED,
                ToCaseParameters { delimiters: text, mode: ToCaseMode::AfterDelimiters as i32, types: 0 },
            )
        },
    )
}

/// Each row with its first character, and those that follow one of none of `types`, in title case, the others in lower case.
///
/// # Errors
/// * As [`to_case`].
pub fn title(column: ColumnView<'_>, types: CharacterTypes, ctx: Ctx<'_>) -> Result<Column> {
    let mode = ToCaseMode::AfterOtherTypes as i32;
    let p = ToCaseParameters { mode, types: types.bits(), ..ToCaseParameters::default() };
    strings::map(
        "title",
        column,
        ctx,
        |text, sink| put_words(text, |before| !CharacterTypes::of(before.into()).meets(types), sink),
        |launch| run(launch, MIXED, p),
    )
}

/// The kernels that do what a mode says.
const MIXED: [ToCaseKernel; 2] = [ToCaseKernel::MixedSizes, ToCaseKernel::MixedWrite];

fn run(launch: &strings::Launch<'_, 1>, kernels: [ToCaseKernel; 2], p: ToCaseParameters) -> Result<()> {
    let &strings::Launch { inputs: [input], out, counts, scratch, mailbox, .. } = launch;
    launch.run(kernels, &ToCase { input, out, p, counts, scratch, mailbox })
}

/// A table that `cargo xtask codegen` has written.
#[derive(Clone, Copy)]
struct CaseTable {
    bits: u32,
    first_long: usize,
    leads: &'static [u8],
    blocks: &'static [[u8; 64]],
    mappings: &'static [[u16; 3]],
    /// The first letter of ASCII that becomes another.
    flipped: u8,
    /// Whether a sigma at the end of a word is another one.
    final_sigma: bool,
}

const UPPER: CaseTable = CaseTable {
    bits: upper_case::BLOCK_BITS,
    first_long: upper_case::FIRST_LONG,
    leads: &upper_case::LEADS,
    blocks: &upper_case::BLOCKS,
    mappings: &upper_case::MAPPINGS,
    flipped: b'a',
    final_sigma: false,
};

const LOWER: CaseTable = CaseTable {
    bits: lower_case::BLOCK_BITS,
    first_long: lower_case::FIRST_LONG,
    leads: &lower_case::LEADS,
    blocks: &lower_case::BLOCKS,
    mappings: &lower_case::MAPPINGS,
    flipped: b'A',
    final_sigma: true,
};

const TITLE: CaseTable = CaseTable {
    bits: title_case::BLOCK_BITS,
    first_long: title_case::FIRST_LONG,
    leads: &title_case::LEADS,
    blocks: &title_case::BLOCKS,
    mappings: &title_case::MAPPINGS,
    flipped: b'a',
    final_sigma: false,
};

impl CaseTable {
    /// The number of a character's mapping.
    fn number(self, code: u32) -> Option<usize> {
        let block = self.blocks.get(usize::from(*self.leads.get((code >> self.bits) as usize)?))?;
        block.get(code as usize & ((1 << self.bits) - 1)).map(|number| usize::from(*number))
    }

    /// The characters that a character becomes, 0 where there is no second or third.
    fn of(self, character: char) -> [u32; 3] {
        let code = u32::from(character);
        let mapping = self.number(code).and_then(|number| Some((number, *self.mappings.get(number)?)));
        mapping.map_or([code, 0, 0], |(number, [first, second, third])| {
            if number < self.first_long {
                [code & !0xffff | code.wrapping_add(first.into()) & 0xffff, 0, 0]
            } else {
                [first.into(), second.into(), third.into()]
            }
        })
    }

    fn changes(self, character: char) -> bool {
        self.of(character)[0] != u32::from(character)
    }

    /// What becomes of the character that begins at `at`.
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

/// What a character is to a sigma before or after it.
#[derive(PartialEq, Eq)]
enum Context {
    None,
    Cased,
    PassedOver,
}

fn context(character: char) -> Context {
    let code = u32::from(character);
    let next = lower_case::CONTEXTS.partition_point(|run| run >> 2 <= code);
    match next.checked_sub(1).and_then(|at| lower_case::CONTEXTS.get(at)).map(|run| run & 3) {
        Some(1) => Context::Cased,
        Some(2) => Context::PassedOver,
        _ => Context::None,
    }
}

/// Whether the sigma at `at` has a cased character before it and none after it, others passed over: Unicode's `Final_Sigma`.
fn ends_word(text: &[u8], at: usize) -> bool {
    let (before, after) = text.split_at_checked(at).unwrap_or_default();
    is_cased(before, characters::last)
        && !is_cased(after.get('Σ'.len_utf8()..).unwrap_or_default(), |rest| {
            characters::first(rest).map(|(one, rest)| (rest, one))
        })
}

/// Whether the first character that is not passed over is cased; `next` gives what is left after one, and that one.
fn is_cased<'a>(mut rest: &'a [u8], next: impl Fn(&'a [u8]) -> Option<(&'a [u8], &'a [u8])>) -> bool {
    while let Some((left, one)) = next(rest) {
        match context(characters::code(one)) {
            Context::PassedOver => rest = left,
            found => return found == Context::Cased,
        }
    }
    false
}

/// The column with its bytes changed, if they are ASCII: rows stay as long as they are, and need not be told apart.
fn map_ascii(column: ColumnView<'_>, change: fn(&mut [u8]), ctx: Ctx<'_>) -> Result<Option<Column>> {
    check::column(column, ctx)?;
    if column.is_empty() || (column.has_validity() && !column.sanitized()) {
        return Ok(None);
    }
    let input = HostColumn::open(column, ctx.stream)?;
    let buffers = match strings::is_large("to_case", column)? {
        true => ascii_buffers::<i64>(&input, change, ctx)?,
        false => ascii_buffers::<i32>(&input, change, ctx)?,
    };
    let Some(buffers) = buffers else { return Ok(None) };
    let (validity, nulls) = copy_bitmask(column, ctx)?.into_parts();
    let parts = ColumnParts::new(column.data_type().clone(), ctx.stream.device(), column.len());
    let parts = buffers.into_iter().fold(parts, ColumnParts::buffer);
    vouch::result(parts.validity(validity, nulls)).map(Some)
}

fn ascii_buffers<O: Offset>(
    input: &HostColumn<'_>,
    change: fn(&mut [u8]),
    ctx: Ctx<'_>,
) -> Result<Option<[Buffer; 2]>> {
    let (offsets, chars) = (input.offsets::<O>()?, input.chars()?);
    let (start, end) = (offsets[0].position(), offsets[offsets.len() - 1].position());
    let Some(chars) = chars.get(start..end) else { return Ok(None) };
    if !map_chunks(chars.len(), |range| chars[range].is_ascii()).into_iter().all(|is_ascii| is_ascii) {
        return Ok(None);
    }
    let mut ends = HostOutput::<O>::new(offsets.len(), ctx)?;
    for_each_chunk(ends.values(ctx.stream)?, |first, out| {
        for (slot, offset) in out.iter_mut().zip(&offsets[first..]) {
            *slot = O::new(offset.position().wrapping_sub(start));
        }
    });
    let mut bytes = HostOutput::<u8>::new(chars.len(), ctx)?;
    for_each_chunk(bytes.values(ctx.stream)?, |first, out| {
        out.copy_from_slice(&chars[first..first + out.len()]);
        change(out);
    });
    Ok(Some([ends.into_buffer(), bytes.into_buffer()]))
}

fn swap_ascii(bytes: &mut [u8]) {
    for byte in bytes {
        *byte ^= u8::from(byte.is_ascii_alphabetic()) << 5;
    }
}

/// ASCII, a block at a time, as `ascii` makes it, and other characters, with the places where they begin, as `other` puts them.
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

/// The 26 letters from `first` on in the other case, other bytes as they are.
fn flip(bytes: &mut [u8], first: u8) {
    for byte in bytes {
        *byte ^= u8::from(byte.wrapping_sub(first) < 26) << 5;
    }
}

fn put_in_case(text: &[u8], table: CaseTable, sink: &mut TextSink<'_>) {
    let other = |character, at, sink: &mut TextSink<'_>| table.put(character, text, at, sink);
    put_all(text, |block| flip(block, table.flipped), other, sink);
}

fn put_swapped(text: &[u8], sink: &mut TextSink<'_>) {
    let other = |character, at, sink: &mut TextSink<'_>| match (UPPER.changes(character), LOWER.changes(character)) {
        (true, false) => UPPER.put(character, text, at, sink),
        (false, true) => LOWER.put(character, text, at, sink),
        _ => sink.put_char(character),
    };
    put_all(text, |block| swap_ascii(block), other, sink);
}

/// The first character, and those for whose predecessor `begins` holds, in title case, the others in lower case.
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
                let table = if first { TITLE } else { LOWER };
                table.put(character, text, at, sink);
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

    /// Of every character, where the compiler knows the Unicode of the tables.
    #[test]
    fn the_tables_are_those_of_the_standard_library() {
        for table in [UPPER, LOWER, TITLE] {
            assert!(size_of_val(table.leads) + size_of_val(table.blocks) + size_of_val(table.mappings) <= 16 << 10);
        }
        if upper_case::UNICODE_VERSION != char::UNICODE_VERSION {
            return;
        }
        for character in '\0'..=char::MAX {
            let becomes = |table: CaseTable, expected: &str| {
                let [first, others @ ..] = table.of(character);
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
