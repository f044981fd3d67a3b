//! `is_sorted`: checks, and the choice of backend.

use crate::context::Ctx;
use gdf_core::{Result, TableView};
use gdf_driver::Device;

use crate::engine::sort::{NullOrder, Order, cuda, host, keys};

/// Whether the rows of `table` are in the order that [`sorted_order`](super::sorted_order) would give them.
///
/// CUDA: 1 launch and 1 wait; none below two rows.
///
/// # Errors
/// As [`sorted_order`](super::sorted_order).
pub fn is_sorted(table: TableView<'_>, orders: &[Order], null_orders: &[NullOrder], ctx: Ctx<'_>) -> Result<bool> {
    let keys = keys("is_sorted", &table, orders, null_orders, ctx)?;
    if table.num_rows() < 2 {
        return Ok(true);
    }
    match ctx.stream.device() {
        Device::Cpu => host::is_sorted(&keys, table.num_rows(), ctx.stream),
        Device::Cuda(_) => cuda::is_sorted(&keys, table.num_rows(), ctx.stream),
    }
}
