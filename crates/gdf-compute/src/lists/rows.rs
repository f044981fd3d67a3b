//! Operations that copy rows, for tables of all types.

use gdf_core::layout::child_types;
use gdf_core::{Abilities, Column, ColumnView, DataType, Result, Table, TableView};
use gdf_engine::rows::{self, AffineRows, Bounds};

use super::carry;
use crate::Ctx;

/// Returns the rows of `table` whose numbers are in `map`, in the order of `map`.
pub fn gather(table: &TableView<'_>, map: ColumnView<'_>, bounds: Bounds, ctx: Ctx<'_>) -> Result<Table> {
    carry(table, ctx, |table, ctx| rows::gather(table, map, bounds, ctx))
}

/// Gathers in the same way as [`gather`], but does not check the elements of the map.
pub fn gather_trusted(table: &TableView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    gather(table, map, Bounds::Trust, ctx)
}

/// Gathers the rows of one column in the same way as [`gather_trusted`].
pub fn gather_column(column: ColumnView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    Ok(gather_trusted(&TableView::from(column), map, ctx)?.column(0)?.clone())
}

/// Returns the rows whose element in `mask` is true and not null. `mask` is a column of booleans.
pub fn select(table: &TableView<'_>, mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    carry(table, ctx, |table, ctx| rows::select(table, mask, ctx))
}

/// Returns the rows of `table` whose numbers the formula `rows` yields.
pub fn copy_affine(operation: &'static str, table: &TableView<'_>, rows: AffineRows, ctx: Ctx<'_>) -> Result<Table> {
    carry(table, ctx, |table, ctx| rows::copy_affine(operation, table, rows, ctx))
}

/// Copies the rows of one column in the same way as [`copy_affine`].
pub fn copy_affine_column(
    operation: &'static str,
    column: ColumnView<'_>,
    rows: AffineRows,
    ctx: Ctx<'_>,
) -> Result<Column> {
    Ok(copy_affine(operation, &TableView::from(column), rows, ctx)?.column(0)?.clone())
}

/// Returns whether copied rows may share values with the column that they are copied from, at any depth.
pub fn shares_values(data_type: &DataType) -> bool {
    match data_type {
        DataType::ListView(_) | DataType::LargeListView(_) => true,
        other => Abilities::of(other).encoded || child_types(other).into_iter().any(shares_values),
    }
}
