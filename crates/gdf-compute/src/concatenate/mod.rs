//! Concatenation of columns and tables: checks the arguments, and unifies the values of dictionaries and views.

mod composite;
mod pieces;
#[cfg(test)]
mod tests;
mod unified;

use gdf_core::{Column, ColumnView, Error, Position, Result, Table, TableView};
use gdf_engine::check;
use gdf_engine::rows;

use self::composite::concatenate_composite;
pub(crate) use self::pieces::concatenate_pieces;
use self::unified::shares_encoded;
pub(crate) use self::unified::with_shared_values;
use crate::Ctx;
use crate::lists::{has_composite, split_composite};

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
    let table = split_columns(tables, first, ctx)?;
    let columns = table.columns().iter().zip(first.columns());
    let columns = columns.map(|(column, first)| column.with_type(first.data_type().clone())).collect::<Result<_>>()?;
    Table::try_with_rows(columns, table.num_rows())
}

fn split_columns(tables: &[TableView<'_>], first: &TableView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let with_rows: Vec<_> = tables.iter().filter(|table| table.num_rows() > 0).collect();
    let is_composite = |column: &ColumnView<'_>| has_composite(column.data_type());
    match &with_rows[..] {
        [] if first.columns().iter().any(is_composite) => Ok(first.to_table()),
        [table] => Ok(table.to_table()),
        _ if !first.columns().iter().any(is_composite) => concatenate_plain(&with_rows, first, ctx),
        _ => {
            let chosen = |composite: bool| {
                let chosen = |column: &usize| is_composite(&first.columns()[*column]) == composite;
                let chosen: Vec<_> = (0..first.num_columns()).filter(chosen).collect();
                with_rows.iter().map(|table| table.select(&chosen)).collect::<Result<Vec<_>>>()
            };
            let composite =
                |_: &TableView<'_>, ctx: Ctx<'_>| concatenate_composite(&chosen(true)?.iter().collect::<Vec<_>>(), ctx);
            split_composite(first, ctx, composite, |like, ctx| {
                concatenate_plain(&chosen(false)?.iter().collect::<Vec<_>>(), like, ctx)
            })
        }
    }
}

/// Concatenates tables without composite columns.
fn concatenate_plain(with_rows: &[&TableView<'_>], first: &TableView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    if with_rows.is_empty() {
        return rows::append_tables(&[first], ctx);
    }
    match unified::concatenate_unified(with_rows, ctx)? {
        Some(unified) => Ok(unified),
        None => rows::append_tables(with_rows, ctx),
    }
}

/// Concatenates columns in the same way as [`concatenate`].
pub fn concatenate_columns(columns: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Column> {
    let tables: Vec<_> = columns.iter().map(|column| TableView::from(*column)).collect();
    Ok(concatenate(&tables, ctx)?.column(0)?.clone())
}
