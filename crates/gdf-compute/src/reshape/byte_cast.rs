//! `byte_cast`: the bytes of each row as a list.

use gdf_core::{
    Column, ColumnParts, ColumnView, DataType, Error, NullCount, PhysicalType, Result, TableView, physical_type,
};
use gdf_engine::check;
use gdf_engine::mask::copy_bitmask;
use gdf_engine::rows::reversed_bytes;
use gdf_memory::Buffer;

use crate::Ctx;
use crate::lists::offsets_of_rows;
use crate::stream_compaction::apply_boolean_mask;
use crate::vouch;

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum ByteOrder {
    /// The least significant byte first, as in memory.
    #[default]
    LittleEndian,
    /// The most significant byte first.
    BigEndian,
}

/// Returns the bytes of each row of `column` as a list.
///
/// Implements `gdf_api::reshape::byte_cast` with the stream and the memory resources of `ctx`. Returns the errors of
/// that function.
pub fn byte_cast(column: ColumnView<'_>, order: ByteOrder, ctx: Ctx<'_>) -> Result<Column> {
    use PhysicalType::{F16, F32, F64, I8, I16, I32, I64, I128, I256, U8, U16, U32, U64};
    check::column(column, ctx)?;
    let data_type = column.data_type();
    match physical_type(data_type) {
        PhysicalType::String { large } | PhysicalType::Binary { large } => lists_of_text(column, large),
        number @ (I8 | I16 | I32 | I64 | I128 | I256 | U8 | U16 | U32 | U64 | F16 | F32 | F64) => {
            lists_of_numbers(column, number.width().unwrap_or(1), order, ctx)
        }
        _ => Err(Error::unsupported("byte_cast", data_type)),
    }
}

fn bytes_column(bytes: Buffer, len: usize, like: ColumnView<'_>) -> Result<Column> {
    vouch::result(ColumnParts::new(DataType::UInt8, like.device(), len).buffer(bytes))
}

/// Returns lists with the offsets and the bytes of the text, in the memory of the text.
fn lists_of_text(column: ColumnView<'_>, large: bool) -> Result<Column> {
    let ColumnParts { len, offset, validity, null_count, mut buffers, sanitized, .. } = column.to_column().into_parts();
    let (Some(bytes), Some(offsets)) = (buffers.pop(), buffers.pop()) else {
        return Err(Error::buffer_count(column.data_type(), 2, buffers.len()));
    };
    let size = bytes.len();
    let lists = ColumnParts::lists(len, offsets, large, bytes_column(bytes, size, column)?, true);
    vouch::result(ColumnParts { offset, sanitized, ..lists.validity(validity, null_count) })
}

fn lists_of_numbers(column: ColumnView<'_>, width: usize, order: ByteOrder, ctx: Ctx<'_>) -> Result<Column> {
    let rows = column.len();
    let (offsets, valid) = offsets_of_rows(column, width, ctx)?;
    let (mut mask, mut null_count) = (None, NullCount::Known(0));
    let values = if let Some(valid) = valid {
        let scratch = ctx.scratch();
        (mask, null_count) = copy_bitmask(column, ctx)?.into_parts();
        let values = vouch::result(column.to_column().into_parts().validity(None, NullCount::Known(0)))?;
        let target = if order == ByteOrder::BigEndian && width > 1 { scratch } else { ctx };
        let values = apply_boolean_mask(TableView::try_new(vec![values.view()])?, valid.view(), target)?;
        values.column(0)?.clone()
    } else {
        column.to_column()
    };
    let bytes = values.buffers()[0].slice(values.offset() * width, values.len() * width)?;
    let mut bytes = bytes_column(bytes, values.len() * width, column)?;
    if order == ByteOrder::BigEndian && width > 1 {
        bytes = reversed_bytes("byte_cast", values.view(), ctx)?;
    }
    let lists = ColumnParts::lists(rows, offsets.buffers()[0].clone(), false, bytes, true);
    vouch::result(lists.validity(mask, null_count))
}
