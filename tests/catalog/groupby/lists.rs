//! Cases of the aggregations of `groupby` that return lists: merged lists and sets, the first values in an order, and
//! histograms.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::types::Float64Type;
use arrow_schema::{DataType, Field};
use gdf_api::groupby::{GroupByAggregation as A, NullPolicy};
use gdf_api::sorting::Order;
use gdf_api::stream_compaction::{NanEquality, NullEquality};

use super::{case_of_order, few, key_types, refused};
use crate::catalog::shared::tables::{encoded_types, few_nested};
use crate::catalog::{Case, SliceCosts};
use crate::documented_types::{group_type, histogram_of};
use gdf_test::builders::plain;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, random_array};
use gdf_test::value::{Value, from_values, to_values};

/// The largest number of waits.
const WAITS: u64 = 112;

const LARGEST: A = A::TopK { k: 3, order: Order::Descending };
const SMALLEST: A = A::TopK { k: 2, order: Order::Ascending };

const fn set(null_equality: NullEquality, nan_equality: NanEquality) -> A {
    A::MergeSets { null_equality, nan_equality }
}

const SETS: [A; 2] =
    [set(NullEquality::Equal, NanEquality::AllEqual), set(NullEquality::Unequal, NanEquality::AllEqual)];

fn list_of(data_type: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", data_type, true)))
}

/// Returns histograms of few values.
pub(crate) fn histograms(values: &DataType, rows: usize, nulls: NullPattern, seed: u64) -> ArrayRef {
    let fields = [Field::new("number", values.clone(), true), Field::new("times", DataType::Int64, true)];
    let data_type = list_of(DataType::Struct(fields.into_iter().collect()));
    let pool = to_values(&random_array(values, 5, NullPattern::Every(3), seed));
    let valid = nulls.validity(rows, seed);
    let entry = |row: usize, at: usize| {
        let value = pool[(row * 7 + at * 3 + seed as usize) % pool.len()].clone();
        let count = (row + at) % 11;
        (count != 10).then(|| Value::Struct(vec![value, (count != 9).then_some(Value::Int(count as i128))]))
    };
    let row = |row: usize| {
        let list = (0..row % 4).map(|at| entry(row, at)).collect();
        valid.as_ref().is_none_or(|valid| valid.is_valid(row)).then_some(Value::List(list))
    };
    from_values(&data_type, &(0..rows).map(row).collect::<Vec<_>>())
}

