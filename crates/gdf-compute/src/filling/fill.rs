//! `fill`: what is before the range, a value so many times, and what is behind it.

use std::ops::Range;

use gdf_core::{Column, ColumnView, Operand, Result};
use gdf_engine::check;
use gdf_engine::check::len_of;
use gdf_engine::operand::one_value;
use gdf_engine::rows::{Piece, join_pieces};

use crate::Ctx;

/// The rows of `column`, those of the range replaced by `value`: the explicit form of `gdf_api::filling::fill`, with its
/// errors.
pub fn fill(column: ColumnView<'_>, rows: Range<usize>, value: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    check::column(column, ctx)?;
    let value = one_value(value, column.data_type(), ctx).map_err(|error| error.in_argument("value"))?;
    check::types(column.data_type(), value.data_type()).map_err(|error| error.in_argument("value"))?;
    let len = len_of(&rows).map_err(|error| error.in_argument("rows"))?;
    column.slice(rows.start, len).map_err(|error| error.in_argument("rows"))?;
    let before = Piece::Rows(column.slice(0, rows.start)?);
    let behind = Piece::Rows(column.slice(rows.end, column.len() - rows.end)?);
    join_pieces("fill", column, &[before, Piece::Repeated(&value, len), behind], ctx)
}
