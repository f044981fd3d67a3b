//! Cases of the aggregations of `groupby` that depend on the order of rows: quantiles and rows by number.

use arrow_array::types::Float64Type;
use arrow_schema::DataType;
use gdf_api::groupby::{GroupByAggregation as A, NullPolicy};
use gdf_api::quantiles::Interpolation;
use gdf_api::stream_compaction::{NanEquality, NullEquality};

use super::values::small;
use super::{case_of_order, few, key_types, refused};
use crate::catalog::quantiles::tdigest::digests;
use crate::catalog::shared::tables::{encoded_types, few_nested, nested_types};
use crate::catalog::{Case, SliceCosts};
use crate::documented_types::group_type;
use gdf_test::builders::plain;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, long_texts, random_array};

/// The largest number of waits.
const WAITS: u64 = 48;

const SHARES: [A; 7] = [
    A::Median,
    A::Quantile { q: 0.0, interpolation: Interpolation::Higher },
    A::Quantile { q: 0.3, interpolation: Interpolation::Linear },
    A::Quantile { q: 0.5, interpolation: Interpolation::Midpoint },
    A::Quantile { q: 0.5, interpolation: Interpolation::Nearest },
    A::Quantile { q: 0.7, interpolation: Interpolation::Lower },
    A::Quantile { q: 2.0, interpolation: Interpolation::Linear },
];

const NUMBERED: [A; 5] = [
    A::NthElement { n: 0, nulls: NullPolicy::Include },
    A::NthElement { n: 0, nulls: NullPolicy::Exclude },
    A::NthElement { n: -1, nulls: NullPolicy::Exclude },
    A::NthElement { n: 3, nulls: NullPolicy::Include },
    A::NthElement { n: i64::MIN, nulls: NullPolicy::Include },
];

const COLLECTED: [A; 5] = [
    A::CollectList { nulls: NullPolicy::Include },
    A::CollectList { nulls: NullPolicy::Exclude },
    set(NullPolicy::Include, NullEquality::Equal, NanEquality::AllEqual),
    set(NullPolicy::Exclude, NullEquality::Equal, NanEquality::AllEqual),
    set(NullPolicy::Include, NullEquality::Unequal, NanEquality::AllEqual),
];

const fn set(nulls: NullPolicy, null_equality: NullEquality, nan_equality: NanEquality) -> A {
    A::CollectSet { nulls, null_equality, nan_equality }
}

const DIGEST: A = A::TDigest { max_centroids: 5 };