/// Builds the cases whose results are in the order of the keys, or all others.
pub(crate) fn cases(in_order: bool) -> Vec<Case> {
    let requests = |of: &[A]| of.iter().map(|of| (0, *of)).collect::<Vec<_>>();
    let policy = |seed: u64| if seed.is_multiple_of(2) { NullPolicy::Exclude } else { NullPolicy::Include };
    let mut cases = Vec::new();
    // The cases have values of every type that can be sorted.
    let types = [key_types(), encoded_types(), data::nested_keys()].concat();
    for (seed, data_type) in (0_u64..).zip(&types) {
        for nulls in [NullPattern::None, NullPattern::Some] {
            let (key, values) = (few(9, 60, NullPattern::Some, seed), few_nested(data_type, 60, 12, nulls, seed));
            let of = [[LARGEST, SMALLEST][seed as usize / 2 % 2], A::CountAll, A::Histogram];
            let of: Vec<_> = of.into_iter().filter(|of| group_type(*of, data_type).is_some()).collect();
            let label = format!("lists/of values/{data_type}/{nulls:?}");
            cases.push(case_of_order(label, vec![key], vec![values], policy(seed), requests(&of), WAITS));
        }
    }
    // The cases have lists of every kind, and lists of views and dictionaries.
    let elements = [data::views()[0].clone(), data::nested()[11].clone()];
    let lists: Vec<_> = data::nested().into_iter().chain(elements.into_iter().map(list_of)).collect();
    for (seed, data_type) in (0_u64..).zip(&lists) {
        let of = [A::MergeLists, A::CountValid, SETS[seed as usize / 2 % 2]];
        let of: Vec<_> = of.into_iter().filter(|of| group_type(*of, data_type).is_some()).collect();
        if of.len() < 2 {
            continue;
        }
        for nulls in [NullPattern::None, NullPattern::Some] {
            let (key, values) = (few(9, 60, NullPattern::Some, seed), few_nested(data_type, 60, 12, nulls, seed));
            let label = format!("lists/merged/{data_type}/{nulls:?}");
            cases.push(case_of_order(label, vec![key], vec![values], policy(seed), requests(&of), WAITS));
        }
    }
    let values = [DataType::Int32, DataType::Utf8, DataType::Float64, data::nested()[8].clone()];
    for (seed, data_type) in (0_u64..).zip(&values) {
        for nulls in [NullPattern::None, NullPattern::Some] {
            let (key, values) = (few(9, 60, NullPattern::Some, seed), histograms(data_type, 60, nulls, seed + 100));
            let label = format!("lists/histograms/{data_type}/{nulls:?}");
            let of = requests(&[A::MergeHistogram, A::MergeLists]);
            cases.push(case_of_order(label, vec![key], vec![values], policy(seed), of, WAITS));
        }
    }
    // The cases have all lengths and null patterns.
    for (turn, len) in SMALL_BRACKETS.iter().copied().chain([1025]).enumerate() {
        for (at, &nulls) in NullPattern::ALL.iter().enumerate() {
            let seed = (turn + at) as u64;
            let key = few(5, len, nulls, 3);
            let lists = random_array(&data::nested()[0], len, nulls, seed);
            let of = requests(&[A::MergeLists, SETS[turn / 2 % 2]]);
            let label = format!("lists/rows {len}/{nulls:?}");
            cases.push(case_of_order(label.clone(), vec![key.clone()], vec![lists], policy(seed), of, WAITS));
            let numbers = few_nested(&DataType::Int16, len, 20, nulls, seed);
            let of = requests(&[SMALLEST, LARGEST, A::Histogram]);
            cases.push(case_of_order(label.clone(), vec![key.clone()], vec![numbers], policy(seed), of, WAITS));
            let histograms = histograms(&DataType::Int32, len, nulls, seed);
            let of = requests(&[A::MergeHistogram]);
            cases.push(case_of_order(label, vec![key], vec![histograms], policy(seed), of, WAITS));
        }
    }
    let floats = [0.0, f64::NAN, -0.0, -f64::NAN, 1.0, 0.0];
    let numbers = plain::<Float64Type>((0..90).map(|row| floats[row * 7 % 6]));
    let key = few(5, 90, NullPattern::None, 1);
    let of = requests(&[LARGEST, A::TopK { k: 0, order: Order::Ascending }, SMALLEST, A::Histogram]);
    cases.push(case_of_order("lists/floats".into(), vec![key.clone()], vec![numbers], policy(0), of, WAITS));
    let of_floats = (0..90)
        .map(|row| Some(Value::List((0..row % 3).map(|at| Some(Value::F64(floats[row * 7 % (at + 4)]))).collect())));
    let lists = from_values(&list_of(DataType::Float64), &of_floats.collect::<Vec<_>>());
    let of = requests(&[SETS[0], set(NullEquality::Equal, NanEquality::Unequal)]);
    cases.push(case_of_order("lists/sets of floats".into(), vec![key], vec![lists], policy(0), of, WAITS));
    let cases = cases.into_iter().filter(|(is_in_order, _)| *is_in_order == in_order);
    let mut cases: Vec<_> = cases.map(|(_, case)| case.with_slice_costs(SliceCosts::Own)).collect();
    if in_order {
        cases.extend(refused(&[A::MergeLists, SETS[0], LARGEST, A::Histogram, A::MergeHistogram]));
    }
    debug_assert_eq!(group_type(A::Histogram, &DataType::Int8), Some(histogram_of(&DataType::Int8)));
    cases
}
