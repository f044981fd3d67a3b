//! The ranks of rows: how many rows come before them in sorted order.

use gdf_core::{Column, Result, TableView};
use gdf_driver::Device;

use super::{Bound, NullOrder, SortedRows, cuda, host, keys};
use crate::Ctx;
use crate::keys::row_indices;
use crate::rows::gather_trusted;

/// Returns for each row the number of rows that are smaller, as [`row_indices`]. Equal rows have equal ranks, and a
/// null is equal to a null. `nulls` applies to every column. The rows are sorted, and each row is then searched among
/// the sorted rows.
///
/// # Errors
/// * The errors of [`keys`](super::keys()); driver and memory errors.
pub fn ranks(operation: &'static str, rows: &TableView<'_>, nulls: NullOrder, ctx: Ctx<'_>) -> Result<Column> {
    let (count, nulls) = (rows.num_rows(), vec![nulls; rows.num_columns()]);
    let searched = keys(operation, rows, &[], &nulls, ctx)?;
    if count == 0 {
        return Column::empty_on(&row_indices(0), ctx.stream.device());
    }
    let order = match ctx.stream.device() {
        Device::Cpu => host::sorted_order(&searched, count, count, ctx)?,
        Device::Cuda(_) => cuda::sorted_order(&searched, count, count, ctx)?,
    };
    let sorted = gather_trusted(rows, order.view(), ctx)?;
    let sorted = SortedRows { keys: &keys(operation, &sorted.view(), &[], &nulls, ctx)?, rows: count };
    match ctx.stream.device() {
        Device::Cpu => host::search_sorted(sorted, &searched, count, Bound::Lower, ctx),
        Device::Cuda(_) => cuda::search_sorted(sorted, &searched, count, Bound::Lower, ctx),
    }
}
