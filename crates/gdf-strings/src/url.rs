//! URL encoding: bytes as percent signs and hexadecimal digits.

use gdf_core::{Column, ColumnView, Result};
use gdf_engine::elementwise::{Inputs, Nulls};
use gdf_engine::strings::{self, Launch, Texts};
use gdf_kernels::generated::strings::{Url, UrlKernel, UrlParameters};

use crate::Ctx;

/// Replaces each byte of each row by `%` and two hexadecimal digits, except ASCII letters, ASCII digits and `-._~`.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
pub fn url_encode(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    strings::map(
        "url_encode",
        column,
        ctx,
        |text, sink| {
            let is_kept = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
            let mut rest = text;
            while let Some((byte, after)) = rest.split_first() {
                let kept = rest.iter().take_while(|byte| is_kept(byte)).count();
                if kept > 0 {
                    let (run, after) = rest.split_at(kept);
                    sink.put(run);
                    rest = after;
                    continue;
                }
                let digit = |value: u8| if value < 10 { b'0' + value } else { b'A' + value - 10 };
                sink.put(&[b'%', digit(byte >> 4), digit(byte & 15)]);
                rest = after;
            }
        },
        |launch| run(launch, UrlKernel::EncodeWrite),
    )
}

/// Replaces each `%` and its two hexadecimal digits by the byte that the digits stand for. A row becomes null if the
/// resulting bytes are not UTF-8.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`; driver and memory
///   errors.
pub fn url_decode(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    strings::is_large("url_decode", column)?;
    strings::build(
        Inputs::new([column.into()], ctx)?,
        column.data_type(),
        Nulls::Own { nullable: true },
        ctx,
        |rows, builder| {
            let texts = Texts::open(rows.input())?;
            builder.text(|row, sink| {
                let Some(text) = texts.get(row) else { return false };
                if memchr::memchr(b'%', text).is_none() {
                    sink.put(text);
                    return true;
                }
                let decoded = decode(text);
                let is_text = str::from_utf8(&decoded).is_ok();
                if is_text {
                    sink.put(&decoded);
                }
                is_text
            })
        },
        |launch| run(launch, UrlKernel::DecodeWrite),
    )
}

fn decode(text: &[u8]) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        let escaped = match rest {
            [b'%', high, low, after @ ..] => digit(*high).zip(digit(*low)).map(|(high, low)| (high << 4 | low, after)),
            _ => None,
        };
        let (byte, after) = escaped.unwrap_or((*byte, after));
        decoded.push(byte);
        rest = after;
    }
    decoded
}

fn run(launch: &Launch<'_, 1>, kernel: UrlKernel) -> Result<()> {
    let &Launch { inputs: [text], out, counts, mailbox, .. } = launch;
    launch.run(kernel, &Url { out, p: UrlParameters { text }, counts, mailbox })
}
