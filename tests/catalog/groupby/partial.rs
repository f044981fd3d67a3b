//! Entries of `groupby` for batches: the partial groups of one batch, the merged partial groups of several batches, and
//! the final results.
//!
//! The number of valid values of each group is a power of two, and the values are whole numbers.

use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use gdf_api::groupby::StreamingGroupBy;
use gdf_api::groupby::{
    AggregationRequest, GroupBy, GroupByAggregation as A, NullPolicy, PartialGroups, PartialRequest,
};
use gdf_api::sorting::Order;
use gdf_api::stream_compaction::{NanEquality, NullEquality};
use gdf_core::{Column, Error, Result, Table};

use super::values::exact_of;
use super::wide::extreme;
use super::{joined, key_types};
use crate::catalog::shared::tables::{concatenate_waits, scratch, view};
use crate::catalog::{Case, Entry, SliceCosts};
use crate::documented_types::group_type;
use crate::naive;
use crate::naive::groupby::Requests;
use gdf_test::compare::Equality;
use gdf_test::data::{NullPattern, random_array, with_validity};
use gdf_test::value::{Value, from_values, to_values};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("groupby.aggregate_partial", Equality::AnyOrder, || each(partial)),
        Entry::new("groupby.merge", Equality::AnyOrder, || each(merge)),
        Entry::new("groupby.finalize", Equality::AnyOrder, || each(finalize)),
        Entry::new("groupby.streaming", Equality::AnyOrder, streaming),
    ]
}

/// The rows of two batches, and the requested aggregations.
#[derive(Clone)]
struct Call {
    label: String,
    policy: NullPolicy,
    batches: [(Vec<ArrayRef>, Vec<ArrayRef>); 2],
    requests: Requests,
}

impl Call {
    fn asked(&self) -> Vec<PartialRequest> {
        let types = self.batches[0].1.iter().map(|values| values.data_type().clone());
        types
            .enumerate()
            .map(|(index, data_type)| {
                let own = self.requests.iter().filter(|(column, _)| *column == index);
                PartialRequest { data_type, aggregations: own.map(|(_, aggregation)| *aggregation).collect() }
            })
            .collect()
    }

    fn kept(&self, batch: usize) -> Vec<ArrayRef> {
        let (keys, values) = &self.batches[batch];
        naive::groupby::partial(keys, values, self.policy, &self.requests).unwrap()
    }

    fn is_of_rows(&self) -> bool {
        self.label.starts_with("rows")
    }

    /// Returns the largest number of waits.
    fn waits(&self) -> u64 {
        if self.is_of_rows() { 200 } else { 1 }
    }

    fn keys(&self) -> usize {
        self.batches[0].0.len()
    }

    fn rows(&self) -> [usize; 2] {
        [0, 1].map(|batch| self.batches[batch].0[0].len())
    }
}

fn groups_of(columns: &[Column], call: &Call, rows: usize) -> Result<PartialGroups> {
    let (keys, states) = columns.split_at(call.keys());
    PartialGroups::try_new(Table::try_new(keys.to_vec())?, call.asked(), states.to_vec(), rows)
}

fn columns_of(groups: PartialGroups) -> Vec<Column> {
    let (keys, _, states, _) = groups.into_parts();
    keys.into_columns().into_iter().chain(states).collect()
}

fn partial(call: Call) -> Case {
    let (keys, values) = call.batches[0].clone();
    let (run, oracle) = (call.clone(), call.clone());
    let (waits, slices) = (call.waits(), if call.is_of_rows() { SliceCosts::Own } else { SliceCosts::Same });
    Case::new(
        call.label,
        [keys, values].concat(),
        move |inputs| {
            let (keys, values) = inputs.split_at(run.keys());
            let asked = run.asked().into_iter().zip(values);
            let asked: Vec<_> = asked.map(|(of, values)| AggregationRequest::new(values, of.aggregations)).collect();
            Ok(columns_of(GroupBy::new(view(keys)?, run.policy).aggregate_partial(&asked)?))
        },
        move |inputs| {
            let (keys, values) = inputs.split_at(oracle.keys());
            naive::groupby::partial(keys, values, oracle.policy, &oracle.requests)
        },
        waits,
    )
    .with_slice_costs(slices)
}

