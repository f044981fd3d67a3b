//! Tests of the types of characters of each row.

use std::ops::BitOr;

use gdf_core::{Column, ColumnView, DataType, Result};
use gdf_engine::elementwise::Nulls;
use gdf_engine::host::{Utf8Piece, pieces};
use gdf_engine::strings;
use gdf_kernels::generated::strings::{CharacterTypes as Arguments, CharacterTypesKernel, TypeTest, Typed};

use super::search::truths;
use crate::Ctx;

/// The table that `cargo xtask codegen` generates.
static TABLE: &[u8] = include_bytes!("tables/character_types.bin");

/// The binary logarithm of the number of characters of a block.
const BLOCK_BITS: u32 = 6;

/// A set of types of characters, as Unicode defines the types. The operator `|` unites two sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CharacterTypes(u8);

impl CharacterTypes {
    /// Decimal digits: numeric type *Decimal*.
    pub const DECIMAL: Self = Self(1);
    /// Numbers of any kind, including fractions and Roman numerals: any numeric type.
    pub const NUMERIC: Self = Self(2);
    /// Digits, including superscripts: numeric type *Decimal* or *Digit*.
    pub const DIGIT: Self = Self(4);
    /// Letters: general category L.
    pub const ALPHA: Self = Self(8);
    /// White space, and U+001C to U+001F.
    pub const SPACE: Self = Self(16);
    /// Characters with the property *Uppercase*.
    pub const UPPER: Self = Self(32);
    /// Characters with the property *Lowercase*.
    pub const LOWER: Self = Self(64);
    /// Letters and numbers.
    pub const ALPHANUM: Self = Self(15);
    /// Characters of upper case or lower case.
    pub const CASE_TYPES: Self = Self(96);
    /// All types. If this set is the argument `verify`, characters that have no type are also selected.
    pub const ALL_TYPES: Self = Self(127);

    pub(crate) fn of(code: u32) -> Self {
        let types = || {
            let (count, rest) = TABLE.split_first_chunk()?;
            let (leads, blocks) = rest.split_at_checked(2 * u32::from_le_bytes(*count) as usize)?;
            let (leads, _) = leads.as_chunks();
            let block = usize::from(u16::from_le_bytes(*leads.get((code >> BLOCK_BITS) as usize)?));
            blocks.get(block << BLOCK_BITS | code as usize & ((1 << BLOCK_BITS) - 1)).copied()
        };
        Self(types().unwrap_or_default())
    }

    /// Returns the set as a bit for each type, in the form that kernels use.
    pub(crate) fn bits(self) -> u32 {
        self.0.into()
    }

    /// Returns whether the two sets have a type in common.
    pub(crate) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for CharacterTypes {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Returns whether, in each row, every character that counts has a type of `types`. A character counts if it has a type
/// of `verify`. If `verify` is [`ALL_TYPES`](CharacterTypes::ALL_TYPES), characters without a type count, too. The
/// result is false if no character counts. Nulls stay null.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`; driver and memory
///   errors.
pub fn all_characters_of_type(
    column: ColumnView<'_>,
    types: CharacterTypes,
    verify: CharacterTypes,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let p = Typed { types: types.0.into(), verify: verify.0.into(), test: TypeTest::AllOfType as i32, unused: 0 };
    // `said` returns `None` for a character that does not count.
    let said = |code: u32| {
        let own = CharacterTypes::of(code);
        let counts = own.meets(verify) || (own.0 == 0 && verify == CharacterTypes::ALL_TYPES);
        counts.then(|| own.meets(types))
    };
    let ascii: [Option<bool>; 128] = std::array::from_fn(|code| said(code as u32));
    test("all_characters_of_type", column, p, ctx, |text| {
        let (mut counts, mut rest) = (false, text);
        while let Some((byte, after)) = rest.split_first() {
            let answer = match ascii.get(usize::from(*byte)) {
                Some(answer) => {
                    rest = after;
                    *answer
                }
                None => {
                    let Some(piece) = pieces(rest).next() else { break };
                    rest = rest.get(piece.size()..).unwrap_or_default();
                    said(match piece {
                        Utf8Piece::Character(character) => character.into(),
                        _ => u32::from(*byte),
                    })
                }
            };
            match answer {
                Some(false) => return false,
                Some(true) => counts = true,
                None => {}
            }
        }
        counts
    })
}

/// Returns whether each row is in title case. The first letter of each word must be an upper-case letter, and no
/// other letter may be an upper-case letter. A word is a run of letters. The result is false for a row without
/// letters. Nulls stay null.
///
/// # Errors
/// * The errors of [`all_characters_of_type`].
pub fn is_title(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let p = Typed { test: TypeTest::Title as i32, ..Typed::default() };
    test("is_title", column, p, ctx, |text| {
        let (mut counts, mut within) = (false, false);
        for code in codes(text) {
            let own = CharacterTypes::of(code);
            let is_letter = own.meets(CharacterTypes::ALPHA);
            if is_letter && within == own.meets(CharacterTypes::UPPER) {
                return false;
            }
            counts |= is_letter;
            within = is_letter;
        }
        counts
    })
}

fn test(
    operation: &'static str,
    column: ColumnView<'_>,
    p: Typed,
    ctx: Ctx<'_>,
    is: impl Fn(&[u8]) -> bool + Sync,
) -> Result<Column> {
    strings::values(
        operation,
        column,
        &DataType::Boolean,
        Nulls::Keep,
        ctx,
        |rows, texts| truths(rows, |row| is(texts.get(row))),
        |launch, bytes| {
            let arguments = Arguments { input: launch.inputs[0], bytes, out: launch.out, p };
            launch.run_prepared(CharacterTypesKernel::Test, &arguments)
        },
    )
}

pub(super) fn codes(text: &[u8]) -> impl Iterator<Item = u32> + '_ {
    pieces(text).flat_map(|piece| {
        let (ascii, one) = match piece {
            Utf8Piece::Ascii(bytes) => (bytes, None),
            Utf8Piece::Character(character) => (&[][..], Some(u32::from(character))),
            Utf8Piece::Stray(byte) => (&[][..], Some(u32::from(byte))),
        };
        ascii.iter().map(|byte| u32::from(*byte)).chain(one)
    })
}
