//! Tokens: the nonempty parts of a string between delimiters or white space.

use gdf_core::{Column, ColumnView, Error, Result};
use gdf_engine::elementwise::{Inputs, Nulls};
use gdf_engine::strings::{self, Launch, SpanOrder, SpanRequest, Spans, Texts, open_text};
use gdf_kernels::generated::common::TextIn;
use gdf_kernels::generated::strings::{CountTokens, CountTokensKernel, NormalizeSpaces, NormalizeSpacesKernel};
use gdf_kernels::generated::strings::{Tokens, TokensKernel, TokensParameters};

use super::characters;
use super::search::{answers, number_type};
use crate::Ctx;

/// Returns the tokens of all rows, as one column.
///
/// Any of `delimiters` separates tokens. If `delimiters` is empty, white space separates tokens.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`InvalidArgument`](Error::InvalidArgument): an empty delimiter.
/// * [`OffsetOverflow`](Error::OffsetOverflow): more than 2³¹ − 1 tokens; driver and memory errors.
pub fn tokenize(column: ColumnView<'_>, delimiters: &[&str], ctx: Ctx<'_>) -> Result<Column> {
    tokens("tokenize", column, delimiters, ctx.scratch(), |spans| spans.into_texts(ctx))
}

/// Returns the number of tokens of each row. A null row has no tokens.
///
/// The type of the result is `Int32`, or `Int64` for `LargeUtf8`.
///
/// # Errors
/// * The errors of [`tokenize`].
pub fn count_tokens(column: ColumnView<'_>, delimiters: &[&str], ctx: Ctx<'_>) -> Result<Column> {
    let large = strings::is_large("count_tokens", column)?;
    let delimiters = Delimiters::new(delimiters)?;
    strings::values(
        "count_tokens",
        column,
        &number_type(column.data_type()),
        Nulls::Never,
        ctx,
        |rows, _| {
            let texts = Texts::open(rows.input())?;
            let count = |text| delimiters.tokens(text).count() as i64;
            answers(rows, |row| texts.get(row).map_or(0, count))
        },
        |launch, bytes| {
            let all = delimiters.to_column(ctx)?;
            let delimiters = open_text(all.view().into(), ctx.stream)?;
            let p = TokensParameters { text: TextIn::default(), delimiters: delimiters.desc() };
            let kernel = if large { CountTokensKernel::Long } else { CountTokensKernel::Int };
            let arguments = CountTokens { input: launch.inputs[0], bytes, out: launch.out, p };
            launch.run(kernel, launch.rows, &arguments)
        },
    )
}

/// Strips white space from both ends of each string, and replaces each run of white space by one space.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`; driver and memory errors.
pub fn normalize_spaces(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let delimiters = Delimiters::new(&[])?;
    strings::map(
        "normalize_spaces",
        column,
        ctx,
        |text, sink| {
            for (number, token) in delimiters.tokens(text).enumerate() {
                sink.put(if number > 0 { b" " } else { b"" });
                sink.put(token);
            }
        },
        |launch| {
            let &Launch { inputs: [text], out, counts, mailbox, .. } = launch;
            let p = TokensParameters { text, delimiters: TextIn::default() };
            launch.run(NormalizeSpacesKernel::TextWrite, &NormalizeSpaces { out, p, counts, mailbox })
        },
    )
}

/// Finds the tokens of each row, and returns the column that `make` makes of the tokens.
pub(super) fn tokens(
    operation: &'static str,
    column: ColumnView<'_>,
    delimiters: &[&str],
    ctx: Ctx<'_>,
    make: impl FnOnce(Spans<'_>) -> Result<Column>,
) -> Result<Column> {
    strings::is_large(operation, column)?;
    let delimiters = Delimiters::new(delimiters)?;
    let all = delimiters.to_column(ctx)?;
    let rows = column.len();
    make(strings::spans(
        SpanRequest {
            operation,
            order: SpanOrder::Ascending,
            estimate: if rows <= strings::FEW_ROWS { rows * 8 } else { 0 },
        },
        Inputs::for_rows([column.into(), all.view().into()], rows, ctx)?,
        Nulls::Never,
        ctx,
        |rows, builder| {
            let [text, _] = rows.columns();
            let texts = Texts::open(text)?;
            builder.spans(|row, sink| {
                let text = texts.get(row).unwrap_or_default();
                delimiters.tokens(text).for_each(|token| sink.put_part(&texts, token));
                true
            })
        },
        |launch| {
            let &Launch { inputs: [text, delimiters], out, counts, mailbox, .. } = launch;
            let p = TokensParameters { text, delimiters };
            let kernels = [TokensKernel::TextSizes, TokensKernel::TextWrite, TokensKernel::Lists];
            launch.run_spans(kernels, &Tokens { out, p, counts, mailbox })
        },
    )?)
}

/// The delimiters between tokens.
struct Delimiters<'a> {
    delimiters: &'a [&'a str],
    /// For each byte, whether a delimiter may begin with it.
    begins: [bool; 256],
}

impl<'a> Delimiters<'a> {
    fn new(delimiters: &'a [&'a str]) -> Result<Self> {
        if delimiters.contains(&"") {
            return Err(Error::invalid_argument("a delimiter is an empty text; remove this delimiter")
                .in_argument("delimiters"));
        }
        let mut begins = [false; 256];
        // A character of white space is ASCII, or begins with one of the bytes c2, e1, e2 and e3.
        let spaces = b"\t\n\x0b\x0c\r \xc2\xe1\xe2\xe3".iter().filter(|_| delimiters.is_empty());
        let firsts = delimiters.iter().filter_map(|delimiter| delimiter.as_bytes().first());
        spaces.chain(firsts).for_each(|byte| begins[usize::from(*byte)] = true);
        Ok(Self { delimiters, begins })
    }

    fn to_column(&self, ctx: Ctx<'_>) -> Result<Column> {
        Column::from_strs_on(self.delimiters.iter().copied(), ctx.stream, ctx.mr.temporary)
    }

    fn len_at(&self, text: &[u8]) -> Option<usize> {
        if self.delimiters.is_empty() {
            return characters::first(text).filter(|(one, _)| characters::is_space(one)).map(|(one, _)| one.len());
        }
        let found = self.delimiters.iter().find(|delimiter| text.starts_with(delimiter.as_bytes()));
        found.map(|delimiter| delimiter.len())
    }

    /// Returns the start and the end of the first delimiter of a string. If there is no delimiter, both are the end of
    /// the string.
    fn first(&self, text: &[u8]) -> (usize, usize) {
        let candidates = text.iter().enumerate().filter(|(_, byte)| self.begins[usize::from(**byte)]);
        let mut found = candidates.filter_map(|(at, _)| Some((at, at + self.len_at(text.get(at..)?)?)));
        found.next().unwrap_or((text.len(), text.len()))
    }

    /// Returns the parts of the string between delimiters, without empty parts.
    fn tokens<'t>(&self, text: &'t [u8]) -> impl Iterator<Item = &'t [u8]> {
        let mut rest = text;
        std::iter::from_fn(move || {
            while !rest.is_empty() {
                let (at, end) = self.first(rest);
                let token = rest.get(..at)?;
                rest = rest.get(end..)?;
                if !token.is_empty() {
                    return Some(token);
                }
            }
            None
        })
    }
}
