//! Computes a text, spans of text, or a value of fixed width for each row. See README.md.

mod bytes;
mod columns;
mod cuda;
mod host;
mod spans;
mod views;

use gdf_core::{Column, ColumnParts, ColumnView, DataType, Error, PhysicalType, Result, physical_type};
use gdf_driver::Device;
use gdf_memory::Buffer;

pub use self::bytes::InPlace;
pub use self::cuda::{
    ChunkLaunch, Estimate, FEW_ROWS, LONG_TEXT, Launch, LaunchFeedback, OpenText, chunks_of, estimated_bytes,
    has_long_rows, open_text,
};
use self::cuda::{ElementRequest, RetryState};
pub use self::host::{Builder, RowSink, TextSink, Texts, copy_few, try_map};
pub use self::spans::{SpanOrder, SpanRequest, Spans, fixed_spans, spans};
pub use self::views::{text_of_views, views_of_text};
use super::elementwise::{self, Inputs, Nulls, Rows};
use crate::Ctx;
use crate::cuda::Bytes;
use crate::host::StringRows;
use crate::layout::OutputBuffers;
use crate::vouch;

/// Returns whether the offsets of a text column have 64 bits.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) if the column is neither `Utf8` nor `LargeUtf8`.
pub fn is_large(operation: &'static str, column: ColumnView<'_>) -> Result<bool> {
    match physical_type(column.data_type()) {
        PhysicalType::String { large } => Ok(large),
        _ => Err(Error::unsupported(operation, column.data_type())),
    }
}

