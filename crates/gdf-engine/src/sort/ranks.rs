//! The rank of each row, which is the number of rows that come before the row in sorted order.

use gdf_core::{Column, Result, TableView};
use gdf_driver::Device;

use super::{Bound, NullOrder, SortedRows, cuda, host, keys};
use crate::Ctx;
use crate::keys::row_indices;
use crate::rows::gather_trusted;

/// The ranks of rows, and the sorted order from which the ranks follow.
#[derive(Debug)]
pub struct RankedOrder {
    /// For each row, the number of smaller rows. The type of the column is [`row_indices`]. Equal rows have equal
    /// ranks.
    pub ranks: Column,
    /// The row numbers in ascending order of the rows. The type of the column is [`row_indices`]. If several rows have
    /// the same rank, the rank is the position of the first of these rows.
    pub order: Column,
}

/// Returns the ranks of rows. See [`ranked_order`].
///
/// # Errors
/// * The errors of [`ranked_order`].
pub fn ranks(operation: &'static str, rows: &TableView<'_>, nulls: NullOrder, ctx: Ctx<'_>) -> Result<Column> {
    Ok(ranked_order(operation, rows, nulls, ctx)?.ranks)
}

/// Sorts rows and ranks them. `nulls` applies to every column.
///
/// # Errors
/// * The errors of [`keys`](super::keys()); driver and memory errors.
pub fn ranked_order(
    operation: &'static str,
    rows: &TableView<'_>,
    nulls: NullOrder,
    ctx: Ctx<'_>,
) -> Result<RankedOrder> {
    let (count, nulls) = (rows.num_rows(), vec![nulls; rows.num_columns()]);
    let searched = keys(operation, rows, &[], &nulls, ctx)?;
    if count == 0 {
        let none = Column::empty_on(&row_indices(0), ctx.stream.device())?;
        return Ok(RankedOrder { ranks: none.clone(), order: none });
    }
    let order = match ctx.stream.device() {
        Device::Cpu => host::sorted_order(&searched, count, count, ctx)?,
        Device::Cuda(_) => cuda::sorted_order(&searched, count, count, ctx)?,
    };
    let sorted = gather_trusted(rows, order.view(), ctx)?;
    let sorted = SortedRows { keys: &keys(operation, &sorted.view(), &[], &nulls, ctx)?, rows: count };
    let ranks = match ctx.stream.device() {
        Device::Cpu => host::search_sorted(sorted, &searched, count, Bound::Lower, ctx)?,
        Device::Cuda(_) => cuda::search_sorted(sorted, &searched, count, Bound::Lower, ctx)?,
    };
    Ok(RankedOrder { ranks, order })
}
