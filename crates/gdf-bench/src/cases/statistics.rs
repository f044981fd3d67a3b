//! Cases of statistics: reductions other than sums, quantiles, ranks, segments, and searches.

use anyhow::Result;
use gdf::groupby::NullPolicy;
use gdf::quantiles::{Interpolation, QuantileOrder, percentile_approx, quantile, tdigest};
use gdf::reduction::{ReduceAggregation, reduce, segmented_reduce};
use gdf::scan::{RankMethod, RankPercentage, ScanAggregation, ScanType, rank, scan};
use gdf::search::{contains, lower_bound};
use gdf::sorting::{NullOrder, Order, sort};
use gdf::stream_compaction::{DuplicateKeepOption, NullEquality, unique};
use gdf::{Column, DataType, Table};

use super::{Case, call};
use crate::inputs::Inputs;
use crate::measure::Run;

pub(super) const CASES: &[Case] = &[
    Case::new("reduce.var_f64", 8.0, |inputs| reduced(inputs.f64()?, ReduceAggregation::Variance { ddof: 1 })),
    Case::new("reduce.product_f64", 8.0, |inputs| reduced(inputs.f64()?, ReduceAggregation::Product)),
    Case::new("reduce.median_f64", 0.0, |inputs| reduced(inputs.f64()?, ReduceAggregation::Median)).repeated(60, 5),
    Case::new("reduce.nunique_i64", 0.0, nunique).repeated(60, 5),
    Case::new("segmented.sum_f64_100", 8.04, |inputs| segments(inputs, ReduceAggregation::Sum)),
    Case::new("segmented.max_f64_100", 8.04, |inputs| segments(inputs, ReduceAggregation::Max)),
    Case::new("scan.max_i64", 16.0, |inputs| scanned(inputs.i64()?, ScanAggregation::Max)),
    Case::new("scan.sum_f64", 16.0, |inputs| scanned(inputs.f64()?, ScanAggregation::Sum)),
    Case::new("rank.min_i64", 0.0, ranked).repeated(60, 5),
    Case::new("quantile.f64", 0.0, |inputs| shares(inputs.f64()?, QuantileOrder::Unsorted)).repeated(60, 5),
    Case::new("quantile.sorted_f64", 0.0, |inputs| shares(inputs.f64()?, QuantileOrder::Sorted)).repeated(60, 5),
    Case::new("tdigest.f64_1000", 8.0, |inputs| digested(inputs.f64()?)).repeated(60, 5),
    Case::new("percentile_approx.f64_100", 0.0, percentiles).repeated(60, 5),
    Case::new("unique.i64", 0.0, neighbors).repeated(60, 5),
    Case::new("search.lower_bound_i64", 12.8, bounds).repeated(60, 5),
    Case::new("search.contains_i64", 9.8, found).repeated(60, 5),
];

fn reduced(f: Column, aggregation: ReduceAggregation) -> Result<Run> {
    call(move || reduce(&f, aggregation, &DataType::Float64))
}

fn digested(f: Column) -> Result<Run> {
    call(move || tdigest(&f, 1000))
}

fn percentiles(inputs: &Inputs) -> Result<Run> {
    let digest = tdigest(&inputs.f64()?, 1000)?;
    let q: Vec<f64> = (0..100).map(|at| f64::from(at) / 100.0).collect();
    call(move || percentile_approx(&digest, &q))
}

fn nunique(inputs: &Inputs) -> Result<Run> {
    let keys = inputs.probe_keys()?;
    call(move || reduce(&keys, ReduceAggregation::Nunique(NullPolicy::Exclude), &DataType::Int32))
}

fn segments(inputs: &Inputs, aggregation: ReduceAggregation) -> Result<Run> {
    let (f, offsets) = (inputs.f64()?, inputs.hundreds()?);
    call(move || segmented_reduce(&f, &offsets, aggregation, &DataType::Float64, NullPolicy::Exclude))
}

fn scanned(a: Column, aggregation: ScanAggregation) -> Result<Run> {
    call(move || scan(&a, aggregation, ScanType::Inclusive, NullPolicy::Exclude))
}

fn ranked(inputs: &Inputs) -> Result<Run> {
    let table = Table::try_new(vec![inputs.i64()?])?;
    call(move || rank(&table, RankMethod::Min, RankPercentage::None))
}

fn shares(f: Column, order: QuantileOrder<'static>) -> Result<Run> {
    call(move || quantile(&f, &[0.5, 0.9], Interpolation::Linear, order, &DataType::Float64))
}

/// Prepares an operation on sorted keys. Each key has about ten rows, which are adjacent.
fn neighbors(inputs: &Inputs) -> Result<Run> {
    let table = sort(&Table::try_new(vec![inputs.probe_keys()?])?, &[Order::Ascending], &[NullOrder::After])?;
    call(move || unique(&table, &[0], DuplicateKeepOption::First, NullEquality::Equal))
}

/// Prepares the search for values in a sorted column. The sorted column has a tenth as many rows as there are values.
fn bounds(inputs: &Inputs) -> Result<Run> {
    let haystack = sort(&Table::try_new(vec![inputs.build_keys()?])?, &[Order::Ascending], &[NullOrder::After])?;
    let needles = Table::try_new(vec![inputs.probe_keys_beyond()?])?;
    call(move || lower_bound(&haystack, &needles, &[Order::Ascending], &[NullOrder::After]))
}

fn found(inputs: &Inputs) -> Result<Run> {
    let (haystack, needles) = (inputs.build_keys()?, inputs.probe_keys_beyond()?);
    call(move || contains(&haystack, &needles))
}
