//! Splitting of strings into pieces.

use gdf_core::{Column, ColumnView, Operand, Result, Table};
use gdf_engine::elementwise::{Inputs, Nulls};
use gdf_engine::input::Input;
use gdf_engine::strings::{self, ChunkLaunch, Launch, SpanOrder, SpanRequest, Spans, Texts};
use gdf_kernels::generated::common::TextSpan;
use gdf_kernels::generated::strings::{ExtractBetween, ExtractBetweenKernel, ExtractBetweenParameters};
use gdf_kernels::generated::strings::{Split, SplitKernel, SplitKind, SplitParameters};
use gdf_kernels::generated::strings::{SplitPart, SplitPartKernel, SplitPartParameters};
use memchr::memmem;

use super::arguments::{Argument, Integers};
use super::characters;
use crate::Ctx;

/// The end of the string at which splits are counted first. The end matters only if the number of splits is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SplitFrom {
    /// Splits are counted from the beginning of the string.
    Left,
    /// Splits are counted from the end of the string.
    Right,
}

/// Splits each string at the delimiters, into a list of pieces.
///
/// If the delimiter is empty, the string is split at runs of white space. At most `max` delimiters split a string.
/// `None` and 0 mean no limit.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the delimiter is not a string.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow): more than 2³¹ − 1 pieces; driver and memory errors.
pub fn split_record(
    column: ColumnView<'_>,
    delimiter: Operand<'_>,
    max: Option<usize>,
    from: SplitFrom,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (text, delimiter) = arguments("split_record", column, delimiter, ctx)?;
    find(inputs(&text, &delimiter, ctx)?, kind(from), max, ctx)?.into_lists(Nulls::Never, ctx)
}

/// Splits each string as [`split_record`] does, into one column for each piece.
///
/// There is at least one column. A column is null in each row that has fewer pieces.
///
/// # Errors
/// * The errors of [`split_record`].
pub fn split(
    column: ColumnView<'_>,
    delimiter: Operand<'_>,
    max: Option<usize>,
    from: SplitFrom,
    ctx: Ctx<'_>,
) -> Result<Table> {
    let (text, delimiter) = arguments("split", column, delimiter, ctx)?;
    let spans = find(inputs(&text, &delimiter, ctx)?, kind(from), max, ctx.scratch())?;
    Table::try_new(spans.into_columns(None, ctx)?)
}

/// Splits each string at one delimiter. The three columns of the result are the text before the delimiter, the
/// delimiter, and the text after the delimiter.
///
/// If `from` is [`SplitFrom::Left`], the first delimiter splits the string, and otherwise the last delimiter. If the
/// delimiter is empty, the string is split at a character of white space.
///
/// # Errors
/// * The errors of [`split_record`].
pub fn partition(column: ColumnView<'_>, delimiter: Operand<'_>, from: SplitFrom, ctx: Ctx<'_>) -> Result<Table> {
    let (text, delimiter) = arguments("partition", column, delimiter, ctx)?;
    let kind = if from == SplitFrom::Left { SplitKind::PartLeft } else { SplitKind::PartRight };
    let found = find(inputs(&text, &delimiter, ctx)?, kind, None, ctx.scratch())?;
    Table::try_new(found.into_columns(Some(3), ctx)?)
}

/// Returns the piece with the number `index` of each string.
///
/// A negative number counts from the end. The result is null if the string has no such piece.
///
/// # Errors
/// * The errors of [`split_record`]; [`TypeMismatch`](gdf_core::Error::TypeMismatch): the index is not an integer.
pub fn split_part(column: ColumnView<'_>, delimiter: Operand<'_>, index: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let (text, delimiter) = arguments("split_part", column, delimiter, ctx)?;
    let index = Argument::integers("index", index, ctx)?;
    strings::build(
        Inputs::new([text.input(), delimiter.input(), index.input()], ctx)?,
        column.data_type(),
        Nulls::Own { nullable: true },
        ctx,
        |rows, builder| {
            let [text, delimiter, index] = rows.columns();
            let (texts, delimiters, indices) = (Texts::open(text)?, Texts::open(delimiter)?, Integers::open(index)?);
            builder.text(|row, sink| {
                let (Some(text), Some(delimiter)) = (texts.get(row), delimiters.get(row)) else { return false };
                let Some(index) = indices.get(row) else { return false };
                let from = if index < 0 { SplitFrom::Right } else { SplitFrom::Left };
                let nth = if index < 0 { -(index + 1) } else { index };
                let piece = pieces(text, delimiter, usize::MAX, from).nth(usize::try_from(nth).unwrap_or(usize::MAX));
                piece.map(|piece| sink.put(piece)).is_some()
            })
        },
        |launch| {
            let &Launch { inputs: [text, delimiter, index], out, counts, mailbox, .. } = launch;
            let p = SplitPartParameters { text, delimiter, index };
            launch.run(SplitPartKernel::TextWrite, &SplitPart { out, p, counts, mailbox })
        },
    )
}

