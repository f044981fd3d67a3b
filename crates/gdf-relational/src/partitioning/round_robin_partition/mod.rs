//! `round_robin_partition`: checks, and the choice of backend.

mod cuda;
mod host;
mod plan;

use gdf_compute::lists::copy_flat;
use gdf_core::{Counted, Error, Result, Table, TableView};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::keys::order_column;
use gdf_engine::rows::RowPlan;

use self::plan::RoundRobin;
use super::plan::{no_rows, offsets, partition_count};
use crate::Ctx;
use crate::vouch::gather_trusted;

/// Returns the rows of `table`, assigned to the partitions in turn, and the offsets of the partitions. The function
/// implements `gdf_api::partitioning::round_robin_partition` and returns the same errors.
pub fn round_robin_partition(
    table: TableView<'_>,
    num_partitions: usize,
    start_partition: usize,
    ctx: Ctx<'_>,
) -> Result<(Table, Vec<usize>)> {
    check::table(&table, ctx)?;
    partition_count(num_partitions)?;
    if start_partition >= num_partitions {
        return Err(Error::index_out_of_bounds(Counted::Partitions, start_partition, num_partitions));
    }
    let rows = table.num_rows();
    if rows == 0 {
        let empty = copy_flat(&table, ctx, |table, ctx| RowPlan::new("round_robin_partition", table)?.empty(ctx))?;
        return Ok((empty, no_rows(num_partitions)?));
    }
    let round_robin = RoundRobin { rows, partitions: num_partitions, start: start_partition };
    let offsets = offsets(num_partitions, rows, (1..num_partitions).map(|partition| round_robin.begin(partition)))?;
    let order = match ctx.stream.device() {
        Device::Cpu => host::round_robin_order(round_robin, &offsets, ctx)?,
        Device::Cuda(_) => cuda::round_robin_order(round_robin, ctx)?,
    };
    let order = order_column(order, rows, ctx.stream)?;
    Ok((gather_trusted(&table, order.view(), ctx)?, offsets))
}
