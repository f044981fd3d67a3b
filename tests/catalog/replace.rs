//! Entries of `replace`. `replace_nulls` with a value is tested with `copy_if_else`.

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use gdf_api::replace::{self as api, ReplacePolicy};
use gdf_core::{Column, Error, Operand, Result, Scalar};
use half::f16;

use super::shared::tables::{encoded_types, few_nested, is_concatenated, nested_types};
use super::{Case, Entry, SliceCosts};
use crate::documented_types::decoded;
use crate::naive::replace as naive;
use gdf_test::compare::Equality;
use gdf_test::data::{self, BRACKETS, NullPattern, SMALL_BRACKETS, random_array};
use gdf_test::value::{Value, from_values, to_values};

pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new("replace.replace_nulls_by_policy", Equality::Exact, policies).guessing(),
        Entry::new("replace.replace_nans", Equality::Exact, nans),
        Entry::new("replace.normalize_nans_and_zeros", Equality::Exact, normalized),
        Entry::new("replace.clamp", Equality::Exact, clamped),
        Entry::new("replace.clamp_with_replacements", Equality::Exact, clamped_otherwise),
        Entry::new("replace.find_and_replace_all", Equality::Exact, found).guessing(),
    ]
}

fn is_text(data_type: &DataType) -> bool {
    data::strings().contains(data_type)
}

fn refused(label: &str, data_type: &DataType, run: impl Fn(&Column) -> Result<Column> + Send + Sync + 'static) -> Case {
    let input = random_array(data_type, 3, NullPattern::Every(2), 1);
    let is_right = |error: &Error| matches!(error, Error::Unsupported { .. });
    let run = move |inputs: &[Column]| Ok(vec![run(&inputs[0])?]);
    Case::refused(format!("refused {label}/{data_type}"), vec![input], run, is_right)
}

/// Builds a case that requires an error for these inputs.
fn refused_inputs(
    label: &str,
    inputs: Vec<ArrayRef>,
    run: impl Fn(&[Column]) -> Result<Column> + Send + Sync + 'static,
    is_right: fn(&Error) -> bool,
) -> Case {
    Case::refused(format!("refused {label}"), inputs, move |inputs| Ok(vec![run(inputs)?]), is_right)
}

/// Returns whether the error names two types.
fn is_of_types(error: &Error) -> bool {
    matches!(error, Error::TypeMismatch { .. })
}

/// Returns whether the error names two lengths.
fn is_of_lengths(error: &Error) -> bool {
    matches!(error, Error::LengthMismatch { .. })
}

fn policy(label: &str, input: ArrayRef, policy: ReplacePolicy) -> Case {
    let waits = 2 * u64::from(is_text(input.data_type()));
    Case::new(
        format!("{label}/{policy:?}/{}/{}", input.data_type(), input.len()),
        vec![input],
        move |inputs| Ok(vec![api::replace_nulls_by_policy(&inputs[0], policy)?]),
        move |inputs| Ok(vec![naive::replace_nulls_by_policy(&inputs[0], policy == ReplacePolicy::Following)?]),
        waits,
    )
}

/// Builds cases in which all columns have a mask, because the operation shares columns without a mask.
fn policies() -> Vec<Case> {
    use NullPattern::{All, Every, Some as Nulls};
    let mut cases = Vec::new();
    for following in [ReplacePolicy::Preceding, ReplacePolicy::Following] {
        for (&rows, seed) in BRACKETS.iter().zip(1_u64..).filter(|(rows, _)| **rows > 0) {
            for nulls in [Nulls, All, Every(3)] {
                cases.push(policy(&format!("{nulls:?}"), random_array(&DataType::Int32, rows, nulls, seed), following));
            }
            // Most rows are far from every valid row.
            let lonely: Vec<_> = (0..rows).map(|row| (row % 5000 == 37).then_some(Value::Int(row as i128))).collect();
            cases.push(policy("lonely", from_values(&DataType::Int64, &lonely), following));
        }
        for rows in data::limit_brackets() {
            cases.push(policy("limits", random_array(&DataType::Int16, rows, Every(2), 1), following));
        }
        for (data_type, seed) in [data::fixed_width(), data::strings()].concat().iter().zip(500_u64..) {
            cases.push(policy("types", random_array(data_type, 147, Nulls, seed), following));
        }
        // The column has many tiles.
        let sparse: Vec<_> = (0..300_000).map(|row| (row % 90_001 == 70_000).then_some(Value::Int(row))).collect();
        cases.push(policy("sparse", from_values(&DataType::Int32, &sparse), following));
    }
    cases.retain(|case| case.inputs[0].null_count() > 0);
    cases
}

