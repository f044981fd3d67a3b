//! The parts of each row's text that a regular expression finds.

use gdf_core::{ColumnView, Result};
use gdf_driver::Device;
use gdf_kernels::generated::common::TextSpan;
use gdf_kernels::generated::strings::{RegexChain, RegexChainKernel, RegexSpans, RegexSpansKernel, RegexSpansRequest};

use super::Regex;
use super::cuda::{CHUNK_THREADS, enqueue, limit_of};
use super::host::Searcher;
use super::tagged_dfa::Tags;
use crate::Ctx;
use crate::cuda::Kernel;
use crate::elementwise::{Inputs, Nulls};
use crate::strings::{self, RowSink, SpanOrder, SpanRequest, Spans, Texts};

/// The parts of each row's text that a caller requests. The parts are returned in the order of the text.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The first requested group of each match. Group 0 is the whole match.
    pub first_group: usize,
    /// The number of requested groups of each match. If the number is 0, the parts between the matches are requested
    /// instead.
    pub groups: usize,
    /// The maximum number of matches of a row that are used. `None` means all matches.
    pub limit: Option<usize>,
    /// Whether the limit keeps the last matches of a row instead of the first matches.
    pub from_end: bool,
    /// Whether rows without a match are null.
    pub null_without_match: bool,
}

impl Wanted {
    /// Requests `groups` groups of each match, from `first_group` on.
    pub const fn groups(first_group: usize, groups: usize) -> Self {
        Self { first_group, groups, limit: None, from_end: false, null_without_match: false }
    }
}

/// Finds the requested parts of each row of text. Null rows stay null.
///
/// # Errors
/// * The errors of [`strings::spans`].
pub fn spans<'a>(
    operation: &'static str,
    column: ColumnView<'a>,
    regex: &Regex,
    wanted: Wanted,
    ctx: Ctx<'_>,
) -> Result<Spans<'a>> {
    let regex = &*regex.0;
    let Wanted { first_group, groups, limit, null_without_match, .. } = wanted;
    if limit == Some(1) && groups > 0 && !null_without_match && ctx.stream.device() != Device::Cpu {
        return strings::fixed_spans(operation, column, groups, ctx, |launch| {
            let found: Kernel<RegexSpans> = Kernel::choose(RegexSpansKernel::First, ctx.stream)?;
            let (tags, text, rows) = (tags_of(wanted), launch.inputs[0], launch.rows);
            regex.on_device_at_once(tags, &found, text, rows, ctx, |chain, most| {
                let p = RegexSpansRequest {
                    text: chain.text,
                    pattern: chain.pattern,
                    chunks: chain.chunks,
                    first_group: first_group as i32,
                    groups: groups as i32,
                    ..Default::default()
                };
                let &strings::Launch { out, counts, mailbox, .. } = launch;
                let arguments = RegexSpans { out, p, counts, mailbox };
                enqueue(launch, &chain, RegexSpansKernel::First, rows.min(most), &arguments)?;
                if chain.chunks.chunks.is_null() {
                    return Ok(());
                }
                let units = CHUNK_THREADS.min(chain.chunks.count as usize);
                launch.enqueue(RegexChainKernel::Guess, units, &RegexChain { p: chain })?;
                launch.enqueue(RegexChainKernel::Link, units, &RegexChain { p: chain })?;
                launch.enqueue(RegexSpansKernel::FirstOfChunks, most.min(units), &arguments)
            })
        });
    }
    let nulls = if wanted.null_without_match { Nulls::Own { nullable: true } } else { Nulls::Keep };
    let is_plain = groups == 0 || (first_group == 0 && groups == 1 && !null_without_match);
    let is_plain = is_plain && regex.takes_staged(tags_of(wanted));
    let order = if is_plain { SpanOrder::Ascending } else { SpanOrder::Any };
    strings::spans(
        SpanRequest { operation, order, estimate: 0 },
        Inputs::new([column.into()], ctx)?,
        nulls,
        ctx,
        |rows, builder| {
            let texts = Texts::open(rows.input())?;
            let dfa = regex.fast(rows.len(), texts.bytes().len());
            builder.spans_with(
                || regex.searcher(dfa),
                |searcher, row, sink| texts.get(row).is_some_and(|text| put(searcher, &texts, text, wanted, sink)),
            )
        },
        |launch| {
            let kernels = [RegexSpansKernel::PartsSizes, RegexSpansKernel::PartsWrite, RegexSpansKernel::Lists];
            let found: Kernel<RegexSpans> = Kernel::choose(kernels[0], ctx.stream)?;
            regex.on_device_twice(tags_of(wanted), &found, launch, ctx, |chain, most| {
                let p = RegexSpansRequest {
                    text: chain.text,
                    pattern: chain.pattern,
                    chunks: chain.chunks,
                    limit: limit_of(wanted.limit),
                    first_group: wanted.first_group as i32,
                    groups: wanted.groups as i32,
                    from_end: wanted.from_end.into(),
                    null_without_match: wanted.null_without_match.into(),
                };
                let &strings::Launch { out, counts, mailbox, .. } = launch;
                let arguments = RegexSpans { out, p, counts, mailbox };
                let rows = launch.spread(launch.rows).min(most);
                enqueue(launch, &chain, launch.of_spans(kernels), rows, &arguments)?;
                if launch.writes_chunks() {
                    launch.enqueue(RegexSpansKernel::ChunksWrite, most.min(p.chunks.count as usize), &arguments)?;
                }
                Ok(())
            })
        },
    )
}

fn tags_of(wanted: Wanted) -> Tags {
    if wanted.first_group + wanted.groups > 1 { Tags::Groups } else { Tags::Begin }
}

/// Adds the requested parts of a row's text to the sink.
fn put(
    searcher: &mut Searcher<'_>,
    texts: &Texts<'_>,
    text: &[u8],
    wanted: Wanted,
    sink: &mut RowSink<'_, TextSpan>,
) -> bool {
    let limit = wanted.limit.unwrap_or(usize::MAX);
    let mut skipped = 0_usize;
    if wanted.from_end {
        searcher.for_each(text, 0, |_, _| {
            skipped += 1;
            true
        });
        skipped = skipped.saturating_sub(limit);
    }
    let mut part = |begin: usize, end: usize| match text.get(begin..end) {
        Some(part) => sink.put_part(texts, part),
        None => sink.put_null(),
    };
    let (mut matches, mut last) = (0, 0);
    let last_group = (wanted.first_group + wanted.groups).saturating_sub(1);
    searcher.for_each(text, last_group, |(begin, end), slots| {
        matches += 1;
        if matches <= skipped {
            return true;
        }
        if matches - skipped > limit {
            return false;
        }
        let more = matches - skipped < limit;
        if wanted.groups == 0 {
            part(last, begin);
            last = end;
            return more;
        }
        for group in wanted.first_group..=last_group {
            match (slots.get(2 * group).copied().flatten(), slots.get(2 * group + 1).copied().flatten()) {
                (Some(begin), Some(end)) => part(begin.get(), end.get()),
                _ => part(1, 0),
            }
        }
        more
    });
    if wanted.groups == 0 {
        part(last, text.len());
    }
    !wanted.null_without_match || matches > 0
}
