//! `tdigest` and `merge_tdigests`. Values, or the centroids of digests, are sorted and split into clusters by their
//! cumulative share of the weight. Each cluster is reduced to a centroid.

mod digests;
mod percentile_approx;
mod segments;

use std::cmp::Ordering;
use std::f64::consts::FRAC_PI_2;

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::concatenate::concatenate_columns;
use gdf_compute::copying::copy_if_else;
use gdf_compute::filling::{repeat, sequence};
use gdf_compute::reduction::ReduceAggregation;
use gdf_compute::search::{lower_bound, upper_bound};
use gdf_compute::sorting::{NullOrder, Order, sort};
use gdf_compute::stream_compaction::{NullEquality, apply_boolean_mask, heads};
use gdf_core::{Column, ColumnView, DataType, Error, Literal, Operand, Result, TableView, is_numeric};
use gdf_engine::cast::cast;
use gdf_engine::check;

pub use self::digests::concatenate_tdigests;
use self::digests::{Digests, Parts};
pub(crate) use self::digests::{digest_type, is_digest};
pub use self::percentile_approx::percentile_approx;
use self::segments::{WeightedCentroids, numbered, reduced, take};
use crate::Ctx;

/// libcudf's default number of centroids.
pub const DEFAULT_MAX_CENTROIDS: u32 = 1000;

/// The largest number of centroids that can be requested.
const MAX_CENTROIDS: u32 = 1_000_000;

/// Returns whether digests can be computed from values of the type.
fn has_digests(data_type: &DataType) -> bool {
    is_numeric(data_type) || *data_type == DataType::Boolean
}

/// Checks the number of centroids.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument) if the number is not from 1 to 1,000,000.
pub(crate) fn check_max_centroids(max_centroids: u32) -> Result<()> {
    match max_centroids {
        1..=MAX_CENTROIDS => Ok(()),
        _ => Err(Error::invalid_number(
            "the number of centroids must be in the range from 1 to 1,000,000",
            max_centroids.into(),
        )
        .in_argument("max_centroids")),
    }
}

fn limits(max_centroids: u32) -> Result<Vec<f64>> {
    check_max_centroids(max_centroids)?;
    let share = |i: u32| (f64::from(i) / f64::from(max_centroids) * FRAC_PI_2).sin().powi(2);
    let limit = |i: u32| match i.cmp(&(max_centroids - i)) {
        Ordering::Less => share(i),
        Ordering::Equal => 0.5,
        Ordering::Greater => 1.0 - share(max_centroids - i),
    };
    Ok((1..max_centroids).map(limit).collect())
}

/// Implements `gdf_api::quantiles::tdigest` with the stream and the resources of `ctx`.
pub fn tdigest(column: ColumnView<'_>, max_centroids: u32, ctx: Ctx<'_>) -> Result<Column> {
    check::column(column, ctx)?;
    if !has_digests(column.data_type()) {
        return Err(Error::unsupported("tdigest", column.data_type()));
    }
    let (limits, scratch) = (limits(max_centroids)?, ctx.scratch());
    let rows = column.len() - column.to_column().null_count_on(ctx.stream)?;
    let sorted = sort(TableView::try_new(vec![column])?, &[Order::Ascending], &[NullOrder::After], scratch)?;
    let values = cast(sorted.column(0)?.slice(0, rows)?.view(), &DataType::Float64, scratch)?;
    let first = |limit: f64| {
        let (mut low, mut high) = (0, rows);
        while low < high {
            let row = low + (high - low) / 2;
            if (row as f64 + 0.5) / (rows as f64) < limit { low = row + 1 } else { high = row }
        }
        low
    };
    let begins = std::iter::once(0).chain(limits.into_iter().map(first)).filter(|row| *row < rows);
    let mut begins: Vec<_> = begins.map(|row| row as i64).collect();
    begins.dedup();
    let numbers = |numbers: &[i64]| Column::from_slice_on(numbers, ctx.stream, ctx.mr.temporary);
    let sorted = Sorted { values, weights: None, offsets: numbers(&[0, rows as i64])?, ctx: scratch };
    sorted.digests(&numbers(&begins)?, None, ctx)
}

/// Implements `gdf_api::quantiles::merge_tdigests` with the stream and the resources of `ctx`.
pub fn merge_tdigests(digests: ColumnView<'_>, max_centroids: u32, ctx: Ctx<'_>) -> Result<Column> {
    let rows = sequence(0_i64.into(), 1_i64.into(), digests.len(), ctx.scratch())?;
    let offsets = Column::from_slice_on(&[0, digests.len() as i64], ctx.stream, ctx.mr.temporary)?;
    merge_groups(digests, &rows, offsets, max_centroids, ctx)
}

/// Returns a digest for each group of values.
pub(crate) fn digest_groups(values: Column, offsets: Column, max_centroids: u32, ctx: Ctx<'_>) -> Result<Column> {
    let sorted = Sorted { values, weights: None, offsets, ctx: ctx.scratch() };
    sorted.digests(&sorted.clusters(&limits(max_centroids)?)?, None, ctx)
}

