//! Substrings by character position, and replacement of a substring.

use gdf_core::{Column, ColumnView, Error, Operand, Result};
use gdf_engine::elementwise::{Inputs, Nulls};
use gdf_engine::strings::{self, Launch, Texts};
use gdf_kernels::generated::strings::ReplaceSlice;
use gdf_kernels::generated::strings::{
    ReplaceSliceKernel, ReplaceSliceParameters, Slice, SliceKernel, SliceParameters,
};

use super::arguments::{Argument, Integers, known_integer};
use super::characters;
use crate::Ctx;

/// Returns every `step`-th character of each string, from `start` up to but excluding `stop`.
///
/// Negative positions count from the end. If `start` is null, the slice starts at the beginning of the string for a
/// positive `step`, and at the end of the string for a negative `step`. If `stop` is null, the slice extends to the
/// opposite end of the string.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`TypeMismatch`](Error::TypeMismatch): a bound is not an integer. [`InvalidArgument`](Error::InvalidArgument): a
///   step of 0.
/// * Driver and memory errors.
pub fn slice(column: ColumnView<'_>, start: Operand<'_>, stop: Operand<'_>, step: i64, ctx: Ctx<'_>) -> Result<Column> {
    if step == 0 {
        return Err(Error::invalid_argument("the step is 0; use another step").in_argument("step"));
    }
    let text = Argument::column("slice", column)?;
    let bytes = strings::estimated_bytes(column.into());
    let known = known_integer(start).zip(known_integer(stop)).filter(|_| step == 1);
    let (start, stop) = (Argument::integers("start", start, ctx)?, Argument::integers("stop", stop, ctx)?);
    strings::build_about(
        known.map_or(bytes, |(start, stop)| bytes.min(column.len().saturating_mul(stop.saturating_sub(start)))),
        Inputs::new([text.input(), start.input(), stop.input()], ctx)?,
        column.data_type(),
        Nulls::Own { nullable: column.has_validity() },
        ctx,
        |rows, builder| {
            let [text, start, stop] = rows.columns();
            let (texts, starts, stops) = (Texts::open(text)?, Integers::open(start)?, Integers::open(stop)?);
            builder.text(|row, sink| {
                let Some(text) = texts.get(row) else { return false };
                let (start, stop) = (starts.get(row), stops.get(row));
                if step == 1 && start.unwrap_or(0) >= 0 && stop.unwrap_or(0) >= 0 {
                    let begin = start.map_or(0, |start| characters::place(text, start as usize));
                    let len = stop.map_or(usize::MAX, |stop| stop.saturating_sub(start.unwrap_or(0)).max(0) as usize);
                    let rest = text.get(begin..).unwrap_or_default();
                    sink.put(rest.get(..characters::place(rest, len)).unwrap_or_default());
                    return true;
                }
                let (mut at, stop) = bounds(characters::count(text) as i64, start, stop, step);
                let mut place = characters::place(text, at.max(0) as usize);
                while if step > 0 { at < stop } else { at > stop } {
                    let rest = text.get(place..).unwrap_or_default();
                    sink.put(characters::first(rest).map_or(&[], |(one, _)| one));
                    place = if step > 0 {
                        place + characters::place(rest, step as usize)
                    } else {
                        back(text, place, step.unsigned_abs())
                    };
                    at = at.saturating_add(step);
                }
                true
            })
        },
        |launch| {
            let &Launch { inputs: [text, start, stop], out, counts, mailbox, .. } = launch;
            let p = SliceParameters { text, start, stop, step };
            launch.run(SliceKernel::TextWrite, &Slice { out, p, counts, mailbox })
        },
    )
}

/// Returns the byte position of the character that is `characters` characters before the character at `place`.
fn back(text: &[u8], place: usize, characters: u64) -> usize {
    let before = text.get(..place).unwrap_or_default();
    let skip = usize::try_from(characters - 1).unwrap_or(usize::MAX);
    let mut begins = before.iter().enumerate().rev().filter(|(_, byte)| *byte & 0xc0 != 0x80);
    begins.nth(skip).map_or(0, |(at, _)| at)
}

/// Returns the first character and the exclusive end of a slice of a text that has `len` characters.
fn bounds(len: i64, start: Option<i64>, stop: Option<i64>, step: i64) -> (i64, i64) {
    let (low, high) = if step > 0 { (0, len) } else { (-1, len - 1) };
    let bound = |at: i64| (if at < 0 { at.saturating_add(len) } else { at }).clamp(low, high);
    let (first, end) = if step > 0 { (low, high) } else { (high, low) };
    (start.map_or(first, bound), stop.map_or(end, bound))
}

/// Replaces the characters `start .. stop` of each string.
///
/// If `stop` is `None`, the range extends to the end of the string.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`TypeMismatch`](Error::TypeMismatch): the replacement is not a string.
/// * [`InvalidArgument`](Error::InvalidArgument): `stop` comes before `start`.
/// * [`OffsetOverflow`](Error::OffsetOverflow); driver and memory errors.
pub fn replace_slice(
    column: ColumnView<'_>,
    replacement: Operand<'_>,
    start: usize,
    stop: Option<usize>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let stop = stop.unwrap_or(usize::MAX);
    if stop < start {
        return Err(Error::beyond_limit("the end of the range", stop as i128, start as i128).in_argument("stop"));
    }
    let text = Argument::column("replace_slice", column)?;
    let replacement = Argument::text("replacement", replacement, ctx)?;
    strings::build(
        Inputs::new([text.input(), replacement.input()], ctx)?,
        column.data_type(),
        Nulls::Keep,
        ctx,
        |rows, builder| {
            let [text, replacement] = rows.columns();
            let (texts, replacements) = (Texts::open(text)?, Texts::open(replacement)?);
            builder.text(|row, sink| {
                let (Some(text), Some(replacement)) = (texts.get(row), replacements.get(row)) else { return false };
                let (before, rest) = text.split_at(characters::place(text, start));
                sink.put(before);
                sink.put(replacement);
                sink.put(rest.get(characters::place(rest, stop - start)..).unwrap_or_default());
                true
            })
        },
        |launch| {
            let &Launch { inputs: [text, replacement], out, counts, mailbox, .. } = launch;
            let number = |at: usize| i64::try_from(at).unwrap_or(i64::MAX);
            let p = ReplaceSliceParameters { text, replacement, start: number(start), stop: number(stop) };
            launch.run(ReplaceSliceKernel::TextWrite, &ReplaceSlice { out, p, counts, mailbox })
        },
    )
}
