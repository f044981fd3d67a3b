//! `rank`: the ranks of the rows of a table. All rows are one group.

use gdf_compute::filling::from_scalar;
use gdf_compute::scan::{RankMethod, RankPercentage};
use gdf_compute::sorting::{NullOrder, Order, check_keys};
use gdf_core::{Column, Result, TableView};
use gdf_engine::check;

use crate::Ctx;
use crate::groupby::{NullPolicy, RankedRows, rank_rows};

/// Implements `gdf_api::sorting::rank` with the stream and the memory resources of `ctx`. Returns the errors of that
/// function.
pub fn rank(
    table: &TableView<'_>,
    method: RankMethod,
    percentage: RankPercentage,
    orders: &[Order],
    null_orders: &[NullOrder],
    nulls: NullPolicy,
    ctx: Ctx<'_>,
) -> Result<Column> {
    check::table(table, ctx)?;
    check_keys("rank", table, orders, null_orders, ctx)?;
    let group = from_scalar(true.into(), table.num_rows(), ctx.scratch())?;
    let rows = RankedRows { values: table, orders, null_orders, nulls };
    rank_rows(&group.view().into(), NullPolicy::Include, rows, method, percentage, ctx)
}