/// Builds the cases whose results are in the order of the keys, or all others.
pub(crate) fn cases(in_order: bool) -> Vec<Case> {
    let requests = |column: usize, of: &[A]| of.iter().map(|of| (column, *of)).collect::<Vec<_>>();
    let mut cases = Vec::new();
    // The cases have values of every type.
    for (seed, data_type) in (0..).zip(key_types()) {
        for (nulls, turn) in [(NullPattern::None, 0), (NullPattern::Some, 3)] {
            let of = [SHARES[(seed + turn) % 7], A::CountAll, NUMBERED[(seed + turn) % 5]];
            let of: Vec<_> = of.into_iter().filter(|of| group_type(*of, &data_type).is_some()).collect();
            let (key, values) =
                (few(9, 100, NullPattern::Some, seed as u64), random_array(&data_type, 100, nulls, seed as u64 + 100));
            let label = format!("order/values {data_type}/{nulls:?}");
            cases.push(case_of_order(label, vec![key], vec![values], NullPolicy::Exclude, requests(0, &of), WAITS));
        }
    }
    // The cases collect lists and sets of values of every type.
    let types = [key_types(), encoded_types(), nested_types(), data::nested_keys()].concat();
    for (seed, data_type) in (0_u64..).zip(&types) {
        let key = few(9, 100, NullPattern::Some, seed);
        let values = match data::nested_keys().contains(data_type) {
            true => few_nested(data_type, 100, 40, NullPattern::Some, seed),
            false => random_array(data_type, 100, NullPattern::Some, seed + 100),
        };
        let of = [
            COLLECTED[seed as usize / 2 % 2],
            A::CountAll,
            COLLECTED[2 + seed as usize % 3],
            NUMBERED[seed as usize % 5],
        ];
        let of: Vec<_> = of.into_iter().filter(|of| group_type(*of, data_type).is_some()).collect();
        let policy = if seed % 2 == 0 { NullPolicy::Exclude } else { NullPolicy::Include };
        let label = format!("collected/{data_type}/{policy:?}");
        cases.push(case_of_order(label, vec![key], vec![values], policy, requests(0, &of), WAITS + 64));
    }
    // The values have nested types and are compared with each other.
    let compared = [A::Min, A::CountValid, A::ArgMax, A::Nunique(NullPolicy::Include)];
    let compared = [compared, [A::Max, A::ArgMin, A::Nunique(NullPolicy::Exclude), A::CountAll]];
    for (seed, data_type) in (0_u64..).zip(data::nested_keys().into_iter().chain([DataType::FixedSizeBinary(3)])) {
        for (nulls, of) in [NullPattern::Some, NullPattern::None].into_iter().zip(compared) {
            let key = few(9, 100, NullPattern::Some, seed);
            let values = few_nested(&data_type, 100, 40, nulls, seed);
            let more = random_array(&DataType::Int32, 100, NullPattern::Some, seed + 100);
            let label = format!("compared/{data_type}/{nulls:?}");
            let of = [requests(0, &of), requests(1, &[A::Sum, A::Min])].concat();
            cases.push(case_of_order(label, vec![key], vec![values, more], NullPolicy::Include, of, WAITS + 64));
        }
    }
    let floats = [0.0, f64::NAN, -0.0, f64::NAN, 1.0, 0.0];
    let floats = plain::<Float64Type>((0..90).map(|row| floats[row * 7 % 6]));
    for nans in [NanEquality::AllEqual, NanEquality::Unequal] {
        let of = requests(0, &[set(NullPolicy::Include, NullEquality::Equal, nans)]);
        let (key, label) = (few(5, 90, NullPattern::None, 1), format!("collected/floats/{nans:?}"));
        cases.push(case_of_order(label, vec![key], vec![floats.clone()], NullPolicy::Exclude, of, WAITS));
    }
    // Each case requests one of the aggregations.
    for nulls in [NullPattern::None, NullPattern::Some] {
        let (key, values) = (few(40, 300, nulls, 1), random_array(&DataType::Float64, 300, nulls, 2));
        for of in SHARES.into_iter().chain(NUMBERED).chain(COLLECTED) {
            let label = format!("order/{of:?}/{nulls:?}");
            let (key, values) = (vec![key.clone()], vec![values.clone()]);
            cases.push(case_of_order(label, key, values, NullPolicy::Exclude, requests(0, &[of]), WAITS));
        }
    }
    // Some digests have no centroids, and some rows have null keys.
    for (turn, len) in [0, 1, 33, 257, 2000].into_iter().enumerate() {
        for &nulls in NullPattern::ALL {
            let policy = if turn.is_multiple_of(2) { NullPolicy::Exclude } else { NullPolicy::Include };
            let max_centroids = [10, 100][turn / 2 % 2];
            let of = [A::CountAll, A::TDigest { max_centroids }, A::Median];
            let digests = digests(len, nulls, turn as u64);
            let of = [requests(0, &of), requests(1, &[A::MergeTDigest { max_centroids }])].concat();
            let values = vec![small(&DataType::Float64, len, nulls, 4), digests];
            let key = few(7, len, NullPattern::Every(9), 3);
            let label = format!("order/digests {len}/{nulls:?}/{policy:?}");
            cases.push(case_of_order(label, vec![key], values, policy, of, WAITS));
        }
    }
    // The cases have keys of every type that has an order.
    let sortable = |key: &DataType| !matches!(key, DataType::Interval(_));
    for (seed, data_type) in (0_u64..).zip(key_types()).filter(|(_, key)| sortable(key)) {
        let policy = if seed.is_multiple_of(2) { NullPolicy::Exclude } else { NullPolicy::Include };
        let key = random_array(&data_type, 257, NullPattern::Some, seed);
        let values = random_array(&DataType::Int32, 257, NullPattern::Some, 5);
        let label = format!("order/key {data_type}/{policy:?}");
        cases.push(case_of_order(label, vec![key], vec![values], policy, requests(0, &[A::Median]), WAITS));
    }
    // The cases have all lengths and null patterns, with two key columns and two value columns.
    for (turn, len) in SMALL_BRACKETS.iter().copied().chain([1025, 5000]).enumerate() {
        for (at, &nulls) in NullPattern::ALL.iter().enumerate() {
            let policy = if (turn + at).is_multiple_of(2) { NullPolicy::Exclude } else { NullPolicy::Include };
            let keys = vec![few(5, len, nulls, 3), long_texts(len, NullPattern::Some, 4)];
            let values = vec![small(&DataType::Float64, len, nulls, 4), long_texts(len, nulls, 5)];
            let of = [requests(0, &[A::Min, A::Median]), requests(1, &[NUMBERED[1], COLLECTED[len % 5]])].concat();
            cases.push(case_of_order(
                format!("order/rows {len}/{nulls:?}/{policy:?}"),
                keys,
                values,
                policy,
                of,
                WAITS,
            ));
        }
    }
    let cases = cases.into_iter().filter(|(is_in_order, _)| *is_in_order == in_order);
    let mut cases: Vec<_> = cases.map(|(_, case)| case.with_slice_costs(SliceCosts::Own)).collect();
    let of = [A::Median, SHARES[2], NUMBERED[0], COLLECTED[0], COLLECTED[2], DIGEST];
    if in_order {
        cases.extend(refused(&[&of[..], &[A::MergeTDigest { max_centroids: 5 }]].concat()));
    }
    cases
}
