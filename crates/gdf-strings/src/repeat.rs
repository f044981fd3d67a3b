//! Repetition of texts.

use gdf_core::{Column, ColumnView, Operand, Result};
use gdf_engine::elementwise::{Inputs, Nulls};
use gdf_engine::strings::{self, Launch, Texts};
use gdf_kernels::generated::strings::{Repeat, RepeatKernel, RepeatParameters};

use super::arguments::{Argument, Integers, known_integer};
use crate::Ctx;

/// Repeats each row `count` times. The result is an empty text for a negative count.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) for columns other than `Utf8` or `LargeUtf8`.
/// * [`TypeMismatch`](gdf_core::Error::TypeMismatch): the count is not an integer.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
pub fn repeat(column: ColumnView<'_>, count: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let times = known_integer(count).unwrap_or(0);
    let (text, count) = (Argument::column("repeat", column)?, Argument::integers("count", count, ctx)?);
    strings::build_about(
        strings::estimated_bytes(column.into()).saturating_mul(times),
        Inputs::new([text.input(), count.input()], ctx)?,
        column.data_type(),
        Nulls::Keep,
        ctx,
        |rows, builder| {
            let [text, count] = rows.columns();
            let (texts, times) = (Texts::open(text)?, Integers::open(count)?);
            builder.text(|row, sink| {
                let (Some(text), Some(times)) = (texts.get(row), times.get(row)) else { return false };
                sink.put_times(text, usize::try_from(times).unwrap_or(0));
                true
            })
        },
        |launch| {
            let &Launch { inputs: [text, count], out, counts, mailbox, .. } = launch;
            let p = RepeatParameters { text, count };
            launch.run(RepeatKernel::TextWrite, &Repeat { out, p, counts, mailbox })
        },
    )
}
