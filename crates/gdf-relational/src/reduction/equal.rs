//! Compares whole tables and columns. The rows are compared column by column, and the first column that differs ends
//! the comparison.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::keys::{Purpose, prepare};
use gdf_compute::reduction::{ReduceAggregation, reduce};
use gdf_compute::replace::replace_nulls;
use gdf_core::{
    Abilities, Column, ColumnView, DataType, Error, IntervalUnit, Position, Result, TableView, is_floating,
};
use gdf_engine::check;
use gdf_engine::keys::NullEquality;

use crate::Ctx;

/// Implements `gdf_api::reduction::columns_equal` with the stream and the resources of `ctx`.
pub fn columns_equal(left: ColumnView<'_>, right: ColumnView<'_>, nulls: NullEquality, ctx: Ctx<'_>) -> Result<bool> {
    check_types("columns_equal", left, right)?;
    are_equal("columns_equal", left, right, nulls, ctx)
}

/// Implements `gdf_api::reduction::tables_equal` with the stream and the resources of `ctx`.
pub fn tables_equal(left: &TableView<'_>, right: &TableView<'_>, nulls: NullEquality, ctx: Ctx<'_>) -> Result<bool> {
    let pairs = || left.columns().iter().copied().zip(right.columns().iter().copied()).enumerate();
    if left.num_columns() != right.num_columns() {
        return Err(Error::column_count(left.num_columns(), right.num_columns()).in_argument("right"));
    }
    for (i, (one, other)) in pairs() {
        check_types("tables_equal", one, other).map_err(|error| error.at(Position::Column(i)))?;
    }
    // All columns are validated before the first column that differs ends the comparison.
    [left, right].into_iter().try_for_each(|table| check::table(table, ctx))?;
    if left.num_rows() != right.num_rows() {
        return Ok(false);
    }
    for (i, (one, other)) in pairs() {
        let equal = are_equal("tables_equal", one, other, nulls, ctx);
        if !equal.map_err(|error| error.at(Position::Column(i)))? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn check_types(operation: &'static str, left: ColumnView<'_>, right: ColumnView<'_>) -> Result<()> {
    if !Abilities::of(left.data_type()).is_key() {
        return Err(Error::unsupported(operation, left.data_type()));
    }
    check::types(left.data_type(), right.data_type())
}

fn are_equal(
    operation: &'static str,
    left: ColumnView<'_>,
    right: ColumnView<'_>,
    nulls: NullEquality,
    ctx: Ctx<'_>,
) -> Result<bool> {
    let (scratch, boolean) = (ctx.scratch(), &DataType::Boolean);
    [left, right].into_iter().try_for_each(|column| check::column(column, ctx))?;
    if left.len() != right.len() {
        return Ok(false);
    }
    if left.is_empty() {
        return Ok(true);
    }
    let (sides, purpose) = ([left, right].map(TableView::from), Purpose::equality_of_columns(nulls));
    let [left, right] = prepare(operation, sides.each_ref(), purpose, scratch)?;
    let (left, right) = (left.view()?, right.view()?);
    let [left, right] = [comparable(left.column(0)?)?, comparable(right.column(0)?)?];
    let op = if nulls == NullEquality::Equal { Op::NullEquals } else { Op::Equal };
    let as_value = |bits: Column| replace_nulls(bits.view(), false.into(), scratch);
    let mut equal = as_value(of(&left, op, (&right).into(), boolean, scratch)?)?;
    if is_floating(left.data_type()) {
        let is_nan = |column: &Column| of(column, Op::NotEqual, column.into(), boolean, scratch);
        let nans = of(&is_nan(&left)?, Op::LogicalAnd, (&is_nan(&right)?).into(), boolean, scratch)?;
        equal = of(&equal, Op::LogicalOr, (&as_value(nans)?).into(), boolean, scratch)?;
    }
    let all = reduce(equal.view(), ReduceAggregation::All, boolean, scratch)?;
    Ok(all.value_on::<bool>(ctx.stream)?.unwrap_or(true))
}

/// Returns the column as numbers if its type is an interval, which has no operators.
fn comparable(column: ColumnView<'_>) -> Result<Column> {
    match column.data_type() {
        DataType::Interval(IntervalUnit::YearMonth) => column.to_column().bit_cast(DataType::Int32),
        DataType::Interval(IntervalUnit::DayTime) => column.to_column().bit_cast(DataType::Int64),
        DataType::Interval(IntervalUnit::MonthDayNano) => column.to_column().bit_cast(DataType::Decimal128(38, 0)),
        _ => Ok(column.to_column()),
    }
}
