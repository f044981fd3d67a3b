//! `transpose`: rows as columns. Interleaved columns are the rows of the table one behind the other.

use gdf_core::{Result, Table, TableView};

use super::interleave_columns::interleaved;
use crate::Ctx;

/// A column of each row of `table`: the explicit form of `gdf_api::reshape::transpose`, with its errors.
pub fn transpose(table: TableView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let columns = table.num_columns();
    if columns == 0 || table.num_rows() == 0 {
        return Table::try_with_rows(Vec::new(), columns);
    }
    let rows = interleaved("transpose", &table, ctx)?;
    let slices = (0..table.num_rows()).map(|row| rows.slice(row * columns, columns));
    Table::try_with_rows(slices.collect::<Result<_>>()?, columns)
}
