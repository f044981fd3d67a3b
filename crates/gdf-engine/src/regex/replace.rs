//! Replacement of the matches of a regular expression in text.

use std::cell::OnceCell;
use std::ops::Range;

use gdf_core::{Column, ColumnView, Result};
use gdf_kernels::generated::strings::{ReplaceRe, ReplaceReKernel, ReplaceRePart, ReplaceReReplacement};
use gdf_memory::Buffer;

use super::Regex;
use super::cuda::{enqueue, limit_of};
use super::host::Searcher;
use super::tagged_dfa::Tags;
use crate::Ctx;
use crate::cuda::{Bytes, In, Kernel};
use crate::layout::characters;
use crate::strings::{self, ChunkLaunch, Estimate, TextSink};

/// A part of the replacement of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePart {
    /// A range of the template's text.
    Text(Range<usize>),
    /// A group of the match. Group 0 is the whole match. A group that did not take part in the match is empty.
    Group(usize),
}

/// The replacement of a match: parts of `text`, and groups of the match.
#[derive(Clone, Debug)]
pub struct Template<'a> {
    pub text: &'a str,
    pub parts: Vec<TemplatePart>,
}

impl Template<'_> {
    fn groups(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().filter_map(|part| match part {
            TemplatePart::Group(group) => Some(*group),
            TemplatePart::Text(_) => None,
        })
    }
}

/// Replaces matches in each row of text. At most `limit` matches of each row are replaced. Nulls stay null.
///
/// # Errors
/// * The errors of [`strings::map`].
pub fn replace(
    operation: &'static str,
    column: ColumnView<'_>,
    regex: &Regex,
    template: &Template<'_>,
    limit: Option<usize>,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let regex = &*regex.0;
    let (rows, bytes) = (column.len(), characters(column).get());
    // For 2³³ bytes or more, no sample is used for the estimate. A size that is not known is stored as a large
    // number, so the total of the sampled sizes could wrap around.
    let estimate = match bytes >> 33 {
        0 => Estimate::Sampled(strings::estimated_bytes(column.into())),
        _ => Estimate::About(0),
    };
    // All launches read the same copy of the template.
    let uploaded = OnceCell::new();
    strings::map_about(
        estimate,
        operation,
        column,
        ctx,
        |text, sink| put_replaced(regex.searcher(regex.fast(rows, bytes)), text, template, limit, sink),
        |launch| {
            let parts: Vec<_> = template
                .parts
                .iter()
                .map(|part| match part {
                    TemplatePart::Text(range) => {
                        ReplaceRePart { begin: range.start as i64, size: range.len() as i64, group: -1 }
                    }
                    TemplatePart::Group(group) => ReplaceRePart { begin: 0, size: 0, group: *group as i64 },
                })
                .collect();
            let mut bytes = bytemuck::cast_slice(&parts).to_vec();
            let literals = bytes.len();
            bytes.extend(template.text.as_bytes());
            let buffer = match uploaded.get() {
                Some(buffer) => buffer,
                None => {
                    let made = Buffer::from_host(&bytes, ctx.stream, ctx.mr.temporary)?;
                    uploaded.get_or_init(|| made)
                }
            };
            let access = buffer.read_on(ctx.stream)?;
            let first = In::<u8>::of(&access);
            let kernels = [ReplaceReKernel::TextSizes, ReplaceReKernel::TextWrite];
            let found: Kernel<ReplaceRe> = Kernel::choose(kernels[0], ctx.stream)?;
            let captures = template.groups().any(|group| group > 0);
            let tags = if captures { Tags::Groups } else { Tags::Begin };
            regex.on_device_twice(tags, &found, launch, ctx, |chain, most| {
                let p = ReplaceReReplacement {
                    text: chain.text,
                    pattern: chain.pattern,
                    chunks: chain.chunks,
                    parts: first.cast(),
                    literals: first.at(literals),
                    literal_bytes: Bytes::new(template.text.len()),
                    limit: limit_of(limit),
                    part_count: parts.len() as i32,
                    captures: captures.into(),
                };
                let &strings::Launch { out, counts, mailbox, .. } = launch;
                let arguments = ReplaceRe { out, p, counts, mailbox };
                let of_chunks = [ReplaceReKernel::ChunksSizes, ReplaceReKernel::ChunksWrite];
                let units = most.min(chain.chunks.count as usize);
                let of_rows = ChunkLaunch { chunks: chain.chunks, links: false, units };
                launch.run_chunks(of_chunks, of_rows, &arguments, || {
                    let rows = launch.spread(launch.rows).min(most);
                    enqueue(launch, &chain, launch.of_pass(kernels), rows, &arguments)
                })
            })
        },
    )
}

fn put_replaced(
    mut searcher: Searcher<'_>,
    text: &[u8],
    template: &Template<'_>,
    limit: Option<usize>,
    sink: &mut TextSink<'_>,
) {
    let groups = template.groups().max().unwrap_or(0);
    let mut put = |text: &[u8], range: Range<usize>| sink.put(text.get(range).unwrap_or_default());
    let (mut left, mut last) = (limit.unwrap_or(usize::MAX), 0);
    if left > 0 {
        searcher.for_each(text, groups, |(begin, end), slots| {
            put(text, last..begin);
            last = end;
            for part in &template.parts {
                match part {
                    TemplatePart::Text(range) => put(template.text.as_bytes(), range.clone()),
                    TemplatePart::Group(group) => {
                        let at = |slot: usize| slots.get(slot).copied().flatten().map_or(0, |at| at.get());
                        put(text, at(2 * group)..at(2 * group + 1));
                    }
                }
            }
            left -= 1;
            left > 0
        });
    }
    put(text, last..text.len());
}
