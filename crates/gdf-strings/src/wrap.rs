//! Breaking of texts into lines.

use gdf_core::{Column, ColumnView, Error, Result};
use gdf_engine::strings::{self, Launch, TextSink};
use gdf_kernels::generated::strings::{Wrap, WrapKernel, WrapParameters};

use super::characters;
use crate::Ctx;

/// Replaces spaces of each row by line breaks, so that lines have at most `width` characters. A line is longer only
/// if no space allows a break.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`InvalidArgument`](Error::InvalidArgument): a width of 0; driver and memory errors.
pub fn wrap(column: ColumnView<'_>, width: usize, ctx: Ctx<'_>) -> Result<Column> {
    if width == 0 {
        return Err(Error::invalid_argument("the width is 0; use at least 1 character").in_argument("width"));
    }
    strings::map(
        "wrap",
        column,
        ctx,
        |text, sink| wrap_row(text, width, sink),
        |launch| {
            let &Launch { inputs: [text], out, counts, mailbox, .. } = launch;
            let p = WrapParameters { text, width: i64::try_from(width).unwrap_or(i64::MAX) };
            launch.run(WrapKernel::TextWrite, &Wrap { out, p, counts, mailbox })
        },
    )
}

fn wrap_row(text: &[u8], width: usize, sink: &mut TextSink<'_>) {
    let (mut line, mut space, mut from, mut at) = (0, None, 0, 0);
    for (number, one) in characters::each(text).enumerate() {
        if matches!(one, [byte] if *byte <= b' ') {
            space = Some((number, at));
        }
        if let Some((place, end)) = space.filter(|_| number - line >= width) {
            sink.put(text.get(from..end).unwrap_or_default());
            sink.put(b"\n");
            (from, line, space) = (end + 1, place, None);
        }
        at += one.len();
    }
    sink.put(text.get(from..).unwrap_or_default());
}
