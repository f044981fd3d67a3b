//! Entries of `groupby` whose results have one row for each input row.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::groupby::{GroupBy, NullPolicy};
use gdf_api::replace::ReplacePolicy;
use gdf_core::{Column, Error, Literal, Result, Scalar, TableView};
use gdf_external::bounds;

use super::{few, key_types};
use crate::catalog::shared::tables::{shape_of, view};
use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive::groupby as naive;
use gdf_test::compare::Equality;
use gdf_test::data::{NullPattern, SMALL_BRACKETS, long_texts, random_array};
use gdf_test::value::{Value, to_values};

/// The largest number of waits.
const WAITS: u64 = 28;

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("groupby.shift", Equality::Exact, shifts),
        Entry::new("groupby.replace_nulls_by_policy", Equality::Exact, fills),
        Entry::new("groupby.groups", Equality::Exact, groups),
    ]
}

pub(crate) fn inputs() -> Vec<(String, Vec<ArrayRef>, ArrayRef, NullPolicy)> {
    let policy = |turn: usize| if turn.is_multiple_of(2) { NullPolicy::Exclude } else { NullPolicy::Include };
    let sortable = |key: &DataType| !matches!(key, DataType::Interval(_));
    let mut inputs = Vec::new();
    // Arrays with one seed, length and pattern have the same null rows, so keys and values have different seeds.
    for (turn, data_type) in key_types().into_iter().enumerate() {
        let seed = turn as u64;
        let values = random_array(&data_type, 65, NullPattern::Some, seed + 100);
        inputs.push((format!("values {data_type}"), vec![few(5, 65, NullPattern::Some, seed)], values, policy(turn)));
        if sortable(&data_type) {
            let key = random_array(&data_type, 100, NullPattern::Some, seed);
            let values = random_array(&DataType::Int32, 100, NullPattern::Some, seed + 100);
            inputs.push((format!("key {data_type}"), vec![key], values, policy(turn)));
        }
    }
    for (turn, len) in SMALL_BRACKETS.iter().copied().chain([1025, 5000]).enumerate() {
        for (at, &nulls) in NullPattern::ALL.iter().enumerate() {
            let keys = vec![few(4, len, nulls, 3), long_texts(len, NullPattern::Some, 4)];
            let values = match (turn / 2 + at) % 2 {
                0 => random_array(&DataType::Float64, len, nulls, 5),
                _ => long_texts(len, nulls, 5),
            };
            let policy = policy(turn + at);
            inputs.push((format!("rows {len}/{nulls:?}/{policy:?}"), keys, values, policy));
        }
    }
    inputs
}

pub(crate) fn split(inputs: &[Column], keys: usize) -> Result<(TableView<'_>, &[Column])> {
    let (keys, values) = inputs.split_at_checked(keys).ok_or(Error::invalid_argument("keys and values"))?;
    Ok((view(keys)?, values))
}

pub(crate) fn case(
    label: String,
    [keys, values]: [&[ArrayRef]; 2],
    policy: NullPolicy,
    run: impl Fn(GroupBy<'_>, &Column) -> Result<Column> + Send + Sync + 'static,
    oracle: impl Fn(&[ArrayRef], &ArrayRef) -> Result<Vec<ArrayRef>, String> + Send + Sync + 'static,
    waits: u64,
) -> Case {
    let count = keys.len();
    let run = move |inputs: &[Column]| {
        let (keys, values) = split(inputs, count)?;
        Ok(vec![run(GroupBy::new(keys, policy), &values[0])?])
    };
    let oracle = move |inputs: &[ArrayRef]| oracle(&inputs[..count], &inputs[count]);
    Case::new(label, [keys, values].concat(), run, oracle, waits)
        .with_bound(move |inputs| {
            let (keys, values) = inputs.split_at(count);
            bounds::window(&shape_of(keys), &shape_of(values), 1)
        })
        .with_slice_costs(SliceCosts::Own)
}

fn shifts() -> Vec<Case> {
    let offsets = [1, -1, 0, 2, -3, i64::MAX, i64::MIN];
    let mut cases = Vec::new();
    for (turn, (label, keys, values, policy)) in inputs().into_iter().enumerate() {
        let offset = offsets[turn % offsets.len()];
        // In half of the cases, the fill value is the last input.
        if (turn / 4).is_multiple_of(2) {
            let fill = random_array(values.data_type(), 1, NullPattern::None, turn as u64 + 1);
            cases.push(shift_with_value(format!("{label}/{offset}"), keys, [values, fill], policy, offset));
            continue;
        }
        // The fill value is −7 for `Int32`, and null for all other types.
        let fill = (*values.data_type() == DataType::Int32).then_some(Value::Int(-7));
        let run = move |groups: GroupBy<'_>, values: &Column| match values.data_type() {
            DataType::Int32 => groups.shift(values, offset, -7_i32),
            data_type => groups.shift(values, offset, Literal::null(data_type)),
        };
        let oracle =
            move |keys: &[ArrayRef], values: &ArrayRef| Ok(vec![naive::shift(keys, values, policy, offset, &fill)]);
        cases.push(case(format!("{label}/{offset}"), [&keys, &[values]], policy, run, oracle, WAITS));
    }
    refused(&mut cases, |groups, values| groups.shift(values, 1, 1_i32));
    cases
}

