//! The fields of unions as plain columns.

use gdf_core::{Column, ColumnView, DataType, Error, Literal, Result};
use gdf_engine::binary::{BinaryOperator as Op, of};
use gdf_engine::cast::cast;
use gdf_engine::check;
use gdf_engine::choose::choose;
use gdf_engine::sequence::row_numbers;

use super::composite::is_field;
use super::copies::gather_column;
use crate::Ctx;
use crate::vouch;

/// Implements `gdf_api::transform::union_type_ids` with the stream of `ctx`.
pub fn union_type_ids(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    if !matches!(column.data_type(), DataType::Union(..)) {
        let remedy = "pass a column of a union type";
        return Err(Error::unsupported("union_type_ids", column.data_type()).with_remedy(remedy));
    }
    check::column(column, ctx)?;
    numbers_of_rows(column, 0, DataType::Int8, ctx)
}

/// Implements `gdf_api::transform::union_field` with the stream and the memory resources of `ctx`.
pub fn union_field(column: ColumnView<'_>, type_id: i8, ctx: Ctx<'_>) -> Result<Column> {
    let DataType::Union(fields, _) = column.data_type() else {
        let remedy = "pass a column of a union type";
        return Err(Error::unsupported("union_field", column.data_type()).with_remedy(remedy));
    };
    let Some(child) = fields.iter().position(|(id, _)| id == type_id) else {
        let text = "the type id must belong to a field of the union";
        return Err(Error::invalid_number(text, type_id.into()).in_argument("type_id"));
    };
    check::column(column, ctx)?;
    let (scratch, long) = (ctx.scratch(), &DataType::Int64);
    let is_dense = column.buffers().len() > 1;
    let own = is_field(&numbers_of_rows(column, 0, DataType::Int8, ctx)?, type_id, scratch)?;
    let rows = if is_dense {
        cast(numbers_of_rows(column, 1, DataType::Int32, ctx)?.view(), long, scratch)?
    } else {
        let rows = cast(row_numbers(column.len(), scratch)?.view(), long, scratch)?;
        of(&rows, Op::Add, (column.offset() as i64).into(), long, scratch)?
    };
    let rows = choose((&rows).into(), Literal::null(long).into(), own.view(), scratch)?;
    gather_column(column.child(child)?, rows.view(), ctx)
}

/// Returns the numbers of one of the union's buffers, which has a number for each row.
fn numbers_of_rows(column: ColumnView<'_>, buffer: usize, data_type: DataType, ctx: Ctx<'_>) -> Result<Column> {
    if column.is_empty() {
        return Column::empty_on(&data_type, ctx.stream.device());
    }
    let (offset, rows, buffers) = (column.offset(), column.len(), column.buffers());
    let numbers = buffers.get(buffer).ok_or_else(|| Error::buffer_count(column.data_type(), 1, buffers.len()))?;
    vouch::numbers(data_type, numbers.clone(), offset + rows, ctx.stream)?.slice(offset, rows)
}
