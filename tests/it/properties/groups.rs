//! Tests groups of keys that are sorted or nearly sorted.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array};
use gdf_api::groupby::{AggregationRequest, GroupBy, GroupByAggregation as A, NullPolicy};
use gdf_api::stream_compaction::{DuplicateKeepOption, NanEquality, NullEquality, distinct};
use gdf_core::Table;
use proptest::prelude::*;

use super::{check, offsets};

/// Returns keys in runs.
fn keys(runs: &[(usize, i64)], exchanged: &[(prop::sample::Index, prop::sample::Index)]) -> Vec<i64> {
    let mut keys = Vec::new();
    let mut key = -7;
    for (length, step) in runs {
        key += step;
        keys.extend(std::iter::repeat_n(key, *length));
    }
    for (a, b) in exchanged {
        let (a, b) = (a.index(keys.len()), b.index(keys.len()));
        keys.swap(a, b);
    }
    keys
}

#[test]
fn keys_in_order_have_the_groups_of_others() {
    let runs =
        || proptest::collection::vec((1..40_usize, prop_oneof![8 => 0..4_i64, 1 => 100_000..200_000_i64]), 1..400);
    let exchanged = proptest::collection::vec(any::<(prop::sample::Index, prop::sample::Index)>(), 0..3);
    let input = || (runs(), prop_oneof![3 => Just(Vec::new()), 1 => exchanged], offsets());
    check(48, input, |bench, (runs, exchanged, offset)| {
        let keys = keys(&runs, &exchanged);
        let values: Vec<i64> = (0..keys.len() as i64).collect();
        let mut expected = BTreeMap::<i64, (i64, i64)>::new();
        for (key, value) in keys.iter().zip(&values) {
            let group = expected.entry(*key).or_insert((0, i64::MAX));
            *group = (group.0 + value, group.1.min(*value));
        }
        let arrays = [keys, values].map(|rows| Arc::new(Int64Array::from(rows)) as ArrayRef);
        let inputs = bench.table(&arrays, offset)?;
        let table = Table::try_new(vec![inputs.columns()[0].clone()])?;
        let request = AggregationRequest::new(&inputs.columns()[1], [A::Sum, A::Min]);
        let groups = GroupBy::new(&table, NullPolicy::Include).agg(&[request])?;
        let columns =
            groups.columns().iter().map(|column| bench.array(column)).collect::<gdf_core::Result<Vec<_>>>()?;
        let [keys, sums, minima] = [0, 1, 2].map(|at| columns[at].as_primitive::<Int64Type>().values());
        let got: BTreeMap<_, _> = keys.iter().zip(sums.iter().zip(minima)).map(|(k, (s, m))| (*k, (*s, *m))).collect();
        prop_assert_eq!(keys.len(), got.len());
        prop_assert_eq!(got, expected.clone());

        let kept = distinct(&inputs, &[0], DuplicateKeepOption::First, NullEquality::Equal, NanEquality::AllEqual)?;
        prop_assert_eq!(kept.num_rows(), expected.len());
        // The values ascend, so the first value of a key is its smallest value.
        let columns = kept.columns().iter().map(|column| bench.array(column)).collect::<gdf_core::Result<Vec<_>>>()?;
        let [keys, firsts] = [0, 1].map(|at| columns[at].as_primitive::<Int64Type>().values());
        let got: BTreeMap<_, _> = keys.iter().zip(firsts).map(|(key, first)| (*key, *first)).collect();
        let firsts: BTreeMap<_, _> = expected.iter().map(|(key, (_, first))| (*key, *first)).collect();
        prop_assert_eq!(got, firsts);
        Ok(())
    });
}
