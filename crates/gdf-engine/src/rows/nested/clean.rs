//! Columns whose null rows have no data. The rows of a level are copied as they are, with the data of their null rows, so
//! that this data is removed first.

use gdf_core::{Column, ColumnView, DataType, Result, TableView, is_nested};

use crate::Ctx;
use crate::rows::{copy_affine, every_row};
use crate::vouch;

/// Returns whether null rows of the column may have data that a copy must leave out, at any depth.
pub(super) fn may_hide_data(column: ColumnView<'_>) -> bool {
    // Null lists of a fixed size have elements in every layout.
    let is_array = matches!(column.data_type(), DataType::FixedSizeList(..));
    !column.sanitized() && (!is_array || column.children().iter().any(|child| may_hide_data(child.view())))
}

/// Returns the column without data in null rows, at any depth.
pub(super) fn without_hidden_data(operation: &'static str, column: &Column, ctx: Ctx<'_>) -> Result<Column> {
    if !may_hide_data(column.view()) {
        return Ok(column.clone());
    }
    if let DataType::FixedSizeList(..) = column.data_type() {
        return with_clean_children(operation, column, ctx);
    }
    copy_without_hidden_data(operation, column, ctx)
}

/// Copies the column without data in null rows, at any depth.
pub(super) fn copy_without_hidden_data(operation: &'static str, column: &Column, ctx: Ctx<'_>) -> Result<Column> {
    let column = with_clean_children(operation, column, ctx.scratch())?;
    let rows = every_row(column.len())?;
    Ok(copy_affine(operation, &TableView::from(column.view()), rows, ctx)?.column(0)?.clone())
}

/// Returns the column with children whose null rows have no data. A copy of single rows removes the data of the null
/// rows of the column itself, and of the fields of structs.
pub(super) fn with_clean_children(operation: &'static str, column: &Column, ctx: Ctx<'_>) -> Result<Column> {
    if column.sanitized() || !is_nested(column.data_type()) || matches!(column.data_type(), DataType::Dictionary(..)) {
        return Ok(column.clone());
    }
    let mut parts = column.clone().into_parts();
    let clean = if let DataType::Struct(_) = parts.data_type { with_clean_children } else { without_hidden_data };
    for child in &mut parts.children {
        *child = clean(operation, child, ctx)?;
    }
    vouch::result(parts)
}
