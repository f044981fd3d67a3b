//! `fill_in_place`: writes one value to rows in the memory of a column. No other column may share this memory.

use std::ops::Range;

use gdf_core::{Column, Operand, Result};
use gdf_engine::check::len_of;
use gdf_engine::input::Input;
use gdf_engine::operand::one_value;

use crate::Ctx;
use crate::copying::write_rows;

/// Writes `value` to `rows` of `column`.
///
/// Implements `gdf_api::filling::fill_in_place` with the stream and the memory resources of `ctx`. Returns the errors
/// of that function.
pub fn fill_in_place(column: &mut Column, rows: Range<usize>, value: Operand<'_>, ctx: Ctx<'_>) -> Result<()> {
    let value = one_value(value, column.data_type(), ctx).map_err(|error| error.in_argument("value"))?;
    let len = len_of(&rows).map_err(|error| error.in_argument("rows"))?;
    write_rows("fill_in_place", Input::Scalar(&value), column, rows.start, len, ctx)
}