fn merge(call: Call) -> Case {
    let inputs = [call.kept(0), call.kept(1)].concat();
    let columns = inputs.len() / 2;
    let waits = call.waits() + concatenate_waits(&inputs[..columns]);
    let is_of_rows = call.is_of_rows();
    let of_bytes = inputs.iter().any(|state| matches!(state.data_type(), DataType::Binary | DataType::LargeBinary));
    let (run, oracle) = (call.clone(), call.clone());
    Case::new(
        call.label,
        inputs,
        move |inputs| {
            let (one, other) = inputs.split_at(columns);
            let [first, second] = run.rows();
            Ok(columns_of(PartialGroups::merge(&[&groups_of(one, &run, first)?, &groups_of(other, &run, second)?])?))
        },
        move |_| Ok(whole_states(&oracle)),
        waits,
    )
    .with_slice_costs(if is_of_rows { SliceCosts::Own } else { SliceCosts::Allocations(u64::from(of_bytes)) })
}

fn whole_states(call: &Call) -> Vec<ArrayRef> {
    let (keys, values) = together(call);
    naive::groupby::partial(&keys, &values, call.policy, &call.requests).unwrap()
}

fn together(call: &Call) -> (Vec<ArrayRef>, Vec<ArrayRef>) {
    let [one, other] = &call.batches;
    let both = |one: &[ArrayRef], other: &[ArrayRef]| {
        naive::concatenate::concatenate(&[one, other].concat(), one.len()).unwrap()
    };
    let values = if one.1.is_empty() { Vec::new() } else { both(&one.1, &other.1) };
    (both(&one.0, &other.0), values)
}

fn finalize(call: Call) -> Case {
    let inputs = whole_states(&call);
    let (keys, values) = together(&call);
    let (label, oracle) = (call.label.clone(), call.clone());
    let (waits, slices) = (call.waits(), if call.is_of_rows() { SliceCosts::Own } else { SliceCosts::Same });
    let rows = call.rows().iter().sum();
    let run = move |inputs: &[Column]| Ok(joined(groups_of(inputs, &call, rows)?.finalize()?));
    let results = move |_: &[ArrayRef]| naive::groupby::aggregate(&keys, &values, oracle.policy, &oracle.requests);
    Case::new(label, inputs, run, results, waits).with_slice_costs(slices)
}

/// Adds two batches to one state.
fn streaming() -> Vec<Case> {
    let both = |inputs: &[Column], call: &Call, most: usize| {
        let mut groups = StreamingGroupBy::new(call.policy).with_max_distinct_keys(most);
        let asked = call.asked();
        for batch in inputs.chunks(call.keys() + asked.len()) {
            let (keys, values) = batch.split_at(call.keys());
            let asked = asked.iter().zip(values);
            let asked: Vec<_> =
                asked.map(|(of, values)| AggregationRequest::new(values, of.aggregations.clone())).collect();
            groups.add(view(keys)?, &asked)?;
        }
        Ok::<_, Error>(groups)
    };
    let inputs_of = |call: &Call| {
        let batches = call.batches.iter();
        batches.flat_map(|(keys, values)| keys.iter().chain(values).cloned()).collect::<Vec<_>>()
    };
    let case = move |call: Call| {
        let (inputs, oracle) = (inputs_of(&call), call.clone());
        let run = move |inputs: &[Column]| {
            let groups = scratch(inputs[0].device(), || both(inputs, &call, 4))?;
            if groups.state().map(PartialGroups::distinct_keys) != Some(groups.distinct_keys()) {
                return Err(Error::invalid_data("the numbers of groups differ"));
            }
            Ok(joined(groups.finalize()?))
        };
        let results = move |_: &[ArrayRef]| {
            let (keys, values) = together(&oracle);
            naive::groupby::aggregate(&keys, &values, oracle.policy, &oracle.requests)
        };
        Case::new(String::new(), inputs, run, results, 600).with_slice_costs(SliceCosts::Own)
    };
    let text = |rows: usize, seed: usize| whole(&DataType::Int64, rows, seed);
    let calls = of_rows(&[DataType::Int32, DataType::Float64], text);
    let mut cases: Vec<Case> = Vec::new();
    for call in calls {
        let label = call.label.clone();
        let mut made = case(call);
        made.label = label;
        cases.push(made);
    }
    let call = Call {
        label: "refused".into(),
        policy: NullPolicy::Exclude,
        batches: [
            (vec![keys(8)], vec![whole(&DataType::Int32, 8, 1)]),
            (vec![keys(9)], vec![whole(&DataType::Int32, 9, 1)]),
        ],
        requests: vec![(0, A::Sum)],
    };
    let inputs = inputs_of(&call);
    let run = move |inputs: &[Column]| Ok(joined(both(inputs, &call, 3)?.finalize()?));
    let is_right = |error: &Error| matches!(error, Error::InvalidArgument { limit: Some(3), .. });
    cases.push(Case::refused("refused bound", inputs, run, is_right));
    cases
}

