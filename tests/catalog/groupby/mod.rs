//! Entries of `groupby`.
//!
//! Floats that are added are whole numbers, so each sum is exact in any order.

pub(super) mod cells;
pub(super) mod lists;
pub(super) mod order;
pub(super) mod pairs;
pub(super) mod partial;
pub(super) mod rows;
pub(super) mod runs;
pub(super) mod scan;
pub(super) mod selected;
pub(super) mod spreads;
pub(super) mod values;
pub(super) mod wide;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, TimeUnit};
use gdf_api::groupby::{AggregationRequest, GroupBy, GroupByAggregation as A, NullPolicy};
use gdf_api::scope::Scope;
use gdf_core::{Column, Result, Table};
use gdf_detail::groupby::{GroupByLimits, aggregate_within};
use gdf_driver::Device;
use gdf_external::bounds;

use self::rows::split;
use self::values::{ALL, all_of, decimals, small};
use super::shared::refusals::public_refusals;
use super::shared::struct_keys::struct_keys;
use super::shared::tables::{few_nested, nested_key_slices, nested_key_waits, scratch, shape_of, view};
use super::{Case, Entry};
use crate::documented_types::group_type;
use crate::naive;
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern, SMALL_BRACKETS, random_array, with_validity};
use gdf_test::value::{Value, from_values};

pub(super) fn entries() -> Vec<Entry> {
    // Some aggregations, such as `CollectList`, order the rows by group and then gather values.
    vec![
        Entry::new("groupby.aggregate", Equality::AnyOrder, aggregates).guessing(),
        Entry::new("groupby.aggregate", Equality::Exact, in_order).guessing(),
        Entry::new("groupby.aggregate", Equality::Ulp(spreads::ULP), spreads::cases).guessing(),
    ]
}

/// Builds cases whose results are in the order of the keys.
fn in_order() -> Vec<Case> {
    [order::cases(true), lists::cases(true)].concat()
}

/// Returns whether the documentation promises results in the order of the keys.
fn is_in_order(requests: &[(usize, A)]) -> bool {
    let selects = |of: &A| matches!(of, A::Median | A::Quantile { .. } | A::NthElement { .. });
    let digests = |of: &A| matches!(of, A::TDigest { .. } | A::MergeTDigest { .. });
    let collects = |of: &A| matches!(of, A::CollectList { .. } | A::CollectSet { .. } | A::TopK { .. } | A::Histogram);
    let merges = |of: &A| matches!(of, A::MergeLists | A::MergeSets { .. } | A::MergeHistogram);
    requests.iter().any(|(_, of)| selects(of) || digests(of) || collects(of) || merges(of))
}

/// The arguments of a call: the number of key columns, the null policy, and the requests.
#[derive(Clone)]
struct Call {
    keys: usize,
    policy: NullPolicy,
    requests: Vec<(usize, A)>,
}

impl Call {
    fn new(keys: &[ArrayRef], policy: NullPolicy, mut requests: Vec<(usize, A)>) -> Self {
        requests.sort_by_key(|(column, _)| *column);
        Call { keys: keys.len(), policy, requests }
    }

    fn naive(&self, inputs: &[ArrayRef]) -> Result<Vec<ArrayRef>, String> {
        let (keys, values) = inputs.split_at(self.keys);
        naive::groupby::aggregate(keys, values, self.policy, &self.requests)
    }

    fn requests<'a>(&self, values: &'a [Column]) -> Vec<AggregationRequest<'a>> {
        let own = |at| self.requests.iter().filter(move |(column, _)| *column == at).map(|(_, of)| *of);
        let request = |(at, values)| AggregationRequest::new(values, own(at).collect::<Vec<_>>());
        values.iter().enumerate().map(request).collect()
    }
}

pub(super) fn joined((keys, results): (Table, Vec<Vec<Column>>)) -> Vec<Column> {
    keys.into_columns().into_iter().chain(results.into_iter().flatten()).collect()
}

pub(super) fn case(
    label: String,
    keys: Vec<ArrayRef>,
    values: Vec<ArrayRef>,
    policy: NullPolicy,
    requests: Vec<(usize, A)>,
) -> Case {
    let waits = 1 + nested_key_waits(&keys);
    case_of_waits(label, keys, values, policy, requests, waits)
}

