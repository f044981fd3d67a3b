//! `round_robin_partition` on CUDA: the order of the rows, which follows from their number alone.

use gdf_core::{Column, Result, physical_type};
use gdf_driver::Stream;
use gdf_memory::{Buffer, Resources};

use super::super::round_robin_partition::Deal;
use super::CAPABILITY;
use super::move_rows::numbers_column;
use crate::cuda::{Kernel, args, kernel_type};
use crate::keys::row_indices;
use crate::rows::byte_len;

pub(in super::super) fn round_robin_order(deal: Deal, stream: &Stream, mr: Resources<'_>) -> Result<Column> {
    let physical = physical_type(&row_indices(deal.rows));
    let bytes = byte_len(deal.rows, physical.width().unwrap_or(8), mr)?;
    let mut order = Buffer::uninitialized(bytes, stream, mr.temporary)?;
    let kernel = Kernel::find(stream, CAPABILITY, "partition_round_robin_kernel", "partition_order")?;
    let access = order.write_on(stream)?;
    let (rows, partitions, start) = (deal.rows as i64, deal.partitions as i64, deal.start as i64);
    let (address, number) = (access.address(), kernel_type(physical) as i32);
    // SAFETY: the parameters are (int64 rows, int64 partitions, int64 start, order*, int type), passed in this order and
    // type. There are partitions, `start` is one of them (checked by the caller), and the order has room for `rows`
    // numbers of the type. The access is held until the launch is enqueued on its stream.
    unsafe { kernel.launch(stream, kernel.blocks(deal.rows), 1, args![rows, partitions, start, address, number])? };
    drop(access);
    numbers_column(order, deal.rows, stream)
}
