//! Copies of rows of two sources into one result, for columns of every type. If no engine copies rows of a type from
//! two sources, the two sources are concatenated, and a gather copies the rows of the result.

use std::ops::Range;

use gdf_core::{Abilities, Column, ColumnView, DataType, Error, Operand, Position, Result, Scalar, Table, TableView};
use gdf_engine::check;
use gdf_engine::decoded::{Reads, has_null_values};
use gdf_engine::input::Input;
use gdf_engine::keys::row_indices;
use gdf_engine::operand::{Literals, of_one_type};
use gdf_engine::rows::{self, AffineRows, OutOfBoundsPolicy, Piece, gather_pair, rows_times};

use crate::Ctx;
use crate::concatenate::{concatenate_columns, shares_encoded, with_shared_values};
use crate::copying::{self, copies, row_of_values};
use crate::filling::{self, row_numbers, sequence};
use crate::lists::{copy_affine_column, gather_column, has_composite, shares_values};
use crate::stream_compaction::apply_boolean_mask;
use crate::unary::is_valid;

/// Returns for each row the row of `lhs` if `mask` is true and not null, and the row of `rhs` otherwise.
///
/// Implements `gdf_api::copying::copy_if_else` with the stream and the memory resources of `ctx`. Returns the errors of
/// that function.
pub fn copy_if_else(lhs: Operand<'_>, rhs: Operand<'_>, mask: ColumnView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    if copies(lhs.data_type()) || copies(rhs.data_type()) {
        return copying::copy_if_else(lhs, rhs, mask, ctx);
    }
    let in_mask = |error: Error| error.in_argument("mask");
    check::boolean(&mask).and_then(|()| check::column(mask, ctx)).map_err(in_mask)?;
    let operands = of_one_type(lhs, rhs);
    let literals = Literals::new(&operands, ctx)?;
    let [lhs, rhs] = literals.resolve(operands);
    check::same_types(lhs.data_type(), rhs.data_type())?;
    for (side, argument) in [(lhs, "lhs"), (rhs, "rhs")] {
        check::column(side.view(), ctx)?;
        check::length(mask.len(), side.len().unwrap_or(mask.len())).map_err(|error| error.in_argument(argument))?;
    }
    let numbers = PairNumbers::new(lhs.view().len(), rhs.view().len(), ctx.scratch())?;
    let scalar = |side: Input<'_>, numbers: &Column| match side {
        Input::Column(_) => Ok(None),
        Input::Scalar(_) => Scalar::from_column(numbers.clone()).map(Some),
    };
    let scalars = [scalar(lhs, &numbers.first)?, scalar(rhs, &numbers.second)?];
    let of_lhs = scalars[0].as_ref().map_or(Operand::from(&numbers.first), Operand::from);
    let of_rhs = scalars[1].as_ref().map_or(Operand::from(&numbers.second), Operand::from);
    let map = copying::copy_if_else(of_lhs, of_rhs, mask, ctx.scratch())?;
    rows_of_both(lhs.view(), rhs.view(), &map, ctx)
}

