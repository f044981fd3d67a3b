//! Types of text that operations do not take as they are.

use gdf_core::{Column, ColumnView, DataType, Result};

use crate::Ctx;
use crate::unary::cast;

/// The text of views and of dictionaries of text: `Utf8`, of dictionaries of `LargeUtf8` that; `None` of any other column.
///
/// # Errors
/// * Those of [`cast`].
pub fn as_text(column: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Option<Column>> {
    // Results share masks and bytes of their inputs, so that no text that they are made of is scratch memory.
    match column.data_type() {
        DataType::Utf8View => cast(column, &DataType::Utf8, ctx).map(Some),
        DataType::Dictionary(_, values) => match values.as_ref() {
            DataType::Utf8 | DataType::LargeUtf8 => cast(column, values, ctx).map(Some),
            DataType::Utf8View => as_text(cast(column, values, ctx.scratch())?.view(), ctx),
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}
