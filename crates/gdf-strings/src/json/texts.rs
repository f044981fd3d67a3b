//! Rewrites texts row by row, as `from_json` and `to_json` need, and finds the parts of objects and arrays.

use gdf_core::{Column, ColumnView, DataType, Result};
use gdf_engine::cuda::In;
use gdf_engine::elementwise::{Inputs, Nulls};
use gdf_engine::strings::{self, Launch, SpanOrder, SpanRequest, Spans, Texts};
use gdf_kernels::generated::common::TextSpan;
use gdf_kernels::generated::strings::{
    JsonParts, JsonPartsKernel, JsonPartsKind, JsonPartsParameters, JsonTexts, JsonTextsKernel, JsonTextsParameters,
};
use gdf_memory::Buffer;

use super::document::{Document, complete_moment, name_is, quote, unescape};
use crate::Ctx;

/// The text that is made from each text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rewrite<'a> {
    /// The text without the white space around it, or null if it is not a document.
    Checked,
    /// The content of a value of a checked text: the characters of a string, null for `null`, and the text of any other
    /// value.
    Content,
    /// The characters of a string.
    Name,
    /// A date and time with all parts.
    Moment,
    /// A JSON string whose characters are those of the text.
    Quoted,
    /// The text of a finite float, and `null` for the text of any other float.
    Finite,
    /// The text between a prefix and a suffix. If `null_is_text` is true, a null row becomes `null` between them.
    Affixed { prefix: &'a str, suffix: &'a str, null_is_text: bool },
}

impl Rewrite<'_> {
    fn kernel(self) -> JsonTextsKernel {
        match self {
            Self::Checked => JsonTextsKernel::DocumentWrite,
            Self::Content | Self::Name => JsonTextsKernel::ContentWrite,
            Self::Moment => JsonTextsKernel::MomentWrite,
            Self::Quoted => JsonTextsKernel::QuotedWrite,
            Self::Finite => JsonTextsKernel::FiniteWrite,
            Self::Affixed { .. } => JsonTextsKernel::AffixedWrite,
        }
    }

    fn nulls(self) -> Nulls {
        match self {
            Self::Checked | Self::Content => Nulls::Own { nullable: true },
            Self::Affixed { null_is_text: true, .. } => Nulls::Never,
            _ => Nulls::Keep,
        }
    }

    /// Calls `put` with the parts of the result, and returns false if the result is null.
    fn put(self, text: Option<&[u8]>, mut put: impl FnMut(&[u8])) -> bool {
        let Some(text) = text else {
            let Self::Affixed { prefix, suffix, null_is_text: true } = self else { return false };
            [prefix, "null", suffix].into_iter().for_each(|part| put(part.as_bytes()));
            return true;
        };
        match self {
            Self::Checked => return Document(text).check().map(put).is_some(),
            Self::Content | Self::Name => match text {
                [b'n', ..] => return false,
                [b'"', inside @ .., _] => unescape(inside, put),
                _ => put(text),
            },
            Self::Moment => complete_moment(text, put),
            Self::Quoted => quote(text, put),
            Self::Finite => {
                let digits = text.strip_prefix(b"-").unwrap_or(text);
                put(if digits.first().is_some_and(u8::is_ascii_digit) { text } else { b"null" });
            }
            Self::Affixed { prefix, suffix, .. } => {
                [prefix.as_bytes(), text, suffix.as_bytes()].into_iter().for_each(put);
            }
        }
        true
    }
}