/// Returns `column` with each null row replaced by the row of `replacement`. A row of a dictionary is null if its key or
/// its value is null.
///
/// Implements `gdf_api::replace::replace_nulls` with the stream and the memory resources of `ctx`. Returns the errors
/// of that function.
pub fn replace_nulls(column: ColumnView<'_>, replacement: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    if copies(column.data_type()) || !(column.has_validity() || has_null_values(column)) {
        return crate::replace::replace_nulls(column, replacement, ctx);
    }
    let in_argument = |error: Error| error.in_argument("replacement");
    check::column(column, ctx)?;
    if let Operand::Column(rows) = replacement {
        check::length(column.len(), rows.len()).map_err(in_argument)?;
    }
    let decoded = Reads::Nulls.decode(column, ctx.scratch())?;
    let valid = is_valid(decoded.view(), ctx.scratch())?;
    copy_if_else(column.into(), replacement, valid.view(), ctx)
}

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
    if source.num_columns() != target.num_columns() || target.columns().iter().all(|column| copies(column.data_type()))
    {
        return copying::scatter(source, map, target, policy, ctx);
    }
    [&source, &target].into_iter().try_for_each(|table| check::table(table, ctx))?;
    if source.num_rows() < map.len() {
        return Err(Error::length_mismatch(map.len(), source.num_rows()).in_argument("source"));
    }
    let source = source.slice(0, map.len())?;
    let scattered = |plain: &[usize], rows: &PairNumbers| {
        let table = copying::scatter(source.select(plain)?, map, target.select(plain)?, policy, ctx)?;
        let (numbers, target) = (rows.second.view().into(), rows.first.view().into());
        Ok((table, copying::scatter(numbers, map, target, policy, ctx.scratch())?))
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
    if source.len() != target.num_columns() || target.columns().iter().all(|column| copies(column.data_type())) {
        return copying::scatter_scalars(source, map, target, policy, ctx);
    }
    check::table(&target, ctx)?;
    let values = row_of_values(source, &target, ctx)?;
    let columns: Vec<_> = values.iter().map(|value| value.view()).collect();
    let scattered = |plain: &[usize], rows: &PairNumbers| {
        let of_plain: Vec<_> = plain.iter().map(|column| Operand::from(&values[*column])).collect();
        let table = copying::scatter_scalars(&of_plain, map, target.select(plain)?, policy, ctx)?;
        let number = Scalar::from_column(rows.second.clone())?;
        let (numbers, target) = ([Operand::from(&number)], rows.first.view().into());
        Ok((table, copying::scatter_scalars(&numbers, map, target, policy, ctx.scratch())?))
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

/// Implements `gdf_api::copying::shift` with the stream and the memory resources of `ctx`. Returns the errors of that
/// function.
pub fn shift(column: ColumnView<'_>, offset: i64, fill_value: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    copying::shift_by(column, offset, fill_value, join_pieces, ctx)
}

/// Implements `gdf_api::copying::copy_range` with the stream and the memory resources of `ctx`. Returns the errors of
/// that function.
pub fn copy_range(
    source: ColumnView<'_>,
    source_rows: Range<usize>,
    target: ColumnView<'_>,
    target_begin: usize,
    ctx: Ctx<'_>,
) -> Result<Column> {
    copying::copy_range_by(source, source_rows, target, target_begin, join_pieces, ctx)
}

/// Implements `gdf_api::filling::fill` with the stream and the memory resources of `ctx`. Returns the errors of that
/// function.
pub fn fill(column: ColumnView<'_>, rows: Range<usize>, value: Operand<'_>, ctx: Ctx<'_>) -> Result<Column> {
    filling::fill_by(column, rows, value, join_pieces, ctx)
}

/// Implements `gdf_api::filling::from_scalar` with the stream and the memory resources of `ctx`. Returns the errors of
/// that function.
pub fn from_scalar(value: Operand<'_>, rows: usize, ctx: Ctx<'_>) -> Result<Column> {
    filling::from_scalar_by(value, rows, join_pieces, ctx)
}

/// Concatenates at most 32 pieces, which have the type of `like`.
///
/// # Errors
/// * [`OffsetOverflow`](gdf_core::Error::OffsetOverflow); driver and memory errors.
fn join_pieces(operation: &'static str, like: ColumnView<'_>, pieces: &[Piece<'_>], ctx: Ctx<'_>) -> Result<Column> {
    let is_shared = |piece: &Piece<'_>| match piece {
        Piece::Rows(view) => shares_encoded(like.column(), view.column()),
        // A null has no value.
        Piece::Repeated(scalar, _) => {
            scalar.view().known_null_count() == Some(1) || shares_encoded(like.column(), scalar.view().column())
        }
    };
    if !has_composite(like.data_type()) && pieces.iter().all(is_shared) {
        return rows::join_pieces(operation, like, pieces, ctx);
    }
    let copied = |piece: &Piece<'_>, ctx: Ctx<'_>| {
        let (view, length, by_quotient) = match piece {
            Piece::Rows(view) => (*view, rows_times(view.len(), 1)?, 1),
            Piece::Repeated(scalar, times) => (scalar.view(), rows_times(*times, 1)?, 0),
        };
        let rows = AffineRows { length, divisor: 1, by_quotient, by_remainder: 0, first: 0 };
        copy_affine_column(operation, view, rows, ctx)
    };
    let has_rows = |piece: &&Piece<'_>| match piece {
        Piece::Rows(view) => !view.is_empty(),
        Piece::Repeated(_, times) => *times > 0,
    };
    match pieces.iter().filter(has_rows).collect::<Vec<_>>()[..] {
        [] => copied(&Piece::Rows(like.slice(0, 0)?), ctx),
        [piece] => copied(piece, ctx),
        ref pieces => {
            let of_values = if shares_values(like.data_type()) { ctx } else { ctx.scratch() };
            let columns = pieces.iter().map(|piece| match piece {
                Piece::Rows(view) => Ok(view.to_column()),
                Piece::Repeated(..) => copied(piece, of_values),
            });
            let columns = columns.collect::<Result<Vec<_>>>()?;
            concatenate_columns(&columns.iter().map(Column::view).collect::<Vec<_>>(), ctx)
        }
    }
}

/// The numbers of the rows of two columns. The numbers of the second column follow those of the first column.
struct PairNumbers {
    first: Column,
    second: Column,
}

impl PairNumbers {
    fn new(first: usize, second: usize, ctx: Ctx<'_>) -> Result<Self> {
        let all = match row_indices(first.saturating_add(second)) {
            DataType::UInt32 => sequence(0_u32.into(), 1_u32.into(), first + second, ctx)?,
            _ => sequence(0_u64.into(), 1_u64.into(), first.saturating_add(second), ctx)?,
        };
        Ok(Self { first: all.slice(0, first)?, second: all.slice(first, second)? })
    }
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
    let is_plain = |column: &usize| copies(target.columns()[*column].data_type());
    let plain: Vec<usize> = (0..target.num_columns()).filter(is_plain).collect();
    let (plain, map) = scatter(&plain, &numbers)?;
    let mut plain = plain.into_columns().into_iter();
    let columns = target.columns().iter().zip(source).map(|(target, source)| match copies(target.data_type()) {
        true => plain.next().ok_or_else(|| Error::internal("a scatter returned fewer columns than its target has")),
        false => rows_of_both(*target, *source, map.column(0)?, ctx)?.with_type(target.data_type().clone()),
    });
    Table::try_with_rows(columns.collect::<Result<_>>()?, rows)
}

/// Returns rows of two columns of one type. Each element of `map` is one of the [numbers](PairNumbers) of the rows of
/// both columns.
fn rows_of_both(first: ColumnView<'_>, second: ColumnView<'_>, map: &Column, ctx: Ctx<'_>) -> Result<Column> {
    if Abilities::of(first.data_type()).lists && !has_composite(first.data_type()) {
        let shared = with_shared_values(vec![first.to_column(), second.to_column()], ctx)?;
        return gather_pair([shared[0].view(), shared[1].view()], map.view(), ctx);
    }
    let is_shared = shares_values(first.data_type());
    let both = concatenate_columns(&[first, second], if is_shared { ctx } else { ctx.scratch() })?;
    gather_column(both.view(), map.view(), ctx)
}