/// Returns the part of each string between the first `start` and the first `end` after this `start`.
///
/// The result is null if either marker is missing.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): a marker is not a string; driver and memory errors.
pub fn extract_between(column: ColumnView<'_>, start: Operand<'_>, end: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let text = Argument::column("extract_between", column)?;
    let (start, end) = (Argument::text("start", start, ctx)?, Argument::text("end", end, ctx)?);
    strings::build(
        Inputs::new([text.input(), start.input(), end.input()], ctx)?,
        column.data_type(),
        Nulls::Own { nullable: true },
        ctx,
        |rows, builder| {
            let [text, start, end] = rows.columns();
            let (texts, starts, ends) = (Texts::open(text)?, Texts::open(start)?, Texts::open(end)?);
            let found = |row| {
                let (text, start, end) = (texts.get(row)?, starts.get(row)?, ends.get(row)?);
                let rest = text.get(memmem::find(text, start)? + start.len()..)?;
                rest.get(..memmem::find(rest, end)?)
            };
            builder.text(|row, sink| found(row).map(|text| sink.put(text)).is_some())
        },
        |launch| {
            let &Launch { inputs: [text, start, end], out, counts, mailbox, .. } = launch;
            let p = ExtractBetweenParameters { text, start, end };
            launch.run(ExtractBetweenKernel::TextWrite, &ExtractBetween { out, p, counts, mailbox })
        },
    )
}

fn kind(from: SplitFrom) -> SplitKind {
    if from == SplitFrom::Left { SplitKind::Left } else { SplitKind::Right }
}

fn arguments<'a>(
    operation: &'static str,
    column: ColumnView<'a>,
    delimiter: Operand<'a>,
    ctx: Ctx<'_>,
) -> Result<(Argument<'a>, Argument<'a>)> {
    Ok((Argument::column(operation, column)?, Argument::text("delimiter", delimiter, ctx)?))
}

fn inputs<'a>(text: &'a Argument<'_>, delimiter: &'a Argument<'_>, ctx: Ctx<'_>) -> Result<Inputs<'a, 2>> {
    Inputs::new([text.input(), delimiter.input()], ctx)
}

fn find<'a>(inputs: Inputs<'a, 2>, kind: SplitKind, max: Option<usize>, ctx: Ctx<'_>) -> Result<Spans<'a>> {
    // A limit of 0 means no limit, as in pandas.
    let max = max.filter(|max| *max > 0);
    let (rows, bytes) = (inputs.rows(), strings::estimated_bytes(inputs.operands[0]));
    let is_one = matches!(inputs.operands[1], Input::Scalar(_));
    // For few rows, memory for 8 spans of each row is allocated. If a long row may have more pieces, as many bytes are
    // allocated as the text has.
    let is_unlimited = max.is_none() && matches!(kind, SplitKind::Left | SplitKind::Right);
    let few = (rows * 8).max(if is_unlimited { bytes / size_of::<TextSpan>() } else { 0 });
    strings::spans(
        SpanRequest {
            operation: "split",
            // If splits are counted from the end, the pieces are found in reverse order.
            order: if kind == SplitKind::Right { SpanOrder::Any } else { SpanOrder::Ascending },
            estimate: if rows <= strings::FEW_ROWS { few } else { 0 },
        },
        inputs,
        Nulls::Keep,
        ctx,
        |rows, builder| {
            let [text, delimiter] = rows.columns();
            let (texts, delimiters) = (Texts::open(text)?, Texts::open(delimiter)?);
            let max = max.unwrap_or(usize::MAX);
            builder.spans(|row, sink| {
                let (Some(text), Some(delimiter)) = (texts.get(row), delimiters.get(row)) else { return false };
                match kind {
                    SplitKind::Left => {
                        pieces(text, delimiter, max, SplitFrom::Left).for_each(|piece| sink.put_part(&texts, piece));
                    }
                    SplitKind::Right => {
                        let mut all: Vec<_> = pieces(text, delimiter, max, SplitFrom::Right).collect();
                        all.reverse();
                        all.into_iter().for_each(|piece| sink.put_part(&texts, piece));
                    }
                    SplitKind::PartLeft | SplitKind::PartRight => {
                        let from = if kind == SplitKind::PartLeft { SplitFrom::Left } else { SplitFrom::Right };
                        parts(text, delimiter, from).into_iter().for_each(|part| sink.put_part(&texts, part));
                    }
                }
                true
            })
        },
        |launch| {
            let &Launch { inputs: [text, delimiter], out, counts, mailbox, .. } = launch;
            let max = max.map_or(i64::MAX, |max| i64::try_from(max).unwrap_or(i64::MAX));
            let cuts = max == i64::MAX && kind == SplitKind::Left && is_one;
            let chunks = launch.text_chunks(if cuts { strings::LONG_TEXT } else { i64::MAX });
            let of_rows = ChunkLaunch { chunks, links: true, units: chunks.count as usize * 32 };
            let p = SplitParameters { text, delimiter, max, kind: kind as i32, unused: 0, chunks };
            let arguments = Split { out, p, counts, mailbox };
            let kernels = [SplitKernel::TextSizes, SplitKernel::TextWrite, SplitKernel::Lists];
            let of_chunks = [SplitKernel::ChunksSizes, SplitKernel::ChunksWrite];
            launch.run_chunks(of_chunks, of_rows, &arguments, || launch.run_spans(kernels, &arguments))
        },
    )
}

