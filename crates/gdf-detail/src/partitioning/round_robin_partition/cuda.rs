//! `round_robin_partition` on CUDA: the order of the rows, which follows from their number alone.

use gdf_core::{Result, physical_type};
use gdf_kernels::generated::partitioning::PartitionRoundRobin;
use gdf_memory::Buffer;

use super::plan::Deal;
use crate::Ctx;
use crate::cuda::{Kernel, Out, kernel_type};
use crate::engine::keys::row_indices;
use crate::engine::rows::byte_len;

pub(super) fn round_robin_order(deal: Deal, ctx: Ctx<'_>) -> Result<Buffer> {
    let physical = physical_type(&row_indices(deal.rows));
    let bytes = byte_len(deal.rows, physical.width().unwrap_or(8), ctx.mr)?;
    let mut order = Buffer::uninitialized(bytes, ctx.stream, ctx.mr.temporary)?;
    let kernel = Kernel::find(ctx.stream)?;
    let access = order.write_on(ctx.stream)?;
    let arguments = PartitionRoundRobin {
        rows: deal.rows as i64,
        partitions: deal.partitions as i64,
        start: deal.start as i64,
        order: Out::of(&access),
        data_type: kernel_type(physical) as i32,
    };
    // SAFETY: there are partitions, `start` is one of them (checked by the caller), and the order has memory for `rows`
    // numbers of the type. The access is held until the launch is enqueued.
    unsafe { kernel.launch(ctx.stream, kernel.blocks(deal.rows), 1, &arguments)? };
    drop(access);
    Ok(order)
}
