//! `sort`: checks, and the choice of backend.

use crate::context::Ctx;
use gdf_core::{Result, Table, TableView};
use gdf_driver::Device;

use super::sorted_order::order_of;
use crate::engine::sort::{KeyColumn, NullOrder, Order, cuda, host, keys, rows_in_order};

/// The rows of `table`, ordered by all of its columns as [`sorted_order`](super::sorted_order) orders them.
///
/// CUDA: the launches and waits of [`sorted_order`](super::sorted_order) and of gathering by its result; up to 4096
/// rows, or up to 2¹⁸ with the wait, without text and up to 16 columns, 1 launch in all. Where keys have at most 64 bits
/// and there is neither text, −0 nor an unusual NaN, the keys alone are sorted and rows come back from them: 1 launch
/// instead of the gathering, and none for a single column of 4 or 8 bytes without a mask. Above 2¹⁸ rows only the upper
/// bits go through passes where that saves two: 1 launch for the rows that agree in these, and 2 waits; should too many, the
/// others follow as if nothing had been. Above 2¹⁸ rows of a single column of 4 or 8 bytes those that are not null are sorted
/// alone: 2 launches and 1 wait to take them out, and 1 launch for the nulls.
///
/// # Errors
/// As [`sorted_order`](super::sorted_order), and as gathering.
pub fn sort(table: TableView<'_>, orders: &[Order], null_orders: &[NullOrder], ctx: Ctx<'_>) -> Result<Table> {
    let keys = keys("sort", &table, orders, null_orders, ctx)?;
    sorted(&keys, &table, ctx)
}

/// As [`sort`], which is stable too.
///
/// # Errors
/// As [`sort`].
pub fn stable_sort(table: TableView<'_>, orders: &[Order], null_orders: &[NullOrder], ctx: Ctx<'_>) -> Result<Table> {
    let keys = keys("stable_sort", &table, orders, null_orders, ctx)?;
    sorted(&keys, &table, ctx)
}

fn sorted(keys: &[KeyColumn<'_>], table: &TableView<'_>, ctx: Ctx<'_>) -> Result<Table> {
    let rows = table.num_rows();
    if rows == 0 {
        let order = order_of(keys, rows, rows, ctx.scratch())?;
        return rows_in_order(table, &order, ctx);
    }
    match ctx.stream.device() {
        Device::Cpu => match host::sort_keys(keys, rows, ctx)? {
            Some(sorted) => Ok(sorted),
            None => {
                let order = order_of(keys, rows, rows, ctx.scratch())?;
                rows_in_order(table, &order, ctx)
            }
        },
        Device::Cuda(_) => cuda::sort(keys, table, ctx),
    }
}