/// Makes a text for each row of the inputs.
///
/// `host` makes the texts on the CPU. On a GPU, the function calls `device` for each launch. The functor of the
/// operation decides which rows are null, and `nulls` states whether any row can be null. If there are no rows, the
/// function calls neither `host` nor `device`.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) if `data_type` is another type; [`OffsetOverflow`](Error::OffsetOverflow) if
///   the result has more bytes than the offsets of `data_type` can represent.
/// * The errors of `host` and `device`; driver and memory errors.
pub fn build<const N: usize>(
    inputs: Inputs<'_, N>,
    data_type: &DataType,
    nulls: Nulls,
    ctx: Ctx<'_>,
    host: impl Fn(&Rows<'_, N>, &Builder<'_>) -> Result<OutputBuffers>,
    device: impl Fn(&Launch<'_, N>) -> Result<()>,
) -> Result<Column> {
    build_about(bytes_of_inputs(&inputs), inputs, data_type, nulls, ctx, host, device)
}

/// Makes a text for each row in the same way as [`build`], with memory for the expected number of bytes, `estimate`.
///
/// # Errors
/// * The errors of [`build`].
pub fn build_about<const N: usize>(
    estimate: impl Into<Estimate>,
    inputs: Inputs<'_, N>,
    data_type: &DataType,
    nulls: Nulls,
    ctx: Ctx<'_>,
    host: impl Fn(&Rows<'_, N>, &Builder<'_>) -> Result<OutputBuffers>,
    device: impl Fn(&Launch<'_, N>) -> Result<()>,
) -> Result<Column> {
    let (PhysicalType::String { large } | PhysicalType::Binary { large }) = physical_type(data_type) else {
        return Err(Error::unsupported("text", data_type));
    };
    let rows = inputs.rows();
    if rows == 0 {
        return empty(data_type, ctx);
    }
    let nullable = inputs.nullable(nulls);
    match ctx.stream.device() {
        Device::Cpu => elementwise::on_host(inputs, data_type, nulls, ctx, &|columns: &Rows<'_, N>| {
            let source = first_text(columns);
            let builder = Builder { rows, nullable, large, ctx, bytes: ctx.mr.output, source };
            text_column(data_type, rows, host(columns, &builder)?, ctx)
        }),
        Device::Cuda(_) => {
            let (mr, estimate, state) = (ctx.mr.output, estimate.into(), RetryState::default());
            let request = ElementRequest { inputs, data_type, large, nullable, unit: 1, mr, estimate, state };
            text_column(data_type, rows, cuda::elements(request, ctx, &device)?, ctx)
        }
    }
}

/// Makes the bytes of a text for each row in the same way as [`build_about`], without offsets. No row may be null.
///
/// # Errors
/// * The errors of [`build`].
pub fn build_bytes<const N: usize>(
    estimate: impl Into<Estimate>,
    inputs: Inputs<'_, N>,
    data_type: &DataType,
    ctx: Ctx<'_>,
    host: impl Fn(&Rows<'_, N>, &Builder<'_>) -> Result<OutputBuffers>,
    device: impl Fn(&Launch<'_, N>) -> Result<()>,
) -> Result<Buffer> {
    let PhysicalType::String { large } = physical_type(data_type) else {
        return Err(Error::unsupported("text", data_type));
    };
    let (rows, nulls, bytes, scratch) = (inputs.rows(), Nulls::Never, ctx.mr.output, ctx.scratch());
    let built = match ctx.stream.device() {
        _ if rows == 0 => return Ok(Buffer::uninitialized(0, ctx.stream, bytes)?),
        Device::Cpu => elementwise::read_rows(inputs, data_type, nulls, scratch, |columns| {
            let source = first_text(columns);
            host(columns, &Builder { rows, nullable: false, large, ctx: scratch, bytes, source })
        })?,
        Device::Cuda(_) => {
            let (mr, estimate, state) = (bytes, estimate.into(), RetryState::default());
            let request = ElementRequest { inputs, data_type, large, nullable: false, unit: 1, mr, estimate, state };
            cuda::elements(request, scratch, &device)?
        }
    };
    built.buffers.into_iter().nth(1).ok_or_else(|| Error::buffer_count(data_type, 2, 1))
}

/// Makes a text for each row of a text column in the same way as [`build`]. `host` gets the text of each row. The
/// result has the type of the column.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) if the column is neither `Utf8` nor `LargeUtf8`; the errors of
///   [`Inputs::new`] and [`build`].
pub fn map(
    operation: &'static str,
    column: ColumnView<'_>,
    ctx: Ctx<'_>,
    host: impl Fn(&[u8], &mut TextSink<'_>) + Sync,
    device: impl Fn(&Launch<'_, 1>) -> Result<()>,
) -> Result<Column> {
    map_about(estimated_bytes(column.into()), operation, column, ctx, host, device)
}

/// Makes a text for each row in the same way as [`map`], with memory for `estimate` bytes. [`build_about`] describes
/// the estimate.
///
/// # Errors
/// * The errors of [`map`].
pub fn map_about(
    estimate: impl Into<Estimate>,
    operation: &'static str,
    column: ColumnView<'_>,
    ctx: Ctx<'_>,
    host: impl Fn(&[u8], &mut TextSink<'_>) + Sync,
    device: impl Fn(&Launch<'_, 1>) -> Result<()>,
) -> Result<Column> {
    is_large(operation, column)?;
    let inputs = Inputs::new([column.into()], ctx)?;
    build_about(
        estimate,
        inputs,
        column.data_type(),
        Nulls::Keep,
        ctx,
        |rows, builder| {
            let texts = Texts::open(rows.input())?;
            builder.text(|row, sink| texts.get(row).map(|text| host(text, sink)).is_some())
        },
        device,
    )
}

/// Makes a text for each row in the same way as [`map`], by a function that maps most characters to characters of the
/// same number of bytes. `change` maps characters on the CPU, and kernels of `gdf::map_bytes` do the same on a GPU.
///
/// # Errors
/// * The errors of [`map`].
pub fn map_in_place(
    operation: &'static str,
    column: ColumnView<'_>,
    ctx: Ctx<'_>,
    change: &InPlace<impl Fn(char) -> Option<char> + Sync>,
    host: impl Fn(&[u8], &mut TextSink<'_>) + Sync,
    device: impl Fn(&Launch<'_, 1>) -> Result<()>,
) -> Result<Column> {
    is_large(operation, column)?;
    if ctx.stream.device() == Device::Cpu
        && let Some(result) = bytes::map_bytes(column, ctx, change)?
    {
        return Ok(result);
    }
    map_about(Estimate::InPlace(estimated_bytes(column.into())), operation, column, ctx, host, device)
}

/// Makes a column of `output_type`, which is fixed-width or Boolean, with a value for each row of a text column.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for other types; the errors of [`elementwise::map_column`].
pub fn values(
    operation: &'static str,
    column: ColumnView<'_>,
    output_type: &DataType,
    nulls: Nulls,
    ctx: Ctx<'_>,
    host: impl Fn(&Rows<'_, 1>, &StringRows<'_>) -> Result<Column>,
    device: impl Fn(&elementwise::Launch<'_, 1>, Bytes) -> Result<()>,
) -> Result<Column> {
    is_large(operation, column)?;
    elementwise::map_column(
        column,
        output_type,
        nulls,
        ctx,
        |rows| host(rows, &StringRows::open(rows.input())?),
        |launch| device(launch, crate::layout::characters(column)),
    )
}

fn bytes_of_inputs<const N: usize>(inputs: &Inputs<'_, N>) -> usize {
    inputs.operands.iter().map(|input| estimated_bytes(*input)).sum()
}

/// Returns the bytes of all rows of the first input, or no bytes if the first input is not a text column.
fn first_text<'a, const N: usize>(columns: &'a Rows<'_, N>) -> &'a [u8] {
    columns.columns().first().and_then(|column| column.chars().ok()).unwrap_or_default()
}

fn text_column(data_type: &DataType, rows: usize, text: OutputBuffers, ctx: Ctx<'_>) -> Result<Column> {
    let mut parts = ColumnParts::new(data_type.clone(), ctx.stream.device(), rows);
    (parts.buffers, parts.validity, parts.null_count) = (text.buffers, text.validity, text.null_count);
    vouch::result(parts)
}

pub fn empty(data_type: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let mut parts = ColumnParts::new(data_type.clone(), ctx.stream.device(), 0);
    let width = if physical_type(data_type).is_large() { 8 } else { 4 };
    parts.buffers.push(Buffer::zeroed(width, ctx.stream, ctx.mr.output)?);
    parts.buffers.push(Buffer::uninitialized(0, ctx.stream, ctx.mr.output)?);
    vouch::result(parts)
}
