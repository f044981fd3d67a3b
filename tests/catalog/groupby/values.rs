//! Values for `groupby`. The module has small values and special values.

use arrow_array::ArrayRef;
use arrow_buffer::i256;
use arrow_schema::DataType;
use gdf_api::groupby::{GroupByAggregation as A, NullPolicy};
use half::f16;

use super::{case, few, key_types};
use crate::catalog::Case;
use crate::documented_types::group_type;
use gdf_test::data::{NullPattern, limit_brackets, long_texts, random_array, with_validity};
use gdf_test::value::{Value, from_values, to_values};

/// Returns values of the type.
pub(crate) fn small(data_type: &DataType, len: usize, nulls: NullPattern, seed: u64) -> ArrayRef {
    let validity = nulls.validity(len, seed);
    let small = |row: usize| ((row as u64 + seed).wrapping_mul(0x9e37_79b9) >> 7) % 7;
    let number: fn(u64) -> Value = match data_type {
        DataType::Float16 => |n| Value::F16(f16::from_f64(n as f64 - 2.0)),
        DataType::Float32 => |n| Value::F32(n as f32 - 2.0),
        DataType::Float64 => |n| Value::F64(n as f64 - 2.0),
        DataType::Boolean => return random_array(data_type, len, nulls, seed),
        DataType::Duration(_) => return small_units(data_type, len, nulls, seed),
        other if gdf_core::is_decimal(other) => return small_units(data_type, len, nulls, seed),
        other if gdf_core::is_signed_integral(other) => |n| Value::Int(i128::from(n) - 3),
        other if gdf_core::is_integral(other) => |n| Value::Int(i128::from(n)),
        _ => return random_array(data_type, len, nulls, seed),
    };
    let values: Vec<_> = (0..len).map(|row| Some(number(small(row)))).collect();
    with_validity(&from_values(data_type, &values), validity)
}

fn small_units(data_type: &DataType, len: usize, nulls: NullPattern, seed: u64) -> ArrayRef {
    let decimal = gdf_core::is_decimal(data_type);
    let unit = |row: usize| (row as i128 * 7919 + i128::from(seed)) % 2003 - 1000;
    let value = |row| if decimal { Value::Decimal(i256::from_i128(unit(row))) } else { Value::Int(unit(row)) };
    let values: Vec<_> = (0..len).map(|row| Some(value(row))).collect();
    with_validity(&from_values(data_type, &values), nulls.validity(len, seed))
}

/// Returns decimals whose sums carry from the lower half of the 128 bits to the upper half.
pub(crate) fn decimals(len: usize) -> ArrayRef {
    let value = |row: usize| (row as i128 - 7000) * 0x7fff_ffff_ffff_ff01;
    let values: Vec<_> = (0..len).map(|row| Some(Value::Decimal(i256::from_i128(value(row))))).collect();
    from_values(&DataType::Decimal128(38, 2), &values)
}

pub(crate) const ALL: [A; 15] = [
    A::CountValid,
    A::CountAll,
    A::Sum,
    A::Min,
    A::Max,
    A::Mean,
    A::Variance { ddof: 1 },
    A::Std { ddof: 0 },
    A::M2,
    A::SumOfSquares,
    A::ArgMin,
    A::ArgMax,
    A::Product,
    A::Nunique(NullPolicy::Exclude),
    A::Nunique(NullPolicy::Include),
];

pub(crate) fn all_of(data_type: &DataType) -> Vec<A> {
    ALL.into_iter().filter(|aggregation| group_type(*aggregation, data_type).is_some()).collect()
}

/// Returns the aggregations whose results never depend on the order of rows: extremes, counts, and
/// arithmetic of integers that wraps.
pub(crate) fn exact_of(data_type: &DataType) -> Vec<A> {
    let float = gdf_core::is_floating(data_type);
    let decimal = gdf_core::is_decimal(data_type);
    let exact = |aggregation: &A| match aggregation {
        A::Variance { .. } | A::Std { .. } | A::M2 => false,
        A::Sum | A::SumOfSquares | A::Product => !float,
        A::Mean => !float && !decimal,
        _ => true,
    };
    all_of(data_type).into_iter().filter(exact).collect()
}

