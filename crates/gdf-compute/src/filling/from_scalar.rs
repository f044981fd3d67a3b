//! `from_scalar`: repeats one value.

use gdf_core::{Column, Operand, Result};
use gdf_engine::operand::one_value;
use gdf_engine::rows::Piece;

use crate::Ctx;
use crate::concatenate::concatenate_pieces;

/// Returns a column of `rows` rows, all equal to `value`.
///
/// Implements `gdf_api::filling::from_scalar` with the stream and the memory resources of `ctx`. Returns the errors of
/// that function.
pub fn from_scalar(value: Operand<'_>, rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    let value = one_value(value, value.data_type(), ctx).map_err(|error| error.in_argument("value"))?;
    concatenate_pieces("from_scalar", value.view(), &[Piece::Repeated(&value, rows)], ctx)
}
