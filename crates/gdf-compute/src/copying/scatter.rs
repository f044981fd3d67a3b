//! `scatter` and `boolean_mask_scatter`: replace rows of a table. If the engine does not replace rows of a type, it
//! replaces the numbers of the rows, and a gather copies them from both tables.

use gdf_core::{Column, ColumnView, Error, Operand, Position, Result, Scalar, Table, TableView};
use gdf_engine::check;
use gdf_engine::choose::chooses;
use gdf_engine::rows::OutOfBoundsPolicy;
use gdf_engine::scatter::{row_of_values, scatter_row, scatter_rows};
use gdf_engine::sequence::row_numbers;

use super::copy_if_else;
use super::pairs::{PairNumbers, rows_of_both};
use crate::Ctx;
use crate::stream_compaction::apply_boolean_mask;

/// Returns the rows of `target`, some of which are replaced. Source row `i` replaces the row whose number is element
/// `i` of `map`.
///
/// Implements `gdf_api::copying::scatter` with the stream and the memory resources of `ctx`. Returns the errors of
/// that function.
pub fn scatter(
    source: TableView<'_>,
    map: ColumnView<'_>,
    target: TableView<'_>,
    policy: OutOfBoundsPolicy,
    ctx: Ctx<'_>,
) -> Result<Table> {
    if source.num_columns() != target.num_columns() || target.columns().iter().all(|column| chooses(column.data_type()))
    {
        return scatter_rows(source, map, target, policy, ctx);
    }
    [&source, &target].into_iter().try_for_each(|table| check::table(table, ctx))?;
    if source.num_rows() < map.len() {
        return Err(Error::length_mismatch(map.len(), source.num_rows()).in_argument("source"));
    }
    let source = source.slice(0, map.len())?;
    let scattered = |plain: &[usize], rows: &PairNumbers| {
        let table = scatter_rows(source.select(plain)?, map, target.select(plain)?, policy, ctx)?;
        let (numbers, target) = (rows.second.view().into(), rows.first.view().into());
        Ok((table, scatter_rows(numbers, map, target, policy, ctx.scratch())?))
    };
    replaced(source.columns(), &target, ctx, scattered)
}

/// Scatters a single source row, which consists of the values `source`, to all rows that the map names.
///
/// # Errors
/// * The errors of [`scatter`]; the errors of the conversion of a literal.
pub fn scatter_scalars(
    source: &[Operand<'_>],
    map: ColumnView<'_>,
    target: TableView<'_>,
    policy: OutOfBoundsPolicy,
    ctx: Ctx<'_>,
) -> Result<Table> {
    if source.len() != target.num_columns() || target.columns().iter().all(|column| chooses(column.data_type())) {
        return scatter_row(source, map, target, policy, ctx);
    }
    check::table(&target, ctx)?;
    let values = row_of_values(source, &target, ctx)?;
    let columns: Vec<_> = values.iter().map(|value| value.view()).collect();
    let scattered = |plain: &[usize], rows: &PairNumbers| {
        let of_plain: Vec<_> = plain.iter().map(|column| Operand::from(&values[*column])).collect();
        let table = scatter_row(&of_plain, map, target.select(plain)?, policy, ctx)?;
        let number = Scalar::from_column(rows.second.clone())?;
        let (numbers, target) = ([Operand::from(&number)], rows.first.view().into());
        Ok((table, scatter_row(&numbers, map, target, policy, ctx.scratch())?))
    };
    replaced(&columns, &target, ctx, scattered)
}

/// Returns the rows of `target`. The first row of `source` replaces the first row where `mask` is true, the second row
/// of `source` replaces the second such row, and so on. The operation is a scatter by a map that contains the numbers
/// of these rows.
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

/// Does the same as [`boolean_mask_scatter`], but replaces each row where `mask` is true by the same values.
///
/// # Errors
/// * The errors of [`scatter_scalars`] and [`copy_if_else`].
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

/// Returns the columns of `target`, in which rows are replaced by rows of `source`.
fn replaced(
    source: &[ColumnView<'_>],
    target: &TableView<'_>,
    ctx: Ctx<'_>,
    scatter: impl FnOnce(&[usize], &PairNumbers) -> Result<(Table, Table)>,
) -> Result<Table> {
    for (i, (target, source)) in target.columns().iter().zip(source).enumerate() {
        let in_source = |error: Error| error.in_argument("source").at(Position::Column(i));
        check::types(target.data_type(), source.data_type()).map_err(in_source)?;
    }
    let rows = target.num_rows();
    let numbers = PairNumbers::new(rows, source.first().map_or(0, |source| source.len()), ctx.scratch())?;
    let is_plain = |column: &usize| chooses(target.columns()[*column].data_type());
    let plain: Vec<usize> = (0..target.num_columns()).filter(is_plain).collect();
    let (plain, map) = scatter(&plain, &numbers)?;
    let mut plain = plain.into_columns().into_iter();
    let columns = target.columns().iter().zip(source).map(|(target, source)| match chooses(target.data_type()) {
        true => plain.next().ok_or_else(|| Error::internal("a scatter returned fewer columns than its target has")),
        false => rows_of_both(*target, *source, map.column(0)?, ctx)?.with_type(target.data_type().clone()),
    });
    Table::try_with_rows(columns.collect::<Result<_>>()?, rows)
}
