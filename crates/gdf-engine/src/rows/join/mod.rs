//! Tables one after the other.

mod cuda;
mod host;
mod plan;

use gdf_core::{Column, ColumnView, Error, Result, Scalar, Table, TableView};
use gdf_driver::Device;

use self::plan::Join;
pub use self::plan::shares_values;
use super::RowPlan;
use crate::Ctx;

const CONCATENATE: &str = "concatenate";

/// The rows of tables of the same types, one table after the other. They are checked, and what their dictionaries and views
/// point into is shared.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) as of [`RowPlan::new`], and where values are not shared.
/// * [`OffsetOverflow`](Error::OffsetOverflow); driver and memory errors.
pub fn join_tables(tables: &[&TableView<'_>], ctx: Ctx<'_>) -> Result<Table> {
    let with_rows: Vec<_> = tables.iter().filter(|table| table.num_rows() > 0).collect();
    let plans = with_rows.iter().map(|table| RowPlan::new(CONCATENATE, table)).collect::<Result<Vec<_>>>()?;
    let rows: Vec<_> = with_rows.iter().map(|table| table.num_rows()).collect();
    match (&plans[..], tables.first()) {
        ([_], _) => Ok(with_rows[0].to_table()),
        ([like, ..], _) => joined(like, &plans, &rows, &[], ctx),
        ([], Some(like)) => RowPlan::new(CONCATENATE, like)?.empty(ctx),
        ([], None) => Err(Error::invalid_argument("expected at least 1 input, found none")),
    }
}

/// As [`join_tables`], of columns.
pub fn join_columns(columns: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Column> {
    let tables: Vec<_> = columns.iter().map(|column| TableView::from(*column)).collect();
    Ok(join_tables(&tables.iter().collect::<Vec<_>>(), ctx)?.column(0)?.clone())
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
pub enum Piece<'a> {
    /// Rows of a column.
    Rows(ColumnView<'a>),
    /// A scalar so many times.
    Repeated(&'a Scalar, usize),
}

/// A few pieces one after the other, at most 32, like a column whose type all have. Costs what [`join_tables`] does.
pub fn join_pieces(
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

/// The rows of one table in memory of their own, without what null rows hide. Costs what [`join_tables`] does.
pub fn copy_rows(operation: &'static str, table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let plan = RowPlan::new(operation, table)?;
    if table.num_rows() == 0 {
        return plan.empty(ctx);
    }
    joined(&plan, std::slice::from_ref(&plan), &[table.num_rows()], &[], ctx)
}
