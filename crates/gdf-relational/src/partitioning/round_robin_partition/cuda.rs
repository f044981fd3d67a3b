//! `round_robin_partition` on CUDA: the order of the rows, which follows from their number alone.

use gdf_core::{Result, physical_type};
use gdf_engine::cuda::{Rows, kernel_type};
use gdf_engine::keys::{numbers, row_indices};
use gdf_kernels::generated::partitioning::PartitionRoundRobin;
use gdf_memory::Buffer;

use super::plan::Deal;
use crate::Ctx;

pub(super) fn round_robin_order(deal: Deal, ctx: Ctx<'_>) -> Result<Buffer> {
    let physical = physical_type(&row_indices(deal.rows));
    numbers(deal.rows, physical.width().unwrap_or(8), ctx.mr.temporary, ctx, |launch| {
        launch.run(&PartitionRoundRobin {
            rows: Rows::new(deal.rows),
            partitions: deal.partitions as i64,
            start: deal.start as i64,
            order: launch.out,
            data_type: kernel_type(physical) as i32,
        })
    })
}
