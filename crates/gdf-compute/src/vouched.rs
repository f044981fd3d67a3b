//! Functions that other crates of gdf call for maps that their own operations have made. The functions do not check the
//! maps, so they are unsafe.

use gdf_core::{Column, ColumnView, Result, Table, TableView};

use crate::{Ctx, lists};

/// Gathers in the same way as [`gather`](lists::gather_rows), but does not check the elements of the map.
///
/// # Safety
/// * Each element of the map is a row of the table or null.
///
/// # Errors
/// * The errors of [`gather`](lists::gather_rows).
pub unsafe fn gather_trusted(table: &TableView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    lists::gather_trusted(table, map, ctx)
}

/// Gathers the rows of one column in the same way as [`gather_trusted`].
///
/// # Safety
/// * Each element of the map is a row of the column or null.
///
/// # Errors
/// * The errors of [`gather`](lists::gather_rows).
pub unsafe fn gather_column(column: ColumnView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    lists::gather_column(column, map, ctx)
}
