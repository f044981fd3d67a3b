//! Compares operations on decimals of all widths, precisions and scales with integers of arbitrary size.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float32Array, Float64Array};
use arrow_schema::DataType;
use gdf_api::binaryop::{
    ArithmeticPolicy, BinaryOperator as Op, OverflowPolicy, ZeroDivisionPolicy, binary_operation,
    binary_operation_checked, default_output_type,
};
use gdf_api::round::{RoundingMethod, round, round_output_type};
use gdf_api::unary::cast_checked;
use gdf_core::decimal_parts;
use gdf_test::data::{NullPattern, random_array};
use gdf_test::value::{Value, to_values};
use num_bigint::{BigInt, Sign};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::{Bench, check, offsets, one_of};

const OPERATORS: &[Op] = &[Op::Add, Op::Sub, Op::Mul, Op::Div, Op::FloorDiv, Op::Mod, Op::PMod, Op::PyMod];

/// Generates decimal types of any width and precision.
fn types() -> impl Strategy<Value = DataType> {
    (0..4_usize, any::<proptest::sample::Index>(), any::<proptest::sample::Index>()).prop_map(
        |(width, precision, scale)| {
            let precision = 1 + precision.index([9, 18, 38, 76][width]) as u8;
            let scale = scale.index(usize::from(precision) + 5) as i8 - 4;
            match width {
                0 => DataType::Decimal32(precision, scale),
                1 => DataType::Decimal64(precision, scale),
                2 => DataType::Decimal128(precision, scale),
                _ => DataType::Decimal256(precision, scale),
            }
        },
    )
}

/// Two columns with the same number of rows.
#[derive(Clone, Debug)]
struct Pair {
    types: [DataType; 2],
    rows: usize,
    seed: u64,
    offset: usize,
}

fn pairs() -> impl Strategy<Value = Pair> {
    ([types(), types()], 0..200_usize, any::<u64>(), offsets()).prop_map(|(types, rows, seed, offset)| Pair {
        types,
        rows,
        seed,
        offset,
    })
}

impl Pair {
    fn arrays(&self) -> [ArrayRef; 2] {
        [(0, NullPattern::Some), (1, NullPattern::None)]
            .map(|(at, nulls)| random_array(&self.types[at], self.rows, nulls, self.seed.wrapping_add(at as u64)))
    }
}

fn big(value: &Value) -> BigInt {
    let wide = value.as_i256().expect("the value is a whole number");
    BigInt::from_signed_bytes_le(&wide.to_le_bytes())
}

fn bigs(array: &ArrayRef) -> Vec<Option<BigInt>> {
    to_values(array).iter().map(|value| value.as_ref().map(big)).collect()
}

fn scale(of: &DataType) -> i32 {
    decimal_parts(of).map_or(0, |(_, _, scale)| scale.into())
}

fn ten(digits: i32) -> BigInt {
    BigInt::from(10).pow(digits.unsigned_abs())
}

/// Returns `value` times ten to the power `digits`, truncated towards zero.
fn shift(value: &BigInt, digits: i32) -> BigInt {
    if digits < 0 { value / ten(digits) } else { value * ten(digits) }
}

fn is_negative(value: &BigInt) -> bool {
    value.sign() == Sign::Minus
}

/// Returns `a op b` with `to` digits after the decimal point.
fn exactly(op: Op, (a, s1): (&BigInt, i32), (b, s2): (&BigInt, i32), to: i32) -> (Option<BigInt>, u64) {
    let common = s1.max(s2);
    let (x, y) = (shift(a, common - s1), shift(b, common - s2));
    let zero = BigInt::ZERO;
    if y == zero && !matches!(op, Op::Add | Op::Sub | Op::Mul) {
        return (None, 0);
    }
    // The quotient is truncated to the requested number of digits, in the operation and in this function.
    let up = to - s1 + s2;
    let (result, digits) = match op {
        Op::Add => (&x + &y, common),
        Op::Sub => (&x - &y, common),
        Op::Mul => (a * b, s1 + s2),
        Op::Div => (shift(a, up.max(0)) / shift(b, (-up).max(0)), to),
        Op::FloorDiv => {
            let inexact = &x % &y != zero && is_negative(&x) != is_negative(&y);
            (&x / &y - i32::from(inexact), 0)
        }
        _ => {
            let rest = &x % &y;
            let turned = match op {
                Op::PMod => is_negative(&rest) && !is_negative(&y),
                Op::PyMod => rest != zero && is_negative(&rest) != is_negative(&y),
                _ => false,
            };
            (if turned { rest + &y } else { rest }, common)
        }
    };
    let scaled = [shift(a, up.max(0)), shift(b, (-up).max(0)), x, y, shift(&result, (to - digits).max(0))];
    (Some(shift(&result, to - digits)), scaled.iter().map(BigInt::bits).max().unwrap_or(0))
}

