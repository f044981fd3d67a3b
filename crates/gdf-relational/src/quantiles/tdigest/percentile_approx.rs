//! `percentile_approx`: interpolates between the middles of neighboring centroids.

use gdf_compute::binaryop::{BinaryOperator as Op, binary_operation, of};
use gdf_compute::copying::{OutOfBoundsPolicy, copy_if_else, gather};
use gdf_compute::filling::{repeat, sequence};
use gdf_compute::replace::replace_nulls;
use gdf_compute::reshape::tile;
use gdf_compute::search::lower_bound;
use gdf_compute::unary::{UnaryOperator, unary_operation};
use gdf_core::{Column, ColumnView, DataType, Literal, Operand, Result, Table, TableView};
use gdf_engine::cast::cast;
use gdf_engine::check;

use super::digests::{Centroids, Digests};
use super::segments::WeightedCentroids;
use crate::Ctx;

/// Implements `gdf_api::quantiles::percentile_approx` with the stream and the resources of `ctx`.
pub fn percentile_approx(digests: ColumnView<'_>, q: &[f64], ctx: Ctx<'_>) -> Result<Table> {
    check::shares(q)?;
    let (rows, scratch) = (digests.len(), ctx.scratch());
    let digests = Digests::open(digests, scratch)?;
    if rows == 0 || q.is_empty() {
        let empty = || Column::empty_on(&DataType::Float64, ctx.stream.device());
        return Table::try_with_rows(q.iter().map(|_| empty()).collect::<Result<_>>()?, rows);
    }
    let centroids = digests.centroids(scratch)?;
    let weighed =
        WeightedCentroids::new(Some(&centroids.weights), centroids.weights.len(), &centroids.offsets, scratch)?;
    let numbers = sequence(0_i64.into(), 1_i64.into(), rows, scratch)?;
    let (begins, ends) = (centroids.offsets.slice(0, rows)?, centroids.offsets.slice(1, rows)?);
    let columns = [&numbers, &begins, &ends, &weighed.totals, &digests.min, &digests.max];
    let queries = tile(TableView::try_new(columns.map(Column::view).to_vec())?, q.len(), scratch)?;
    let q: Vec<f64> = q.iter().map(|q| q.clamp(0.0, 1.0)).collect();
    let shares = Column::from_slice_on(&q, ctx.stream, ctx.mr.temporary)?;
    let shares = repeat(TableView::try_new(vec![shares.view()])?, (rows as i64).into(), scratch)?;
    let position = of(queries.column(3)?, Op::Mul, shares.column(0)?.into(), &DataType::Float64, scratch)?;
    let values =
        Queries { rows: &queries, position, centroids: &centroids, weighed: &weighed, ctx: scratch }.values()?;
    let some = of(&begins, Op::Less, (&ends).into(), &DataType::Boolean, scratch)?;
    let null = Literal::null(&DataType::Float64);
    let column = |i| copy_if_else((&values.slice(i * rows, rows)?).into(), null.into(), some.view(), ctx);
    Table::try_with_rows((0..q.len()).map(column).collect::<Result<_>>()?, rows)
}

struct Queries<'a> {
    /// The columns: the number of the digest, its first centroid, the end of its centroids, its weight, its smallest
    /// value, its largest value.
    rows: &'a Table,
    position: Column,
    centroids: &'a Centroids,
    weighed: &'a WeightedCentroids,
    ctx: Ctx<'a>,
}