fn each(make: fn(Call) -> Case) -> Vec<Case> {
    let mut calls = Vec::new();
    let text = |rows: usize, seed: usize| {
        let values: Vec<_> = (0..rows).map(|row| Some(Value::Str(format!("t{}", (row * 7 + seed) % 11)))).collect();
        from_values(&DataType::Utf8, &values)
    };
    let types = [
        DataType::Int8,
        DataType::UInt64,
        DataType::Int64,
        DataType::Boolean,
        DataType::Float16,
        DataType::Float32,
        DataType::Float64,
        DataType::Decimal128(20, 2),
        DataType::Decimal32(9, 1),
        DataType::Duration(TimeUnit::Second),
        DataType::Date32,
        DataType::Utf8,
    ];
    // The states of these aggregations fit into the columns of one launch.
    let sums: &[A] = &[A::Sum, A::CountValid, A::CountAll, A::Min, A::Max, A::Mean, A::SumOfSquares, A::Product];
    let spreads: &[A] = &[A::Variance { ddof: 1 }, A::Std { ddof: 0 }, A::M2];
    for data_type in &types {
        for (nulls, all) in [(false, sums), (true, sums), (false, spreads), (true, spreads)] {
            let values =
                |rows, seed| if *data_type == DataType::Utf8 { text(rows, seed) } else { whole(data_type, rows, seed) };
            let values = |rows, seed| if nulls { some_null(&values(rows, seed)) } else { values(rows, seed) };
            let has = |aggregation: &&A| group_type(**aggregation, data_type).is_some();
            if !all.iter().any(|aggregation| has(&aggregation)) {
                continue;
            }
            calls.push(Call {
                label: format!("{data_type}, {:?} and others, nulls {nulls}", all[0]),
                policy: NullPolicy::Exclude,
                batches: [(vec![keys(64)], vec![values(64, 1)]), (vec![keys(64)], vec![values(64, 5)])],
                requests: all.iter().filter(has).map(|aggregation| (0, *aggregation)).collect(),
            });
        }
    }
    // The values are arbitrary, so the cases only request aggregations whose results do not depend on the order of
    // rows.
    for data_type in key_types() {
        let merged = |aggregation: &A| !matches!(aggregation, A::ArgMin | A::ArgMax | A::Nunique(_) | A::Mean);
        let requests: Vec<_> = exact_of(&data_type).into_iter().filter(merged).collect();
        let k = 5;
        let rows =
            [A::ArgMin, A::TopK { k, order: Order::Ascending }, A::ArgMax, A::TopK { k, order: Order::Descending }];
        for (label, requests) in [("any", requests), ("rows of any", rows.to_vec())] {
            let values = |seed| random_array(&data_type, 64, NullPattern::Some, seed);
            calls.push(Call {
                label: format!("{label} {data_type}"),
                policy: NullPolicy::Exclude,
                batches: [(vec![keys(64)], vec![values(1)]), (vec![keys(64)], vec![values(5)])],
                requests: requests
                    .into_iter()
                    .filter(|of| group_type(*of, &data_type).is_some())
                    .map(|of| (0, of))
                    .collect(),
            });
        }
    }
    // The cases have groups that occur in only one batch, text keys with nulls, several requests, and a batch without
    // rows.
    for (label, first, second) in [("apart", 16, 64), ("none in one", 0, 64), ("none", 0, 0)] {
        for policy in [NullPolicy::Exclude, NullPolicy::Include] {
            let batch = |rows: usize, seed| {
                let key =
                    if rows == 16 { from_values(&DataType::Int32, &vec![Some(Value::Int(9)); 16]) } else { keys(rows) };
                let word: Vec<_> = (0..rows).map(|row| Some(Value::Str(["a", "bc"][row / 4 % 2].into()))).collect();
                let valid = arrow_buffer::NullBuffer::from_iter((0..rows).map(|row| row / 8 % 2 == 0));
                let word = with_validity(&from_values(&DataType::Utf8, &word), Some(valid));
                (vec![key, word], vec![whole(&DataType::Float64, rows, seed), whole(&DataType::Int32, rows, seed)])
            };
            calls.push(Call {
                label: format!("{label}, {policy:?}"),
                policy,
                batches: [batch(first, 1), batch(second, 2)],
                requests: vec![(0, A::Mean), (0, A::Std { ddof: 1 }), (1, A::Sum), (1, A::CountAll)],
            });
        }
    }
    // The values are so far from zero that the variance is lost in the rounding of their squares.
    let far = |rows, seed| {
        let far = |value: &Option<Value>| {
            value.as_ref().and_then(Value::as_f64).map(|value| Value::F64(value + 1073741824.0))
        };
        let values = to_values(&whole(&DataType::Float64, rows, seed));
        from_values(&DataType::Float64, &values.iter().map(far).collect::<Vec<_>>())
    };
    calls.push(Call {
        label: "far from zero".into(),
        policy: NullPolicy::Exclude,
        batches: [(vec![keys(64)], vec![far(64, 1)]), (vec![keys(64)], vec![far(64, 5)])],
        requests: spreads.iter().map(|aggregation| (0, *aggregation)).collect(),
    });
    // The sum of one batch may overflow although the sum of both batches fits. The reverse may also happen.
    let lengths = DataType::Duration(TimeUnit::Nanosecond);
    for data_type in [DataType::Int64, DataType::UInt64, DataType::Int8, DataType::Boolean, lengths] {
        let aggregations = match data_type {
            DataType::Duration(_) => vec![A::Mean, A::CountAll],
            _ => vec![A::SumOverflow, A::CountAll, A::Mean],
        };
        for nulls in [NullPattern::None, NullPattern::Some] {
            let values = |seed| match data_type {
                DataType::Boolean => random_array(&data_type, 64, nulls, seed),
                _ => extreme(&data_type, 64, nulls, seed),
            };
            calls.push(Call {
                label: format!("overflow {data_type}, {nulls:?}"),
                policy: NullPolicy::Exclude,
                batches: [(vec![keys(64)], vec![values(1)]), (vec![keys(64)], vec![values(5)])],
                requests: aggregations.iter().map(|of| (0, *of)).collect(),
            });
        }
    }
    let factor = DataType::Decimal64(18, 0);
    for (label, second) in [("rows of products", 64), ("rows of products of one", 0)] {
        let values = |rows, seed| some_null(&whole(&factor, rows, seed));
        calls.push(Call {
            label: format!("{label}, {factor}"),
            policy: NullPolicy::Exclude,
            batches: [(vec![keys(64)], vec![values(64, 1)]), (vec![keys(second)], vec![values(second, 5)])],
            requests: vec![(0, A::Product), (0, A::SumOfSquares), (0, A::Product), (0, A::CountAll)],
        });
    }
    calls.extend(of_rows(&types, text));
    calls.into_iter().map(make).collect()
}

