//! `distinct` and related operations.

mod cuda;
mod host;
mod plan;

use gdf_core::{Column, Counted, Error, Result, Table, TableView};
use gdf_driver::Device;
use gdf_engine::check;
use gdf_engine::keys::{KeySide, row_indices};

use self::plan::DISTINCT;
pub use self::plan::DuplicateKeepOption;
use super::apply_boolean_mask;
use crate::Ctx;
use crate::keys::{Purpose, prepare};
pub use gdf_engine::keys::{NanEquality, NullEquality};

/// Returns the rows of `input` that are distinct in the columns `keys`, in the order of the rows. `keep` decides which
/// of several equal rows stays, if any.
///
/// Implements `gdf_api::stream_compaction::distinct` with the stream and the memory resources of `ctx`. Returns the
/// errors of that function.
pub fn distinct(
    input: TableView<'_>,
    keys: &[usize],
    keep: DuplicateKeepOption,
    nulls: NullEquality,
    nans: NanEquality,
    ctx: Ctx<'_>,
) -> Result<Table> {
    check::table(&input, ctx)?;
    let mask = with_side(key_columns(&input, keys)?, nulls, nans, ctx, |side| distinct_mask(side, keep, ctx))?;
    apply_boolean_mask(input, mask.view(), ctx)
}

pub(super) fn key_columns<'a>(input: &TableView<'a>, keys: &[usize]) -> Result<TableView<'a>> {
    let out_of_bounds = |key| Error::index_out_of_bounds(Counted::Columns, key, input.num_columns());
    let keys = keys.iter().map(|key| input.columns().get(*key).copied().ok_or_else(|| out_of_bounds(*key)));
    TableView::try_new(keys.collect::<Result<_>>()?)
}

/// Returns a boolean column that is true in the rows that [`distinct_indices`] keeps.
pub fn distinct_rows(
    input: TableView<'_>,
    keep: DuplicateKeepOption,
    nulls: NullEquality,
    nans: NanEquality,
    ctx: Ctx<'_>,
) -> Result<Column> {
    check::table(&input, ctx)?;
    with_side(input, nulls, nans, ctx, |side| distinct_mask(side, keep, ctx))
}

/// Returns the numbers of the rows that [`distinct`] by all columns keeps, in the order of the rows.
pub fn distinct_indices(
    input: TableView<'_>,
    keep: DuplicateKeepOption,
    nulls: NullEquality,
    nans: NanEquality,
    ctx: Ctx<'_>,
) -> Result<Column> {
    check::table(&input, ctx)?;
    let rows = input.num_rows();
    let mask = with_side(input, nulls, nans, ctx, |side| match rows {
        0 => Ok(None),
        _ => distinct_mask(side, keep, ctx).map(Some),
    })?;
    let Some(mask) = mask else { return Column::empty_on(&row_indices(0), ctx.stream.device()) };
    let scratch = ctx.scratch();
    let numbers = match ctx.stream.device() {
        Device::Cpu => host::row_numbers(rows, scratch)?,
        Device::Cuda(_) => cuda::row_numbers(rows, scratch)?,
    };
    let kept = apply_boolean_mask(TableView::try_new(vec![numbers.view()])?, mask.view(), ctx)?;
    kept.into_columns().pop().ok_or_else(|| Error::column_count(1, 0))
}

fn with_side<R>(
    keys: TableView<'_>,
    nulls: NullEquality,
    nans: NanEquality,
    ctx: Ctx<'_>,
    of_side: impl FnOnce(&KeySide<'_>) -> Result<R>,
) -> Result<R> {
    let [prepared] = prepare(DISTINCT, [&keys], Purpose::equality(nulls, nans), ctx.scratch())?;
    let exclude_nans = nans == NanEquality::Unequal;
    of_side(&KeySide { exclude_nans, ..KeySide::try_new(DISTINCT, prepared.view()?, nulls)? })
}

fn distinct_mask(keys: &KeySide<'_>, keep: DuplicateKeepOption, ctx: Ctx<'_>) -> Result<Column> {
    let scratch = ctx.scratch();
    match ctx.stream.device() {
        Device::Cpu => host::distinct_mask(keys, keep, scratch),
        Device::Cuda(_) => cuda::distinct_mask(keys, keep, scratch),
    }
}