/// Returns a merged digest for each group of digests.
pub(crate) fn merge_groups(
    digests: ColumnView<'_>,
    rows: &Column,
    offsets: Column,
    max_centroids: u32,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (limits, scratch) = (limits(max_centroids)?, ctx.scratch());
    let digests = Digests::open(digests, scratch)?.take(rows, scratch)?;
    let centroids = digests.centroids(scratch)?;
    let extremes = [
        reduced(&digests.min, &offsets, ReduceAggregation::Min, scratch)?,
        reduced(&digests.max, &offsets, ReduceAggregation::Max, scratch)?,
    ];
    let offsets = take(&centroids.offsets, &offsets, scratch)?;
    let (groups, sizes) = numbered(&offsets, scratch)?;
    let group = repeat(TableView::try_new(vec![groups.view()])?, (&sizes).into(), scratch)?;
    let columns = vec![group.column(0)?.view(), centroids.means.view(), centroids.weights.view()];
    let sorted = sort(TableView::try_new(columns)?, &[], &[], scratch)?;
    let (values, weights) = (sorted.column(1)?.clone(), Some(sorted.column(2)?.clone()));
    let sorted = Sorted { values, weights, offsets, ctx: scratch };
    sorted.digests(&sorted.clusters(&limits)?, Some(extremes), ctx)
}

/// Values that are sorted within each group.
struct Sorted<'a> {
    values: Column,
    /// The weights of the values. `None` if each value has the weight 1.
    weights: Option<Column>,
    offsets: Column,
    ctx: Ctx<'a>,
}

impl Sorted<'_> {
    fn clusters(&self, limits: &[f64]) -> Result<Column> {
        let (ctx, double) = (self.ctx, &DataType::Float64);
        let weighed = WeightedCentroids::new(self.weights.as_ref(), self.values.len(), &self.offsets, ctx)?;
        let [group, up_to, total] = &weighed.rows;
        let half = self.weights.as_ref().map(|weights| of(weights, Op::Mul, 0.5.into(), double, ctx)).transpose()?;
        let half = half.as_ref().map_or(Operand::from(0.5), Operand::from);
        let share = of(&of(up_to, Op::Sub, half, double, ctx)?, Op::TrueDiv, total.into(), double, ctx)?;
        let limits = Column::from_slice_on(limits, ctx.stream, ctx.mr.temporary)?;
        let (limits, shares) = (TableView::try_new(vec![limits.view()])?, TableView::try_new(vec![share.view()])?);
        let cluster = upper_bound(&limits, &shares, &[], &[], ctx)?;
        let rows = TableView::try_new(vec![group.view(), cluster.view()])?;
        let begins = heads("tdigest", &rows, NullEquality::Equal, ctx)?;
        let rows = sequence(0_i64.into(), 1_i64.into(), self.values.len(), ctx)?;
        let begins = apply_boolean_mask(TableView::try_new(vec![rows.view()])?, begins.view(), ctx)?;
        Ok(begins.column(0)?.clone())
    }

    /// Returns a digest for each group.
    fn digests(&self, begins: &Column, extremes: Option<[Column; 2]>, ctx: Ctx<'_>) -> Result<Column> {
        use ReduceAggregation::{Mean, Sum};
        let (scratch, double, long) = (self.ctx, &DataType::Float64, &DataType::Int64);
        let end = Column::from_slice_on(&[self.values.len() as i64], ctx.stream, ctx.mr.temporary)?;
        let bounds = concatenate_columns(&[begins.view(), end.view()], scratch)?;
        let ends = bounds.slice(1, begins.len())?;
        let (means, weights) = match &self.weights {
            None => {
                let sizes = of(&ends, Op::Sub, begins.into(), long, scratch)?;
                (reduced(&self.values, &bounds, Mean, scratch)?, cast(sizes.view(), double, scratch)?)
            }
            Some(weights) => {
                let products = of(&self.values, Op::Mul, weights.into(), double, scratch)?;
                let [sums, weights] = [&products, weights].map(|rows| reduced(rows, &bounds, Sum, scratch));
                let (sums, weights) = (sums?, weights?);
                (of(&sums, Op::TrueDiv, (&weights).into(), double, scratch)?, weights)
            }
        };
        // Rounding may move a mean out of the range of the values of its cluster.
        let first = take(&self.values, begins, scratch)?;
        let last = take(&self.values, &of(&ends, Op::Sub, 1_i64.into(), long, scratch)?, scratch)?;
        let means = of(&means, Op::NullMax, (&first).into(), double, scratch)?;
        let means = of(&means, Op::NullMin, (&last).into(), double, scratch)?;
        let [min, max] = extremes.map_or_else(|| self.extremes(), Ok)?;
        let begins = TableView::try_new(vec![begins.view()])?;
        let offsets = lower_bound(&begins, &TableView::try_new(vec![self.offsets.view()])?, &[], &[], scratch)?;
        let offsets = cast(offsets.view(), long, scratch)?;
        Parts { offsets, means, weights, min, max }.into_digests(ctx)
    }

    /// Returns the first and the last value of each group.
    fn extremes(&self) -> Result<[Column; 2]> {
        let (ctx, long) = (self.ctx, &DataType::Int64);
        let groups = self.offsets.len() - 1;
        let (begins, ends) = (self.offsets.slice(0, groups)?, self.offsets.slice(1, groups)?);
        let some = of(&begins, Op::Less, (&ends).into(), &DataType::Boolean, ctx)?;
        let lasts = of(&ends, Op::Sub, 1_i64.into(), long, ctx)?;
        let values = |rows: &Column| {
            let rows = copy_if_else(rows.into(), Literal::null(long).into(), some.view(), ctx)?;
            take(&self.values, &rows, ctx)
        };
        Ok([values(&begins)?, values(&lasts)?])
    }
}
