//! The code points of all rows.

use gdf_core::{Column, ColumnView, DataType, Error, Result};
use gdf_engine::host::character_count;
use gdf_engine::strings;
use gdf_kernels::generated::strings::{CodePoints, CodePointsKernel, CodePointsParameters};

use super::character_types::codes;
use crate::Ctx;
use crate::vouch;

/// Returns the code points of the characters of all rows, one row after another, as `Int32`. A null row has no
/// characters.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`OffsetOverflow`](Error::OffsetOverflow): `Utf8` with 2²⁹ characters or more.
/// * Driver and memory errors.
pub fn code_points(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    // The code points are first written as the bytes of a text.
    let text = strings::map_about(
        4 * strings::estimated_bytes(column.into()),
        "code_points",
        column,
        ctx.scratch(),
        |text, sink| {
            sink.put_with(character_count(text) * 4, |target| {
                for (code, slot) in codes(text).zip(target.chunks_exact_mut(4)) {
                    slot.copy_from_slice(&code.to_le_bytes());
                }
            });
        },
        |launch| {
            let &strings::Launch { inputs: [text], out, counts, mailbox, .. } = launch;
            let arguments = CodePoints { out, p: CodePointsParameters { text }, counts, mailbox };
            launch.run(CodePointsKernel::AllWrite, &arguments)
        },
    )?;
    let bytes = text
        .into_parts()
        .buffers
        .into_iter()
        .nth(1)
        .ok_or_else(|| Error::internal("the text of code points has no buffer of bytes"))?;
    let rows = bytes.len() / 4;
    vouch::numbers(DataType::Int32, bytes.deep_copy(ctx.stream, ctx.mr.output)?, rows, ctx.stream)
}
