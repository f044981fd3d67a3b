//! `sorted_order`: checks, and the choice of backend.

use gdf_core::{Column, Result, TableView};
use gdf_driver::Device;

use crate::context::Ctx;
use crate::engine::keys::row_indices;
use crate::engine::sort::{KeyColumn, NullOrder, Order, cuda, host, keys};

/// The numbers of the rows of `table` in sorted order: `UInt32`, or `UInt64` from 2³²−1 rows on.
///
/// Rows compare by their first column, equal ones by their second, and so on. Empty `orders` and `null_orders` stand
/// for ascending and nulls before values. Equal rows keep their order. NaN is larger than every number and equal to
/// every NaN; −0 equals 0; text and binary compare by unsigned bytes.
///
/// CUDA, up to 4096 rows without text and up to 16 key columns: 1 launch, no wait. Up to 2¹⁸ rows, up to 16 key columns
/// and no integers of more than 64 bits: 1 launch and 1 wait, unless one of some thousand equal parts of the keys' range
/// has more than 512 rows. Otherwise, or after that, 1 launch and 1 wait per eight key columns for the range of their
/// values (256 bits count twice), and for each 64 bits of the key that these ranges leave 1 launch and 1 for each 8 bits
/// (per 2²⁸ rows). Of text a key holds up to 7 bytes. A column of longer
/// text is sorted beforehand: 1 launch, 1 for each 8 bits of its beginning, 1 and a wait; then, as long as there are
/// rows that tie and go on, 1, 1 for each 8 bits of their key, 1 and a wait for 3 to 7 bytes more; and, unless it is
/// the only key, 2 launches and a wait.
///
/// # Errors
/// * [`ColumnCount`](gdf_core::Error::ColumnCount): `orders` or `null_orders` neither are empty nor fit the columns.
/// * [`Unsupported`](gdf_core::Error::Unsupported) for nested types, intervals, views, fixed-size binary and the like.
/// * [`InvalidArgument`](gdf_core::Error::InvalidArgument) above 64 key columns, and for rows without columns.
/// * [`DeviceMismatch`](gdf_core::Error::DeviceMismatch), driver and memory errors.
pub fn sorted_order(table: TableView<'_>, orders: &[Order], null_orders: &[NullOrder], ctx: Ctx<'_>) -> Result<Column> {
    let keys = keys("sorted_order", &table, orders, null_orders, ctx)?;
    order_of(&keys, table.num_rows(), table.num_rows(), ctx)
}

/// As [`sorted_order`], which is stable too.
///
/// # Errors
/// As [`sorted_order`].
pub fn stable_sorted_order(
    table: TableView<'_>,
    orders: &[Order],
    null_orders: &[NullOrder],
    ctx: Ctx<'_>,
) -> Result<Column> {
    let keys = keys("stable_sorted_order", &table, orders, null_orders, ctx)?;
    order_of(&keys, table.num_rows(), table.num_rows(), ctx)
}

/// The first `count` of the rows in order.
pub(super) fn order_of(keys: &[KeyColumn<'_>], rows: usize, count: usize, ctx: Ctx<'_>) -> Result<Column> {
    if count == 0 {
        return Column::empty(&row_indices(rows), ctx.stream.device());
    }
    match ctx.stream.device() {
        Device::Cpu => host::sorted_order(keys, rows, count, ctx),
        Device::Cuda(_) => cuda::sorted_order(keys, rows, count, ctx),
    }
}
