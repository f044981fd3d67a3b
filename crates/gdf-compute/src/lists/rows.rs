//! The operations of [`engine::rows`](gdf_engine::rows) that copy rows, extended to tables with list columns. The
//! tables have been checked.

use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_engine::rows::{self, AffineRows, Bounds};

use super::carry;
use crate::Ctx;

/// Returns the rows of `table` whose numbers are in `map`, in the order of `map`. `map` is a column of integers.
pub fn gather(table: &TableView<'_>, map: ColumnView<'_>, bounds: Bounds, ctx: Ctx<'_>) -> Result<Table> {
    carry(table, ctx, |table, ctx| rows::gather(table, map, bounds, ctx))
}

/// Gathers as [`gather`] does, without a check of bounds. This crate has made the map, so each element is a row
/// number or null.
pub fn gather_trusted(table: &TableView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    gather(table, map, Bounds::Trust, ctx)
}

/// Gathers the rows of one column as [`gather_trusted`] does.
pub fn gather_column(column: ColumnView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    Ok(gather_trusted(&TableView::from(column), map, ctx)?.column(0)?.clone())
}

/// Returns the rows whose element in `mask` is true and not null. `mask` is a column of booleans.
pub fn select(table: &TableView<'_>, mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    carry(table, ctx, |table, ctx| rows::select(table, mask, ctx))
}

/// Returns the rows of `table` that the formula `rows` selects.
pub fn copy_affine(operation: &'static str, table: &TableView<'_>, rows: AffineRows, ctx: Ctx<'_>) -> Result<Table> {
    carry(table, ctx, |table, ctx| rows::copy_affine(operation, table, rows, ctx))
}

/// Copies the rows of one column as [`copy_affine`] does.
pub fn copy_affine_column(
    operation: &'static str,
    column: ColumnView<'_>,
    rows: AffineRows,
    ctx: Ctx<'_>,
) -> Result<Column> {
    Ok(copy_affine(operation, &TableView::from(column), rows, ctx)?.column(0)?.clone())
}
