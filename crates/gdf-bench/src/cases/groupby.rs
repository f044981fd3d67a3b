//! Cases that aggregate groups. The smallest number of groups is 10, and the largest is about the number of rows.

use anyhow::Result;
use gdf::groupby::{AggregationRequest, GroupBy, GroupByAggregation, NullPolicy};
use gdf::{Column, Table};

use super::{Case, call};
use crate::inputs::Inputs;
use crate::measure::Run;

pub(super) const CASES: &[Case] = &[
    of(10, Case::new("groupby.sum_g10", 16.0, |inputs| sum(inputs, 10))),
    of(10_000, Case::new("groupby.sum_g10000", 16.0, |inputs| sum(inputs, 10_000))),
    of(10_000, Case::new("groupby.multi_agg_g10000", 16.0, |inputs| five(inputs, 10_000))),
    of(10_000, Case::new("groupby.std_g10000", 16.0, |inputs| std(inputs.groups(10_000)?, inputs.f64()?))),
    of(10_000, Case::new("groupby.std_far_g10000", 16.0, |inputs| std(inputs.groups(10_000)?, inputs.far_f64()?))),
    of(10_000, Case::new("groupby.two_keys_g10000x100", 20.0, |inputs| two_keys(inputs, 10_000))),
    of(1_000_000, Case::new("groupby.sum_g1000000", 16.0, |inputs| sum(inputs, 1_000_000))),
    of(1_000_000, Case::new("groupby.sum_zipf_g1000000", 16.0, skewed)),
    of(1_000_000, Case::new("groupby.multi_agg_g1000000", 16.0, |inputs| five(inputs, 1_000_000))),
    of(1_000_000, Case::new("groupby.two_keys_g1000000x100", 20.0, |inputs| two_keys(inputs, 1_000_000))),
    of(10_000_000, Case::new("groupby.sum_g10000000", 16.0, |inputs| sum(inputs, 10_000_000))),
    Case::new("groupby.runs_4", 16.0, |inputs| aggregated(vec![inputs.runs(4)?], inputs.f64()?, SUM)).repeated(60, 5),
    Case::new("groupby.string_keys", 0.0, string_keys).at_most(10_000_000).repeated(5, 5),
];

pub(super) const SUM: &[GroupByAggregation] = &[GroupByAggregation::Sum];
const FIVE: &[GroupByAggregation] = {
    use GroupByAggregation::{CountValid, Max, Mean, Min, Sum};
    &[Sum, Mean, Min, Max, CountValid]
};

const STD: &[GroupByAggregation] = &[GroupByAggregation::Std { ddof: 1 }];

/// Returns the case with two settings: the case runs only if there are at least as many rows as groups, and it has its
/// own numbers of repetitions.
const fn of(groups: usize, case: Case) -> Case {
    case.min_rows(groups).repeated(60, 5)
}

fn sum(inputs: &Inputs, groups: i64) -> Result<Run> {
    aggregated(vec![inputs.groups(groups)?], inputs.f64()?, SUM)
}

fn five(inputs: &Inputs, groups: i64) -> Result<Run> {
    aggregated(vec![inputs.groups(groups)?], inputs.f64()?, FIVE)
}

fn std(key: Column, values: Column) -> Result<Run> {
    aggregated(vec![key], values, STD)
}

fn two_keys(inputs: &Inputs, groups: i64) -> Result<Run> {
    aggregated(vec![inputs.groups(groups)?, inputs.hundred()?], inputs.f64()?, SUM)
}

/// Prepares an aggregation in which a few groups have most of the rows. The n-th largest group has about 1/n of the
/// rows of the largest group.
fn skewed(inputs: &Inputs) -> Result<Run> {
    aggregated(vec![inputs.zipf(1_000_000)?], inputs.f64()?, SUM)
}

fn string_keys(inputs: &Inputs) -> Result<Run> {
    aggregated(vec![inputs.phrases()?], inputs.counts()?, SUM)
}

pub(super) fn aggregated(
    keys: Vec<Column>,
    values: Column,
    aggregations: &'static [GroupByAggregation],
) -> Result<Run> {
    let keys = Table::try_new(keys)?;
    call(move || {
        let request = AggregationRequest::new(&values, aggregations);
        GroupBy::new(&keys, NullPolicy::Exclude).aggregate(&[request])
    })
}
