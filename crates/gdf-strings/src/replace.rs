//! Replacement of substrings.

use gdf_core::{Column, ColumnView, Operand, Result};
use gdf_engine::decoded::Decoded;
use gdf_engine::elementwise::{Inputs, Nulls};
use gdf_engine::input::Input;
use gdf_engine::strings::{self, ChunkLaunch, Launch, Texts};
use gdf_kernels::generated::strings::{Replace, ReplaceKernel, ReplaceParameters};
use gdf_kernels::generated::strings::{ReplaceMultiple, ReplaceMultipleKernel, ReplaceMultipleParameters};
use memchr::memmem::Finder;

use super::arguments::Argument;
use crate::Ctx;

/// Replaces the occurrences of `target` in each string, from the left, at most `max` times. An empty target does not
/// occur.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the target or the replacement is not text.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
pub fn replace(
    column: ColumnView<'_>,
    target: Operand<'_>,
    replacement: Operand<'_>,
    max: Option<usize>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let text = Argument::column("replace", column)?;
    let target = Argument::text("target", target, ctx)?;
    let replacement = Argument::text("replacement", replacement, ctx)?;
    let is_one = matches!((target.input(), replacement.input()), (Input::Scalar(_), Input::Scalar(_)));
    strings::build(
        Inputs::new([text.input(), target.input(), replacement.input()], ctx)?,
        column.data_type(),
        Nulls::Keep,
        ctx,
        |rows, builder| {
            let [text, target, replacement] = rows.columns();
            let (texts, targets, replacements) = (Texts::open(text)?, Texts::open(target)?, Texts::open(replacement)?);
            let one = target.broadcast().then(|| targets.get(0).map(Finder::new)).flatten();
            builder.text(|row, sink| {
                let (Some(text), Some(target)) = (texts.get(row), targets.get(row)) else { return false };
                let Some(replacement) = replacements.get(row) else { return false };
                let own;
                let finder = match &one {
                    Some(finder) => finder,
                    None => {
                        own = Finder::new(target);
                        &own
                    }
                };
                let mut from = 0;
                let max = if target.is_empty() { Some(0) } else { max };
                for at in finder.find_iter(text).take(max.unwrap_or(usize::MAX)) {
                    sink.put(text.get(from..at).unwrap_or_default());
                    sink.put(replacement);
                    from = at + target.len();
                }
                sink.put(text.get(from..).unwrap_or_default());
                true
            })
        },
        |launch| {
            let &Launch { inputs: [text, target, replacement], out, counts, mailbox, .. } = launch;
            let max = max.map_or(i64::MAX, |max| i64::try_from(max).unwrap_or(i64::MAX));
            let cuts = max == i64::MAX && is_one;
            let chunks = launch.text_chunks(if cuts { strings::LONG_TEXT } else { i64::MAX });
            let p = ReplaceParameters { text, target, replacement, max, chunks };
            let arguments = Replace { out, p, counts, mailbox };
            let kernels = [ReplaceKernel::TextSizes, ReplaceKernel::TextWrite];
            let of_chunks = [ReplaceKernel::ChunksSizes, ReplaceKernel::ChunksWrite];
            let of_rows = ChunkLaunch { chunks, links: false, units: chunks.count as usize * 32 };
            launch.run_chunks(of_chunks, of_rows, &arguments, || launch.run_prepared_twice(kernels, &arguments))
        },
    )
}

/// Replaces each occurrence of each of `targets` by its replacement, or by the only replacement.
///
/// If several targets occur at the same place, the target that comes first in `targets` is replaced. Null and empty
/// targets do not occur. A null replacement counts as empty.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): the number of replacements is neither one nor the number of
///   targets.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
pub fn replace_multiple(
    column: ColumnView<'_>,
    targets: ColumnView<'_>,
    replacements: ColumnView<'_>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let operation = "replace_multiple";
    let (targets, replacements) = (Decoded::of(targets, ctx.scratch())?, Decoded::of(replacements, ctx.scratch())?);
    let (targets, replacements) = (targets.view(), replacements.view());
    for text in [column, targets, replacements] {
        strings::is_large(operation, text)?;
    }
    if replacements.len() != 1 {
        gdf_engine::check::length(targets.len(), replacements.len())
            .map_err(|error| error.in_argument("replacements"))?;
    }
    let (count, one) = (targets.len(), replacements.len() == 1);
    strings::build(
        Inputs::for_rows([column.into(), targets.into(), replacements.into()], column.len(), ctx)?,
        column.data_type(),
        Nulls::Own { nullable: column.has_validity() },
        ctx,
        |rows, builder| {
            let [text, targets, replacements] = rows.columns();
            let (texts, targets, replacements) =
                (Texts::open(text)?, Texts::open(targets)?, Texts::open(replacements)?);
            let all: Vec<_> = (0..count).map(|at| targets.get(at).unwrap_or_default()).collect();
            let mut begins = [false; 256]; // for each byte value: whether a target begins with the byte
            all.iter().filter_map(|target| target.first()).for_each(|byte| begins[usize::from(*byte)] = true);
            builder.text(|row, sink| {
                let Some(text) = texts.get(row) else { return false };
                let (mut from, mut at) = (0, 0);
                while let Some(next) =
                    text.get(at..).and_then(|rest| rest.iter().position(|byte| begins[usize::from(*byte)]))
                {
                    at += next;
                    let rest = text.get(at..).unwrap_or_default();
                    match all.iter().position(|target| !target.is_empty() && rest.starts_with(target)) {
                        None => at += 1,
                        Some(found) => {
                            sink.put(text.get(from..at).unwrap_or_default());
                            sink.put(replacements.get(if one { 0 } else { found }).unwrap_or_default());
                            at += all.get(found).map_or(1, |target| target.len());
                            from = at;
                        }
                    }
                }
                sink.put(text.get(from..).unwrap_or_default());
                true
            })
        },
        |launch| {
            let &Launch { inputs: [text, targets, replacements], out, counts, mailbox, .. } = launch;
            let p = ReplaceMultipleParameters { text, targets, replacements };
            launch.run_prepared(ReplaceMultipleKernel::TextWrite, &ReplaceMultiple { out, p, counts, mailbox })
        },
    )
}
