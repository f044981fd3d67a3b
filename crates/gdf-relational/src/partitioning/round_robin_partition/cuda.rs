//! `round_robin_partition` on CUDA. The order of the output rows depends only on the number of rows and partitions.

use gdf_core::{Result, physical_type};
use gdf_engine::cuda::{Rows, kernel_type};
use gdf_engine::keys::{numbers, row_indices};
use gdf_kernels::generated::partitioning::PartitionRoundRobin;
use gdf_memory::Buffer;

use super::plan::RoundRobin;
use crate::Ctx;

pub(super) fn round_robin_order(round_robin: RoundRobin, ctx: Ctx<'_>) -> Result<Buffer> {
    let physical = physical_type(&row_indices(round_robin.rows));
    numbers(round_robin.rows, physical.width().unwrap_or(8), ctx.mr.temporary, ctx, |launch| {
        launch.run(&PartitionRoundRobin {
            rows: Rows::new(round_robin.rows),
            partitions: round_robin.partitions as i64,
            start: round_robin.start as i64,
            order: launch.out,
            data_type: kernel_type(physical) as i32,
        })
    })
}
