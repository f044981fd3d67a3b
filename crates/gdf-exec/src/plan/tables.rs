//! Makes tables of nulls, and concatenates tables.

use arrow_schema::DataType;
use gdf_api::concatenate::concatenate;
use gdf_api::filling::from_scalar;
use gdf_core::{Literal, Table, TableView};

use crate::error::{Error, Result};

/// Returns a table of rows in which every value is null.
pub(super) fn nulls(types: &[DataType], rows: usize) -> Result<Table> {
    let columns = types.iter().map(|data_type| from_scalar(Literal::null(data_type), rows));
    Ok(Table::try_with_rows(columns.collect::<gdf_core::Result<_>>()?, rows)?)
}

/// Returns the columns at `positions`. The result has the rows of the table even without columns.
pub(super) fn selected(table: &Table, positions: &[usize]) -> Result<Table> {
    let columns = positions.iter().map(|at| table.column(*at).cloned());
    Ok(Table::try_with_rows(columns.collect::<gdf_core::Result<_>>()?, table.num_rows())?)
}

/// Returns the rows of all parts as one table.
pub(super) fn whole(parts: Vec<Table>) -> Result<Table> {
    // Empty parts are left out, because the concatenation needs a launch for each part.
    let (mut full, empty): (Vec<Table>, Vec<Table>) = parts.into_iter().partition(|part| part.num_rows() > 0);
    if full.len() <= 1 {
        let table = full.pop().or_else(|| empty.into_iter().next());
        return table.ok_or_else(|| Error::internal("a node has passed on no part"));
    }
    if full[0].num_columns() == 0 {
        return Ok(Table::try_with_rows(Vec::new(), full.iter().map(Table::num_rows).sum())?);
    }
    Ok(concatenate(&full.iter().map(Table::view).collect::<Vec<TableView<'_>>>())?)
}
