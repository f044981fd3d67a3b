//! Run-end encoded columns and unions as plain columns, and plain columns as runs.

use gdf_core::{
    Abilities, Column, ColumnParts, ColumnView, DataType, Error, Field, Literal, NullCount, Result, RunsView, TableView,
};
use gdf_engine::cast::cast;
use gdf_engine::check;
use gdf_engine::rows::selected_rows;

use crate::Ctx;
use crate::binaryop::{BinaryOperator as Op, of};
use crate::copying::{copy_if_else, shift};
use crate::filling::row_numbers;
use crate::lists::{gather_column, is_field, runs_of_rows, select};
use crate::stream_compaction::{NullEquality, heads};
use crate::vouch;

/// Implements `gdf_api::transform::run_end_decode` with the stream and the memory resources of `ctx`.
pub fn run_end_decode(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let remedy = "pass a run-end encoded column";
    let runs = RunsView::try_from(column)
        .map_err(|_| Error::unsupported("run_end_decode", column.data_type()).with_remedy(remedy))?;
    check::column(column, ctx)?;
    let rows = runs_of_rows(&column.to_column(), ctx.scratch())?;
    gather_column(runs.values(), rows.view(), ctx)
}

/// Implements `gdf_api::transform::run_end_encode` with the stream and the memory resources of `ctx`.
pub fn run_end_encode(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    const OPERATION: &str = "run_end_encode";
    if !Abilities::of(column.data_type()).sortable {
        return Err(Error::unsupported(OPERATION, column.data_type()));
    }
    check::column(column, ctx)?;
    let (scratch, rows) = (ctx.scratch(), column.len());
    let number = if i32::try_from(rows).is_ok() { DataType::Int32 } else { DataType::Int64 };
    let (ends, values) = if rows == 0 {
        let none = Column::empty_on(&number, ctx.stream.device())?;
        let values = gather_column(column, none.view(), ctx)?;
        (none, values)
    } else {
        let table = TableView::from(column);
        let first = heads(OPERATION, &table, NullEquality::Equal, scratch)?;
        let begins = cast(selected_rows(first.view(), scratch)?.view(), &DataType::Int64, scratch)?;
        let ends = shift(begins.view(), -1, (rows as i64).into(), scratch)?;
        // The sum copies the column, because a cast of a column to its own type shares memory.
        let ends = of(&cast(ends.view(), &number, scratch)?, Op::Add, Literal::from(0_i8).into(), &number, ctx)?;
        (ends, select(&table, first.view(), ctx)?.column(0)?.clone())
    };
    let fields = [("run_ends", &ends, false), ("values", &values, true)];
    let [of_ends, of_values] = fields.map(|(name, of, nulls)| Field::new(name, of.data_type().clone(), nulls).into());
    let parts = ColumnParts::new(DataType::RunEndEncoded(of_ends, of_values), ctx.stream.device(), rows);
    let parts = ColumnParts { null_count: NullCount::Known(0), ..parts };
    vouch::result(parts.child(ends).child(values))
}

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
    let rows = copy_if_else((&rows).into(), Literal::null(long).into(), own.view(), scratch)?;
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