/// Makes a text of `data_type` from each row of text.
///
/// # Errors
/// * The errors of [`strings::build`].
pub(super) fn rewrite(column: ColumnView<'_>, how: Rewrite<'_>, data_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let (prefix, suffix, null_is_text) = match how {
        Rewrite::Affixed { prefix, suffix, null_is_text } => (prefix, suffix, null_is_text),
        _ => ("", "", false),
    };
    let each = match how {
        Rewrite::Affixed { .. } => prefix.len() + suffix.len(),
        Rewrite::Quoted => 2,
        Rewrite::Moment => "T00:00:00.000000000Z".len(),
        _ => 0,
    };
    let estimate = strings::estimated_bytes(column.into()).saturating_add(column.len().saturating_mul(each));
    strings::build_about(
        estimate,
        Inputs::new([column.into()], ctx)?,
        data_type,
        how.nulls(),
        ctx,
        |rows, builder| {
            let texts = Texts::open(rows.input())?;
            builder.text(|row, sink| how.put(texts.get(row), |part| sink.put(part)))
        },
        |launch| {
            let &Launch { inputs: [text], out, counts, mailbox, .. } = launch;
            let affixes = [prefix.as_bytes(), suffix.as_bytes(), &[0]].concat();
            let affixes = Buffer::from_host(&affixes, ctx.stream, ctx.mr.temporary)?;
            let affixes = affixes.read_on(ctx.stream)?;
            let p = JsonTextsParameters {
                text,
                affixes: In::of(&affixes),
                prefix: prefix.len() as i32,
                suffix: suffix.len() as i32,
                null_is_text: null_is_text.into(),
                unused: 0,
            };
            launch.run(how.kernel(), &JsonTexts { out, p, counts, mailbox })
        },
    )
}

/// Finds the parts of each checked text. `names` are the names of the fields that [`JsonPartsKind::Fields`] finds.
///
/// [`JsonPartsKind::Elements`] requires an array in each row, and all other kinds require an object. A row with another
/// value is null.
///
/// # Errors
/// * The errors of [`strings::spans`].
pub(super) fn parts<'a>(
    column: ColumnView<'a>,
    kind: JsonPartsKind,
    names: &[&str],
    ctx: Ctx<'_>,
) -> Result<Spans<'a>> {
    let named = kind != JsonPartsKind::Elements;
    let opens = if named { b'{' } else { b'[' };
    let estimate = if kind == JsonPartsKind::Fields { column.len().saturating_mul(names.len() + 1) } else { 0 };
    strings::spans(
        SpanRequest { operation: "from_json", order: SpanOrder::Any, estimate },
        Inputs::new([column.into()], ctx)?,
        Nulls::Own { nullable: true },
        ctx,
        |rows, builder| {
            let texts = Texts::open(rows.input())?;
            builder.spans(|row, sink| {
                let Some(text) = texts.get(row).filter(|text| text.first() == Some(&opens)) else { return false };
                let document = Document(text);
                let span = |part: &[u8]| texts.span_of(part);
                match kind {
                    JsonPartsKind::Elements | JsonPartsKind::Members => {
                        document.for_each(named, |_, value| sink.push(span(value)));
                    }
                    JsonPartsKind::Names => document.for_each(named, |name, _| sink.push(span(name))),
                    JsonPartsKind::Fields => sink.put_with(names.len() + 1, |slots| {
                        slots.fill(TextSpan { begin: 0, size: -1 });
                        let Some((whole, fields)) = slots.split_first_mut() else { return };
                        *whole = span(&[]);
                        document.for_each(named, |name, value| {
                            for (slot, _) in fields.iter_mut().zip(names).filter(|(_, of)| name_is(name, of.as_bytes()))
                            {
                                *slot = span(value);
                            }
                        });
                    }),
                }
                true
            })
        },
        |launch| {
            let &Launch { inputs: [text], out, counts, mailbox, .. } = launch;
            let mut end = 0;
            let ends: Vec<i32> = names
                .iter()
                .map(|name| {
                    end += name.len() as i32;
                    end
                })
                .chain([0])
                .collect();
            let characters = [names.concat().as_bytes(), &[0]].concat();
            let characters = Buffer::from_host(&characters, ctx.stream, ctx.mr.temporary)?;
            let ends = Buffer::from_host(bytemuck::cast_slice(&ends), ctx.stream, ctx.mr.temporary)?;
            let (characters, ends) = (characters.read_on(ctx.stream)?, ends.read_on(ctx.stream)?);
            let p = JsonPartsParameters {
                text,
                names: In::of(&characters),
                ends: In::of(&ends),
                count: names.len() as i32,
                kind: kind as i32,
            };
            let kernels = [JsonPartsKernel::TextSizes, JsonPartsKernel::TextWrite];
            launch.run_twice(kernels, &JsonParts { out, p, counts, mailbox })
        },
    )
}
