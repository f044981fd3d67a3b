//! Conversion between views (Arrow's `Utf8View` and `BinaryView`) and text with offsets.

use gdf_core::{Column, ColumnView, DataType, Result};
use gdf_driver::Device;
use gdf_kernels::generated::strings::{
    ToViews, ToViewsKernel, ToViewsOrigin, VIEWS_INLINED, Views, ViewsKernel, ViewsPiece, ViewsSource,
};
use gdf_memory::Buffer;

use super::{Launch, build};
use crate::Ctx;
use crate::cuda::{In, Listed};
use crate::elementwise::{self, Inputs, Nulls};
use crate::host::{HostMask, StringRows};
use crate::layout::characters;
use crate::vouch;

/// The maximum number of bytes that a view contains itself, without a buffer.
const INLINED: usize = VIEWS_INLINED as usize;

/// Copies the bytes of each row of views to a column of `data_type`, a type of text or of bytes with offsets. For a
/// type of text, the caller guarantees that the bytes are UTF-8.
///
/// # Errors
/// * The errors of [`build`].
pub fn text_of_views(column: ColumnView<'_>, data_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let inputs = Inputs::new([column.into()], ctx)?;
    let buffers = column.buffers().get(1..).unwrap_or_default();
    // Long texts are copied after the launches of the closure, so the accesses to the buffers outlive the closure.
    let open = match ctx.stream.device() {
        Device::Cpu => Vec::new(),
        Device::Cuda(_) => buffers.iter().map(|buffer| buffer.read_on(ctx.stream)).collect::<Result<Vec<_>, _>>()?,
    };
    build(
        inputs,
        data_type,
        Nulls::Keep,
        ctx,
        |rows, builder| {
            let input = rows.input();
            let (views, validity) = (input.views()?, input.validity()?);
            builder.text(|row, sink| {
                let is_value = validity.is_none_or(|mask| mask.get(row));
                if is_value {
                    sink.put(views.get(row));
                }
                is_value
            })
        },
        |launch| {
            let &Launch { inputs: [views], out, counts, mailbox, .. } = launch;
            let piece =
                |(access, buffer): (_, &Buffer)| ViewsPiece { bytes: In::of(access), length: buffer.len() as i64 };
            let pieces: Vec<_> = open.iter().zip(buffers).map(piece).collect();
            let pieces = Listed::new(&pieces, ctx.stream, ctx.mr.temporary)?;
            let listed = pieces.read_on(ctx.stream)?;
            let p = ViewsSource { views, pieces: listed.first() };
            launch.run(ViewsKernel::TextWrite, &Views { out, p, counts, mailbox })
        },
    )
}

/// Makes a column of views of type `data_type`, with a view for each row of text or bytes. The views refer to `chars`,
/// the buffer that holds the bytes of all rows. `chars` must have fewer than 2³¹ bytes.
///
/// # Errors
/// * The errors of [`elementwise::map_column`].
pub fn views_of_text(column: ColumnView<'_>, chars: Buffer, data_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let view = |text: &[u8], at: usize| {
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | i128::from(*byte));
        let size = text.len() as i128;
        match text.get(..4).filter(|_| text.len() > INLINED) {
            None => word(text) << 32 | size,
            Some(prefix) => (at as i128) << 96 | word(prefix) << 32 | size,
        }
    };
    let made = elementwise::map_column(
        column,
        &DataType::Decimal128(38, 0),
        Nulls::Share,
        ctx,
        |rows| {
            let (texts, open) = (StringRows::open(rows.input())?, chars.read_on(ctx.stream)?);
            let start = open.as_slice::<u8>()?.as_ptr().addr();
            // The engine gives the result the mask of the input, so no mask is made here.
            rows.filled::<i128>(
                || Ok(HostMask::none()),
                |first, out| {
                    for (row, slot) in (first..).zip(out) {
                        let text = texts.get(row);
                        *slot = view(text, text.as_ptr().addr().wrapping_sub(start));
                    }
                },
            )
        },
        |launch| {
            let (open, bytes) = (chars.read_on(ctx.stream)?, characters(column));
            let p = ToViewsOrigin { chars: In::of(&open) };
            let arguments = ToViews { input: launch.inputs[0], bytes, out: launch.out, p };
            launch.run(ToViewsKernel::Text, launch.rows, &arguments)
        },
    )?;
    let mut parts = made.into_parts();
    parts.data_type = data_type.clone();
    parts.buffers.push(chars);
    vouch::result(parts)
}
