//! Padding of strings.

use gdf_core::{Column, ColumnView, Operand, Result};
use gdf_engine::elementwise::{Inputs, Nulls};
use gdf_engine::strings::{self, Launch, Texts};
use gdf_kernels::generated::strings::{Pad, PadKernel, PadKind, PadParameters};

use super::arguments::{Argument, Integers, known_integer};
use super::characters;
use crate::Ctx;

/// One side of a string, or both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The beginning of the string.
    Left,
    /// The end of the string.
    Right,
    /// Both sides.
    Both,
}

/// Adds `fill` on the given side of each row until the row has `width` characters.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the width is not an integer.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
pub fn pad(column: ColumnView<'_>, width: Operand<'_>, side: Side, fill: char, ctx: Ctx<'_>) -> Result<Column> {
    let kind = match side {
        Side::Left => PadKind::Left,
        Side::Right => PadKind::Right,
        Side::Both => PadKind::Both,
    };
    padded("pad", column, width, kind, fill, ctx)
}

/// Adds zeros after the sign of each row until the row has `width` characters.
///
/// # Errors
/// * The errors of [`pad`].
pub fn zfill(column: ColumnView<'_>, width: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    padded("zfill", column, width, PadKind::AfterSign, '0', ctx)
}

fn padded(
    operation: &'static str,
    column: ColumnView<'_>,
    width: Operand<'_>,
    kind: PadKind,
    fill: char,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let padded = known_integer(width).and_then(|width| column.len().checked_mul(width));
    let bytes = strings::estimated_bytes(column.into());
    let (text, width) = (Argument::column(operation, column)?, Argument::integers("width", width, ctx)?);
    strings::build_about(
        // Rows longer than `width` keep their bytes.
        padded.map_or(0, |padded| padded.saturating_add(bytes / 8).max(bytes)),
        Inputs::new([text.input(), width.input()], ctx)?,
        column.data_type(),
        Nulls::Keep,
        ctx,
        |rows, builder| {
            let [text, width] = rows.columns();
            let (texts, widths) = (Texts::open(text)?, Integers::open(width)?);
            let mut fill_bytes = [0; 4];
            let fill = fill.encode_utf8(&mut fill_bytes).as_bytes();
            builder.text(|row, sink| {
                let (Some(text), Some(width)) = (texts.get(row), widths.get(row)) else { return false };
                let width = usize::try_from(width).unwrap_or(0);
                let missing = width.saturating_sub(characters::count(text));
                let left = match kind {
                    PadKind::Left | PadKind::AfterSign => missing,
                    PadKind::Right => 0,
                    PadKind::Both => missing / 2 + (missing & width & 1),
                };
                let signed = kind == PadKind::AfterSign && matches!(text, [b'+' | b'-', ..]);
                let (sign, rest) = text.split_at(usize::from(signed));
                sink.put(sign);
                sink.put_times(fill, left);
                sink.put(rest);
                sink.put_times(fill, missing - left);
                true
            })
        },
        |launch| {
            let &Launch { inputs: [text, width], out, counts, mailbox, .. } = launch;
            let p = PadParameters { text, width, fill: fill.into(), kind: kind as i32 };
            launch.run(PadKernel::TextWrite, &Pad { out, p, counts, mailbox })
        },
    )
}
