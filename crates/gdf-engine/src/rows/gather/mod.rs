//! Gathers the rows of a table by the row numbers of a map.

mod cuda;
mod plan;

use gdf_core::{Column, ColumnView, Error, Result, Table, TableView};
use gdf_driver::Device;

pub use self::cuda::out_of_bounds;
pub use self::plan::{Bounds, OutOfBoundsPolicy, Trusted};
use super::host::{Gather, RowMap, check_bounds, copy_table};
use super::nested::{SourceRows, beside_flat};
use super::{RowPlan, join_columns, nested};
use crate::Ctx;
use crate::host::HostColumn;
use crate::vouch;

const GATHER: &str = "gather";

/// Returns the rows of `table` in the order of `map`. The map is a column of integers. The caller has checked both
/// inputs. A map whose elements are known to be rows of the table is not checked.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) under the conditions of [`RowPlan::new`]; `OutOfBounds` if `bounds`
///   is [`Bounds::Report`].
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
pub fn gather(table: &TableView<'_>, map: ColumnView<'_>, bounds: Bounds, ctx: Ctx<'_>) -> Result<Table> {
    // Maps that operations have made are not checked, so that the host does not wait for the result of the check.
    let bounds = match (bounds, map.row_numbers_of()) {
        (Bounds::Report, Some(rows)) if rows <= table.num_rows() => Bounds::trusted(),
        _ => bounds,
    };
    match ctx.stream.device() {
        Device::Cpu => {
            let plan = RowPlan::with_lists(GATHER, table)?;
            if map.is_empty() { plan.empty(ctx) } else { on_host(&plan, table.num_rows(), map, bounds, ctx) }
        }
        Device::Cuda(_) => beside_flat(GATHER, table, SourceRows::Map(map, bounds), ctx, |table| {
            let plan = RowPlan::new(GATHER, table)?;
            if map.is_empty() { plan.empty(ctx) } else { cuda::gather(&plan, table.num_rows(), map, bounds, ctx) }
        }),
    }
}

/// Gathers rows in the same way as [`gather`], by a map that operations have made. Each element of such a map is a row
/// of the table or null.
pub(crate) fn gather_trusted(table: &TableView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let gathered = gather(table, map, Bounds::trusted(), ctx)?;
    for (column, of) in gathered.columns().iter().zip(table.columns()) {
        if map.is_known_ascending() && of.is_known_ascending() {
            vouch::ascending(column.view());
        }
        if map.is_known_distinct() && of.is_known_distinct() {
            vouch::distinct(column.view());
        }
    }
    Ok(gathered)
}

/// Gathers the rows of one column in the same way as [`gather_trusted`].
pub(crate) fn gather_column(column: ColumnView<'_>, map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    Ok(gather_trusted(&TableView::from(column), map, ctx)?.column(0)?.clone())
}

/// Returns rows of two columns with lists, which have the same type. Each element of `map` is a row of the first column,
/// or the number of rows of the first column plus a row of the second column, or null.
///
/// # Errors
/// * [`Unsupported`](gdf_core::Error::Unsupported) if dictionaries or buffers of views differ.
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
pub fn gather_pair(columns: [ColumnView<'_>; 2], map: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    if ctx.stream.device().is_cpu() {
        let both = join_columns(&columns, ctx.scratch())?;
        return gather_column(both.view(), map, ctx);
    }
    let [first, second] = columns.map(TableView::from);
    let gathered = nested::gather_pair(GATHER, [&first, &second], map, ctx)?;
    gathered.into_iter().next().ok_or_else(|| Error::column_count(1, 0))
}

fn on_host(plan: &RowPlan<'_>, rows: usize, map: ColumnView<'_>, bounds: Bounds, ctx: Ctx<'_>) -> Result<Table> {
    let column = HostColumn::open(map, ctx.stream)?;
    if bounds == Bounds::Report {
        check_bounds(GATHER, &column, rows)?;
    }
    let nulls = bounds == Bounds::Nullify || map.has_validity();
    copy_table(plan, &Gather { map: RowMap::new(GATHER, &column, rows)?, nulls }, ctx)
}
