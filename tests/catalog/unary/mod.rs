//! Entries of `unary::unary_operation`. Some operators are exact, and are compared exactly.

pub(super) mod cast;
pub(super) mod is_null;

use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};
use gdf_api::unary::{self, UnaryOperator};
use gdf_core::{Column, Result};

use super::shared::refusals::public_refusals;
use super::{Case, Entry};
use crate::documented_types::unary_type;
use crate::naive;
use gdf_test::builders::plain;
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, random_array};

/// The largest accepted difference from the expected value, in units in the last place.
const ULP: u32 = 4;

pub(super) fn entries() -> Vec<Entry> {
    let name = "unary.unary_operation";
    vec![Entry::new(name, Equality::Exact, exact), Entry::new(name, Equality::Ulp(ULP), transcendental)]
}

fn case(op: UnaryOperator, input: &ArrayRef) -> Case {
    let nulls = if input.nulls().is_some() { "?" } else { "" };
    let label = format!("{op:?}/{}{nulls}/{}", input.data_type(), input.len());
    Case::new(
        label,
        vec![input.clone()],
        move |inputs| Ok(vec![run(&inputs[0], op)?]),
        move |inputs| Ok(vec![naive::unary::unary_operation(inputs[0].as_ref(), op)?]),
        0,
    )
}

/// Calls the short form if the operator has a short form, and if the column has an even length or a validity mask.
fn run(column: &Column, op: UnaryOperator) -> Result<Column> {
    match unary::SHORT_FORMS.iter().find(|(short, _)| *short == op) {
        Some((_, short)) if column.len().is_multiple_of(2) || column.has_validity() => short(column.view()),
        _ => unary::unary_operation(column, op),
    }
}

/// The number of rows of the cases about types: several mask words, the last of which is incomplete.
const ROWS: usize = 147;

fn both_nulls(cases: &mut Vec<Case>, op: UnaryOperator, data_type: &DataType, seed: u64) {
    for nulls in [NullPattern::None, NullPattern::Some] {
        cases.push(case(op, &random_array(data_type, ROWS, nulls, seed)));
    }
}

fn exact() -> Vec<Case> {
    use UnaryOperator::*;
    let mut cases = Vec::new();
    let durations = [DataType::Duration(TimeUnit::Second), DataType::Duration(TimeUnit::Nanosecond)];
    let types = [data::numeric(), data::decimal(), vec![DataType::Boolean], durations.to_vec()].concat();
    for (seed, data_type) in types.iter().enumerate() {
        for &op in UnaryOperator::ALL.iter().filter(|op| op.is_exact()) {
            if unary_type(op, data_type).is_some() {
                both_nulls(&mut cases, op, data_type, seed as u64);
            }
        }
    }
    for rows in data::limit_brackets() {
        cases.push(case(Floor, &random_array(&DataType::Float32, rows, NullPattern::Every(7), 3)));
    }
    for &rows in BRACKETS {
        for &nulls in NullPattern::ALL {
            for (op, data_type) in [
                (Negate, DataType::Int64),
                (BitInvert, DataType::UInt8),
                (Floor, DataType::Float32),
                (Ceil, DataType::Decimal128(12, 2)),
                (Floor, DataType::Decimal256(76, 40)),
                (Ceil, DataType::Decimal256(60, 3)),
                (Not, DataType::Boolean),
                (Not, DataType::Float64),
                (BitCount, DataType::Int16),
                (Abs, DataType::Decimal256(76, 0)),
                (Rint, DataType::Float16),
            ] {
                cases.push(case(op, &random_array(&data_type, rows, nulls, rows as u64)));
            }
        }
    }
    let documented = |op, data_type: &DataType| unary_type(op, data_type).is_some();
    cases.extend(public_refusals(UnaryOperator::ALL, documented, |op, inputs| {
        Ok(vec![unary::unary_operation(&inputs[0], op)?])
    }));
    cases
}

fn transcendental() -> Vec<Case> {
    use UnaryOperator::{Cbrt, Exp2, Log2, Log10};
    let mut cases = Vec::new();
    // At these values, the functions are steep or flat, or an implementation changes its algorithm.
    let near = [
        0.0,
        1e-300,
        1e-20,
        1e-8,
        1e-3,
        0.25,
        0.499,
        0.5,
        0.75,
        0.999_999,
        1.0,
        1.000_000_1,
        1.5,
        2.0,
        2.5,
        3.0,
        10.0,
        20.5,
        88.0,
        700.0,
        1e5,
        1e9,
        1e18,
        1e200,
        f64::INFINITY,
        f64::NAN,
    ];
    let both: Vec<f64> = near.into_iter().flat_map(|x| [x, -x]).collect();
    let single: Vec<f32> = both.iter().map(|x| *x as f32).collect();
    for &op in UnaryOperator::ALL.iter().filter(|op| !op.is_exact()) {
        cases.push(case(op, &plain::<Float64Type>(both.clone())));
        cases.push(case(op, &plain::<Float32Type>(single.clone())));
        for data_type in data::floating() {
            both_nulls(&mut cases, op, &data_type, 1);
        }
        // Integer results are truncated, so a difference in the last place may change the result by 1. Integers are
        // therefore not tested with these operators.
        if !matches!(op, Cbrt | Log2 | Log10 | Exp2) {
            both_nulls(&mut cases, op, &DataType::Int16, 2);
            both_nulls(&mut cases, op, &DataType::UInt64, 3);
        }
        for &rows in BRACKETS {
            cases.push(case(op, &random_array(&DataType::Float64, rows, NullPattern::Every(3), rows as u64)));
        }
    }
    cases
}