fn fits(value: &BigInt, to: &DataType) -> bool {
    match decimal_parts(to) {
        Some((_, precision, _)) => value.magnitude() < ten(precision.into()).magnitude(),
        None => {
            let bits = 8 * gdf_core::width(to).expect("the type is a decimal or an integer") as u64;
            match gdf_core::is_unsigned_integral(to) {
                true => !is_negative(value) && value.bits() <= bits,
                false => {
                    let least = -(BigInt::from(1) << (bits - 1));
                    value.bits() < bits || *value == least
                }
            }
        }
    }
}

fn policy(overflow: OverflowPolicy) -> ArithmeticPolicy {
    ArithmeticPolicy { overflow, zero_division: ZeroDivisionPolicy::Null }
}

#[test]
fn arithmetic_is_exact_or_null() {
    check(
        150,
        || (pairs(), one_of(OPERATORS)),
        |bench, (pair, op)| {
            let Ok(to) = default_output_type(op, &pair.types[0], &pair.types[1]) else { return Ok(()) };
            let arrays = pair.arrays();
            let [lhs, rhs] = [(0, pair.offset), (1, 0)].map(|(at, offset)| bench.column(&arrays[at], offset));
            let (lhs, rhs) = (lhs?, rhs?);
            let Ok(got) = binary_operation_checked(&lhs, &rhs, op, &to, policy(OverflowPolicy::Null)) else {
                // If the scales differ so much that no result fits, the operation returns an error, as documented.
                let apart = (scale(&pair.types[0]) - scale(&pair.types[1])).abs();
                prop_assert!(apart > 30 || matches!(op, Op::Div), "{} {op:?} {}", pair.types[0], pair.types[1]);
                return Ok(());
            };
            let found = to_values(&bench.array(&got)?);
            let plain = to_values(&bench.array(&binary_operation(&lhs, &rhs, op, &to)?)?);
            let (a, b) = (bigs(&arrays[0]), bigs(&arrays[1]));
            let scales = [&pair.types[0], &pair.types[1], &to].map(scale);
            let mut overflows = false;
            let is_wide = [&pair.types[0], &pair.types[1], &to].iter().any(|of| matches!(of, DataType::Decimal256(..)));
            for row in 0..pair.rows {
                let pairs = a[row].as_ref().zip(b[row].as_ref());
                let Some((x, y)) = pairs else {
                    prop_assert_eq!(&found[row], &None);
                    continue;
                };
                let (exact, bits) = exactly(op, (x, scales[0]), (y, scales[1]), scales[2]);
                let value = found[row].as_ref().map(big);
                let expected = exact.clone().filter(|exact| fits(exact, &to));
                // The documentation states that a result may overflow if its intermediate values need more bits.
                prop_assert!(
                    value == expected || bits > 254 && value.is_none(),
                    "{x} {op:?} {y}: found {value:?}, expected {expected:?}"
                );
                let wraps = value.is_none() || bits > 126 && !is_wide;
                prop_assert!(
                    wraps || found[row] == plain[row],
                    "{x} {op:?} {y}: the unchecked operation returned {:?}",
                    plain[row]
                );
                overflows |= exact.is_some() && value.is_none();
            }
            let strict = binary_operation_checked(&lhs, &rhs, op, &to, policy(OverflowPolicy::Error));
            prop_assert_eq!(strict.is_err(), overflows);
            Ok(())
        },
    );
}

#[test]
fn decimals_of_different_scales_are_compared_exactly() {
    let operators = one_of(&[Op::Equal, Op::NotEqual, Op::Less, Op::LessEqual, Op::Greater, Op::GreaterEqual]);
    check(
        60,
        || (pairs(), operators),
        |bench, (pair, op)| {
            let arrays = pair.arrays();
            let [lhs, rhs] = [(0, pair.offset), (1, 0)].map(|(at, offset)| bench.column(&arrays[at], offset));
            let [s1, s2] = [0, 1].map(|at: usize| scale(&pair.types[at]));
            let holds = |a: &BigInt, b: &BigInt| {
                let order = shift(a, s1.max(s2) - s1).cmp(&shift(b, s1.max(s2) - s2));
                match op {
                    Op::Equal => order == Ordering::Equal,
                    Op::NotEqual => order != Ordering::Equal,
                    Op::Less => order == Ordering::Less,
                    Op::LessEqual => order != Ordering::Greater,
                    Op::Greater => order == Ordering::Greater,
                    _ => order != Ordering::Less,
                }
            };
            let (a, b) = (bigs(&arrays[0]), bigs(&arrays[1]));
            let expected: BooleanArray = a.iter().zip(&b).map(|(a, b)| Some(holds(a.as_ref()?, b.as_ref()?))).collect();
            bench.same(&expected, &binary_operation(&lhs?, &rhs?, op, &DataType::Boolean)?)
        },
    );
}

/// Divides the number by ten to the power `cut`, and rounds the quotient to a whole number by `method`.
fn nearest(value: &BigInt, cut: i32, method: RoundingMethod) -> BigInt {
    if cut <= 0 {
        return value * ten(cut);
    }
    let unit = ten(cut);
    let (whole, rest) = (value / &unit, value % &unit);
    let twice = BigInt::from(rest.magnitude() * 2_u32);
    let away = match twice.cmp(&unit) {
        Ordering::Less => false,
        Ordering::Greater => true,
        Ordering::Equal => method == RoundingMethod::HalfUp || &whole % 2 != BigInt::ZERO,
    };
    whole
        + if !away {
            0
        } else if is_negative(value) {
            -1
        } else {
            1
        }
}

