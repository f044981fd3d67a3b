//! `transpose`: makes columns of rows.

use gdf_core::{Result, Table, TableView};

use super::interleave_columns::interleaved;
use crate::Ctx;

/// Returns a table that has a column for each row of `table`.
///
/// Implements `gdf_api::reshape::transpose` with the stream and the memory resources of `ctx`. Returns the errors of
/// that function.
pub fn transpose(table: TableView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let columns = table.num_columns();
    if columns == 0 || table.num_rows() == 0 {
        return Table::try_with_rows(Vec::new(), columns);
    }
    let rows = interleaved("transpose", &table, ctx)?;
    let slices = (0..table.num_rows()).map(|row| rows.slice(row * columns, columns));
    Table::try_with_rows(slices.collect::<Result<_>>()?, columns)
}
