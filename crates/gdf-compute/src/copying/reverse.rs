//! `reverse`: copies the rows of a table in reverse order.

use gdf_core::{Result, Table, TableView};
use gdf_engine::check;
use gdf_engine::rows::AffineRows;

use crate::Ctx;
use crate::lists::copy_affine_rows;

/// Returns the rows of `table` in reverse order.
///
/// Implements `gdf_api::copying::reverse` with the stream and the memory resources of `ctx`. Returns the errors of
/// that function.
pub fn reverse(table: TableView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    check::table(&table, ctx)?;
    let length = table.num_rows() as i64;
    let rows = AffineRows { length, divisor: length, by_quotient: 0, by_remainder: -1, first: length - 1 };
    copy_affine_rows("reverse", &table, rows, ctx)
}
