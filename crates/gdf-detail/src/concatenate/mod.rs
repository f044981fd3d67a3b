//! Columns and tables one after the other: checks and choice of backend.

mod cuda;
mod host;
mod plan;
#[cfg(test)]
mod tests;
mod unified;

use gdf_core::{Column, ColumnView, Error, Position, Result, Scalar, Table, TableView};
use gdf_driver::Device;

use self::plan::Join;
use crate::Ctx;
use crate::check;
use crate::engine::rows::RowPlan;
use crate::lists;

const OPERATION: &str = "concatenate";

/// The rows of the tables, one table after the other, with the types of the first: the explicit form of
/// `gdf_api::concatenate::concatenate`, with its errors.
pub fn concatenate(tables: &[TableView<'_>], ctx: Ctx<'_>) -> Result<Table> {
    let Some((first, others)) = tables.split_first() else {
        return Err(Error::invalid_argument("expected at least 1 input, found none"));
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
    let has_lists = first.columns().iter().any(|column| lists::has_lists(column.data_type()));
    // Refuses types whatever the number of rows.
    let empty = if has_lists { None } else { Some(RowPlan::new(OPERATION, first)?) };
    let unified = unified::concatenate_unified(&with_rows, ctx)?;
    let table = match (unified, &with_rows[..], empty) {
        (Some(unified), ..) => unified,
        (None, [], Some(empty)) => empty.empty(ctx)?,
        (None, [], None) => first.to_table(),
        (None, [table], _) => table.to_table(),
        (None, tables, None) => lists::concatenate(tables, ctx)?,
        (None, tables, Some(_)) => {
            let plans = tables.iter().map(|table| RowPlan::new(OPERATION, table)).collect::<Result<Vec<_>>>()?;
            let rows: Vec<_> = tables.iter().map(|table| table.num_rows()).collect();
            joined(&plans[0], &plans, &rows, &[], ctx)?
        }
    };
    let columns = table.columns().iter().zip(first.columns());
    let columns = columns.map(|(column, first)| column.with_type(first.data_type().clone())).collect::<Result<_>>()?;
    Table::try_with_rows(columns, table.num_rows())
}

/// The rows of tables that have some, one table after the other; of some tables one row, repeated.
fn joined(like: &RowPlan<'_>, plans: &[RowPlan<'_>], rows: &[usize], repeated: &[bool], ctx: Ctx<'_>) -> Result<Table> {
    let join = Join::new(like, plans, rows, repeated)?;
    let output_buffers = match ctx.stream.device() {
        Device::Cpu => host::concatenate(&join, ctx)?,
        Device::Cuda(_) => cuda::concatenate(&join, ctx)?,
    };
    like.finish(join.rows(), ctx.stream.device(), output_buffers)
}

/// A part of a column.
#[derive(Clone, Copy)]
pub(crate) enum Piece<'a> {
    /// Rows of a column.
    Rows(ColumnView<'a>),
    /// A scalar so many times.
    Repeated(&'a Scalar, usize),
}

/// A few pieces one after the other, at most 32, like a column whose type all have. Costs what [`concatenate`] does.
pub(crate) fn join_pieces(
    operation: &'static str,
    like: ColumnView<'_>,
    pieces: &[Piece<'_>],
    ctx: Ctx<'_>,
) -> Result<Column> {
    let like = RowPlan::new(operation, &TableView::from(like))?;
    let (mut plans, mut rows, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    for piece in pieces {
        let (view, len, repeats) = match *piece {
            Piece::Rows(view) => (view, view.len(), false),
            Piece::Repeated(scalar, len) => (scalar.view(), len, true),
        };
        if len > 0 {
            plans.push(RowPlan::new(operation, &TableView::from(view))?);
            rows.push(len);
            repeated.push(repeats);
        }
    }
    let table = if plans.is_empty() { like.empty(ctx)? } else { joined(&like, &plans, &rows, &repeated, ctx)? };
    Ok(table.column(0)?.clone())
}

/// The rows of one table in memory of their own, without what null rows hide. Costs what [`concatenate`] does.
pub(crate) fn copy_rows(operation: &'static str, table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let plan = RowPlan::new(operation, table)?;
    if table.num_rows() == 0 {
        return plan.empty(ctx);
    }
    joined(&plan, std::slice::from_ref(&plan), &[table.num_rows()], &[], ctx)
}

/// As [`concatenate`], of columns.
pub fn concatenate_columns(columns: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Column> {
    let tables: Vec<_> = columns.iter().map(|column| TableView::from(*column)).collect();
    Ok(concatenate(&tables, ctx)?.column(0)?.clone())
}