/// Returns the pieces of a string. The order is from the first piece to the last, or from the last piece to the first.
fn pieces<'t>(text: &'t [u8], delimiter: &'t [u8], max: usize, from: SplitFrom) -> impl Iterator<Item = &'t [u8]> {
    let (mut rest, mut times) = (Some(text), 0);
    let left = from == SplitFrom::Left;
    let space = |one: &[u8]| characters::is_space(one);
    std::iter::from_fn(move || {
        let mut text = rest?;
        if delimiter.is_empty() {
            text = skip(text, left, space);
            if text.is_empty() {
                rest = None;
                return None;
            }
        }
        times += 1;
        let place = if times > max {
            None
        } else if delimiter.is_empty() {
            let after = skip(text, left, |one| !characters::is_space(one));
            Some(if left { (text.len() - after.len(), text.len() - after.len()) } else { (after.len(), after.len()) })
        } else {
            found(text, delimiter, left).map(|at| (at, at + delimiter.len()))
        };
        let Some((begin, end)) = place else {
            rest = None;
            return Some(text);
        };
        let (before, after) = (text.get(..begin)?, text.get(end..)?);
        let piece;
        (piece, rest) = if left { (before, Some(after)) } else { (after, Some(before)) };
        Some(piece)
    })
}

fn found(text: &[u8], delimiter: &[u8], left: bool) -> Option<usize> {
    match delimiter {
        [byte] if left => memchr::memchr(*byte, text),
        [byte] => memchr::memrchr(*byte, text),
        _ if left => memmem::find(text, delimiter),
        _ => memmem::rfind(text, delimiter),
    }
}

/// Strips characters from one side of the string until `skips` is false for a character.
fn skip(text: &[u8], left: bool, skips: impl Fn(&[u8]) -> bool) -> &[u8] {
    let mut rest = text;
    loop {
        let next = if left {
            characters::first(rest).filter(|(one, _)| skips(one)).map(|(_, after)| after)
        } else {
            characters::last(rest).filter(|(_, one)| skips(one)).map(|(before, _)| before)
        };
        match next {
            Some(next) => rest = next,
            None => return rest,
        }
    }
}

/// Returns the part of the string before the delimiter, the delimiter itself, and the part of the string after the
/// delimiter.
fn parts<'t>(text: &'t [u8], delimiter: &[u8], from: SplitFrom) -> [&'t [u8]; 3] {
    let left = from == SplitFrom::Left;
    let place = if delimiter.is_empty() {
        let rest = skip(text, left, |one| !characters::is_space(one));
        if left {
            characters::first(rest).map(|(one, _)| (text.len() - rest.len(), one.len()))
        } else {
            characters::last(rest).map(|(before, one)| (before.len(), one.len()))
        }
    } else {
        found(text, delimiter, left).map(|at| (at, delimiter.len()))
    };
    let (begin, len) = place.unwrap_or((if left { text.len() } else { 0 }, 0));
    let part = |range| text.get(range).unwrap_or_default();
    [part(0..begin), part(begin..begin + len), part(begin + len..text.len())]
}