fn shift_with_value(
    label: String,
    keys: Vec<ArrayRef>,
    values: [ArrayRef; 2],
    policy: NullPolicy,
    offset: i64,
) -> Case {
    let count = keys.len();
    let run = move |inputs: &[Column]| {
        let (keys, values) = split(inputs, count)?;
        let fill = Scalar::from_column(values[1].clone())?;
        Ok(vec![GroupBy::new(keys, policy).shift(&values[0], offset, &fill)?])
    };
    let oracle = move |inputs: &[ArrayRef]| {
        let (keys, values) = inputs.split_at(count);
        Ok(vec![naive::shift(keys, &values[0], policy, offset, &to_values(&values[1])[0])])
    };
    Case::new(label, [keys, values.into()].concat(), run, oracle, WAITS).with_slice_costs(SliceCosts::Own)
}

fn fills() -> Vec<Case> {
    let mut cases = Vec::new();
    for (turn, (label, keys, values, policy)) in inputs().into_iter().enumerate() {
        // The kind of inputs changes from turn to turn, and the null policy after two turns.
        let preceding = (turn / 2 + turn / 8).is_multiple_of(2);
        let side = if preceding { ReplacePolicy::Preceding } else { ReplacePolicy::Following };
        let run = move |groups: GroupBy<'_>, values: &Column| groups.replace_nulls_by_policy(values, side);
        let oracle =
            move |keys: &[ArrayRef], values: &ArrayRef| Ok(vec![naive::replace_nulls(keys, values, policy, preceding)]);
        cases.push(case(format!("{label}/{side:?}"), [&keys, &[values]], policy, run, oracle, WAITS));
    }
    refused(&mut cases, |groups, values| groups.replace_nulls_by_policy(values, ReplacePolicy::Preceding));
    cases
}

fn groups() -> Vec<Case> {
    let case = |(label, keys, _, policy): (String, Vec<ArrayRef>, ArrayRef, NullPolicy)| {
        let run = move |inputs: &[Column]| {
            let (rows, offsets) = GroupBy::new(view(inputs)?, policy).groups()?;
            Ok(vec![rows, offsets])
        };
        let oracle = move |inputs: &[ArrayRef]| Ok(naive::rows_and_offsets(inputs, policy));
        Case::new(label, keys, run, oracle, WAITS).with_slice_costs(SliceCosts::Own)
    };
    inputs().into_iter().filter(|(label, ..)| !label.starts_with("values")).map(case).collect()
}

fn refused(cases: &mut Vec<Case>, run: fn(GroupBy<'_>, &Column) -> Result<Column>) {
    let run = move |inputs: &[Column]| {
        let (keys, values) = split(inputs, 1)?;
        Ok(vec![run(GroupBy::new(keys, NullPolicy::Exclude), &values[0])?])
    };
    let ints = |len| random_array(&DataType::Int32, len, NullPattern::None, 1);
    let lengths = |error: &Error| matches!(error, Error::LengthMismatch { .. });
    cases.push(Case::refused("refused length", vec![ints(3), ints(4)], run, lengths));
    let unsupported = |error: &Error| matches!(error, Error::Unsupported { .. });
    for data_type in [DataType::Null, DataType::Interval(arrow_schema::IntervalUnit::DayTime)] {
        let keys = random_array(&data_type, 3, NullPattern::None, 1);
        cases.push(Case::refused(format!("refused {data_type}"), vec![keys, ints(3)], run, unsupported));
    }
}
