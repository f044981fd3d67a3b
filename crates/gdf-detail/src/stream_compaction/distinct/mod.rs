//! `distinct` and its kin: a mask of the rows that stay, and what `apply_boolean_mask` makes of it.

mod cuda;
mod host;
mod plan;

use gdf_core::{Column, Counted, Error, Result, Table, TableView};
use gdf_driver::Device;

use self::plan::DISTINCT;
pub use self::plan::{DuplicateKeepOption, NanEquality};
use super::apply_boolean_mask;
use crate::Ctx;
use crate::check;
pub use crate::engine::keys::NullEquality;
use crate::engine::keys::{KeySide, row_indices};

/// The rows of `input` without those whose columns `keys` are equal to another's, in their order: the explicit form of
/// `gdf_api::stream_compaction::distinct`, with its errors.
pub fn distinct(
    input: TableView<'_>,
    keys: &[usize],
    keep: DuplicateKeepOption,
    nulls: NullEquality,
    nans: NanEquality,
    ctx: Ctx<'_>,
) -> Result<Table> {
    check::table(&input, ctx)?;
    let side = side(key_columns(&input, keys)?, nulls, nans)?;
    let mask = distinct_mask(&side, keep, ctx)?;
    apply_boolean_mask(input, mask.view(), ctx)
}

/// The columns of `input` that are keys.
pub(super) fn key_columns<'a>(input: &TableView<'a>, keys: &[usize]) -> Result<TableView<'a>> {
    let out_of_bounds = |key| Error::index_out_of_bounds(Counted::Columns, key, input.num_columns());
    let keys = keys.iter().map(|key| input.columns().get(*key).copied().ok_or_else(|| out_of_bounds(*key)));
    TableView::try_new(keys.collect::<Result<_>>()?)
}

/// Which rows [`distinct_indices`] keeps, as booleans.
pub(super) fn distinct_rows(input: TableView<'_>, nulls: NullEquality, ctx: Ctx<'_>) -> Result<Column> {
    check::table(&input, ctx)?;
    distinct_mask(&side(input, nulls, NanEquality::AllEqual)?, DuplicateKeepOption::Any, ctx)
}

/// The numbers of the rows that [`distinct`] by all columns keeps, in their order.
pub fn distinct_indices(
    input: TableView<'_>,
    keep: DuplicateKeepOption,
    nulls: NullEquality,
    nans: NanEquality,
    ctx: Ctx<'_>,
) -> Result<Column> {
    check::table(&input, ctx)?;
    let rows = input.num_rows();
    let side = side(input, nulls, nans)?;
    if rows == 0 {
        return Column::empty_on(&row_indices(0), ctx.stream.device());
    }
    let mask = distinct_mask(&side, keep, ctx)?;
    let scratch = ctx.scratch();
    let numbers = match ctx.stream.device() {
        Device::Cpu => host::row_numbers(rows, scratch)?,
        Device::Cuda(_) => cuda::row_numbers(rows, scratch)?,
    };
    let kept = apply_boolean_mask(TableView::try_new(vec![numbers.view()])?, mask.view(), ctx)?;
    kept.into_columns().pop().ok_or_else(|| Error::column_count(1, 0))
}

fn side<'a>(keys: TableView<'a>, nulls: NullEquality, nans: NanEquality) -> Result<KeySide<'a>> {
    let side = KeySide::try_new(DISTINCT, keys, nulls)?;
    Ok(KeySide { exclude_nans: nans == NanEquality::Unequal, ..side })
}

/// A boolean scratch column: does the row stay?
fn distinct_mask(keys: &KeySide<'_>, keep: DuplicateKeepOption, ctx: Ctx<'_>) -> Result<Column> {
    let scratch = ctx.scratch();
    match ctx.stream.device() {
        Device::Cpu => host::distinct_mask(keys, keep, scratch),
        Device::Cuda(_) => cuda::distinct_mask(keys, keep, scratch),
    }
}