#[test]
fn decimals_are_rounded_to_the_nearest() {
    let methods = one_of(&[RoundingMethod::HalfUp, RoundingMethod::HalfEven]);
    check(
        100,
        || (pairs(), -8..40_i32, methods),
        |bench, (pair, places, method)| {
            let data_type = &pair.types[0];
            let Ok(to) = round_output_type(data_type, places) else { return Ok(()) };
            let array = &pair.arrays()[0];
            let got = round(&bench.column(array, pair.offset)?, places, method)?;
            prop_assert_eq!(got.data_type(), &to);
            let cut = scale(data_type) - scale(&to);
            same_where_it_fits(bench, array, &got, |value| nearest(value, cut, method), &to)
        },
    );
}

/// Checks the rows whose results fit into the type.
fn same_where_it_fits(
    bench: &Bench,
    array: &ArrayRef,
    got: &gdf_core::Column,
    of: impl Fn(&BigInt) -> BigInt,
    to: &DataType,
) -> TestCaseResult {
    let (values, found) = (bigs(array), bigs(&bench.array(got)?));
    prop_assert_eq!(values.len(), found.len());
    for (value, found) in values.iter().zip(found) {
        let expected = value.as_ref().map(&of);
        if expected.as_ref().is_none_or(|expected| fits(expected, to)) {
            prop_assert_eq!(found, expected, "{:?} as {}", value, to);
        } else {
            prop_assert!(found.is_some());
        }
    }
    Ok(())
}

#[test]
fn casts_cut_off_digits_or_say_that_they_do_not_fit() {
    let integers = proptest::sample::select(gdf_test::data::integral());
    let types = || prop_oneof![3 => types(), 1 => integers.clone()];
    let columns = (types(), types(), 0..200_usize, any::<u64>(), offsets());
    check(
        120,
        || columns,
        |bench, (from, to, rows, seed, offset)| {
            if decimal_parts(&from).or(decimal_parts(&to)).is_none() {
                return Ok(());
            }
            let array = random_array(&from, rows, NullPattern::Some, seed);
            let column = bench.column(&array, offset)?;
            let found = bigs(&bench.array(&cast_checked(&column, &to, OverflowPolicy::Null)?)?);
            let exact = |value: &BigInt| shift(value, scale(&to) - scale(&from));
            let values = bigs(&array);
            for (value, found) in values.iter().zip(&found) {
                let expected = value.as_ref().map(exact).filter(|value| fits(value, &to));
                prop_assert_eq!(found, &expected, "{:?}: {} as {}", value, from, to);
            }
            let overflows = values.iter().flatten().any(|value| !fits(&exact(value), &to));
            prop_assert_eq!(cast_checked(&column, &to, OverflowPolicy::Error).is_err(), overflows);
            Ok(())
        },
    );
}

/// A decimal of more than 22 fractional digits is a product of floats, which [`cast`](gdf_api::unary::cast) documents.
#[test]
fn floats_of_any_size_become_decimals() {
    let number = (-9999..9999_i32, -90..90_i32);
    let numbers = proptest::collection::vec(number, 1..100);
    let types = proptest::sample::select(vec![
        DataType::Decimal256(50, 5),
        DataType::Decimal256(76, -3),
        DataType::Decimal256(76, 22),
        DataType::Decimal128(38, 5),
        DataType::Decimal64(18, 2),
        DataType::Decimal32(9, 0),
    ]);
    check(
        200,
        || (numbers.clone(), types.clone(), any::<bool>()),
        |bench, (numbers, to, single)| {
            let values = numbers.iter().map(|(digits, exponent)| {
                let text = format!("{digits}e{exponent}");
                text.parse::<f64>().map_err(|error| TestCaseError::fail(error.to_string()))
            });
            let values = values.collect::<Result<Vec<_>, _>>()?;
            let array: ArrayRef = match single {
                true => Arc::new(Float32Array::from_iter_values(values.iter().map(|value| *value as f32))),
                false => Arc::new(Float64Array::from(values)),
            };
            let expected = gdf_tests::naive::unary::cast::cast(&array, &to).map_err(TestCaseError::fail)?;
            let found = gdf_api::unary::cast(&bench.column(&array, 0)?, &to)?;
            bench.same(&expected[0], &found)
        },
    );
}

#[test]
fn decimals_of_any_type_are_rescaled() {
    check(
        200,
        || (types(), types(), 0..200_usize, any::<u64>(), offsets()),
        |bench, (from, to, rows, seed, offset)| {
            let array = random_array(&from, rows, NullPattern::Some, seed);
            let expected = gdf_tests::naive::unary::cast::cast(&array, &to).map_err(TestCaseError::fail)?;
            bench.same(&expected[0], &gdf_api::unary::cast(&bench.column(&array, offset)?, &to)?)
        },
    );
}