/// Returns calls that request aggregations whose states are rows of the values, or lists. The calls also request sums
/// and counts.
fn of_rows(types: &[DataType], text: impl Fn(usize, usize) -> ArrayRef) -> Vec<Call> {
    let (null_equality, nan_equality) = (NullEquality::Equal, NanEquality::AllEqual);
    let set = |nulls| A::CollectSet { nulls, null_equality, nan_equality };
    let requests = [
        A::NthElement { n: 0, nulls: NullPolicy::Include },
        A::CountAll,
        A::NthElement { n: 0, nulls: NullPolicy::Exclude },
        A::NthElement { n: -1, nulls: NullPolicy::Include },
        A::NthElement { n: -1, nulls: NullPolicy::Exclude },
        A::Nunique(NullPolicy::Exclude),
        A::Max,
        A::Nunique(NullPolicy::Include),
        A::CollectList { nulls: NullPolicy::Include },
        A::CollectList { nulls: NullPolicy::Exclude },
        set(NullPolicy::Exclude),
        set(NullPolicy::Include),
        A::Histogram,
        A::ArgMin,
        A::Mean,
        A::ArgMax,
        A::TopK { k: 3, order: Order::Descending },
        A::TopK { k: 9, order: Order::Ascending },
        // Every group has fewer valid values than this `k`.
        A::TopK { k: 20, order: Order::Descending },
        A::TopK { k: 0, order: Order::Ascending },
    ];
    let mut calls = Vec::new();
    for (data_type, nulls) in types.iter().flat_map(|data_type| [(data_type, false), (data_type, true)]) {
        for (label, first, second) in [("rows", 64, 64), ("rows of one", 0, 64), ("rows of none", 0, 0)] {
            let values =
                |rows, seed| if *data_type == DataType::Utf8 { text(rows, seed) } else { whole(data_type, rows, seed) };
            let values = |rows, seed| if nulls { some_null(&values(rows, seed)) } else { values(rows, seed) };
            calls.push(Call {
                label: format!("{label}, {data_type}, nulls {nulls}"),
                policy: NullPolicy::Exclude,
                batches: [(vec![keys(first)], vec![values(first, 1)]), (vec![keys(second)], vec![values(second, 5)])],
                requests: requests
                    .iter()
                    .filter(|of| group_type(**of, data_type).is_some())
                    .map(|of| (0, *of))
                    .collect(),
            });
        }
    }
    calls
}

