//! Consecutive segments of rows, and the cumulative weights of the rows within each segment.

use gdf_compute::binaryop::{BinaryOperator as Op, of};
use gdf_compute::filling::{repeat, sequence};
use gdf_compute::reduction::{ReduceAggregation, segmented_reduce};
use gdf_compute::replace::replace_nulls;
use gdf_compute::scan::{ScanAggregation, ScanType, scan};
use gdf_core::{Column, DataType, Result, TableView};
use gdf_engine::cast::cast;
use gdf_engine::policy::NullPolicy;

use crate::Ctx;
use crate::vouch::rows::gather_column;

pub(super) fn take(column: &Column, rows: &Column, ctx: Ctx<'_>) -> Result<Column> {
    gather_column(column.view(), rows.view(), ctx)
}

pub(super) fn reduced(rows: &Column, offsets: &Column, aggregation: ReduceAggregation, ctx: Ctx<'_>) -> Result<Column> {
    segmented_reduce(rows.view(), offsets.view(), aggregation, &DataType::Float64, NullPolicy::Exclude, ctx)
}

/// Returns two columns with a row per segment: the number of the segment, counted from 0, and the number of its rows.
pub(super) fn numbered(offsets: &Column, ctx: Ctx<'_>) -> Result<(Column, Column)> {
    let count = offsets.len() - 1;
    let sizes = of(&offsets.slice(1, count)?, Op::Sub, (&offsets.slice(0, count)?).into(), &DataType::Int64, ctx)?;
    Ok((sequence(0_i64.into(), 1_i64.into(), count, ctx)?, sizes))
}

/// The cumulative weights of the rows of segments, and the total weight of each segment.
pub(super) struct WeightedCentroids {
    /// Three columns with an element per row: the segment of the row, the cumulative weight including the row, and the
    /// total weight of the segment.
    pub(super) rows: [Column; 3],
    pub(super) totals: Column,
}

impl WeightedCentroids {
    /// Computes the sums.
    pub(super) fn new(weights: Option<&Column>, rows: usize, offsets: &Column, ctx: Ctx<'_>) -> Result<Self> {
        let double = &DataType::Float64;
        let (numbers, sizes) = numbered(offsets, ctx)?;
        let (totals, up_to) = match weights {
            None => (cast(sizes.view(), double, ctx)?, sequence(1.0.into(), 1.0.into(), rows, ctx)?),
            Some(weights) => {
                let totals = reduced(weights, offsets, ReduceAggregation::Sum, ctx)?;
                let up_to = scan(weights.view(), ScanAggregation::Sum, ScanType::Inclusive, NullPolicy::Exclude, ctx)?;
                (replace_nulls(totals.view(), 0.0.into(), ctx)?, up_to)
            }
        };
        let before = scan(totals.view(), ScanAggregation::Sum, ScanType::Exclusive, NullPolicy::Exclude, ctx)?;
        let segments = TableView::try_new(vec![numbers.view(), before.view(), totals.view()])?;
        let repeated = repeat(segments, (&sizes).into(), ctx)?;
        let up_to = of(&up_to, Op::Sub, repeated.column(1)?.into(), double, ctx)?;
        Ok(Self { rows: [repeated.column(0)?.clone(), up_to, repeated.column(2)?.clone()], totals })
    }
}
