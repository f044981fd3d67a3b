//! Rows in the place of later or earlier rows.

use gdf_core::{Column, ColumnView, Operand, Result};

use crate::operand::one_value;
use crate::rows::{join_pieces, shifted_pieces};
use crate::{Ctx, check};

/// Shifts the rows of a column whose type [`join_pieces`] takes. A row that has no earlier row becomes the value.
///
/// # Errors
/// * The errors of [`join_pieces`], and of the conversion of a literal.
pub fn shift_rows(column: ColumnView<'_>, offset: i64, value: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    check::column(column, ctx)?;
    let value = one_value(value, column.data_type(), ctx)?;
    join_pieces("shift", column, &shifted_pieces(column, offset, &value)?, ctx)
}
