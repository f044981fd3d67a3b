//! `partition`: checks, and the choice of backend.

mod host;

use std::cell::RefCell;

use gdf_compute::lists::copy_flat;
use gdf_core::{ColumnView, Error, Result, Table, TableView, is_integral};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::rows::RowPlan;

use super::cuda::{Source, partitioned};
use super::plan::{no_rows, partition_count};
use crate::Ctx;

const PARTITION: &str = "partition";

/// Returns the rows of `table`, ordered by the partition numbers of a map, and the offsets of the partitions. The
/// function implements `gdf_api::partitioning::partition` and returns the same errors.
pub fn partition(
    table: TableView<'_>,
    partition_map: ColumnView<'_>,
    num_partitions: usize,
    ctx: Ctx<'_>,
) -> Result<(Table, Vec<usize>)> {
    if !is_integral(partition_map.data_type()) {
        return Err(Error::type_mismatch("an integer type", partition_map.data_type()).in_argument("map"));
    }
    check::column(partition_map, ctx)?;
    check::table(&table, ctx)?;
    check::length(table.num_rows(), partition_map.len()).map_err(|error| error.in_argument("map"))?;
    let partitions = partition_count(num_partitions)?;
    // If the table has lists, their positions are partitioned in the same way as the other columns.
    let offsets = RefCell::new(no_rows(num_partitions)?);
    let rows = copy_flat(&table, ctx, |table, ctx| {
        let plan = RowPlan::new(PARTITION, table)?;
        if table.num_rows() == 0 {
            return plan.empty(ctx);
        }
        let (rows, begins) = match ctx.stream.device() {
            Device::Cpu => host::partition(table, partition_map, num_partitions, ctx)?,
            Device::Cuda(_) => partitioned(table, Source::Map(partition_map), partitions, ctx)?,
        };
        offsets.replace(begins);
        Ok(rows)
    })?;
    Ok((rows, offsets.into_inner()))
}
