//! Oracle of `binary_operation_checked`, `unary_operation_checked` and `cast_checked`. The oracle computes with
//! integers of arbitrary size.

use arrow_array::{Array, ArrayRef};
use arrow_buffer::i256;
use arrow_schema::DataType;
use gdf_api::binaryop::{ArithmeticPolicy, BinaryOperator, OverflowPolicy, ZeroDivisionPolicy};
use num_bigint::BigInt;

use super::Types;
use crate::naive::binaryop;
use crate::naive::unary::cast;
use gdf_test::value::{Value, to_values, try_from_values};

/// The resulting column. It is `None` if a row makes the operation fail.
type Checked = Result<Option<ArrayRef>, String>;

/// Returns `lhs op rhs` as a column of type `output`.
///
/// # Errors
/// - a text, if the oracle does not support the operands.
pub fn binary_operation(
    lhs: &dyn Array,
    rhs: &dyn Array,
    op: BinaryOperator,
    output: &DataType,
    policy: ArithmeticPolicy,
) -> Checked {
    let types = Types { lhs: lhs.data_type(), rhs: rhs.data_type(), output };
    let (left, right) = (to_values(lhs), to_values(rhs));
    let rows = if left.len() == 1 { right.len() } else { left.len() };
    let row = |of: &[Option<Value>], at: usize| of[if of.len() == 1 { 0 } else { at }].clone();
    let mut results = Vec::new();
    for at in 0..rows {
        let Some((a, b)) = row(&left, at).zip(row(&right, at)) else {
            results.push(None);
            continue;
        };
        match one(op, &a, &b, &types, policy)? {
            Row::Value(value) => results.push(Some(value)),
            Row::Null => results.push(None),
            Row::Error => return Ok(None),
        }
    }
    Ok(Some(try_from_values(output, &results)?))
}

enum Row {
    Value(Value),
    Null,
    Error,
}

fn overflowed(policy: OverflowPolicy, wrapped: Value) -> Row {
    match policy {
        OverflowPolicy::Wrap => Row::Value(wrapped),
        OverflowPolicy::Null => Row::Null,
        OverflowPolicy::Error => Row::Error,
    }
}

fn one(op: BinaryOperator, a: &Value, b: &Value, types: &Types<'_>, policy: ArithmeticPolicy) -> Result<Row, String> {
    use BinaryOperator::*;
    let divides = matches!(op, Div | TrueDiv | FloorDiv | Mod | PMod | PyMod);
    let float = binaryop::float_result(op, a, b, types)?;
    let zero = divides && (b.as_f64() == Some(0.0) || binaryop::integer(b) == Some(i256::ZERO));
    match policy.zero_division {
        ZeroDivisionPolicy::Error if zero => return Ok(Row::Error),
        ZeroDivisionPolicy::Null if zero => return Ok(Row::Null),
        ZeroDivisionPolicy::Ieee if zero && float.is_none() => return Ok(Row::Null),
        _ => {}
    }
    if let Some(float) = float {
        return Ok(of_float(float, types.output, policy.overflow));
    }
    let (Some(a), Some(b)) = (binaryop::integer(a), binaryop::integer(b)) else {
        return Err("an operand is not an integer".into());
    };
    let [left, right, up, down] = binaryop::factors(op, types).map(big);
    let (x, y) = (big(a) * left, big(b) * right);
    // The documentation of `Decimal256` states that a step that exceeds 256 bits counts as an overflow.
    let is_wide = |value: &BigInt| value.to_signed_bytes_le().len() > 32;
    let nothing = BigInt::ZERO;
    let mut wide = is_wide(&x) || is_wide(&y);
    // Division of `BigInt` truncates towards zero.
    let (quotient, rest) = if divides { (&x / &y, &x % &y) } else { (nothing.clone(), nothing.clone()) };
    let opposite = rest != nothing && (rest < nothing) != (y < nothing);
    let result = match op {
        Add => x + y,
        Sub => x - y,
        Mul => x * y,
        Div => quotient,
        FloorDiv if opposite => quotient - 1,
        FloorDiv => quotient,
        PMod if rest < nothing && y > nothing => rest + y,
        PyMod if opposite => rest + y,
        _ => rest,
    };
    let result = result * up;
    wide |= is_wide(&result);
    let result = result / down;
    if wide {
        return Ok(overflowed(policy.overflow, cast::integer(low_words(&result), types.output)));
    }
    Ok(of_integer(&result, types.output, policy.overflow))
}

