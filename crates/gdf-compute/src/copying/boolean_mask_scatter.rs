//! `boolean_mask_scatter`: replaces the rows where a mask is true by the rows of a source in turn. The operation is a
//! scatter whose map contains the numbers of the true rows.

use gdf_core::{Column, ColumnView, Error, Operand, Result, Table, TableView};
use gdf_engine::check;

use super::scatter::row_of_values;
use super::{OutOfBoundsPolicy, copy_if_else, scatter};
use crate::Ctx;
use crate::filling::row_numbers;
use crate::stream_compaction::apply_boolean_mask;

/// Returns the rows of `target`. In rows where `mask` is true, the rows of `source` in turn replace those of `target`.
///
/// Implements `gdf_api::copying::boolean_mask_scatter` with the stream and the memory resources of `ctx`. Returns the
/// errors of that function.
pub fn boolean_mask_scatter(
    source: TableView<'_>,
    target: TableView<'_>,
    mask: ColumnView<'_>,
    ctx: Ctx<'_>,
) -> Result<Table> {
    check_mask(&target, mask)?;
    let numbers = Table::try_new(vec![row_numbers(target.num_rows(), ctx.scratch())?])?;
    let map = apply_boolean_mask(numbers.view(), mask, ctx.scratch())?;
    if source.num_rows() < map.num_rows() {
        return Err(Error::length_mismatch(map.num_rows(), source.num_rows()).in_argument("source"));
    }
    scatter(source, map.column(0)?.view(), target, OutOfBoundsPolicy::Nullify, ctx)
}

/// Does the same as [`boolean_mask_scatter`], but replaces all these rows by the same values.
pub fn boolean_mask_scatter_scalars(
    source: &[Operand<'_>],
    target: TableView<'_>,
    mask: ColumnView<'_>,
    ctx: Ctx<'_>,
) -> Result<Table> {
    check_mask(&target, mask)?;
    check::table(&target, ctx)?;
    let values = row_of_values(source, &target, ctx)?;
    let columns = target.columns().iter().zip(&values);
    let columns = columns.map(|(column, value)| copy_if_else(value.into(), (*column).into(), mask, ctx));
    let columns = columns.zip(target.columns()).map(|(column, like)| column?.with_type(like.data_type().clone()));
    Table::try_with_rows(columns.collect::<Result<Vec<Column>>>()?, target.num_rows())
}

fn check_mask(target: &TableView<'_>, mask: ColumnView<'_>) -> Result<()> {
    check::boolean(&mask).map_err(|error| error.in_argument("mask"))?;
    check::length(target.num_rows(), mask.len()).map_err(|error| error.in_argument("mask"))
}
