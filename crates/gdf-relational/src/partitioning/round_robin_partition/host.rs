//! `round_robin_partition` on the CPU: computes the order of the rows.

use bytemuck::Pod;
use gdf_core::{DataType, Result};
use gdf_engine::host::for_each_chunk;
use gdf_engine::keys::row_indices;
use gdf_engine::layout::byte_len;
use gdf_memory::Buffer;

use super::plan::RoundRobin;
use crate::Ctx;

pub(super) fn round_robin_order(round_robin: RoundRobin, offsets: &[usize], ctx: Ctx<'_>) -> Result<Buffer> {
    let wide = row_indices(round_robin.rows) == DataType::UInt64;
    let bytes = byte_len(round_robin.rows, if wide { 8 } else { 4 }, ctx.mr)?;
    let mut order = Buffer::uninitialized(bytes, ctx.stream, ctx.mr.temporary)?;
    if wide {
        fill(order.write_on(ctx.stream)?.into_mut_slice::<u64>()?, round_robin, offsets, |row| row as u64);
    } else {
        fill(order.write_on(ctx.stream)?.into_mut_slice::<u32>()?, round_robin, offsets, |row| row as u32);
    }
    Ok(order)
}

fn fill<T: Pod + Send>(
    order: &mut [T],
    round_robin: RoundRobin,
    offsets: &[usize],
    number: impl Fn(usize) -> T + Sync,
) {
    for_each_chunk(order, |first, chunk: &mut [T]| {
        let mut partition = offsets.partition_point(|begin| *begin <= first).saturating_sub(1);
        for (at, slot) in (first..).zip(chunk) {
            while offsets.get(partition + 1).is_some_and(|end| *end <= at) {
                partition += 1;
            }
            let nth = at - offsets.get(partition).copied().unwrap_or(at);
            *slot = number(round_robin.first_row_of(partition) + nth * round_robin.partitions);
        }
    });
}
