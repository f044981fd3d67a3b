//! `lower_bound` and `upper_bound`, which use the comparisons of the sort engine.

use gdf_core::{Column, Error, Position, Result, TableView};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::keys::{MAX_KEYS, row_indices};
use gdf_engine::sort::{Bound, NullOrder, Order, SortedRows, cuda, host, keys};

use crate::Ctx;
use crate::keys::{Purpose, prepare};

/// Implements `gdf_api::search::lower_bound` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn lower_bound(
    haystack: &TableView<'_>,
    needles: &TableView<'_>,
    orders: &[Order],
    null_orders: &[NullOrder],
    ctx: Ctx<'_>,
) -> Result<Column> {
    bound(Bound::Lower, haystack, needles, orders, null_orders, ctx)
}

/// Implements `gdf_api::search::upper_bound` on the stream of `ctx`, with memory from the resources of `ctx`.
pub fn upper_bound(
    haystack: &TableView<'_>,
    needles: &TableView<'_>,
    orders: &[Order],
    null_orders: &[NullOrder],
    ctx: Ctx<'_>,
) -> Result<Column> {
    bound(Bound::Upper, haystack, needles, orders, null_orders, ctx)
}

fn bound(
    bound: Bound,
    haystack: &TableView<'_>,
    needles: &TableView<'_>,
    orders: &[Order],
    null_orders: &[NullOrder],
    ctx: Ctx<'_>,
) -> Result<Column> {
    let operation = if bound == Bound::Lower { "lower_bound" } else { "upper_bound" };
    let [haystack_keys, needle_keys] =
        prepare(operation, [haystack, needles], Purpose::order(null_orders), ctx.scratch())?;
    let sorted = keys(operation, &haystack_keys.view()?, orders, null_orders, ctx)?;
    let searched = keys(operation, &needle_keys.view()?, orders, null_orders, ctx)?;
    if sorted.len() != searched.len() {
        let counts = ((sorted.len(), "column of the haystack"), (searched.len(), "column of the needles"));
        return Err(Error::count_mismatch(counts.0, counts.1));
    }
    if sorted.len() > MAX_KEYS {
        return Err(Error::beyond_limit("the number of columns", sorted.len() as i128, MAX_KEYS as i128));
    }
    for (i, (left, right)) in sorted.iter().zip(&searched).enumerate() {
        check::types(left.view.data_type(), right.view.data_type())
            .map_err(|error| error.in_argument("needles").at(Position::Column(i)))?;
    }
    let (rows, count) = (haystack.num_rows(), needles.num_rows());
    if count == 0 {
        return Column::empty_on(&row_indices(rows), ctx.stream.device());
    }
    let sorted = SortedRows { keys: &sorted, rows };
    match ctx.stream.device() {
        Device::Cpu => host::search_sorted(sorted, &searched, count, bound, ctx),
        Device::Cuda(_) => cuda::search_sorted(sorted, &searched, count, bound, ctx),
    }
}