pub(super) fn case_of_waits(
    label: String,
    keys: Vec<ArrayRef>,
    values: Vec<ArrayRef>,
    policy: NullPolicy,
    requests: Vec<(usize, A)>,
    waits: u64,
) -> Case {
    let call = Call::new(&keys, policy, requests);
    let oracle = call.clone();
    let run = move |inputs: &[Column]| {
        let (keys, values) = split(inputs, call.keys)?;
        let (groups, requests) = (GroupBy::new(keys, policy), call.requests(values));
        Ok(match policy {
            NullPolicy::Include => groups.agg(&requests)?.into_columns(),
            NullPolicy::Exclude => joined(groups.aggregate(&requests)?),
        })
    };
    let (slices, count, results) = (nested_key_slices(&keys), keys.len(), oracle.requests.len());
    Case::new(label, [keys, values].concat(), run, move |inputs| oracle.naive(inputs), waits)
        .with_bound(move |inputs| {
            let (keys, values) = inputs.split_at(count);
            bounds::group_by(&shape_of(keys), &shape_of(values), results)
        })
        .with_slice_costs(slices)
}

/// Builds the case that [`case_of_waits`] builds. The result also says whether the rows are in the order of the keys.
pub(super) fn case_of_order(
    label: String,
    keys: Vec<ArrayRef>,
    values: Vec<ArrayRef>,
    policy: NullPolicy,
    requests: Vec<(usize, A)>,
    waits: u64,
) -> (bool, Case) {
    (is_in_order(&requests), case_of_waits(label, keys, values, policy, requests, waits))
}

/// Builds a case that runs with limits that select a strategy.
pub(super) fn case_within(
    label: String,
    keys: Vec<ArrayRef>,
    values: Vec<ArrayRef>,
    policy: NullPolicy,
    requests: Vec<(usize, A)>,
    limits: GroupByLimits,
    waits: u64,
) -> Case {
    let call = Call::new(&keys, policy, requests);
    let oracle = call.clone();
    Case::new(
        label,
        [keys, values].concat(),
        move |inputs| {
            let (keys, values) = split(inputs, call.keys)?;
            let scope = Scope::on("aggregate", inputs[0].device())?;
            Ok(joined(aggregate_within(limits, keys, policy, &call.requests(values), scope.ctx())?))
        },
        move |inputs| oracle.naive(inputs),
        waits,
    )
}

