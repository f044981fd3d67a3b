//! Group-by cases with keys that are hot, sparse, sorted, half null or long.

use anyhow::Result;
use gdf::Column;

use crate::cases::Case;
use crate::cases::groupby::{SUM, aggregated};
use crate::generate::{Permutation, Words};
use crate::inputs::{Inputs, SPARSE};
use crate::measure::Run;

pub(super) const CASES: &[Case] = &[
    of("groupby.hot_0.2pct", |inputs| hot(inputs, 0.002)),
    of("groupby.hot_1pct", |inputs| hot(inputs, 0.01)),
    of("groupby.hot_50pct", |inputs| hot(inputs, 0.5)),
    of("groupby.all_unique", |inputs| sum(inputs, vec![unique(inputs)?])),
    of("groupby.all_equal", |inputs| sum(inputs, vec![inputs.longs(|_| 7)?])),
    of("groupby.sparse_g10000", |inputs| sum(inputs, vec![scattered(inputs, "groups", 10_000, SPARSE)?])),
    of("groupby.sparse_g1000000", |inputs| sum(inputs, vec![scattered(inputs, "groups", 1_000_000, SPARSE)?])),
    of("groupby.runs_1000", |inputs| sum(inputs, vec![inputs.longs(|row| (row / 1000) as i64)?])),
    of("groupby.two_dense_g1000x1000", |inputs| two(inputs, 1)),
    of("groupby.two_sparse_g1000x1000", |inputs| two(inputs, SPARSE)),
    of("groupby.half_null_g10000", half_null),
    text("groupby.urls_g10000", |inputs| texts(inputs, 10_000)),
    text("groupby.urls_g1000000", |inputs| texts(inputs, 1_000_000)),
    text("groupby.urls_unique", urls_unique),
    text("groupby.one_text_of_1mib_g10000", one_long),
];

const fn of(name: &'static str, prepare: fn(&Inputs) -> Result<Run>) -> Case {
    Case::new(name, 0.0, prepare).repeated(60, 5)
}

const fn text(name: &'static str, prepare: fn(&Inputs) -> Result<Run>) -> Case {
    of(name, prepare).at_most(10_000_000).repeated(5, 5)
}

fn sum(inputs: &Inputs, keys: Vec<Column>) -> Result<Run> {
    aggregated(keys, inputs.f64()?, SUM)
}

/// Returns all row numbers, each once, in a random order.
fn unique(inputs: &Inputs) -> Result<Column> {
    let order = Permutation::new("unique", inputs.rows());
    inputs.longs(|row| order.at(row) as i64)
}

/// Prepares an aggregation in which one key has the given share of the rows. Each of the other rows has a different
/// key.
fn hot(inputs: &Inputs, share: f64) -> Result<Run> {
    let (words, order) = (Words::new("hot"), Permutation::new("unique", inputs.rows()));
    let key = |row| if words.unit(row) < share { -1 } else { order.at(row) as i64 };
    sum(inputs, vec![inputs.longs(key)?])
}

/// Returns numbers below `groups`, multiplied by `factor`. All numbers are equally likely.
fn scattered(inputs: &Inputs, name: &str, groups: i64, factor: i64) -> Result<Column> {
    let words = Words::new(name);
    inputs.longs(|row| words.integer(row, 0, groups).wrapping_mul(factor))
}

fn two(inputs: &Inputs, factor: i64) -> Result<Run> {
    let keys = ["first", "second"].map(|name| scattered(inputs, name, 1000, factor));
    sum(inputs, keys.into_iter().collect::<Result<_>>()?)
}

fn half_null(inputs: &Inputs) -> Result<Run> {
    let words = Words::new("half_null");
    sum(inputs, vec![inputs.masked(inputs.groups(10_000)?, |row| words.at(row) & 1 == 1)?])
}

fn texts(inputs: &Inputs, groups: i64) -> Result<Run> {
    let words = Words::new("groups");
    aggregated(vec![inputs.urls(|row| words.integer(row, 0, groups) as usize)?], inputs.counts()?, SUM)
}

fn urls_unique(inputs: &Inputs) -> Result<Run> {
    let order = Permutation::new("unique", inputs.rows());
    aggregated(vec![inputs.urls(|row| order.at(row))?], inputs.counts()?, SUM)
}

fn one_long(inputs: &Inputs) -> Result<Run> {
    let words = Words::new("groups");
    let keys = inputs.digits_and_one_long(|row| words.integer(row, 0, 10_000) as usize)?;
    aggregated(vec![keys], inputs.counts()?, SUM)
}
