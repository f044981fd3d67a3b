//! Text, or values of fixed width, for each row of text: see README.md.

mod cuda;
mod host;

use gdf_core::{Column, ColumnParts, ColumnView, DataType, Error, PhysicalType, Result, physical_type};
use gdf_driver::Device;
use gdf_memory::Buffer;

pub(crate) use self::cuda::{Launch, Pass};
pub(crate) use self::host::Texts;
use super::elementwise::{self, Nulls};
use crate::Ctx;
use crate::check;
use crate::host::StringRows;
use crate::vouch;

/// Whether offsets have 64 bits.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for what is no `Utf8` or `LargeUtf8`.
fn is_large(operation: &'static str, column: ColumnView<'_>) -> Result<bool> {
    match physical_type(column.data_type()) {
        PhysicalType::String { large } => Ok(large),
        _ => Err(Error::unsupported(operation, column.data_type())),
    }
}

/// A text of the same type for each row of text, null where that is, made by `host` or by the two launches for which
/// `device` is called. Without rows neither is.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for other types; [`OffsetOverflow`](Error::OffsetOverflow).
/// * [`DeviceMismatch`](Error::DeviceMismatch), [`BrokenData`](Error::BrokenData); those of `host` and `device`; driver and
///   memory errors.
pub(crate) fn map(
    operation: &'static str,
    column: ColumnView<'_>,
    ctx: Ctx<'_>,
    host: impl FnOnce(&Texts<'_>) -> Result<Column>,
    device: impl Fn(&Launch<'_>) -> Result<()>,
) -> Result<Column> {
    let large = is_large(operation, column)?;
    check::column(column, ctx)?;
    if column.is_empty() {
        return empty(column.data_type(), large, ctx);
    }
    match ctx.stream.device() {
        Device::Cpu => host(&Texts::open(column, large, ctx)?),
        Device::Cuda(_) => cuda::map(column, large, ctx, device),
    }
}

/// A column of `output_type`, fixed-width or boolean, made of each row of text, as [`elementwise::map_column`]; `device` also gets
/// the length of the character buffer.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) for other types; those of [`elementwise::map_column`].
pub(crate) fn values(
    operation: &'static str,
    column: ColumnView<'_>,
    output_type: &DataType,
    nulls: Nulls,
    ctx: Ctx<'_>,
    host: impl FnOnce(&elementwise::Rows<'_, 1>, &StringRows<'_>) -> Result<Column>,
    device: impl FnOnce(&elementwise::Launch<'_, 1>, i64) -> Result<()>,
) -> Result<Column> {
    let large = is_large(operation, column)?;
    elementwise::map_column(
        column,
        output_type,
        nulls,
        ctx,
        |rows| host(rows, &StringRows::open(rows.input(), large)?),
        |launch| device(launch, crate::engine::keys::characters(column)),
    )
}

/// A text column without rows.
pub(crate) fn empty(data_type: &DataType, large: bool, ctx: Ctx<'_>) -> Result<Column> {
    let mut parts = ColumnParts::new(data_type.clone(), ctx.stream.device(), 0);
    parts.buffers.push(Buffer::zeroed(if large { 8 } else { 4 }, ctx.stream, ctx.mr.output)?);
    parts.buffers.push(Buffer::uninitialized(0, ctx.stream, ctx.mr.output)?);
    vouch::result(parts)
}
