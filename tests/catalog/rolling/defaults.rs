//! The entries of `rolling` that take default outputs.

use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::rolling::{
    RollingAggregation as Aggregation, WindowBound, grouped_rolling_window_with_defaults, rolling_window_with_defaults,
};
use gdf_core::{Column, Error, Operand, Result, Scalar};

use crate::catalog::shared::tables::{as_table, encoded_types, nested_key_waits, nested_types, types};
use crate::catalog::{Case, Entry, SliceCosts};
use crate::naive::rolling::{by_rows, groups, moved};
use gdf_test::builders::plain;
use gdf_test::compare::Equality;
use gdf_test::data::{BRACKETS, NullPattern, random_array};

pub(crate) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("rolling.rolling_window_with_defaults", Equality::Exact, fixed_cases).guessing(),
        Entry::new("rolling.grouped_rolling_window_with_defaults", Equality::Exact, grouped_cases).guessing(),
    ]
}

type Bounds = (WindowBound, WindowBound);

const ALL: Bounds = (WindowBound::Unbounded, WindowBound::Unbounded);

/// Calls the function for keys, values and defaults.
fn run(inputs: &[Column], bounds: Bounds, aggregation: Aggregation) -> Result<Vec<Column>> {
    let ([.., input, defaults], (preceding, following)) = (inputs, bounds) else {
        return Err(Error::column_count(2, inputs.len()));
    };
    let keys = &inputs[..inputs.len() - 2];
    let scalar;
    let defaults = if defaults.len() == 1 && input.len() != 1 {
        scalar = Scalar::from_column(defaults.clone())?;
        Operand::from(&scalar)
    } else {
        Operand::from(defaults)
    };
    let result = if keys.is_empty() {
        rolling_window_with_defaults(input, defaults, preceding, following, aggregation)?
    } else {
        grouped_rolling_window_with_defaults(&as_table(keys)?, input, defaults, preceding, following, aggregation)?
    };
    Ok(vec![result])
}

fn rows(bound: WindowBound) -> i64 {
    if let WindowBound::Rows(rows) = bound { rows } else { i64::MAX }
}

fn case(label: &str, inputs: Vec<ArrayRef>, bounds: Bounds, aggregation: Aggregation) -> Case {
    let input = &inputs[inputs.len() - 2];
    let label = format!("{aggregation:?}/{label}/{}/{}/{bounds:?}", input.data_type(), input.len());
    let distance = match aggregation {
        Aggregation::Lead(rows) => rows as i64,
        Aggregation::Lag(rows) => -(rows as i64),
        _ => 0,
    };
    let (waits, keys) = (8 + nested_key_waits(&inputs), inputs.len() - 2);
    let oracle = move |inputs: &[ArrayRef]| {
        let (keys, [input, defaults]) = inputs.split_at(keys) else {
            return Err("there must be an input and defaults".into());
        };
        let windows = by_rows(&groups(keys, input.len()), |_| Some((rows(bounds.0), rows(bounds.1))));
        moved(input, defaults, &windows, distance)
    };
    let run = move |inputs: &[Column]| run(inputs, bounds, aggregation);
    Case::new(label, inputs, run, oracle, waits).with_slice_costs(SliceCosts::Own)
}

