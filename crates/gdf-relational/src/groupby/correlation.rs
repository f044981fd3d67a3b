//! `covariance` and `correlation` of pairs of values per group. Both are computed from the differences between the
//! values and the means of their group.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::copying::copy_if_else;
use gdf_compute::filling::repeat;
use gdf_compute::reduction::{ReduceAggregation, segmented_reduce};
use gdf_compute::unary::{UnaryOperator, unary_operation};
use gdf_core::{
    Column, ColumnView, DataType, Error, Literal, Operand, Result, Table, TableView, is_floating, is_integral,
};
use gdf_engine::cast::cast;
use gdf_engine::mask::bitmask_and;

use super::NullPolicy;
use super::aggregate::check as check_keys;
use super::empty::empty_column;
use super::rows::groups;
use crate::Ctx;
use crate::vouch::gather_trusted;

/// Implements `gdf_api::groupby::GroupBy::covariance` with the stream and the resources of `ctx`.
pub fn covariance(
    keys: &TableView<'_>,
    null_policy: NullPolicy,
    pairs: [ColumnView<'_>; 2],
    ddof: u32,
    min_periods: usize,
    ctx: Ctx<'_>,
) -> Result<(Table, Column)> {
    of_pairs(keys, null_policy, pairs, min_periods.max(ddof as usize + 1), ctx, |sums| {
        let divisor = of(&sums.counts, Op::Sub, i64::from(ddof).into(), &DataType::Int64, sums.ctx)?;
        of(&sums.product(0, 1)?, Op::TrueDiv, (&divisor).into(), &DataType::Float64, sums.ctx)
    })
}

/// Implements `gdf_api::groupby::GroupBy::correlation` with the stream and the resources of `ctx`.
pub fn correlation(
    keys: &TableView<'_>,
    null_policy: NullPolicy,
    pairs: [ColumnView<'_>; 2],
    min_periods: usize,
    ctx: Ctx<'_>,
) -> Result<(Table, Column)> {
    of_pairs(keys, null_policy, pairs, min_periods.max(2), ctx, |sums| {
        let root = |column: usize| unary_operation(sums.product(column, column)?.view(), UnaryOperator::Sqrt, sums.ctx);
        let divisor = of(&root(0)?, Op::Mul, (&root(1)?).into(), &DataType::Float64, sums.ctx)?;
        of(&sums.product(0, 1)?, Op::TrueDiv, (&divisor).into(), &DataType::Float64, sums.ctx)
    })
}

struct Sums<'a> {
    counts: Column,
    /// The differences of the values from the mean of their group.
    distances: Vec<Column>,
    offsets: &'a Column,
    ctx: Ctx<'a>,
}

impl Sums<'_> {
    fn product(&self, a: usize, b: usize) -> Result<Column> {
        let double = &DataType::Float64;
        let products = of(&self.distances[a], Op::Mul, (&self.distances[b]).into(), double, self.ctx)?;
        reduced(&products, self.offsets, ReduceAggregation::Sum, double, self.ctx)
    }
}

fn reduced(rows: &Column, offsets: &Column, of: ReduceAggregation, to: &DataType, ctx: Ctx<'_>) -> Result<Column> {
    segmented_reduce(rows.view(), offsets.view(), of, to, NullPolicy::Exclude, ctx)
}

/// Returns a `Float64` per group.
fn of_pairs(
    keys: &TableView<'_>,
    null_policy: NullPolicy,
    pairs: [ColumnView<'_>; 2],
    fewest: usize,
    ctx: Ctx<'_>,
    result: impl FnOnce(&Sums<'_>) -> Result<Column>,
) -> Result<(Table, Column)> {
    check_keys(keys, pairs.into_iter(), ctx)?;
    let (scratch, long, double) = (ctx.scratch(), &DataType::Int64, &DataType::Float64);
    for (values, argument) in pairs.iter().zip(["x", "y"]) {
        let data_type = values.data_type();
        if !(is_integral(data_type) || is_floating(data_type) || *data_type == DataType::Boolean) {
            return Err(Error::unsupported("groupby", data_type).in_argument(argument));
        }
    }
    let (order, offsets) = groups(keys, null_policy, scratch)?;
    let count = offsets.len() - 1;
    if count == 0 {
        let keys = keys.columns().iter().map(|key| empty_column(key.data_type(), ctx)).collect::<Result<_>>()?;
        return Ok((Table::try_new(keys)?, empty_column(double, ctx)?));
    }
    let nullable = pairs.iter().any(|column| column.has_validity());
    let valid =
        if nullable { Some(bitmask_and(&TableView::try_new(pairs.to_vec())?, scratch)?.to_column()?) } else { None };
    let numbers = pairs.iter().map(|column| {
        let number = cast(*column, double, scratch)?;
        let null = Operand::from(Literal::null(double));
        let Some(valid) = &valid else { return Ok(number) };
        copy_if_else((&number).into(), null, valid.view(), scratch)
    });
    let numbers = Table::try_new(numbers.collect::<Result<_>>()?)?;
    let sorted = gather_trusted(&numbers.view(), order.view(), scratch)?;
    let means = sorted.columns().iter().map(|rows| reduced(rows, &offsets, ReduceAggregation::Mean, double, scratch));
    let means = Table::try_new(means.collect::<Result<_>>()?)?;
    let begins = offsets.slice(0, count)?;
    let sizes = of(&offsets.slice(1, count)?, Op::Sub, (&begins).into(), long, scratch)?;
    let means = repeat(means.view(), (&sizes).into(), scratch)?;
    let distances = sorted.columns().iter().zip(means.columns());
    let distances = distances.map(|(rows, means)| of(rows, Op::Sub, means.into(), double, scratch));
    let counts = reduced(sorted.column(0)?, &offsets, ReduceAggregation::CountValid, long, scratch)?;
    let sums = Sums { counts, distances: distances.collect::<Result<_>>()?, offsets: &offsets, ctx: scratch };
    let found = result(&sums)?;
    let fewest = i64::try_from(fewest).unwrap_or(i64::MAX);
    let enough = of(&sums.counts, Op::GreaterEqual, fewest.into(), &DataType::Boolean, scratch)?;
    let found = copy_if_else((&found).into(), Literal::null(double).into(), enough.view(), ctx)?;
    let first = gather_trusted(&TableView::from(order.view()), begins.view(), scratch)?;
    Ok((gather_trusted(keys, first.column(0)?.view(), ctx)?, found))
}