/// Runs `work` with three rows in two groups, and drops the keys of the result.
pub(super) fn with_two_groups<R>(device: Device, work: impl FnOnce(GroupBy<'_>, &Column) -> Result<R>) -> Result<R> {
    let keys = scratch(device, || Column::from_slice(&[1, 2, 1]))?;
    work(GroupBy::new(view(std::slice::from_ref(&keys))?, NullPolicy::Exclude), &keys)
}

/// Builds refusals of aggregations that are not documented for a type.
pub(super) fn refused(aggregations: &[A]) -> Vec<Case> {
    let documented = |of, data_type: &DataType| group_type(of, data_type).is_some();
    public_refusals(aggregations, documented, |of, inputs| {
        with_two_groups(inputs[0].device(), |groups, _| {
            Ok(joined(groups.aggregate(&[AggregationRequest::new(&inputs[0], [of])])?))
        })
    })
}

/// Returns `len` keys with about `groups` different values.
pub(super) fn few(groups: u64, len: usize, nulls: NullPattern, seed: u64) -> ArrayRef {
    let key = |row: usize| (row as u64 ^ seed << 20).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11;
    let values: Vec<_> = (0..len).map(|row| Some(Value::Int(i128::from(key(row) % groups)))).collect();
    with_validity(&from_values(&DataType::Int64, &values), nulls.validity(len, seed))
}

/// Returns 32-bit keys with about `groups` different values. The seed of the null rows is 1.
fn narrow(groups: u64, half: bool, len: usize, nulls: NullPattern) -> ArrayRef {
    let key = |row: usize| (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
    let one = |row: usize| half && (row as u64).wrapping_mul(0x2545_f491_4f6c_dd1d) >> 63 == 0;
    let value = |row: usize| if one(row) { 7 } else { key(row) % groups };
    let values: Vec<_> = (0..len).map(|row| Some(Value::Int(i128::from(value(row))))).collect();
    with_validity(&from_values(&DataType::Int32, &values), nulls.validity(len, 1))
}

/// Returns whether a value of the type fits into 64 bits, so that the operation packs keys of this type.
fn is_narrow(data_type: &DataType) -> bool {
    let physical = gdf_core::physical_type(data_type);
    physical == gdf_core::PhysicalType::Bool
        || (physical.is_integral() || physical.is_floating()) && physical.width().is_some_and(|width| width <= 8)
}

pub(super) fn key_types() -> Vec<DataType> {
    let hashable = |data_type: &DataType| !matches!(data_type, DataType::FixedSizeBinary(_));
    [data::fixed_width(), data::strings()].concat().into_iter().filter(hashable).collect()
}

fn aggregates() -> Vec<Case> {
    let mut cases = Vec::new();
    let counts = || vec![(0, A::CountAll), (0, A::Sum)];
    // The keys have every type.
    for (seed, data_type) in key_types().into_iter().chain(data::nested_keys()).enumerate() {
        for (nulls, policy) in [
            (NullPattern::None, NullPolicy::Exclude),
            (NullPattern::Some, NullPolicy::Exclude),
            (NullPattern::Some, NullPolicy::Include),
        ] {
            let key = match data::nested_keys().contains(&data_type) {
                true => few_nested(&data_type, 257, 90, nulls, seed as u64),
                false => random_array(&data_type, 257, nulls, seed as u64),
            };
            let values = random_array(&DataType::Int32, 257, NullPattern::Some, 5);
            cases.push(case(
                format!("key {data_type}/{nulls:?}/{policy:?}"),
                vec![key],
                vec![values],
                policy,
                counts(),
            ));
        }
    }
    for (name, key) in struct_keys(257, 1) {
        for policy in [NullPolicy::Exclude, NullPolicy::Include] {
            let other = few(2, 257, NullPattern::Some, 3);
            let values = random_array(&DataType::Int32, 257, NullPattern::Some, 5);
            let label = format!("key structs {name}/{policy:?}");
            cases.push(case(label.clone(), vec![key.clone()], vec![values.clone()], policy, counts()));
            cases.push(case(format!("two {label}"), vec![other, key.clone()], vec![values], policy, counts()));
        }
    }
    // The values have every type.
    for (seed, data_type) in key_types().into_iter().enumerate() {
        for nulls in [NullPattern::None, NullPattern::Some] {
            let key = few(9, 100, NullPattern::None, seed as u64);
            let values = small(&data_type, 100, nulls, seed as u64);
            let requests = all_of(&data_type).into_iter().map(|aggregation| (0, aggregation)).collect();
            let label = format!("values {data_type}/{nulls:?}");
            cases.push(case(label, vec![key], vec![values], NullPolicy::Exclude, requests));
        }
    }
    // The cases have all lengths and null patterns.
    for len in SMALL_BRACKETS.iter().copied().chain([1023, 1024, 1025, 5000]) {
        for &nulls in NullPattern::ALL {
            let (key, values) = (few(5, len, nulls, 3), small(&DataType::Float64, len, nulls, 4));
            let requests = vec![(0, A::Sum), (0, A::Mean), (0, A::CountValid), (0, A::Std { ddof: 1 })];
            for policy in [NullPolicy::Exclude, NullPolicy::Include] {
                let label = format!("rows {len}/{nulls:?}/{policy:?}");
                cases.push(case(label, vec![key.clone()], vec![values.clone()], policy, requests.clone()));
            }
        }
    }
    cases.extend(strategies());
    cases.extend(dense_keys());
    cases.extend(cells::cases());
    cases.extend(runs::runs());
    cases.extend(spreads::far_from_zero());
    cases.extend(values::cases());
    cases.extend(order::cases(false));
    cases.extend(lists::cases(false));
    cases.extend(wide::cases());
    cases.extend(refused(&ALL));
    // The number of groups ranges from one group to one group for each row.
    for groups in [1, 4, 50, 200, 3000, 1 << 40] {
        let key = few(groups, 20_000, NullPattern::None, 1);
        let (a, b) = (random_array(&DataType::Int64, 20_000, NullPattern::Some, 1), decimals(20_000));
        let requests = vec![
            (0, A::Sum),
            (0, A::Min),
            (0, A::ArgMax),
            (0, A::Product),
            (0, A::Nunique(NullPolicy::Include)),
            (1, A::Sum),
            (1, A::Mean),
            (1, A::Max),
        ];
        cases.push(case(format!("groups {groups}"), vec![key], vec![a, b], NullPolicy::Exclude, requests));
    }
    // The cases have several key columns: columns that pack into 64 bits, columns that do not pack, and columns that
    // include text.
    for (label, types) in [
        ("packed", vec![DataType::Int16, DataType::Boolean, DataType::Float32]),
        ("too wide", vec![DataType::Int64, DataType::Int32]),
        ("text", vec![DataType::Utf8, DataType::Utf8]),
        ("mixed", vec![DataType::LargeUtf8, DataType::Date32, DataType::Decimal128(38, 2), DataType::Float64]),
        ("times", vec![DataType::Timestamp(TimeUnit::Second, None), DataType::Int8]),
    ] {
        for (len, nulls) in [(3000, NullPattern::None), (3000, NullPattern::Some), (33, NullPattern::All)] {
            let key = |(seed, data_type)| random_array(data_type, len, nulls, seed as u64);
            let keys: Vec<_> = types.iter().enumerate().map(key).collect();
            let values = small(&DataType::Float64, len, nulls, 9);
            let text = random_array(&DataType::Utf8, len, nulls, 2);
            let requests = vec![(0, A::Sum), (0, A::CountAll), (1, A::Max), (1, A::Nunique(NullPolicy::Exclude))];
            let label = format!("keys {label}/{len}/{nulls:?}");
            cases.push(case(label, keys, vec![values, text], NullPolicy::Include, requests));
        }
    }
    // With so many rows, the operation measures the ranges of the key values.
    for (label, step) in [("ranges", 1), ("no ranges", 1 << 56)] {
        for (nulls, policy) in [
            (NullPattern::None, NullPolicy::Exclude),
            (NullPattern::Some, NullPolicy::Include),
            (NullPattern::Some, NullPolicy::Exclude),
        ] {
            let wide: Vec<_> = (0..9000).map(|row: i128| Some(Value::Int((row * 7919 % 61 - 30) * step))).collect();
            let wide = with_validity(&from_values(&DataType::Int64, &wide), nulls.validity(9000, 3));
            let other = random_array(&DataType::Int8, 9000, nulls, 4);
            let negative = from_values(&DataType::Int32, &vec![Some(Value::Int(-7)); 9000]);
            let values = small(&DataType::Float64, 9000, nulls, 9);
            let keys = vec![wide, other, negative];
            let requests = vec![(0, A::Sum), (0, A::CountAll)];
            let limits = GroupByLimits { measured_rows: 8192, ..GroupByLimits::default() };
            let label = format!("{label}/{nulls:?}/{policy:?}");
            cases.push(case_within(label, keys, vec![values], policy, requests, limits, 2));
        }
    }
    // One case has no aggregations, and one case has many aggregations.
    cases.push(case("keys only".into(), vec![few(7, 100, NullPattern::Some, 2)], vec![], NullPolicy::Include, vec![]));
    let many = (0..14).map(|seed| random_array(&DataType::Int32, 500, NullPattern::Some, seed)).collect();
    let requests = (0..14).flat_map(|column| [(column, A::Sum), (column, A::Max)]).collect();
    let keys = vec![few(7, 500, NullPattern::None, 2)];
    cases.push(case("many".into(), keys, many, NullPolicy::Exclude, requests));
    cases
}

/// Builds cases with text keys.
fn texts(name: &str, limits: GroupByLimits, waits: u64) -> Vec<Case> {
    let mut cases = Vec::new();
    let requests = || vec![(0, A::Sum), (0, A::CountAll)];
    let values = |rows| vec![random_array(&DataType::Int32, rows, NullPattern::Some, 2)];
    let measured = GroupByLimits { measured_rows: 1024, text_rows: 1024, ..limits };
    for (nulls, policy) in [
        (NullPattern::None, NullPolicy::Exclude),
        (NullPattern::Some, NullPolicy::Include),
        (NullPattern::Some, NullPolicy::Exclude),
    ] {
        let keys = vec![data::edge_texts(3000, nulls, 3)];
        let label = format!("{name} edge texts/{nulls:?}/{policy:?}");
        cases.push(case_within(label, keys, values(3000), policy, requests(), limits, waits));
        let text = |of: &dyn Fn(usize) -> String, seed| {
            let texts: Vec<_> = (0..3000).map(|row| Some(Value::Str(of(row)))).collect();
            with_validity(&from_values(&DataType::Utf8, &texts), nulls.validity(3000, seed))
        };
        let digits = text(&|row| (row * 7919 % 2503).to_string(), 4);
        let flags = text(&|row| ["A", "N", "R", ""][row * 31 % 4].to_owned(), 5);
        let urls = text(&|row| format!("https://example.com/{:06}", row * 7919 % 611), 6);
        for (label, keys) in [
            ("digits", vec![digits]),
            ("flags", vec![flags.clone(), flags.slice(1, 2999)]),
            ("prefix", vec![urls.clone(), flags]),
            ("prefix and long texts", vec![urls, data::long_texts(3000, nulls, 7)]),
        ] {
            let rows = keys.iter().map(|key| key.len()).min().unwrap_or(0);
            let keys = keys.iter().map(|key| key.slice(0, rows)).collect();
            let label = format!("{name} {label}/{nulls:?}/{policy:?}");
            cases.push(case_within(label, keys, values(rows), policy, requests(), measured, waits + 1));
        }
    }
    cases
}

/// Returns limits for tests.
pub(super) fn limits_of_few_rows() -> GroupByLimits {
    let (tiny_rows, few_rows, sample_rows, min_capacity) = (0, 500, 1 << 14, 1 << 16);
    GroupByLimits { tiny_rows, few_rows, sample_rows, min_capacity, local_groups: 0, ..GroupByLimits::default() }
}

/// Builds cases of keys whose range is little larger than the number of groups. In the first cases, all groups fit in
/// the shared memory of a block. In the next cases, the groups fit there only for some aggregations at a time. In the
/// last cases, the operation first moves the rows to ranges of keys.
fn dense_keys() -> Vec<Case> {
    let dense = GroupByLimits { skew: 0, dense_rows: 1, dense_rows_per_key: 0, ..limits_of_few_rows() };
    let mut cases = Vec::new();
    for (name, groups, bytes) in
        [("dense", 40, 1 << 15), ("dense in launches", 40, 2000), ("dense in parts", 3000, 1 << 12)]
    {
        for (nulls, policy) in [
            (NullPattern::None, NullPolicy::Exclude),
            (NullPattern::Some, NullPolicy::Exclude),
            (NullPattern::Some, NullPolicy::Include),
        ] {
            let number = random_array(&DataType::Int64, 9001, nulls, 4);
            let short = random_array(&DataType::Int16, 9001, NullPattern::Some, 2);
            let float = small(&DataType::Float32, 9001, NullPattern::None, 3);
            let requests =
                vec![(0, A::Sum), (0, A::Min), (0, A::CountAll), (1, A::Max), (1, A::CountValid), (2, A::Mean)];
            let limits = GroupByLimits { dense_bytes: bytes, ..dense };
            let keys = vec![narrow(groups, false, 9001, nulls)];
            let label = format!("{name}/{nulls:?}/{policy:?}");
            cases.push(case_within(label, keys, vec![number, short, float], policy, requests, limits, 3));
        }
    }
    cases
}

/// Builds cases of the strategies for many rows.
fn strategies() -> Vec<Case> {
    let mut cases = Vec::new();
    let kept = limits_of_few_rows();
    let local = GroupByLimits { local_groups: usize::MAX, ..kept };
    let parts = GroupByLimits { cached_groups: 0, skew: 0, ..kept };
    let misled = GroupByLimits { sample_rows: 64, min_capacity: 16, ..kept };
    let misled_parts = GroupByLimits { cached_groups: 0, ..misled };
    // The cases cover block tables with and without copies, too many groups for such tables, keys that occur in most
    // rows, keys without such a frequent value, and moved rows.
    let strategies: &[(&str, GroupByLimits, &[u64])] = &[
        ("local", local, &[1, 4, 50, 200, 3000, 1 << 40]),
        ("given up", GroupByLimits { sample_rows: 64, ..local }, &[3000]),
        ("kept", kept, &[4, 20]),
        ("many", kept, &[3000, 1 << 40]),
        ("parts", parts, &[3000, 1 << 40]),
        ("misled", misled, &[1 << 40]),
        ("misled parts", misled_parts, &[1 << 40]),
    ];
    for (name, limits, groups) in strategies {
        // Rows are moved only if no value has more than 64 bits and if no aggregation needs row numbers.
        let (moved, misled) = (limits.cached_groups == 0, limits.min_capacity == 16);
        let waits = 2 + u64::from(misled);
        for &groups in *groups {
            for (rows, nulls, policy) in [
                (20_000, NullPattern::None, NullPolicy::Exclude),
                (9_001, NullPattern::Some, NullPolicy::Exclude),
                (9_001, NullPattern::Some, NullPolicy::Include),
            ] {
                let halves: Vec<_> = (0..rows).map(|row| Some(Value::Int(row as i128 % 2))).collect();
                let keys = vec![narrow(groups, misled, rows, nulls), from_values(&DataType::Int8, &halves)];
                let number = random_array(&DataType::Int64, rows, nulls, 4);
                let short = random_array(&DataType::Int16, rows, NullPattern::Some, 2);
                let float = small(&DataType::Float32, rows, NullPattern::None, 3);
                let mut values = vec![number, short, float];
                let mut requests = vec![
                    (0, A::Sum),
                    (0, A::Min),
                    (0, A::CountAll),
                    (0, A::Nunique(NullPolicy::Include)),
                    (1, A::Max),
                    (1, A::CountValid),
                    (2, A::Mean),
                    (2, A::Variance { ddof: 1 }),
                ];
                if !moved {
                    values.push(decimals(rows));
                    requests.extend([(0, A::ArgMax), (0, A::Product), (3, A::Sum), (3, A::Max)]);
                }
                let label = format!("{name} {groups}/{rows}/{nulls:?}/{policy:?}");
                cases.push(case_within(label, keys, values, policy, requests, *limits, waits));
            }
        }
        // Keys of texts are row numbers, or numbers of texts. Rows with such keys are never moved.
        if *name == "parts" {
            cases.extend(texts(name, *limits, waits));
        }
        if !moved && !misled {
            // With many distinct texts, the operation uses the global table.
            let distinct = |row: i128| Some(Value::Str((row * 7919 % 2503).to_string()));
            let key = match *name {
                "many" => from_values(&DataType::Utf8, &(0..3000).map(distinct).collect::<Vec<_>>()),
                _ => random_array(&DataType::Utf8, 3000, NullPattern::Some, 1),
            };
            let keys = vec![key];
            let values = random_array(&DataType::Int32, 3000, NullPattern::Some, 2);
            let requests = vec![(0, A::Sum), (0, A::CountAll)];
            let label = format!("{name} text");
            cases.push(case_within(label, keys, vec![values], NullPolicy::Include, requests, *limits, waits));
            cases.extend(texts(name, *limits, waits));
        }
    }
    // The numbers of rows are near the limit of few rows, and near multiples of the tile sizes.
    for (name, limits, rows) in [
        ("tiny", GroupByLimits { tiny_rows: 400, ..local }, 400),
        ("tiny", GroupByLimits { tiny_rows: 400, ..local }, 401),
        ("local", local, 500),
        ("local", local, 501),
        ("local", local, 1023),
        ("local", local, 1025),
        ("many", kept, 511),
        ("many", kept, 513),
        ("parts", parts, 4095),
        ("parts", parts, 4096),
        ("parts", parts, 4097),
        ("parts", parts, 8193),
    ] {
        let keys = vec![narrow(1 << 20, false, rows, NullPattern::Some)];
        let values = small(&DataType::Float64, rows, NullPattern::Some, 8);
        let requests = vec![(0, A::Sum), (0, A::CountAll)];
        let label = format!("{name} rows {rows}");
        cases.push(case_within(label, keys, vec![values], NullPolicy::Exclude, requests, limits, 2));
    }
    // The operation unpacks keys of every type from their packed form.
    for (seed, data_type) in key_types().into_iter().enumerate().filter(|(_, data_type)| is_narrow(data_type)) {
        for (nulls, policy) in [
            (NullPattern::None, NullPolicy::Exclude),
            (NullPattern::Some, NullPolicy::Exclude),
            (NullPattern::Some, NullPolicy::Include),
        ] {
            let wide = gdf_core::width(&data_type) == Some(8);
            let key = random_array(&data_type, 1500, nulls, seed as u64);
            let values = small(&DataType::Float64, 1500, NullPattern::Some, 5);
            let requests = vec![(0, A::Sum), (0, A::CountAll)];
            let label = format!("parts by {data_type}/{nulls:?}/{policy:?}");
            let keys = vec![key.clone()];
            cases.push(case_within(label, keys, vec![values.clone()], policy, requests.clone(), parts, 2));
            if wide {
                continue;
            }
            let limits = GroupByLimits { measured_rows: 0, ..parts };
            let label = format!("parts by ranges of {data_type}/{nulls:?}/{policy:?}");
            let constant = from_values(&DataType::Int64, &vec![Some(Value::Int(-7)); 1500]);
            let keys = vec![key, constant.clone(), constant];
            cases.push(case_within(label, keys, vec![values], policy, requests, limits, 3));
        }
    }
    cases
}
