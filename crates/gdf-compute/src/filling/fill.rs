//! `fill`: concatenates the rows before the range, copies of the value for the rows of the range, and the rows after
//! the range.

use std::ops::Range;

use gdf_core::{Column, ColumnView, Operand, Result};
use gdf_engine::check;
use gdf_engine::check::len_of;
use gdf_engine::operand::one_value;
use gdf_engine::rows::Piece;

use crate::Ctx;
use crate::concatenate::concatenate_pieces;

/// Returns the rows of `column`, with each row of the range replaced by `value`.
///
/// Implements `gdf_api::filling::fill` with the stream and the memory resources of `ctx`. Returns the errors of that
/// function.
pub fn fill(column: ColumnView<'_>, rows: Range<usize>, value: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    check::column(column, ctx)?;
    let value = one_value(value, column.data_type(), ctx).map_err(|error| error.in_argument("value"))?;
    check::types(column.data_type(), value.data_type()).map_err(|error| error.in_argument("value"))?;
    let len = len_of(&rows).map_err(|error| error.in_argument("rows"))?;
    column.slice(rows.start, len).map_err(|error| error.in_argument("rows"))?;
    let before = Piece::Rows(column.slice(0, rows.start)?);
    let behind = Piece::Rows(column.slice(rows.end, column.len() - rows.end)?);
    concatenate_pieces("fill", column, &[before, Piece::Repeated(&value, len), behind], ctx)
}
