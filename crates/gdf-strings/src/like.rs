//! SQL `LIKE`: whether each row matches a pattern.
//!
//! A pattern for all rows is prepared on the host.

use bytemuck::cast_slice;
use gdf_core::{Column, ColumnView, DataType, Operand, Result};
use gdf_engine::cuda::{Bytes32, In};
use gdf_engine::elementwise::Nulls;
use gdf_engine::strings;
use gdf_kernels::generated::strings::{Like, LikeColumns, LikeKernel, Pattern, Wildcards};
use gdf_memory::Buffer;
use memchr::memmem::Finder;

use super::multiple::MOST_BYTES;
use super::pairs;
use super::search::truths;
use crate::Ctx;

/// Returns whether each string matches `pattern`.
///
/// The character `_` of the pattern stands for one character, and `%` stands for any number of characters. After the
/// character `escape`, the characters `_` and `%` stand for themselves. The result is null if the string or the pattern
/// is null.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch), [`DeviceMismatch`](gdf_core::Error::DeviceMismatch),
///   [`BrokenData`](gdf_core::Error::BrokenData); driver and memory errors.
pub fn like(column: ColumnView<'_>, pattern: Operand<'_>, escape: Option<char>, ctx: Ctx<'_>) -> Result<Column> {
    let mut bytes = [0; 4];
    let escape = escape.map_or(&[][..], |escape| escape.encode_utf8(&mut bytes).as_bytes());
    let literal = if let Operand::Literal(literal) = pattern { literal.text() } else { None };
    let Some(literal) = literal else {
        return pairs(
            "like",
            column,
            pattern,
            &DataType::Boolean,
            ctx,
            |rows, texts, patterns| {
                truths(rows, |row| {
                    let pattern = patterns.get(row);
                    matches(texts.get(row), pattern.len(), |at| symbol(pattern, at, escape))
                })
            },
            |launch, bytes, target_bytes| {
                let ([input, target], out) = (launch.inputs, launch.out);
                let word = escape.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
                let escape_bytes = Bytes32::new(escape.len());
                let arguments = LikeColumns { input, target, bytes, target_bytes, out, escape: word, escape_bytes };
                launch.run_only(&arguments)
            },
        );
    };
    let ready = Ready::new(literal.as_bytes(), escape);
    strings::values(
        "like",
        column,
        &DataType::Boolean,
        Nulls::Keep,
        ctx,
        |rows, texts| {
            if ready.ends.is_empty() && !ready.any_text {
                return truths(rows, |row| ready.matches_characters(texts.get(row)));
            }
            let finders: Vec<_> = ready.texts().map(Finder::new).collect();
            truths(rows, |row| ready.matches_texts(texts.get(row), &finders))
        },
        |launch, bytes| {
            let data = Buffer::from_host(&ready.data, launch.stream, ctx.mr.temporary)?;
            let ends = Buffer::from_host(cast_slice(&ready.ends), launch.stream, ctx.mr.temporary)?;
            let (data, ends) = (data.read_on(launch.stream)?, ends.read_on(launch.stream)?);
            let p = Pattern {
                data: In::of(&data),
                ends: In::of(&ends),
                size: ready.data.len() as i64,
                count: if ready.ends.is_empty() && !ready.any_text { -1 } else { ready.ends.len() as i32 },
                tied: i32::from(ready.tied[0]) | i32::from(ready.tied[1]) << 1,
            };
            let arguments = Like { input: launch.inputs[0], bytes, out: launch.out, p };
            // Patterns of one or two short literal strings that may be anywhere in a row are searched with a DFA.
            let is_anywhere = matches!(p.count, 1 | 2) && p.tied == 0 && ready.data.len() <= MOST_BYTES;
            match is_anywhere {
                _ if strings::has_long_rows(column) => launch.run_long_texts(LikeKernel::LongRows, &arguments),
                true => launch.run_prepared_texts(LikeKernel::Two, &arguments),
                false => launch.run_texts(LikeKernel::One, strings::FEW_ROWS, &arguments),
            }
        },
    )
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symbol {
    Byte(u8),
    AnyCharacter,
    AnyCharacters,
}

/// Returns the symbol of the pattern at `at`, and its number of bytes.
fn symbol(pattern: &[u8], at: usize, escape: &[u8]) -> (Symbol, usize) {
    let rest = pattern.get(at..).unwrap_or_default();
    let escaped = if escape.is_empty() { None } else { rest.strip_prefix(escape).and_then(<[u8]>::first) };
    match (escaped, rest.first().copied().unwrap_or_default()) {
        (Some(byte), _) => (Symbol::Byte(*byte), escape.len() + 1),
        (None, b'_') => (Symbol::AnyCharacter, 1),
        (None, b'%') => (Symbol::AnyCharacters, 1),
        (None, byte) => (Symbol::Byte(byte), 1),
    }
}

/// Returns whether a text matches a pattern of `len` bytes.
fn matches(text: &[u8], len: usize, symbol: impl Fn(usize) -> (Symbol, usize)) -> bool {
    let after = |at: usize| {
        let rest = text.get(at + 1..).unwrap_or_default();
        at + 1 + rest.iter().take_while(|byte| **byte & 0xc0 == 0x80).count()
    };
    let (mut at, mut place) = (0, 0);
    let mut retry = None; // the end of the text that the last `%` stands for, and the position after `%`
    while at < text.len() || place < len {
        if place < len {
            let (symbol, size) = symbol(place);
            if symbol == Symbol::AnyCharacters {
                place += size;
                if place >= len {
                    return true;
                }
                retry = Some((at, place));
                continue;
            }
            let Some(byte) = text.get(at) else { return false };
            if symbol == Symbol::AnyCharacter || symbol == Symbol::Byte(*byte) {
                at = if symbol == Symbol::AnyCharacter { after(at) } else { at + 1 };
                place += size;
                continue;
            }
        }
        let Some((taken, behind)) = retry else { return false };
        (at, place) = (after(taken), behind);
        retry = Some((at, behind));
    }
    true
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Ready {
    /// The bytes of the pattern without escapes.
    data: Vec<u8>,
    /// The ends of the literal strings in `data`.
    ends: Vec<i64>,
    /// Whether the pattern consists of `%` only.
    any_text: bool,
    /// Whether the first literal string must begin the row, and whether the last literal string must end the row.
    tied: [bool; 2],
}

impl Ready {
    fn new(pattern: &[u8], escape: &[u8]) -> Self {
        let (mut symbols, mut at) = (Vec::new(), 0);
        while at < pattern.len() {
            let (symbol, size) = symbol(pattern, at, escape);
            symbols.push(symbol);
            at += size;
        }
        if symbols.contains(&Symbol::AnyCharacter) {
            let byte = |symbol: &Symbol| match symbol {
                Symbol::Byte(byte) => *byte,
                Symbol::AnyCharacter => Wildcards::AnyCharacter as u8,
                Symbol::AnyCharacters => Wildcards::AnyCharacters as u8,
            };
            return Self { data: symbols.iter().map(byte).collect(), ..Self::default() };
        }
        let mut ready = Self::default();
        let any = Symbol::AnyCharacters;
        ready.tied = [symbols.first() != Some(&any), symbols.last() != Some(&any)];
        for text in symbols.split(|symbol| *symbol == any).filter(|text| !text.is_empty() || symbols.is_empty()) {
            ready.data.extend(text.iter().filter_map(|symbol| match symbol {
                Symbol::Byte(byte) => Some(*byte),
                _ => None,
            }));
            ready.ends.push(ready.data.len() as i64);
        }
        ready.any_text = ready.ends.is_empty();
        ready
    }

    fn texts(&self) -> impl Iterator<Item = &[u8]> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(&self.ends).map(|(begin, end)| self.data.get(begin as usize..*end as usize).unwrap_or_default())
    }

    fn matches_texts(&self, text: &[u8], finders: &[Finder<'_>]) -> bool {
        let mut rest = text;
        for (index, finder) in finders.iter().enumerate() {
            let (what, is_last) = (finder.needle(), index + 1 == finders.len());
            let (first, last) = (index == 0 && self.tied[0], is_last && self.tied[1]);
            let after = match (first, last) {
                (true, true) => return rest == what,
                (false, true) => return rest.ends_with(what),
                (true, false) => rest.strip_prefix(what),
                (false, false) => finder.find(rest).and_then(|place| rest.get(place + what.len()..)),
            };
            let Some(after) = after else { return false };
            rest = after;
        }
        true
    }

    fn matches_characters(&self, text: &[u8]) -> bool {
        matches(text, self.data.len(), |at| {
            let symbol = match self.data.get(at).copied().unwrap_or_default() {
                byte if byte == Wildcards::AnyCharacter as u8 => Symbol::AnyCharacter,
                byte if byte == Wildcards::AnyCharacters as u8 => Symbol::AnyCharacters,
                byte => Symbol::Byte(byte),
            };
            (symbol, 1)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_cut_where_they_can_be() {
        let texts = |pattern: &str| {
            let ready = Ready::new(pattern.as_bytes(), b"\\");
            (ready.texts().map(|text| String::from_utf8(text.to_vec()).unwrap()).collect::<Vec<_>>(), ready.tied)
        };
        assert_eq!(texts("a%b%%c"), (vec!["a".into(), "b".into(), "c".into()], [true, true]));
        assert_eq!(texts("%a\\%b%"), (vec!["a%b".into()], [false, false]));
        assert_eq!(texts(""), (vec![String::new()], [true, true]));
        assert_eq!(texts("%"), (Vec::new(), [false, false]));
        assert_eq!(Ready::new("a_%".as_bytes(), b"").data, [b'a', 0xfe, 0xff]);
    }
}