fn with_operand<R>(column: &Column, scalar: bool, work: impl FnOnce(Operand<'_>) -> Result<R>) -> Result<R> {
    if scalar { work((&Scalar::from_column(column.clone())?).into()) } else { work(column.into()) }
}

fn nans() -> Vec<Case> {
    use NullPattern::{All, None as Plain, Some as Nulls};
    let case = |input: ArrayRef, by: ArrayRef, scalar: bool| {
        Case::new(
            format!("{}/{}/scalar {scalar}/{}", input.data_type(), input.len(), by.null_count() > 0),
            vec![input, by],
            move |inputs| with_operand(&inputs[1], scalar, |by| Ok(vec![api::replace_nans(&inputs[0], by)?])),
            |inputs| Ok(vec![naive::replace_nans(&inputs[0], &inputs[1])?]),
            0,
        )
    };
    let mut cases = Vec::new();
    for (data_type, seed) in data::floating().iter().zip(1_u64..) {
        for &rows in BRACKETS {
            let array = |rows, nulls, salt| random_array(data_type, rows, nulls, seed * 8 + salt);
            cases.push(case(array(rows, Nulls, 1), array(rows, Nulls, 2), false));
            cases.push(case(array(rows, Plain, 3), array(1, Plain, 4), true));
            cases.push(case(array(rows, Plain, 5), array(1, All, 6), true));
        }
    }
    cases.push(refused("integers", &DataType::Int32, |column| api::replace_nans(column, 0)));
    let array = |data_type: DataType, rows| random_array(&data_type, rows, Plain, 7);
    let run = |inputs: &[Column]| api::replace_nans(&inputs[0], &inputs[1]);
    let types = vec![array(DataType::Float32, 3), array(DataType::Float64, 3)];
    cases.push(refused_inputs("types", types, run, is_of_types));
    let lengths = vec![array(DataType::Float32, 3), array(DataType::Float32, 4)];
    cases.push(refused_inputs("lengths", lengths, run, is_of_lengths));
    cases
}

/// Builds cases that compare the bits of the results, because floats compare as equal if both are NaN.
fn normalized() -> Vec<Case> {
    let case = |(label, input)| {
        Case::new(
            label,
            vec![input],
            |inputs| {
                let normal = api::normalize_nans_and_zeros(&inputs[0])?;
                Ok(vec![normal.bit_cast(naive::type_of_bits(normal.data_type()))?])
            },
            |inputs| Ok(vec![naive::normalized_bits(&inputs[0])?]),
            0,
        )
    };
    let mut cases: Vec<_> = data::grid(&data::floating(), BRACKETS).into_iter().map(case).collect();
    cases.push(refused("integers", &DataType::Int64, |column| api::normalize_nans_and_zeros(column)));
    cases
}

/// Returns the number of waits. Views and dictionaries are decoded first, in the column and in both bounds.
fn clamp_waits(input: &ArrayRef) -> u64 {
    if is_encoded(input) { 12 } else { 2 * u64::from(is_text(input.data_type())) }
}

fn is_encoded(input: &ArrayRef) -> bool {
    encoded_types().contains(input.data_type())
}

fn clamp(label: &str, inputs: Vec<ArrayRef>, scalars: bool) -> Case {
    let (label, waits) = (format!("{label}/{}/{}", inputs[0].data_type(), inputs[0].len()), clamp_waits(&inputs[0]));
    let slice_costs = if is_encoded(&inputs[0]) { SliceCosts::Own } else { SliceCosts::Same };
    Case::new(
        label,
        inputs,
        move |inputs| {
            with_operand(&inputs[1], scalars, |low| {
                with_operand(&inputs[2], scalars, |high| Ok(vec![api::clamp(&inputs[0], low, high)?]))
            })
        },
        |inputs| {
            let plain = from_values(decoded(inputs[0].data_type()), &to_values(&inputs[0]));
            Ok(vec![naive::clamp(&plain, [&inputs[1]; 2], [&inputs[2]; 2])?])
        },
        waits,
    )
    .with_slice_costs(slice_costs)
}

/// Returns two columns of one row each: the smaller value and the larger value of two values.
fn bounds(data_type: &DataType, seed: u64) -> [ArrayRef; 2] {
    let mut values: Vec<Value> =
        to_values(&random_array(data_type, 40, NullPattern::None, seed)).into_iter().flatten().collect();
    values.retain(|value| !naive::is_nan(value));
    values.sort();
    [10, values.len() - 10].map(|at| from_values(data_type, &[Some(values[at].clone())]))
}

fn clamped() -> Vec<Case> {
    use NullPattern::{All, None as Plain, Some as Nulls};
    let mut cases = Vec::new();
    for (data_type, seed) in data::ordered().iter().zip(1_u64..) {
        let array = |rows, nulls, salt| random_array(data_type, rows, nulls, seed * 8 + salt);
        let [low, high] = bounds(data_type, seed);
        cases.push(clamp("plain", vec![array(147, Plain, 1), low.clone(), high.clone()], true));
        cases.push(clamp("nulls", vec![array(147, Nulls, 2), low.clone(), high.clone()], true));
        cases.push(clamp("low only", vec![array(147, Nulls, 3), low.clone(), array(1, All, 4)], true));
        cases.push(clamp("reversed", vec![array(147, Plain, 5), high, low], true));
    }
    for &rows in BRACKETS {
        let [low, high] = bounds(&DataType::Int32, 5);
        cases.push(clamp("rows", vec![random_array(&DataType::Int32, rows, Nulls, 6), low, high], true));
    }
    // A NaN is no limit.
    for (data_type, seed) in data::floating().iter().zip(1_u64..) {
        let nan = match data_type {
            DataType::Float16 => Value::F16(f16::NAN),
            DataType::Float32 => Value::F32(f32::NAN),
            _ => Value::F64(f64::NAN),
        };
        let (nan, [low, high]) = (from_values(data_type, &[Some(nan)]), bounds(data_type, seed));
        let input = random_array(data_type, 147, Nulls, seed);
        cases.push(clamp("low is NaN", vec![input.clone(), nan.clone(), high], true));
        cases.push(clamp("high is NaN", vec![input, low, nan], true));
    }
    for data_type in [DataType::Int64, DataType::Utf8, DataType::Float64, DataType::Float32] {
        let array = |nulls, salt| random_array(&data_type, 147, nulls, salt);
        cases.push(clamp("bounds by row", vec![array(Nulls, 1), array(Nulls, 2), array(Plain, 3)], false));
    }
    for (of, seed) in encoded_types().iter().zip(1_u64..) {
        let array = |nulls, salt| random_array(of, 147, nulls, seed * 8 + salt);
        let [low, high] = bounds(decoded(of), seed);
        cases.push(clamp("encoded", vec![array(Nulls, 1), low, high], true));
        cases.push(clamp("encoded bounds by row", vec![array(Nulls, 2), array(Nulls, 3), array(Plain, 4)], false));
    }
    for data_type in [DataType::FixedSizeBinary(5), data::nested()[0].clone()] {
        cases.push(refused("no order", &data_type, |column| {
            let bound = Scalar::from_column(column.slice(0, 1)?)?;
            api::clamp(column, &bound, &bound)
        }));
    }
    let array = |data_type: DataType, rows| random_array(&data_type, rows, Plain, 7);
    let run = |inputs: &[Column]| api::clamp(&inputs[0], &inputs[1], &inputs[2]);
    let types = vec![array(DataType::Int32, 3), array(DataType::Int64, 3), array(DataType::Int32, 3)];
    cases.push(refused_inputs("types", types, run, is_of_types));
    let lengths = vec![array(DataType::Int32, 3), array(DataType::Int32, 4), array(DataType::Int32, 3)];
    cases.push(refused_inputs("lengths", lengths, run, is_of_lengths));
    cases
}

fn clamped_otherwise() -> Vec<Case> {
    use NullPattern::{All, None as Plain, Some as Nulls};
    let case = |label: &str, inputs: Vec<ArrayRef>| {
        let label = format!("{label}/{}/{}", inputs[0].data_type(), inputs[0].len());
        let waits = clamp_waits(&inputs[0]);
        Case::new(
            label,
            inputs,
            |inputs| {
                let scalars = inputs.iter().skip(1).cloned().map(Scalar::from_column).collect::<Result<Vec<_>>>()?;
                let [low, to_low, high, to_high] = [0, 1, 2, 3].map(|at: usize| (&scalars[at]).into());
                Ok(vec![api::clamp_with_replacements(&inputs[0], [low, to_low], [high, to_high])?])
            },
            |inputs| Ok(vec![naive::clamp(&inputs[0], [&inputs[1], &inputs[2]], [&inputs[3], &inputs[4]])?]),
            waits,
        )
    };
    let mut cases = Vec::new();
    for (data_type, seed) in data::ordered().iter().zip(1_u64..) {
        let array = |rows, nulls, salt| random_array(data_type, rows, nulls, seed * 8 + salt);
        let [low, high] = bounds(data_type, seed);
        let of = |input, to_low, to_high| vec![input, low.clone(), to_low, high.clone(), to_high];
        cases.push(case("values", of(array(147, Nulls, 1), array(1, Plain, 2), array(1, Plain, 3))));
        cases.push(case("null below", of(array(147, Plain, 4), array(1, All, 5), array(1, Plain, 6))));
        cases.push(case("null above", of(array(65, Nulls, 7), array(1, Plain, 8), array(1, All, 9))));
    }
    cases
}

fn replace_all(label: &str, input: ArrayRef, from: ArrayRef, to: ArrayRef) -> Case {
    let nested = is_concatenated(&input) || input.data_type().is_nested();
    let waits = if nested {
        80
    } else if is_text(input.data_type()) {
        6
    } else {
        3
    };
    let slice_costs = if nested { SliceCosts::Own } else { SliceCosts::Same };
    Case::new(
        format!("{label}/{}/{}/{}", input.data_type(), input.len(), from.len()),
        vec![input, from, to],
        |inputs| Ok(vec![api::find_and_replace_all(&inputs[0], &inputs[1], &inputs[2])?]),
        |inputs| Ok(vec![naive::find_and_replace_all(&inputs[0], &inputs[1], &inputs[2])?]),
        waits,
    )
    .with_slice_costs(slice_costs)
}

/// Builds cases of columns in which some values are replaced.
fn found() -> Vec<Case> {
    use NullPattern::{Every, None as Plain, Some as Nulls};
    let mut cases = Vec::new();
    for (data_type, seed) in data::ordered().iter().zip(1_u64..) {
        let array = |rows, nulls, salt| random_array(data_type, rows, nulls, seed * 8 + salt);
        // If few values are to be replaced, the operation compares each row with each of these values.
        for (label, nulls, to, count) in [
            ("plain", Plain, Plain, 16),
            ("nulls", Nulls, Every(3), 16),
            ("plain", Plain, Plain, 17),
            ("nulls", Nulls, Every(3), 128),
            ("plain", Plain, Plain, 128),
            ("nulls", Nulls, Every(3), 129),
        ] {
            let input = array(257, nulls, 1);
            let some: Vec<_> = to_values(&input).into_iter().flatten().take(count).map(Some).collect();
            let from = from_values(data_type, &some);
            cases.push(replace_all(label, input, from, array(some.len(), to, 2)));
        }
    }
    let keyed = |of: &DataType| gdf_core::Abilities::of(of).is_key();
    let nested = [nested_types(), encoded_types(), data::nested_keys()].concat();
    for (data_type, seed) in nested.iter().filter(|of| keyed(of)).zip(1_u64..) {
        let input = few_nested(data_type, 65, 12, Nulls, seed);
        let some: Vec<_> = to_values(&input).into_iter().flatten().take(9).map(Some).collect();
        let from = from_values(data_type, &some);
        cases.push(replace_all("nested", input, from, random_array(data_type, some.len(), Every(3), seed)));
    }
    let union = random_array(&data::unions()[0], 3, Plain, 1);
    let run = |inputs: &[Column]| Ok(vec![api::find_and_replace_all(&inputs[0], &inputs[0], &inputs[0])?]);
    cases.push(Case::refused("refused/union", vec![union], run, |error| matches!(error, Error::Unsupported { .. })));
    let array = |data_type: DataType, rows, nulls| random_array(&data_type, rows, nulls, 7);
    let run = |inputs: &[Column]| api::find_and_replace_all(&inputs[0], &inputs[1], &inputs[2]);
    let ints = |rows, nulls| array(DataType::Int32, rows, nulls);
    let types = vec![ints(3, Plain), ints(2, Plain), array(DataType::Int64, 2, Plain)];
    cases.push(refused_inputs("types", types, run, is_of_types));
    cases.push(refused_inputs("lengths", vec![ints(3, Plain), ints(2, Plain), ints(4, Plain)], run, is_of_lengths));
    cases.push(refused_inputs("null", vec![ints(3, Plain), ints(4, Every(2)), ints(4, Plain)], run, |error| {
        matches!(error, Error::InvalidArgument { .. })
    }));
    for &rows in SMALL_BRACKETS.iter().chain(&[2049]).filter(|&&rows| rows > 0) {
        let array = |rows, nulls, salt| random_array(&DataType::Int32, rows, nulls, salt);
        cases.push(replace_all("rows", array(rows, Nulls, 1), array(9, Plain, 2), array(9, Nulls, 3)));
        cases.push(replace_all("values", array(65, Nulls, 1), array(rows, Plain, 4), array(rows, Nulls, 5)));
    }
    cases
}

#[cfg(test)]
mod tests {
    use gdf_test::runner::{RunnerOptions, run_entry};

    #[test]
    fn passes_on_the_cpu() {
        for entry in super::entries() {
            run_entry(&entry, gdf_driver::Device::Cpu, &RunnerOptions::default()).assert_passed();
        }
    }
}