impl Queries<'_> {
    fn values(&self) -> Result<Column> {
        let (double, long, scratch) = (&DataType::Float64, &DataType::Int64, self.ctx);
        let number = |lhs: &Column, op, rhs: Operand<'_>| of(lhs, op, rhs, double, scratch);
        let whole = |lhs: &Column, op, rhs: Operand<'_>| of(lhs, op, rhs, long, scratch);
        let is = |lhs: &Column, op, rhs: Operand<'_>| of(lhs, op, rhs, &DataType::Boolean, scratch);
        let choose = |a: &Column, b: &Column, mask: &Column| copy_if_else(a.into(), b.into(), mask.view(), scratch);
        let [begin, end, total, min, max] = [1, 2, 3, 4, 5].map(|column| self.rows.column(column));
        let (begin, end, total, min, max) = (begin?, end?, total?, min?, max?);
        let at = self.centroid()?;
        let [mean, weight, up_to] = self.centroids_at(&at)?;
        let middle = number(&up_to, Op::Sub, (&number(&weight, Op::Mul, 0.5.into())?).into())?;
        let distance = number(&self.position, Op::Sub, (&middle).into())?;
        let before = is(&distance, Op::Less, 0.0.into())?;
        let beside = choose(&whole(&at, Op::Sub, 1_i64.into())?, &whole(&at, Op::Add, 1_i64.into())?, &before)?;
        let inside = is(&beside, Op::GreaterEqual, begin.into())?;
        let inside = is(&inside, Op::LogicalAnd, (&is(&beside, Op::Less, end.into())?).into())?;
        let beside = copy_if_else((&beside).into(), Literal::null(long).into(), inside.view(), scratch)?;
        let [other, other_weight, _] = self.centroids_at(&beside)?;
        let other = replace_nulls(other.view(), (&choose(min, max, &before)?).into(), scratch)?;
        let other_weight = replace_nulls(other_weight.view(), 0.0.into(), scratch)?;
        let between = number(&number(&weight, Op::Add, (&other_weight).into())?, Op::Mul, 0.5.into())?;
        let distance = unary_operation(distance.view(), UnaryOperator::Abs, scratch)?;
        let part = number(&distance, Op::TrueDiv, (&between).into())?;
        let rest = binary_operation(1.0.into(), (&part).into(), Op::Sub, double, scratch)?;
        let mixed = number(&mean, Op::Mul, (&rest).into())?;
        let mixed = number(&mixed, Op::Add, (&number(&other, Op::Mul, (&part).into())?).into())?;
        // A centroid of weight 1 is an exact value.
        let exact = is(&weight, Op::Equal, 1.0.into())?;
        let exact = is(&exact, Op::LogicalOr, (&is(&mean, Op::Equal, (&other).into())?).into())?;
        let value = choose(&mean, &mixed, &exact)?;
        let last = is(&self.position, Op::GreaterEqual, (&number(total, Op::Sub, 1.0.into())?).into())?;
        let value = choose(max, &value, &last)?;
        choose(min, &value, &is(&self.position, Op::LessEqual, 1.0.into())?)
    }

    /// Returns the first centroid of the digest whose cumulative weight is at least `position`, or the last centroid if
    /// there is no such centroid.
    fn centroid(&self) -> Result<Column> {
        let [digest, up_to, _] = &self.weighed.rows;
        let sorted = TableView::try_new(vec![digest.view(), up_to.view()])?;
        let queries = TableView::try_new(vec![self.rows.column(0)?.view(), self.position.view()])?;
        let at = cast(lower_bound(&sorted, &queries, &[], &[], self.ctx)?.view(), &DataType::Int64, self.ctx)?;
        let last = of(self.rows.column(2)?, Op::Sub, 1_i64.into(), &DataType::Int64, self.ctx)?;
        of(&at, Op::NullMin, (&last).into(), &DataType::Int64, self.ctx)
    }

    /// Returns the mean, the weight and the cumulative weight of the centroids at `rows`.
    fn centroids_at(&self, rows: &Column) -> Result<[Column; 3]> {
        let columns = [&self.centroids.means, &self.centroids.weights, &self.weighed.rows[1]].map(Column::view);
        let table = TableView::try_new(columns.to_vec())?;
        let values = gather(table, rows.view(), OutOfBoundsPolicy::Nullify, self.ctx)?;
        let [mean, weight, up_to] = [0, 1, 2].map(|column| values.column(column).cloned());
        Ok([mean?, weight?, up_to?])
    }
}
