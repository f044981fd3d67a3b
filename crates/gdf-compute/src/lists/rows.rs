//! The passes over rows of [`engine::rows`](gdf_engine::rows), for tables that may have lists, which are checked.

use gdf_core::{Column, ColumnView, Result, Table, TableView};
use gdf_engine::rows::{self, AffineRows, Bounds};

use super::carry;
use crate::Ctx;

/// Rows in the order of a map of integers.
pub fn gather(table: &TableView<'_>, map: ColumnView<'_>, bounds: Bounds, ctx: Ctx<'_>) -> Result<Table> {
    carry(table, ctx, |table, ctx| rows::gather(table, map, bounds, ctx))
}

/// As [`gather`], for maps that this crate has made, whose elements are rows or null.
pub fn gather_trusted(table: &TableView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    gather(table, map, Bounds::Trust, ctx)
}

/// As [`gather_trusted`], of one column.
pub fn gather_column(column: ColumnView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    Ok(gather_trusted(&TableView::from(column), map, ctx)?.column(0)?.clone())
}

/// The rows whose element of a mask of booleans is true and not null.
pub fn select(table: &TableView<'_>, mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    carry(table, ctx, |table, ctx| rows::select(table, mask, ctx))
}

/// Rows that a formula says.
pub fn copy_affine(operation: &'static str, table: &TableView<'_>, rows: AffineRows, ctx: Ctx<'_>) -> Result<Table> {
    carry(table, ctx, |table, ctx| rows::copy_affine(operation, table, rows, ctx))
}

/// As [`copy_affine`], of one column.
pub fn copy_affine_column(
    operation: &'static str,
    column: ColumnView<'_>,
    rows: AffineRows,
    ctx: Ctx<'_>,
) -> Result<Column> {
    Ok(copy_affine(operation, &TableView::from(column), rows, ctx)?.column(0)?.clone())
}
