//! `interleave_columns`: the rows of all columns, row by row. Columns one behind the other, then a step of a column's length
//! from row to row.

use gdf_core::{Column, Error, Position, Result, TableView};

use crate::Ctx;
use crate::check;
use crate::concatenate::concatenate_columns;
use crate::engine::rows::{AffineRows, copy_affine_column, rows_times};

const INTERLEAVE: &str = "interleave_columns";

/// The first row of each column, then the second one, …: the explicit form of `gdf_api::reshape::interleave_columns`, with
/// its errors.
pub fn interleave_columns(table: TableView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    interleaved(INTERLEAVE, &table, ctx)
}

/// As [`interleave_columns`], of the operation that is named.
pub(super) fn interleaved(operation: &'static str, table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let Some(first) = table.columns().first() else {
        return Err(Error::invalid_argument("a table without columns").in_argument("table"));
    };
    for (i, column) in table.columns().iter().enumerate() {
        check::types(first.data_type(), column.data_type()).map_err(|error| error.at(Position::Column(i)))?;
    }
    check::table(table, ctx)?;
    let (rows, columns) = (table.num_rows(), table.num_columns());
    let length = rows_times(rows, columns)?;
    let joined = concatenate_columns(table.columns(), if columns > 1 { ctx.scratch() } else { ctx })?;
    let formula = AffineRows { length, divisor: columns as i64, by_quotient: 1, by_remainder: rows as i64, first: 0 };
    copy_affine_column(operation, joined.view(), formula, ctx)
}