fn keys(rows: usize) -> ArrayRef {
    from_values(&DataType::Int32, &(0..rows).map(|row| Some(Value::Int(row as i128 % 4))).collect::<Vec<_>>())
}

/// Makes half of the values of the first three groups null, and all values of the fourth group.
fn some_null(array: &ArrayRef) -> ArrayRef {
    let valid = (0..array.len()).map(|row| row % 4 != 3 && row / 4 % 2 == 0);
    with_validity(array, Some(arrow_buffer::NullBuffer::from_iter(valid)))
}

/// Returns whole numbers from 0 to 2.
fn whole(data_type: &DataType, rows: usize, seed: usize) -> ArrayRef {
    let number = |row: usize| (row * 7 + row / 4 + seed) % 3;
    let value = |row: usize| match data_type {
        DataType::Boolean => Value::Bool(number(row) == 1),
        DataType::Float16 => Value::F16(half::f16::from_f64(number(row) as f64)),
        DataType::Float32 => Value::F32(number(row) as f32),
        DataType::Float64 => Value::F64(number(row) as f64),
        other if gdf_core::is_decimal(other) => Value::Decimal(arrow_buffer::i256::from_i128(number(row) as i128)),
        _ => Value::Int(number(row) as i128),
    };
    from_values(data_type, &(0..rows).map(|row| Some(value(row))).collect::<Vec<_>>())
}
