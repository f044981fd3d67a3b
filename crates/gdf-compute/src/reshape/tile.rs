//! `tile`: repeats the rows of a table as a whole.

use gdf_core::{Result, Table, TableView};
use gdf_engine::check;
use gdf_engine::rows::{AffineRows, rows_times};

use crate::Ctx;
use crate::lists::copy_affine_rows;

/// Returns all rows of `table`, `count` times one after the other.
///
/// Implements `gdf_api::reshape::tile` with the stream and the memory resources of `ctx`. Returns the errors of that
/// function.
pub fn tile(table: TableView<'_>, count: usize, ctx: Ctx<'_>) -> Result<Table> {
    check::table(&table, ctx)?;
    let length = rows_times(table.num_rows(), count)?;
    let divisor = table.num_rows() as i64;
    copy_affine_rows("tile", &table, AffineRows { length, divisor, by_quotient: 0, by_remainder: 1, first: 0 }, ctx)
}
