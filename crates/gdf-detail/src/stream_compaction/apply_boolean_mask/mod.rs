//! `apply_boolean_mask`: checks, and the choice of backend.

mod cuda;
mod host;

use gdf_core::{ColumnView, Result, Table, TableView};
use gdf_driver::Device;

use crate::Ctx;
use crate::check;
use crate::engine::rows::RowPlan;
use crate::engine::rows::host::copy_table;
use crate::host::HostColumn;
use crate::lists;

/// The rows of `table` whose element of `mask` is true and not null: the explicit form of
/// `gdf_api::stream_compaction::apply_boolean_mask`, with its errors.
pub fn apply_boolean_mask(table: TableView<'_>, mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    check::boolean(&mask).map_err(|error| error.in_argument("mask"))?;
    check::length(table.num_rows(), mask.len()).map_err(|error| error.in_argument("mask"))?;
    check::column(mask, ctx)?;
    check::table(&table, ctx)?;
    lists::carry(&table, ctx, |table, ctx| {
        let plan = RowPlan::new("apply_boolean_mask", table)?;
        if mask.is_empty() {
            return plan.empty(ctx);
        }
        match ctx.stream.device() {
            Device::Cpu => copy_table(&plan, &host::Selection::new(&HostColumn::open(mask, ctx.stream)?)?, ctx),
            Device::Cuda(_) => cuda::apply_boolean_mask(&plan, mask, ctx),
        }
    })
}
