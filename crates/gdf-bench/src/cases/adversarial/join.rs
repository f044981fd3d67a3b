//! Cases of joins and of `distinct`. The keys of the joins are bad for three strategies: a table that is indexed by the
//! key, a guess of the output size, and a table that fits in the cache. The cases of `distinct` have equal, unique and
//! sparse rows.

use anyhow::Result;
use gdf::Column;

use crate::cases::Case;
use crate::cases::join::{distinct_rows, inner};
use crate::generate::{Permutation, Words};
use crate::inputs::{Inputs, SPARSE};
use crate::measure::Run;

pub(super) const CASES: &[Case] = &[
    of("join.outlier", outlier),
    of("join.hundred_per_key", hundred_per_key),
    of("join.hot_probe", hot_probe),
    of("join.hot_both", hot_both),
    of("join.build_as_large", |inputs| inner(inputs.groups(inputs.rows() as i64)?, unique(inputs, inputs.rows())?)),
    of("join.no_match", no_match),
    of("join.sorted_probe", sorted_probe),
    of("distinct.all_equal", |inputs| distinct_rows(inputs.longs(|_| 7)?)),
    of("distinct.all_unique", |inputs| distinct_rows(unique(inputs, inputs.rows())?)),
    of("distinct.sparse", |inputs| distinct_rows(inputs.sparse_probe_keys()?)),
];

const fn of(name: &'static str, prepare: fn(&Inputs) -> Result<Run>) -> Case {
    Case::new(name, 0.0, prepare).repeated(60, 5)
}

fn unique(inputs: &Inputs, len: usize) -> Result<Column> {
    let order = Permutation::new("build_keys", len);
    inputs.longs_of(len, |row| order.at(row) as i64)
}

/// Prepares a join whose keys are consecutive integers, except one key of the build side. This key is the largest
/// integer, so the range of the keys is much larger than the number of keys.
fn outlier(inputs: &Inputs) -> Result<Run> {
    let order = Permutation::new("build_keys", inputs.build_rows());
    let key = |row: usize| if row == 0 { i64::MAX } else { order.at(row) as i64 };
    inner(inputs.probe_keys()?, inputs.longs_of(inputs.build_rows(), key)?)
}

/// Prepares a join in which each key occurs a hundred times on the build side. The number of probe rows is a hundredth
/// of the usual number, so that the output has about as many rows as the usual input.
fn hundred_per_key(inputs: &Inputs) -> Result<Run> {
    let keys = (inputs.build_rows() / 100).max(1);
    let (words, order) = (Words::new("probe_keys"), Permutation::new("build_keys", inputs.build_rows()));
    let probe = inputs.longs_of((inputs.rows() / 100).max(1), |row| words.integer(row, 0, keys as i64))?;
    inner(probe, inputs.longs_of(inputs.build_rows(), |row| (order.at(row) % keys) as i64)?)
}

/// Prepares a join in which half of the probe rows have the same key.
fn hot_probe(inputs: &Inputs) -> Result<Run> {
    let (words, hot) = (Words::new("probe_keys"), Words::new("hot"));
    let end = inputs.build_rows() as i64;
    let probe = inputs.longs(|row| if hot.at(row) & 1 == 1 { 0 } else { words.integer(row, 0, end) })?;
    inner(probe, inputs.build_keys()?)
}

/// Prepares a join in which one key is frequent on both sides. The key has up to a thousand rows of the build side and
/// a thousandth of the probe rows. The number of pairs of these rows is about the number of probe rows.
fn hot_both(inputs: &Inputs) -> Result<Run> {
    let (built, words, hot) = (inputs.build_rows(), Words::new("probe_keys"), Words::new("hot"));
    let order = Permutation::new("build_keys", built);
    let build = inputs.longs_of(built, |row| if row < 1000.min(built / 10) { -1 } else { order.at(row) as i64 })?;
    let key = |row| if hot.unit(row) < 0.001 { -1 } else { words.integer(row, 0, built as i64) };
    inner(inputs.longs(key)?, build)
}

/// Prepares a join without matches. The keys of the build side are even. The probe keys are odd, and have the same
/// range.
fn no_match(inputs: &Inputs) -> Result<Run> {
    let (words, order) = (Words::new("probe_keys"), Permutation::new("build_keys", inputs.build_rows()));
    let end = inputs.build_rows() as i64;
    let probe = inputs.longs(|row| words.integer(row, 0, end) * 2 + 1)?;
    inner(probe, inputs.longs_of(inputs.build_rows(), |row| order.at(row) as i64 * 2)?)
}

/// Prepares a join whose keys are sparse. The ten probe rows of each key are adjacent.
fn sorted_probe(inputs: &Inputs) -> Result<Run> {
    let end = inputs.build_rows();
    inner(inputs.longs(|row| SPARSE.wrapping_mul((row / 10).min(end - 1) as i64))?, inputs.sparse_build_keys()?)
}
