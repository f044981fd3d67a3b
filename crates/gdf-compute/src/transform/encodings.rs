//! Run-end encoded columns as plain columns, and plain columns as runs.

use gdf_core::{
    Abilities, Column, ColumnParts, ColumnView, DataType, Error, Field, Literal, NullCount, Result, RunsView, TableView,
};
use gdf_engine::cast::cast;
use gdf_engine::check;
use gdf_engine::rows::selected_rows;
use gdf_engine::shift::shift_rows;

use crate::Ctx;
use crate::binaryop::{BinaryOperator as Op, of};
use crate::lists::{gather_column, runs_of_rows, select_rows};
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
        let ends = shift_rows(begins.view(), -1, (rows as i64).into(), scratch)?;
        // The sum copies the column, because a cast of a column to its own type shares memory.
        let ends = of(&cast(ends.view(), &number, scratch)?, Op::Add, Literal::from(0_i8).into(), &number, ctx)?;
        (ends, select_rows(&table, first.view(), ctx)?.column(0)?.clone())
    };
    let fields = [("run_ends", &ends, false), ("values", &values, true)];
    let [of_ends, of_values] = fields.map(|(name, of, nulls)| Field::new(name, of.data_type().clone(), nulls).into());
    let parts = ColumnParts::new(DataType::RunEndEncoded(of_ends, of_values), ctx.stream.device(), rows);
    let parts = ColumnParts { null_count: NullCount::Known(0), ..parts };
    vouch::result(parts.child(ends).child(values))
}
