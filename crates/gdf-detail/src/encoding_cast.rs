//! Casts to dictionaries, and from dictionaries of nested values.

use gdf_compute::{lists, unary};
use gdf_core::{Column, ColumnView, DataType, Result, is_nested, same_type};
use gdf_engine::check;
use gdf_engine::decoded::decoded_type;
use gdf_expr::types::encoded_types;
use gdf_relational::dictionary::encode;

use crate::Ctx;

/// Returns whether [`cast`] takes columns of type `from` for the type `to`.
pub fn is_supported_cast(from: &DataType, to: &DataType) -> bool {
    let decoded = decoded_type(from);
    let is_decoded = decoded != from && same_type(decoded, to);
    is_decoded || unary::is_supported_cast(from, to) || encoded_types(from, to).is_some()
}

/// Converts `column` to the type `target`.
///
/// Implements `gdf_api::unary::cast` with the stream and the memory resources of `ctx`. Returns the errors of that
/// function.
pub fn cast(column: ColumnView<'_>, target: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let Some((key_type, values)) = encoded_types(column.data_type(), target) else {
        return plain(column, target, ctx);
    };
    let scratch = ctx.scratch();
    let decoded = plain(column, decoded_type(column.data_type()), scratch)?;
    let rows = plain(decoded.view(), values, scratch)?;
    encode(rows.view(), key_type, ctx)?.with_type(target.clone()).map_err(|error| error.in_argument("target"))
}

/// Casts to a type that needs no new dictionary. A column of a nested type can only be cast to its own type.
fn plain(column: ColumnView<'_>, target: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    if is_nested(column.data_type()) && same_type(column.data_type(), target) {
        check::column(column, ctx)?;
        return column.to_column().with_type(target.clone());
    }
    lists::cast_nested(column, target, ctx)
}
