//! Operations that copy rows, for tables of all types.

use gdf_core::layout::child_types;
use gdf_core::{
    Abilities, Column, ColumnView, DataType, DictionaryView, Result, Table, TableView, is_nested, same_type,
};
use gdf_engine::cast as engine;
use gdf_engine::check;
use gdf_engine::decoded::decoded_type;
use gdf_engine::rows::{self, AffineRows};

use super::copies::{copy_opened, gather_column};
use crate::Ctx;

/// Converts a column in the same way as [`cast`](gdf_engine::cast::cast()), and decodes dictionaries of nested values,
/// too.
///
/// # Errors
/// * The errors of that function.
pub fn cast_nested(column: ColumnView<'_>, target: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    let DataType::Dictionary(_, values) = column.data_type() else { return engine::cast(column, target, ctx) };
    if !is_nested(values) || !same_type(decoded_type(values), target) {
        return engine::cast(column, target, ctx);
    }
    check::column(column, ctx)?;
    let dictionary = DictionaryView::try_from(column)?;
    let rows = gather_column(dictionary.values(), dictionary.keys().view(), ctx)?;
    cast_nested(rows.view(), target, ctx)
}

/// Returns the rows of `table` whose numbers the formula `rows` yields.
pub fn copy_affine_rows(
    operation: &'static str,
    table: &TableView<'_>,
    rows: AffineRows,
    ctx: Ctx<'_>,
) -> Result<Table> {
    copy_opened(table, ctx, |table, ctx| rows::copy_affine(operation, table, rows, ctx))
}

/// Copies the rows of one column in the same way as [`copy_affine_rows`].
pub fn copy_affine_column(
    operation: &'static str,
    column: ColumnView<'_>,
    rows: AffineRows,
    ctx: Ctx<'_>,
) -> Result<Column> {
    Ok(copy_affine_rows(operation, &TableView::from(column), rows, ctx)?.column(0)?.clone())
}

/// Returns whether copied rows may share values with the column that they are copied from, at any depth.
pub fn may_share_values(data_type: &DataType) -> bool {
    match data_type {
        DataType::ListView(_) | DataType::LargeListView(_) => true,
        other => Abilities::of(other).encoded || child_types(other).into_iter().any(may_share_values),
    }
}
