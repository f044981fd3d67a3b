//! Concatenation of columns and tables: checks the arguments, unifies the values of dictionaries and views, and
//! concatenates lists.

mod lists;
#[cfg(test)]
mod tests;
mod unified;

use gdf_core::{Abilities, Column, ColumnView, Error, Position, Result, Table, TableView};
use gdf_engine::check;
use gdf_engine::rows::{self, RowPlan};

use crate::Ctx;

const OPERATION: &str = "concatenate";

/// Returns the rows of the tables, one table after the other. The result has the types of the first table.
///
/// Implements `gdf_api::concatenate::concatenate` with the stream and the memory resources of `ctx`. Returns the errors
/// of that function.
pub fn concatenate(tables: &[TableView<'_>], ctx: Ctx<'_>) -> Result<Table> {
    let Some((first, others)) = tables.split_first() else {
        return Err(Error::invalid_argument("there are no inputs; pass at least 1 input"));
    };
    check::table(first, ctx)?;
    for (i, table) in (1..).zip(others) {
        check::table(table, ctx)?;
        if table.num_columns() != first.num_columns() {
            return Err(Error::column_count(first.num_columns(), table.num_columns()).at(Position::Input(i)));
        }
        for (expected, found) in first.columns().iter().zip(table.columns()) {
            check::types(expected.data_type(), found.data_type()).map_err(|error| error.at(Position::Input(i)))?;
        }
    }
    if others.is_empty() {
        return Ok(first.to_table());
    }
    let with_rows: Vec<_> = tables.iter().filter(|table| table.num_rows() > 0).collect();
    let has_lists = first.columns().iter().any(|column| Abilities::of(column.data_type()).lists);
    // `RowPlan::new` returns an error for types that cannot be concatenated. The call is made even if the tables have
    // no rows, so that such types are always an error.
    let empty = if has_lists { None } else { Some(RowPlan::new(OPERATION, first)?) };
    let unified = unified::concatenate_unified(&with_rows, ctx)?;
    let table = match (unified, &with_rows[..], empty) {
        (Some(unified), ..) => unified,
        (None, [], Some(empty)) => empty.empty(ctx)?,
        (None, [], None) => first.to_table(),
        (None, [table], _) => table.to_table(),
        (None, tables, None) => lists::concatenate_lists(tables, ctx)?,
        (None, tables, Some(_)) => rows::join_tables(tables, ctx)?,
    };
    let columns = table.columns().iter().zip(first.columns());
    let columns = columns.map(|(column, first)| column.with_type(first.data_type().clone())).collect::<Result<_>>()?;
    Table::try_with_rows(columns, table.num_rows())
}

/// Concatenates columns in the same way as [`concatenate`].
pub fn concatenate_columns(columns: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Column> {
    let tables: Vec<_> = columns.iter().map(|column| TableView::from(*column)).collect();
    Ok(concatenate(&tables, ctx)?.column(0)?.clone())
}
