//! `shift`: concatenates the remaining rows of a column with copies of the fill value.

use gdf_core::{Column, ColumnView, Operand, Result};
use gdf_engine::check;
use gdf_engine::operand::one_value;
use gdf_engine::rows::shifted_pieces;

use crate::Ctx;
use crate::concatenate::concatenate_pieces;

/// Returns a column whose row `r` is row `r - offset` of `column`, or the fill value if `column` has no such row.
///
/// Implements `gdf_api::copying::shift` with the stream and the memory resources of `ctx`. Returns the errors of that
/// function.
pub fn shift(column: ColumnView<'_>, offset: i64, fill_value: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    check::column(column, ctx)?;
    let value = one_value(fill_value, column.data_type(), ctx).map_err(|error| error.in_argument("fill_value"))?;
    check::types(column.data_type(), value.data_type()).map_err(|error| error.in_argument("fill_value"))?;
    concatenate_pieces("shift", column, &shifted_pieces(column, offset, &value)?, ctx)
}
