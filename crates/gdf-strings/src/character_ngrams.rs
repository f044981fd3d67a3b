//! N-grams of characters.

use gdf_compute::hashing::murmurhash3_x86_32;
use gdf_core::{Column, ColumnView, Error, Result, TableView};
use gdf_engine::elementwise::{Inputs, Nulls};
use gdf_engine::strings::{self, Launch, SpanOrder, SpanRequest, Spans, Texts};
use gdf_kernels::generated::strings::{CharacterNgrams, CharacterNgramsKernel, CharacterNgramsParameters};

use super::characters;
use crate::Ctx;

/// The maximum factor by which n-grams increase the estimated number of bytes.
const MOST_OVERLAP: usize = 16;

/// Returns the characters of all rows. Each character is one string of the result.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`OffsetOverflow`](Error::OffsetOverflow): more than 2³¹ − 1 characters; driver and memory errors.
pub fn character_tokenize(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    spans("character_tokenize", column, 1, ShortRows::Dropped, ctx.scratch())?.into_texts(ctx)
}

/// Returns a list of the n-grams of each row. An n-gram is a run of `n` consecutive characters. The list of a null
/// row is empty.
///
/// # Errors
/// * The errors of [`character_tokenize`]; [`InvalidArgument`](Error::InvalidArgument): `n` is less than 2.
pub fn generate_character_ngrams(column: ColumnView<'_>, n: usize, ctx: Ctx<'_>) -> Result<Column> {
    check_ngrams("n", n)?;
    spans("generate_character_ngrams", column, n, ShortRows::Dropped, ctx)?.into_lists(Nulls::Never, ctx)
}

/// Returns the MurmurHash3 hash of each n-gram of [`generate_character_ngrams`], as lists of `UInt32`.
///
/// # Errors
/// * The errors of [`generate_character_ngrams`].
pub fn hash_character_ngrams(column: ColumnView<'_>, n: usize, seed: u32, ctx: Ctx<'_>) -> Result<Column> {
    check_ngrams("n", n)?;
    let hash = |texts: &Column| murmurhash3_x86_32(TableView::try_new(vec![texts.view()])?, seed, ctx);
    spans("hash_character_ngrams", column, n, ShortRows::Dropped, ctx)?.into_lists_of(hash, ctx)
}

/// Returns an error for n-grams with fewer than two elements.
pub(super) fn check_ngrams(name: &'static str, n: usize) -> Result<()> {
    if n < 2 {
        return Err(
            Error::invalid_number("an n-gram must have at least 2 tokens or characters", n as i128).in_argument(name)
        );
    }
    Ok(())
}

/// The treatment of a row that is not empty and has fewer than `n` characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShortRows {
    /// The row has no run.
    Dropped,
    /// The whole row is one run.
    Whole,
}

/// Finds every run of `n` consecutive characters of each row.
pub(super) fn spans<'a>(
    operation: &'static str,
    column: ColumnView<'a>,
    n: usize,
    short: ShortRows,
    ctx: Ctx<'_>,
) -> Result<Spans<'a>> {
    let found = strings::spans(
        SpanRequest { operation, order: SpanOrder::Any, estimate: strings::estimated_bytes(column.into()) },
        Inputs::new([column.into()], ctx)?,
        Nulls::Never,
        ctx,
        |rows, builder| {
            let texts = Texts::open(rows.input())?;
            builder.spans(|row, sink| {
                let text = texts.get(row).unwrap_or_default();
                let is_some = if short == ShortRows::Whole { !text.is_empty() } else { characters::count(text) >= n };
                if !is_some {
                    return true;
                }
                let (mut begin, mut end) = (0, characters::place(text, n));
                let bytes_at = |at| text.get(at..).and_then(characters::first).map_or(1, |(one, _)| one.len());
                loop {
                    sink.put_part(&texts, text.get(begin..end).unwrap_or_default());
                    if end >= text.len() {
                        return true;
                    }
                    (begin, end) = (begin + bytes_at(begin), end + bytes_at(end));
                }
            })
        },
        |launch| {
            let &Launch { inputs: [text], out, counts, mailbox, .. } = launch;
            let count = i64::try_from(n).unwrap_or(i64::MAX);
            let p = CharacterNgramsParameters { text, count, whole: (short == ShortRows::Whole).into() };
            let kernels = [CharacterNgramsKernel::TextSizes, CharacterNgramsKernel::TextWrite];
            launch.run_twice(kernels, &CharacterNgrams { out, p, counts, mailbox })
        },
    )?;
    Ok(if n == 1 { found } else { found.overlapping(n.min(MOST_OVERLAP)) })
}
