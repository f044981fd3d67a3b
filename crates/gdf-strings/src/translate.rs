//! Mapping and filtering of characters.

use std::ops::RangeInclusive;

use gdf_core::{Column, ColumnView, Literal, Result};
use gdf_engine::cuda::In;
use gdf_engine::input::Input;
use gdf_engine::strings::{self, Launch, open_text};
use gdf_kernels::generated::strings::{
    TRANSLATE_KEPT, TRANSLATE_REPLACED, Translate, TranslateKernel, TranslateParameters, TranslateRange,
};
use gdf_memory::Buffer;

use super::{CharacterTypes, characters};
use crate::Ctx;

/// Whether a filter keeps or removes the given characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Filter {
    /// The given characters are kept. All other characters are removed.
    Keep,
    /// The given characters are removed. All other characters are kept.
    Remove,
}

impl Filter {
    /// Returns the target of the given characters, and the target of all other characters.
    fn targets(self) -> (u32, u32) {
        match self {
            Filter::Keep => (TRANSLATE_KEPT, TRANSLATE_REPLACED),
            Filter::Remove => (TRANSLATE_REPLACED, TRANSLATE_KEPT),
        }
    }
}

/// Replaces the characters of each string according to `table`. A character that maps to `None` is removed.
///
/// If the table has two pairs for a character, the first pair counts.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
pub fn translate(column: ColumnView<'_>, table: &[(char, Option<char>)], ctx: Ctx<'_>) -> Result<Column> {
    let range = |&(from, to): &(char, Option<char>)| TranslateRange {
        first: from.into(),
        last: from.into(),
        to: to.map_or(TRANSLATE_REPLACED, u32::from),
        unused: 0,
    };
    let mut ranges: Vec<_> = table.iter().map(range).collect();
    ranges.sort_by_key(|range| range.first);
    ranges.dedup_by_key(|range| range.first);
    by_ranges("translate", column, &ranges, TRANSLATE_KEPT, "", ctx)
}

/// Keeps or removes characters as `filter` states. Each removed character is replaced by a string.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
pub fn filter_characters(
    column: ColumnView<'_>,
    ranges: &[RangeInclusive<char>],
    filter: Filter,
    replacement: &str,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (to, other) = filter.targets();
    let mut given: Vec<_> = ranges.iter().map(|range| (u32::from(*range.start()), u32::from(*range.end()))).collect();
    given.retain(|(first, last)| first <= last);
    given.sort_unstable();
    let mut apart: Vec<TranslateRange> = Vec::with_capacity(given.len());
    for (first, last) in given {
        match apart.last_mut().filter(|before| first <= before.last) {
            Some(before) => before.last = before.last.max(last),
            None => apart.push(TranslateRange { first, last, to, unused: 0 }),
        }
    }
    by_ranges("filter_characters", column, &apart, other, replacement, ctx)
}

/// Keeps or removes the characters of some types, as `filter` states. Each removed character is replaced by a string.
///
/// # Errors
/// * The errors of [`filter_characters`].
pub fn filter_characters_of_type(
    column: ColumnView<'_>,
    types: CharacterTypes,
    filter: Filter,
    replacement: &str,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (of_types, other) = filter.targets();
    let p = TranslateParameters { types: types.bits(), of_types, other, ..TranslateParameters::default() };
    let target = |code| if CharacterTypes::of(code).meets(types) { of_types } else { other };
    mapped("filter_characters_of_type", column, CharacterMap { ranges: &[], p, target }, replacement, ctx)
}

/// Maps characters by ranges.
fn by_ranges(
    operation: &'static str,
    column: ColumnView<'_>,
    ranges: &[TranslateRange],
    other: u32,
    replacement: &str,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let p = TranslateParameters { count: ranges.len() as i64, other, ..TranslateParameters::default() };
    let target = |code| {
        let at = ranges.partition_point(|range| range.last < code);
        ranges.get(at).filter(|range| range.first <= code).map_or(other, |range| range.to)
    };
    mapped(operation, column, CharacterMap { ranges, p, target }, replacement, ctx)
}

struct CharacterMap<'a, F> {
    /// The mapping as ranges, for kernels. A mapping by the types of characters has no ranges.
    ranges: &'a [TranslateRange],
    p: TranslateParameters<'a>,
    /// The same mapping as a function of a character's code.
    target: F,
}

fn mapped<F: Fn(u32) -> u32 + Sync>(
    operation: &'static str,
    column: ColumnView<'_>,
    CharacterMap { ranges, p, target }: CharacterMap<'_, F>,
    replacement: &str,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let with = Literal::from(replacement).to_operand_scalar(ctx.stream, ctx.mr.temporary)?;
    strings::map(
        operation,
        column,
        ctx,
        |text, sink| {
            for one in characters::each(text) {
                match target(characters::code(one).into()) {
                    TRANSLATE_KEPT => sink.put(one),
                    TRANSLATE_REPLACED => sink.put(replacement.as_bytes()),
                    to => char::from_u32(to).into_iter().for_each(|to| sink.put_char(to)),
                }
            }
        },
        |launch| {
            let &Launch { inputs: [text], out, counts, mailbox, .. } = launch;
            let replacement = open_text(Input::Scalar(&with), ctx.stream)?;
            let table = Buffer::from_host(bytemuck::cast_slice(ranges), ctx.stream, ctx.mr.temporary)?;
            let access = table.read_on(ctx.stream)?;
            let p = TranslateParameters { text, ranges: In::of(&access), replacement: replacement.desc(), ..p };
            launch.run(TranslateKernel::TextWrite, &Translate { out, p, counts, mailbox })
        },
    )
}