fn fixed_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    // Views and dictionaries of the input and of the defaults have different values.
    for (data_type, seed) in [types(), nested_types(), encoded_types()].concat().iter().zip(1_u64..) {
        let input = random_array(data_type, 40, NullPattern::Some, seed);
        let defaults = random_array(data_type, 40, NullPattern::Every(3), seed + 100);
        let of = [Aggregation::Lead(3), Aggregation::Lag(2)];
        cases.push(case("columns", vec![input.clone(), defaults], ALL, of[seed as usize % 2]));
        let scalar = random_array(data_type, 1, NullPattern::None, seed + 100);
        cases.push(case("scalar", vec![input.clone(), scalar], ALL, of[(seed as usize + 1) % 2]));
        let null = random_array(data_type, 1, NullPattern::All, seed);
        cases.push(case("null", vec![input, null], ALL, of[seed as usize % 2]));
    }
    for (&rows, seed) in BRACKETS.iter().zip(1_u64..) {
        for (nulls, others) in [
            (NullPattern::None, NullPattern::None),
            (NullPattern::Some, NullPattern::Some),
            (NullPattern::None, NullPattern::Some),
        ] {
            let [input, defaults] = [(nulls, seed), (others, seed + 1)]
                .map(|(nulls, seed)| random_array(&DataType::Int32, rows, nulls, seed));
            for (of, bounds) in [
                (Aggregation::Lag(1), ALL),
                (Aggregation::Lead(usize::MAX >> 1), ALL),
                (Aggregation::Lag(2), (3.into(), 0.into())),
                (Aggregation::Lead(2), (1.into(), 1.into())),
                (Aggregation::Lag(0), ((-1).into(), 3.into())),
            ] {
                cases.push(case(&format!("{nulls:?}/{others:?}"), vec![input.clone(), defaults.clone()], bounds, of));
            }
        }
    }
    let numbers = plain::<Int32Type>([1, 2, 3]);
    let refused = |label: &str, defaults: ArrayRef, of: Aggregation, is_right: fn(&Error) -> bool| {
        let run = move |inputs: &[Column]| run(inputs, ALL, of);
        Case::refused(format!("refused/{label}"), vec![numbers.clone(), defaults], run, is_right)
    };
    let lag = Aggregation::Lag(1);
    cases.push(refused("sum", numbers.clone(), Aggregation::Sum, |error| {
        matches!(error, Error::InvalidArgument { .. })
    }));
    let floats = plain::<Float64Type>([1.0, 2.0, 3.0]);
    cases.push(refused("types", floats, lag, |error| matches!(error, Error::TypeMismatch { .. })));
    let short = plain::<Int32Type>([1, 2]);
    cases.push(refused("lengths", short, lag, |error| matches!(error, Error::LengthMismatch { .. })));
    let empty = move |inputs: &[Column]| self::run(inputs, (1.into(), (-1).into()), lag);
    let inputs = vec![plain::<Int32Type>([1, 2, 3]), plain::<Int32Type>([1, 2, 3])];
    cases.push(Case::refused("refused/bounds", inputs, empty, |error| matches!(error, Error::InvalidArgument { .. })));
    // The literal is converted to the type of the input.
    let literal =
        |inputs: &[Column]| Ok(vec![rolling_window_with_defaults(&inputs[0], 7, ALL.0, ALL.1, Aggregation::Lag(1))?]);
    let oracle = |inputs: &[ArrayRef]| {
        let sevens = plain::<Float64Type>(vec![7.0; inputs[0].len()]);
        moved(&inputs[0], &sevens, &by_rows(&groups(&[], inputs[0].len()), |_| Some((i64::MAX, i64::MAX))), -1)
    };
    cases.push(Case::new("literal", vec![plain::<Float64Type>([1.5, 2.5, 3.5])], literal, oracle, 8));
    cases
}

fn grouped_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (&rows, seed) in BRACKETS.iter().zip(1_u64..) {
        let keys = plain::<Int32Type>((0..rows as i32).map(|row| row * row / (9 * rows as i32)));
        let of = [DataType::Int64, DataType::Utf8][seed as usize % 2].clone();
        let [input, defaults] = [1, 2].map(|salt| random_array(&of, rows, NullPattern::Some, seed * 4 + salt));
        for (aggregation, bounds) in [(Aggregation::Lag(1), ALL), (Aggregation::Lead(2), (1.into(), 2.into()))] {
            cases.push(case("grouped", vec![keys.clone(), input.clone(), defaults.clone()], bounds, aggregation));
        }
    }
    let [key, value] = [plain::<Int32Type>([1, 2]), plain::<Int32Type>([1, 2, 3])];
    let run = |inputs: &[Column]| run(inputs, ALL, Aggregation::Lag(1));
    cases.push(Case::refused("refused/keys", vec![key, value.clone(), value], run, |error| {
        matches!(error, Error::LengthMismatch { .. })
    }));
    cases
}
