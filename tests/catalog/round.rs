//! The entry `round.round`.

use arrow_array::types::{Float32Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::round::{self, RoundingMethod};
use gdf_core::{Column, Error};

use super::shared::refusals;
use super::{Case, Entry};
use crate::naive;
use gdf_test::builders::plain;
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, random_array};

pub(super) fn entries() -> Vec<Entry> {
    vec![Entry::new("round.round", Equality::Exact, cases).sharing_inputs().exact_types()]
}

/// Returns the documented type of the result, or `None` if the operation refuses the type.
fn output_type(data_type: &DataType, places: i32) -> Option<DataType> {
    let Some((width, precision, scale)) = gdf_core::decimal_parts(data_type) else {
        return data::numeric().contains(data_type).then(|| data_type.clone());
    };
    let most = [(4, 9), (8, 18), (16, 38), (32, 76)].into_iter().find(|of| of.0 == width)?.1;
    let new = i8::try_from(places).ok().filter(|new| i32::from(*new) <= most)?;
    let gone = i32::from(scale) - places;
    let digits = i32::from(precision) - gone + i32::from(gone > 0);
    let digits = digits.min(most).max(places.max(1)) as u8;
    Some(match width {
        4 => DataType::Decimal32(digits, new),
        8 => DataType::Decimal64(digits, new),
        16 => DataType::Decimal128(digits, new),
        _ => DataType::Decimal256(digits, new),
    })
}

fn case(input: &ArrayRef, places: i32, method: RoundingMethod) -> Case {
    let data_type = input.data_type().clone();
    let nulls = if input.nulls().is_some() { "?" } else { "" };
    let label = format!("{method:?}/{data_type}{nulls}/{places}/{}", input.len());
    let run = move |inputs: &[Column]| Ok(vec![round::round(&inputs[0], places, method)?]);
    let Some(output) = output_type(&data_type, places) else {
        return Case::refused(format!("refused {label}"), vec![input.clone()], run, |error| {
            matches!(error, Error::Unsupported { .. } | Error::InvalidArgument { .. })
        });
    };
    let oracle = move |inputs: &[ArrayRef]| Ok(vec![naive::round::round(&inputs[0], places, method, &output)?]);
    Case::new(label, vec![input.clone()], run, oracle, 0)
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let methods = [RoundingMethod::HalfUp, RoundingMethod::HalfEven];
    // The numbers are ties between two results, the neighbors of such ties, and the ends of the ranges.
    let mut integers: Vec<i64> = (-1_000..1_000).step_by(5).flat_map(|at| [at - 1, at, at + 1]).collect();
    integers.extend([i64::MIN, i64::MAX, 5_000_000_000_000_000_000, -4_999_999_999_999_999_999]);
    let mut floats: Vec<f64> = integers.iter().map(|at| *at as f64 / 1_000.0).collect();
    floats.extend([f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 5e-324, -0.0, 0.015, 2.675, 1e15 + 0.5]);
    let singles = plain::<Float32Type>(floats.iter().map(|value| *value as f32));
    let mut ties = vec![plain::<Int64Type>(integers.clone()), plain::<Float64Type>(floats), singles];
    for data_type in data::decimal().into_iter().chain([DataType::Decimal256(76, 6), DataType::Decimal64(18, 3)]) {
        ties.push(decimals(&data_type, &integers));
    }
    for array in &ties {
        for method in methods {
            for places in [-400, -309, -39, -20, -19, -18, -3, -2, -1, 0, 1, 2, 3, 17, 40, 310] {
                cases.push(case(array, places, method));
            }
        }
    }
    for (seed, data_type) in (0..).zip(refusals::types()) {
        for (places, nulls) in [(-1, NullPattern::Some), (0, NullPattern::None), (1, NullPattern::Every(3))] {
            for method in methods {
                cases.push(case(&random_array(&data_type, 77, nulls, seed), places, method));
            }
        }
    }
    for (seed, &rows) in (0..).zip(BRACKETS) {
        for data_type in [DataType::Int32, DataType::Float64, DataType::Decimal128(38, 10), DataType::Decimal256(76, 6)]
        {
            for &nulls in NullPattern::ALL {
                cases.push(case(&random_array(&data_type, rows, nulls, seed), -1, RoundingMethod::HalfEven));
            }
        }
    }
    for (seed, rows) in (0..).zip(data::limit_brackets()) {
        cases.push(case(
            &random_array(&DataType::Float64, rows, NullPattern::Every(7), seed),
            1,
            RoundingMethod::HalfUp,
        ));
    }
    cases
}

/// Returns decimals.
fn decimals(data_type: &DataType, units: &[i64]) -> ArrayRef {
    let bits = gdf_core::width(data_type).map_or(0, |bytes| 8 * bytes).min(64);
    let rows: Vec<_> = units
        .iter()
        .map(|&unit| {
            gdf_test::value::Value::Decimal(arrow_buffer::i256::from_i128(i128::from(
                unit << (64 - bits) >> (64 - bits),
            )))
        })
        .map(Some)
        .collect();
    gdf_test::value::from_values(data_type, &rows)
}
