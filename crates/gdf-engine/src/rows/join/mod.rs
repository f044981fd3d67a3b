//! Concatenates tables.

mod cuda;
mod host;
mod offsets;
mod plan;

use gdf_core::{Abilities, Column, ColumnView, Error, Result, Scalar, Table, TableView};
use gdf_driver::Device;

pub use self::offsets::{MAX_OFFSET_PIECES, offset_ends};
use self::plan::Join;
pub use self::plan::{same_columns, shares_values};
use super::{AffineRows, RowPlan, copy_affine, every_row, first_row_repeated, nested};
use crate::Ctx;

const CONCATENATE: &str = "concatenate";

/// Concatenates tables of the same types. The caller has checked the tables. The result shares the values of
/// dictionaries and the buffers of views, which must therefore be the same in all tables.
///
/// # Errors
/// * [`Unsupported`](Error::Unsupported) under the conditions of [`RowPlan::new`], and if dictionaries or buffers of
///   views differ.
/// * [`OffsetOverflow`](Error::OffsetOverflow); driver and memory errors.
pub fn append_tables(tables: &[&TableView<'_>], ctx: Ctx<'_>) -> Result<Table> {
    let with_rows: Vec<_> = tables.iter().copied().filter(|table| table.num_rows() > 0).collect();
    match (&with_rows[..], tables.first()) {
        ([table], _) => Ok(table.to_table()),
        ([], Some(like)) => RowPlan::with_lists(CONCATENATE, like)?.empty(ctx),
        ([], None) => Err(Error::invalid_argument("there are no inputs; pass at least 1 input")),
        (tables, _) if ctx.stream.device().is_cpu() => on_host(tables, ctx),
        (tables, _) => nested::join_beside_flat(CONCATENATE, tables, ctx, |tables| {
            let plans = tables.iter().map(|table| RowPlan::new(CONCATENATE, table)).collect::<Result<Vec<_>>>()?;
            let rows: Vec<_> = tables.iter().map(|table| table.num_rows()).collect();
            joined(&plans[0], &plans, &rows, &[], ctx)
        }),
    }
}

fn on_host(tables: &[&TableView<'_>], ctx: Ctx<'_>) -> Result<Table> {
    let plans = tables.iter().map(|table| RowPlan::with_lists(CONCATENATE, table)).collect::<Result<Vec<_>>>()?;
    let rows: Vec<_> = tables.iter().map(|table| table.num_rows()).collect();
    let is_dirty = |column: &ColumnView<'_>| Abilities::of(column.data_type()).lists && !column.sanitized();
    if !tables.iter().any(|table| table.columns().iter().any(is_dirty)) {
        return joined(&plans[0], &plans, &rows, &[], ctx);
    }
    // The copy leaves out the elements of null lists.
    let all = joined(&plans[0], &plans, &rows, &[], ctx.scratch())?;
    copy_affine(CONCATENATE, &all.view(), every_row(all.num_rows())?, ctx)
}

/// Concatenates columns in the same way as [`append_tables`].
pub fn join_columns(columns: &[ColumnView<'_>], ctx: Ctx<'_>) -> Result<Column> {
    let tables: Vec<_> = columns.iter().map(|column| TableView::from(*column)).collect();
    Ok(append_tables(&tables.iter().collect::<Vec<_>>(), ctx)?.column(0)?.clone())
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

/// Returns the pieces of a column whose row `r` is row `r - offset` of `column`, or the value if there is no such row.
pub fn shifted_pieces<'a>(column: ColumnView<'a>, offset: i64, value: &'a Scalar) -> Result<[Piece<'a>; 2]> {
    let lost = usize::try_from(offset.unsigned_abs()).map_or(column.len(), |rows| rows.min(column.len()));
    let filled = Piece::Repeated(value, lost);
    let first = if offset < 0 { lost } else { 0 };
    let kept = Piece::Rows(column.slice(first, column.len() - lost)?);
    Ok(if offset < 0 { [kept, filled] } else { [filled, kept] })
}

/// Concatenates at most 32 pieces, which have the type of `like`.
pub fn join_pieces(
    operation: &'static str,
    like: ColumnView<'_>,
    pieces: &[Piece<'_>],
    ctx: Ctx<'_>,
) -> Result<Column> {
    if Abilities::of(like.data_type()).lists {
        return join_list_pieces(operation, like, pieces, ctx);
    }
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

/// Concatenates pieces of columns of lists. The rows of repeated pieces are copied first.
fn join_list_pieces(
    operation: &'static str,
    like: ColumnView<'_>,
    pieces: &[Piece<'_>],
    ctx: Ctx<'_>,
) -> Result<Column> {
    let copies = |view: ColumnView<'_>, rows: AffineRows, ctx: Ctx<'_>| {
        Ok::<_, Error>(copy_affine(operation, &TableView::from(view), rows, ctx)?.column(0)?.clone())
    };
    let column = |piece: &Piece<'_>| match *piece {
        Piece::Rows(view) => Ok(view.to_column()),
        Piece::Repeated(scalar, rows) => copies(scalar.view(), first_row_repeated(rows)?, ctx.scratch()),
    };
    let columns = pieces.iter().map(column).collect::<Result<Vec<_>>>()?;
    let with_rows: Vec<_> = columns.iter().filter(|column| !column.is_empty()).map(Column::view).collect();
    match with_rows[..] {
        [] => copies(like.slice(0, 0)?, every_row(0)?, ctx),
        [only] => copies(only, every_row(only.len())?, ctx),
        ref columns => join_columns(columns, ctx),
    }
}

/// Copies the rows of a table to new memory, without the bytes of null rows.
pub fn copy_rows(operation: &'static str, table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let plan = RowPlan::new(operation, table)?;
    if table.num_rows() == 0 {
        return plan.empty(ctx);
    }
    joined(&plan, std::slice::from_ref(&plan), &[table.num_rows()], &[], ctx)
}