/// Returns special values.
fn special(data_type: &DataType) -> Vec<Value> {
    let integers = |values: &[i128]| values.iter().map(|value| Value::Int(*value)).collect();
    let width = || gdf_core::width(data_type).unwrap_or(8) as u32 * 8;
    match data_type {
        DataType::Float64 => {
            let negative_nan = f64::from_bits(0xfff8_0000_0000_0001);
            let some = [f64::NAN, negative_nan, -0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY];
            let more = [f64::MAX, f64::MIN, f64::MIN_POSITIVE, -5e-324, 1.0, -1.0];
            [some, more].concat().into_iter().map(Value::F64).collect()
        }
        DataType::Float32 => {
            let negative_nan = f32::from_bits(0xffc0_0001);
            let some = [f32::NAN, negative_nan, -0.0, 0.0, f32::INFINITY, f32::NEG_INFINITY];
            let more = [f32::MAX, f32::MIN, f32::MIN_POSITIVE, f32::from_bits(1), 1.0, -1.0];
            [some, more].concat().into_iter().map(Value::F32).collect()
        }
        DataType::Float16 => {
            let bits = [0x7e00, 0xfe01, 0x8000, 0, 0x7c00, 0xfc00, 0x7bff, 0xfbff, 0x0400, 0x8001, 0x3c00, 0xbc00];
            bits.into_iter().map(|bits| Value::F16(f16::from_bits(bits))).collect()
        }
        of if gdf_core::is_signed_integral(of) => {
            let most = (1_i128 << (width() - 1)) - 1;
            integers(&[most, -most - 1, -most, -1, 0, 1, 7])
        }
        of if gdf_core::is_integral(of) => {
            let most = (1_i128 << width()) - 1;
            integers(&[most, most - 1, most / 2, most / 2 + 1, 0, 1, 7])
        }
        _ => {
            let mut values: Vec<_> =
                to_values(&random_array(data_type, 60, NullPattern::None, 7)).into_iter().flatten().collect();
            values.sort();
            values.dedup();
            values.truncate(9);
            values
        }
    }
}

/// Builds a case with groups of two values.
fn pairs(data_type: &DataType, nulls: bool) -> Case {
    let special = special(data_type);
    let pairs: Vec<_> = special.iter().flat_map(|a| special.iter().map(move |b| (a, b))).collect();
    let groups = (0..pairs.len() as i128).map(|group| Some(Value::Int(group - 5)));
    let groups: Vec<_> = groups.clone().chain(groups).collect();
    let first = pairs.iter().map(|(a, _)| Some((*a).clone()));
    let second = pairs.iter().enumerate();
    let second = second.map(|(at, (_, b))| (!nulls || at % 5 != 0).then(|| (*b).clone()));
    let values: Vec<_> = first.chain(second).collect();
    let mut requests = exact_of(data_type);
    if gdf_core::is_floating(data_type) {
        // The sum and the product of two floats do not depend on the order of the two floats.
        requests.extend([A::Sum, A::Product, A::Mean]);
    }
    case(
        format!("pairs of {data_type}, nulls {nulls}"),
        vec![from_values(&DataType::Int32, &groups)],
        vec![from_values(data_type, &values)],
        NullPolicy::Exclude,
        requests.into_iter().map(|aggregation| (0, aggregation)).collect(),
    )
}

/// Returns cases with arbitrary values of every type.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (seed, data_type) in (0..).zip(key_types()) {
        let requests: Vec<_> = exact_of(&data_type).into_iter().map(|aggregation| (0, aggregation)).collect();
        for (rows, groups, nulls) in [(300, 9, NullPattern::Some), (2500, 700, NullPattern::None)] {
            let key = few(groups, rows, NullPattern::None, seed);
            let values = random_array(&data_type, rows, nulls, seed);
            let label = format!("any values {data_type}/{rows}/{nulls:?}");
            cases.push(case(label, vec![key], vec![values], NullPolicy::Exclude, requests.clone()));
        }
        cases.extend([false, true].map(|nulls| pairs(&data_type, nulls)));
    }
    for (rows, seed) in limit_brackets().into_iter().zip(1..) {
        let (key, values) =
            (few(400, rows, NullPattern::None, seed), random_array(&DataType::Int32, rows, NullPattern::None, seed));
        let requests = [A::Sum, A::Min, A::ArgMax, A::Nunique(NullPolicy::Exclude)];
        let requests = requests.into_iter().map(|aggregation| (0, aggregation)).collect();
        cases.push(case(format!("limits/{rows}"), vec![key], vec![values], NullPolicy::Exclude, requests));
    }
    let long = |seed| long_texts(2500, NullPattern::Some, seed);
    let requests = exact_of(&DataType::Utf8).into_iter().map(|aggregation| (0, aggregation)).collect();
    cases.push(case("long text".into(), vec![long(1)], vec![long(2)], NullPolicy::Include, requests));
    cases
}
