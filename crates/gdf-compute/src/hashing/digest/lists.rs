//! The bytes of lists, for digests.

use gdf_core::{
    Abilities, Column, ColumnView, DataType, Error, ListsView, PhysicalType, Result, TableView, is_floating,
    physical_type,
};
use gdf_engine::cast::cast;
use gdf_engine::decoded::Decoded;

use crate::Ctx;
use crate::binaryop::{BinaryOperator as Op, of};
use crate::keys::binary;
use crate::lists::{Lists, as_lists, gather_column, kept_offsets, rows_of_ranges, select_rows};
use crate::replace::normalize_nans_and_zeros;
use crate::unary::is_valid;
use crate::vouch;

pub(super) fn is_list(data_type: &DataType) -> bool {
    matches!(physical_type(data_type), PhysicalType::List { .. } | PhysicalType::Map | PhysicalType::FixedSizeList(_))
}

/// Returns for each list a row of type `LargeBinary`, which is the concatenation of the bytes of the list's elements.
/// Null elements have no bytes.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) if the elements are lists, structs or temporal.
pub(super) fn bytes_of(operation: &'static str, column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let lists = as_lists(operation, column, ctx)?;
    let lists = Lists::open(ListsView::try_from(lists.view())?, &[], ctx)?;
    let (rows, mut offsets) = rows_of_ranges(&lists.begins()?, &lists.sizes, lists.elements.len(), ctx)?;
    let mut elements = gather_column(lists.elements.view(), rows.view(), ctx)?;
    if elements.has_validity() {
        let keep = is_valid(elements.view(), ctx)?;
        offsets = kept_offsets(&offsets, &keep, ctx)?;
        elements = select_rows(&TableView::from(elements.view()), keep.view(), ctx)?.column(0)?.clone();
    }
    let elements = normal(operation, Decoded::of(elements.view(), ctx)?.into_column(), ctx)
        .map_err(|error| error.in_type(column.data_type()))?;
    let (long, physical) = (&DataType::Int64, physical_type(elements.data_type()));
    let (offsets, bytes) = match physical.width() {
        Some(width) => {
            let bytes = elements.buffers()[0].slice(elements.offset() * width, elements.len() * width)?;
            (of(&offsets, Op::Mul, (width as i64).into(), long, ctx)?, bytes)
        }
        None => {
            let (first, rows) = (elements.offset(), elements.len());
            let data_type = if physical.is_large() { DataType::Int64 } else { DataType::Int32 };
            let ends = vouch::numbers(data_type, elements.buffers()[0].clone(), first + rows + 1, ctx.stream)?;
            let ends = cast(ends.slice(first, rows + 1)?.view(), long, ctx)?;
            (gather_column(ends.view(), offsets.view(), ctx)?, elements.buffers()[1].clone())
        }
    };
    binary(None, &offsets, bytes, ctx)
}

/// Returns plain elements without nulls, with the bytes that a digest takes: booleans have one byte, all NaNs have the
/// same bits, and −0.0 becomes 0.0.
fn normal(operation: &'static str, elements: Column, ctx: Ctx<'_>) -> Result<Column> {
    let data_type = elements.data_type();
    let physical = physical_type(data_type);
    match data_type {
        DataType::Boolean => cast(elements.view(), &DataType::UInt8, ctx),
        _ if is_floating(data_type) => normalize_nans_and_zeros(elements.view(), ctx),
        _ if Abilities::of(data_type).arithmetic && physical.width().is_some() => Ok(elements),
        _ if physical.has_byte_offsets() => Ok(elements),
        _ => Err(Error::unsupported(operation, data_type)),
    }
}
