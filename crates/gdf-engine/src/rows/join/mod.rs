//! Concatenates tables.

mod cuda;
mod host;
mod offsets;
mod plan;

use gdf_core::{Column, ColumnView, Error, Result, Scalar, Table, TableView};
use gdf_driver::Device;

pub use self::offsets::{MAX_OFFSET_PIECES, join_offsets, offset_ends};
use self::plan::Join;
pub use self::plan::{same_columns, shares_values};
use super::RowPlan;
use crate::Ctx;

const CONCATENATE: &str = "concatenate";

/// Concatenates tables of the same types. The caller has checked the tables. The result shares the values of
/// dictionaries and the buffers of views, which must therefore be the same in all tables.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) under the conditions of [`RowPlan::new`], and if dictionaries or buffers of
///   views differ.
/// * [`OffsetOverflow`](Error::OffsetOverflow); driver and memory errors.
pub fn join_tables(tables: &[&TableView<'_>], ctx: Ctx<'_>) -> Result<Table> {
    let with_rows: Vec<_> = tables.iter().filter(|table| table.num_rows() > 0).collect();
    let plans = with_rows.iter().map(|table| RowPlan::new(CONCATENATE, table)).collect::<Result<Vec<_>>>()?;
    let rows: Vec<_> = with_rows.iter().map(|table| table.num_rows()).collect();
    match (&plans[..], tables.first()) {
        ([_], _) => Ok(with_rows[0].to_table()),
        ([like, ..], _) => joined(like, &plans, &rows, &[], ctx),
        ([], Some(like)) => RowPlan::new(CONCATENATE, like)?.empty(ctx),
        ([], None) => Err(Error::invalid_argument("there are no inputs; pass at least 1 input")),
    }
}

/// Concatenates columns in the same way as [`join_tables`].
pub fn join_columns(columns: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Column> {
    let tables: Vec<_> = columns.iter().map(|column| TableView::from(*column)).collect();
    Ok(join_tables(&tables.iter().collect::<Vec<_>>(), ctx)?.column(0)?.clone())
}

/// Concatenates tables.
fn joined(like: &RowPlan<'_>, plans: &[RowPlan<'_>], rows: &[usize], repeated: &[bool], ctx: Ctx<'_>) -> Result<Table> {
    let join = Join::new(like, plans, rows, repeated)?;
    let output_buffers = match ctx.stream.device() {
        Device::Cpu => host::concatenate(&join, ctx)?,
        Device::Cuda(_) => cuda::concatenate(&join, ctx)?,
    };
    // Facts about the values of one part do not hold for the others.
    like.finish_any(join.rows(), ctx.stream.device(), output_buffers)
}

/// A part of a concatenated column.
#[derive(Clone, Copy)]
pub enum Piece<'a> {
    Rows(ColumnView<'a>),
    /// A scalar, and the number of its repetitions.
    Repeated(&'a Scalar, usize),
}

/// A function that concatenates pieces in the same way as [`join_pieces`], but may support columns of more types.
pub type JoinPieces = fn(&'static str, ColumnView<'_>, &[Piece<'_>], Ctx<'_>) -> Result<Column>;

/// Concatenates at most 32 pieces, which have the type of `like`.
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

/// Copies the rows of a table to new memory, without the bytes of null rows.
pub fn copy_rows(operation: &'static str, table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let plan = RowPlan::new(operation, table)?;
    if table.num_rows() == 0 {
        return plan.empty(ctx);
    }
    joined(&plan, std::slice::from_ref(&plan), &[table.num_rows()], &[], ctx)
}