/// Converts the float result of an operation to the type `output`, which is a float type or an integer type.
fn of_float(value: f64, output: &DataType, overflow: OverflowPolicy) -> Row {
    let result = binaryop::float_to(value, output);
    let bits = gdf_core::width(output).map_or(0, |bytes| 8 * bytes as i32);
    let signed = !gdf_core::is_unsigned_integral(output);
    let (lower, above) = if signed { (-(2_f64.powi(bits - 1)), 2_f64.powi(bits - 1)) } else { (0.0, 2_f64.powi(bits)) };
    let fits = gdf_core::is_floating(output) || (value.trunc() >= lower && value.trunc() < above);
    if fits { Row::Value(result) } else { overflowed(overflow, result) }
}

fn of_integer(value: &BigInt, output: &DataType, overflow: OverflowPolicy) -> Row {
    let wrapped = cast::integer(low_words(value), output);
    let digits = gdf_core::decimal_parts(output).map(|(_, precision, _)| u32::from(precision));
    let fits = match digits {
        Some(digits) => value.magnitude() < BigInt::from(10).pow(digits).magnitude(),
        None => cast::exact(&wrapped).is_ok_and(|wrapped| big(wrapped) == *value),
    };
    if fits { Row::Value(wrapped) } else { overflowed(overflow, wrapped) }
}

fn big(value: i256) -> BigInt {
    BigInt::from_signed_bytes_le(&value.to_le_bytes())
}

fn low_words(value: &BigInt) -> i256 {
    let mut bytes = value.to_signed_bytes_le();
    bytes.resize(32, if *value < BigInt::ZERO { 0xff } else { 0 });
    i256::from_le_bytes(bytes.try_into().unwrap_or_default())
}

/// Returns the negated or absolute values of integers, decimals or durations.
///
/// # Errors
/// - a text, if the oracle does not support the operand.
pub fn negation(input: &dyn Array, absolute: bool, overflow: OverflowPolicy) -> Checked {
    collect(input, input.data_type(), |_, value| {
        let value = big(cast::exact(value)?);
        let opposite = if absolute && value >= BigInt::ZERO { value } else { -value };
        Ok(of_integer(&opposite, input.data_type(), overflow))
    })
}

/// Casts `input` to `target` and applies the overflow policy to each value that does not fit.
///
/// # Errors
/// - a text, if the oracle does not support the operand.
pub fn cast(input: &ArrayRef, target: &DataType, overflow: OverflowPolicy) -> Checked {
    let plain = cast::cast(input, target)?.remove(0);
    // `same_type` ignores the precision of decimals, but the precision matters here.
    let same = gdf_core::same_type(input.data_type(), target) && !gdf_core::is_decimal(target);
    let never = same || gdf_core::is_floating(target) || *target == DataType::Boolean;
    if never || overflow == OverflowPolicy::Wrap {
        return Ok(Some(plain));
    }
    let casts = to_values(&plain);
    collect(input, target, |at, value| {
        let (from, cast) = (input.data_type(), casts[at].clone().ok_or("the cast of a value is null")?);
        Ok(match (value.as_f64(), gdf_core::decimal_parts(target)) {
            (Some(number), None) => of_float(number, target, overflow),
            (Some(number), Some(_)) if number.is_nan() => overflowed(overflow, cast),
            // The saturated value has more digits than any decimal type can hold, so `of_integer` reports an overflow.
            (Some(_), Some(_)) => of_integer(&big(cast::exact(&cast)?), target, overflow),
            (None, _) => {
                let [up, down] = cast::ratio(from, target);
                let value = big(cast::exact(value)?) * big(up);
                let (down, floors) = (big(down), cast::tick(from).is_some());
                let rest = &value % &down;
                let below = floors && rest < BigInt::ZERO;
                of_integer(&(value / down - i32::from(below)), target, overflow)
            }
        })
    })
}

fn collect(input: &dyn Array, output: &DataType, row: impl Fn(usize, &Value) -> Result<Row, String>) -> Checked {
    let mut results = Vec::new();
    for (at, value) in to_values(input).into_iter().enumerate() {
        match value.map(|value| row(at, &value)).transpose()? {
            Some(Row::Value(value)) => results.push(Some(value)),
            Some(Row::Error) => return Ok(None),
            Some(Row::Null) | None => results.push(None),
        }
    }
    Ok(Some(try_from_values(output, &results)?))
}
