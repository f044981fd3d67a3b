//! `sort_by_key`: checks, and the choice of backend.

use gdf_core::{Result, Table, TableView};
use gdf_driver::Device;

use super::sorted_order::order_of;
use crate::check;
use crate::context::Ctx;
use crate::engine::sort::{KeyColumn, NullOrder, Order, cuda, keys, rows_in_order};

/// The rows of `values` in the order of the rows of `keys`, which [`sorted_order`](super::sorted_order) explains.
///
/// CUDA: the launches and waits of [`sorted_order`](super::sorted_order) and of gathering by its result; up to 4096
/// rows, or up to 2¹⁸ with the wait, without text, with up to 16 keys and 16 values, 1 launch in all. One column of values of 4 or 8 bytes without
/// a mask moves along with keys of at most 64 bits: nothing for the gathering, nor where the only other column is the only
/// key, of numbers of 4 or 8 bytes without a mask, which comes back from the keys.
///
/// # Errors
/// * [`LengthMismatch`](gdf_core::Error::LengthMismatch): `values` and `keys` differ in rows.
/// * As [`sorted_order`](super::sorted_order), and as gathering.
pub fn sort_by_key(
    values: TableView<'_>,
    key_table: TableView<'_>,
    orders: &[Order],
    null_orders: &[NullOrder],
    ctx: Ctx<'_>,
) -> Result<Table> {
    let keys = keys("sort_by_key", &key_table, orders, null_orders, ctx)?;
    sorted(&values, &key_table, &keys, ctx)
}

/// As [`sort_by_key`], which is stable too.
///
/// # Errors
/// As [`sort_by_key`].
pub fn stable_sort_by_key(
    values: TableView<'_>,
    key_table: TableView<'_>,
    orders: &[Order],
    null_orders: &[NullOrder],
    ctx: Ctx<'_>,
) -> Result<Table> {
    let keys = keys("stable_sort_by_key", &key_table, orders, null_orders, ctx)?;
    sorted(&values, &key_table, &keys, ctx)
}

fn sorted(values: &TableView<'_>, key_table: &TableView<'_>, keys: &[KeyColumn<'_>], ctx: Ctx<'_>) -> Result<Table> {
    let rows = key_table.num_rows();
    check::length(rows, values.num_rows())?;
    check::table(values, ctx)?;
    match ctx.stream.device() {
        Device::Cuda(_) if rows > 0 => cuda::sort_by_key(values, keys, ctx),
        _ => {
            let order = order_of(keys, rows, rows, ctx.scratch())?;
            rows_in_order(values, &order, ctx)
        }
    }
}
