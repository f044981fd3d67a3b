//! The entries `groupby.covariance` and `groupby.correlation`. The pairs lie near a line, so that sums have no
//! cancellation.

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_api::groupby::{GroupBy, NullPolicy};
use gdf_core::{Column, Error, Result};

use super::rows::{inputs, split};
use super::values::small;
use super::with_two_groups;
use crate::catalog::shared::refusals::public_refusals;
use crate::catalog::shared::tables::view;
use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive::groupby as naive;
use gdf_test::compare::Equality;
use gdf_test::data::{self, NullPattern};
use gdf_test::value::{Value, from_values, to_values};

/// The largest number of waits.
const WAITS: u64 = 48;

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("groupby.correlation", Equality::Ulp(256), || cases(true)).guessing(),
        Entry::new("groupby.covariance", Equality::Ulp(256), || cases(false)).guessing(),
    ]
}

/// Returns the keys, and the correlation or covariance of each group.
fn run(
    groups: &GroupBy<'_>,
    [x, y]: [&Column; 2],
    (ddof, min_periods): (u32, usize),
    correlation: bool,
) -> Result<Vec<Column>> {
    let (keys, result) = match correlation {
        true => groups.correlation(x, y, min_periods)?,
        false => groups.covariance(x, y, ddof, min_periods)?,
    };
    Ok(keys.into_columns().into_iter().chain([result]).collect())
}

/// Returns values near a linear function of `x`.
fn near(x: &ArrayRef, nulls: NullPattern) -> ArrayRef {
    let number = |value: &Value| match value {
        Value::Bool(value) => f64::from(*value),
        value => value.as_f64().or_else(|| Some(value.as_i128()? as f64)).unwrap(),
    };
    let valid = nulls.validity(x.len(), 103);
    let values = to_values(x).into_iter().enumerate().map(|(row, x)| {
        let y = x.as_ref().map_or(7.0, |x| 2.0 * number(x) + (row % 3) as f64 * 0.125);
        valid.as_ref().is_none_or(|valid| valid.is_valid(row)).then_some(Value::F64(y))
    });
    from_values(&DataType::Float64, &values.collect::<Vec<_>>())
}

fn case(
    label: String,
    keys: &[ArrayRef],
    x: ArrayRef,
    nulls: NullPattern,
    policy: NullPolicy,
    (ddof, min_periods): (u32, usize),
    correlation: bool,
) -> Case {
    let (count, y) = (keys.len(), near(&x, nulls));
    let ddof = if correlation { 1 } else { ddof };
    Case::new(
        format!("{label}/{ddof}/{min_periods}"),
        keys.iter().cloned().chain([x, y]).collect(),
        move |inputs| {
            let (keys, values) = split(inputs, count)?;
            run(&GroupBy::new(keys, policy), [&values[0], &values[1]], (ddof, min_periods), correlation)
        },
        move |inputs| {
            let (keys, pairs) = (&inputs[..count], [&inputs[count], &inputs[count + 1]]);
            Ok(naive::of_pairs(keys, pairs, policy, (ddof as usize, min_periods), correlation))
        },
        WAITS,
    )
    .with_slice_costs(SliceCosts::Own)
}

fn types() -> Vec<DataType> {
    [data::numeric(), vec![DataType::Boolean]].concat()
}

fn cases(correlation: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    // The lengths of the two lists have no common factor, so every `ddof` occurs with every `min_periods`.
    let how = |turn: usize| -> (u32, usize) { ([1, 0, 1, 3, 0][turn % 5], [1, 0, 5, 2][turn % 4]) };
    for (turn, (label, keys, values, policy)) in inputs().into_iter().enumerate() {
        if !matches!(keys[0].data_type(), DataType::Interval(_)) {
            let nulls = [NullPattern::Some, NullPattern::None, NullPattern::Every(3)][turn % 3];
            let x = small(&DataType::Float64, values.len(), NullPattern::Some, turn as u64);
            cases.push(case(label, &keys, x, nulls, policy, how(turn), correlation));
        }
    }
    for (turn, data_type) in types().into_iter().enumerate() {
        let keys = small(&DataType::Int32, 200, NullPattern::Every(9), 1);
        let x = small(&data_type, 200, NullPattern::Some, turn as u64);
        let label = format!("pairs of {data_type}");
        cases.push(case(label, &[keys], x, NullPattern::Some, NullPolicy::Include, how(turn), correlation));
    }
    let documented = |_, data_type: &DataType| types().contains(data_type);
    cases.extend(public_refusals(&["x", "y"], documented, move |of, inputs| {
        with_two_groups(inputs[0].device(), |groups, numbers| {
            let pairs = if of == "x" { [&inputs[0], numbers] } else { [numbers, &inputs[0]] };
            run(&groups, pairs, (1, 1), correlation)
        })
    }));
    let uneven = [3, 4].map(|rows| small(&DataType::Int32, rows, NullPattern::None, 1)).to_vec();
    let run = move |inputs: &[Column]| {
        let groups = GroupBy::new(view(&inputs[..1])?, NullPolicy::Exclude);
        run(&groups, [&inputs[0], &inputs[1]], (1, 1), correlation)
    };
    let lengths = |error: &Error| matches!(error, Error::LengthMismatch { .. });
    cases.push(Case::refused("refused length", uneven, run, lengths));
    cases
}
