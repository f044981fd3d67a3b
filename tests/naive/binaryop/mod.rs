//! Oracle of `binaryop`. The oracle computes row by row, with integers of 256 bits.

pub mod checked;

use std::cmp::Ordering;

use arrow_array::{Array, ArrayRef};
use arrow_buffer::i256;
use arrow_schema::{DataType, TimeUnit};
use gdf_api::binaryop::BinaryOperator;
use half::f16;

use super::sorting::{self, Direction};
use gdf_test::value::{Value, to_values, try_from_values};

type Row = Option<Value>;

/// Returns `lhs op rhs` as a column of type `output`.
///
/// # Errors
/// - a text, if the oracle does not support the operands.
pub fn binary_operation(
    lhs: &dyn Array,
    rhs: &dyn Array,
    op: BinaryOperator,
    output: &DataType,
) -> Result<ArrayRef, String> {
    let rows = if lhs.len() == 1 { rhs.len() } else { lhs.len() };
    let (left, right) = (to_values(lhs), to_values(rhs));
    let row = |of: &[Row], i: usize| if of.len() == 1 { of[0].clone() } else { of[i].clone() };
    let types = Types { lhs: lhs.data_type(), rhs: rhs.data_type(), output };
    let values: Vec<Row> =
        (0..rows).map(|i| one(op, row(&left, i), row(&right, i), &types)).collect::<Result<_, String>>()?;
    Ok(try_from_values(output, &values)?)
}

pub(super) struct Types<'a> {
    pub(super) lhs: &'a DataType,
    pub(super) rhs: &'a DataType,
    pub(super) output: &'a DataType,
}

fn one(op: BinaryOperator, a: Row, b: Row, types: &Types<'_>) -> Result<Row, String> {
    use BinaryOperator::*;
    let bool_of = |value: bool| Ok(Some(Value::Bool(value)));
    match (op, &a, &b) {
        (NullEquals, None, None) => bool_of(true),
        (NullEquals, None, _) | (NullEquals, _, None) => bool_of(false),
        (NullNotEquals, None, None) => bool_of(false),
        (NullNotEquals, None, _) | (NullNotEquals, _, None) => bool_of(true),
        (NullLogicalAnd, Some(known), None) | (NullLogicalAnd, None, Some(known)) => {
            Ok((!truth(known)?).then_some(Value::Bool(false)))
        }
        (NullLogicalOr, Some(known), None) | (NullLogicalOr, None, Some(known)) => {
            Ok(truth(known)?.then_some(Value::Bool(true)))
        }
        // One operand is null.
        (NullMax | NullMin, Some(_), None) => one(op, a.clone(), Some(like(&a, types.lhs, types.rhs)?), types),
        (NullMax | NullMin, None, Some(_)) => one(op, Some(like(&b, types.rhs, types.lhs)?), b.clone(), types),
        (_, None, _) | (_, _, None) => Ok(None),
        (_, Some(a), Some(b)) => valid(op, a, b, types),
    }
}

/// Returns the value that replaces the null operand of `NullMax` or `NullMin`, which is the value of the other operand.
fn like(value: &Row, of: &DataType, other: &DataType) -> Result<Value, String> {
    match value {
        Some(value) if of == other => Ok(value.clone()),
        _ => Err("the oracle supports NullMax and NullMin only for operands of one type".to_owned()),
    }
}

fn valid(op: BinaryOperator, a: &Value, b: &Value, types: &Types<'_>) -> Result<Row, String> {
    use BinaryOperator::*;
    let order = || compare(a, b, types);
    let answer = match op {
        LogicalAnd | NullLogicalAnd => truth(a)? && truth(b)?,
        LogicalOr | NullLogicalOr => truth(a)? || truth(b)?,
        Equal | NullEquals => order()? == Some(Ordering::Equal),
        NotEqual | NullNotEquals => order()? != Some(Ordering::Equal),
        Less => order()? == Some(Ordering::Less),
        Greater => order()? == Some(Ordering::Greater),
        LessEqual => matches!(order()?, Some(Ordering::Less | Ordering::Equal)),
        GreaterEqual => matches!(order()?, Some(Ordering::Greater | Ordering::Equal)),
        NullMax | NullMin if a.as_bytes().is_some() => {
            let first = if op == NullMax { Ordering::Greater } else { Ordering::Less };
            return Ok(Some(if order()? == Some(first) { a.clone() } else { b.clone() }));
        }
        _ => return arithmetic(op, a, b, types),
    };
    Ok(Some(Value::Bool(answer)))
}

fn truth(value: &Value) -> Result<bool, String> {
    match value {
        Value::Bool(value) => Ok(*value),
        other => match (other.as_i128(), other.as_f64()) {
            (Some(value), _) => Ok(value != 0),
            (None, Some(value)) => Ok(value != 0.0),
            (None, None) => Err(format!("{other:?} is neither true nor false")),
        },
    }
}

/// Returns the value as an integer.
pub(super) fn integer(value: &Value) -> Option<i256> {
    match value {
        Value::Bool(value) => Some(i256::from_i128(i128::from(*value))),
        other => other.as_i256(),
    }
}

fn float(value: &Value) -> Option<f64> {
    match value {
        Value::UInt(value) => Some(*value as f64),
        other => other.as_f64().or_else(|| integer(other)?.to_i128().map(|value| value as f64)),
    }
}

fn compare(a: &Value, b: &Value, types: &Types<'_>) -> Result<Option<Ordering>, String> {
    if let (Value::List(_), Value::List(_)) | (Value::Struct(_), Value::Struct(_)) = (a, b) {
        let nulls_first = Direction { descending: false, nulls_smallest: true };
        return Ok(Some(sorting::compare_values(a, b, nulls_first)));
    }
    if let (Some(a), Some(b)) = (a.as_bytes(), b.as_bytes()) {
        return Ok(Some(a.cmp(b)));
    }
    if a.as_f64().is_some() || b.as_f64().is_some() {
        let (Some(a), Some(b)) = (float(a), float(b)) else { return Err("the operands have no order".to_owned()) };
        return Ok(a.partial_cmp(&b));
    }
    let (Some(x), Some(y)) = (integer(a), integer(b)) else { return Err(format!("{a:?} and {b:?} have no order")) };
    let (Some(left), Some(right)) = (unit(types.lhs), unit(types.rhs)) else {
        // The operands are decimals or integers.
        let (left, right) = (scale(types.lhs), scale(types.rhs));
        let most = left.max(right);
        return Ok(Some(compare_products((x, ten((most - left) as u32)), (y, ten((most - right) as u32)))));
    };
    Ok(Some(compare_products((x, left), (y, right))))
}

/// Compares two products, one of which may overflow 256 bits. Only the product of a decimal can overflow. Only one of
/// two decimals has a factor other than 1.
fn compare_products((a, by): (i256, i256), (b, times): (i256, i256)) -> Ordering {
    match (a.checked_mul(by), b.checked_mul(times)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (None, _) => a.cmp(&i256::ZERO),
        (_, None) => i256::ZERO.cmp(&b),
    }
}

fn scale(data_type: &DataType) -> i32 {
    gdf_core::decimal_parts(data_type).map_or(0, |(_, _, scale)| i32::from(scale))
}

fn ten(power: u32) -> i256 {
    (0..power).fold(i256::ONE, |product, _| product.wrapping_mul(i256::from_i128(10)))
}

/// Returns the nanoseconds of one tick.
fn unit(data_type: &DataType) -> Option<i256> {
    let unit = match data_type {
        DataType::Date32 => return Some(i256::from_i128(86_400_000_000_000)),
        DataType::Date64 => &TimeUnit::Millisecond,
        DataType::Time32(unit) | DataType::Time64(unit) | DataType::Timestamp(unit, _) | DataType::Duration(unit) => {
            unit
        }
        _ => return None,
    };
    Some(i256::from_i128(match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    }))
}

fn arithmetic(op: BinaryOperator, a: &Value, b: &Value, types: &Types<'_>) -> Result<Row, String> {
    use BinaryOperator::*;
    let bitwise = matches!(op, BitwiseAnd | BitwiseOr | BitwiseXor | NullMax | NullMin);
    if *types.output == DataType::Boolean && !bitwise {
        let float = [types.lhs, types.rhs].into_iter().any(gdf_core::is_floating);
        let output = if float { &DataType::Float64 } else { &DataType::Int64 };
        let number = arithmetic(op, a, b, &Types { output, ..*types })?;
        return number.map(|number| truth(&number).map(Value::Bool)).transpose();
    }
    if *types.output == DataType::Boolean {
        let (a, b) = (truth(a)?, truth(b)?);
        let answer = match op {
            BitwiseAnd | NullMin => a & b,
            BitwiseOr | NullMax => a | b,
            BitwiseXor => a ^ b,
            _ => return Err(format!("{op:?} of booleans")),
        };
        return Ok(Some(Value::Bool(answer)));
    }
    if let Some(result) = float_result(op, a, b, types)? {
        return Ok(Some(float_to(result, types.output)));
    }
    let (Some(a), Some(b)) = (integer(a), integer(b)) else { return Err(format!("{op:?} needs two numbers")) };
    if matches!(op, ShiftLeft | ShiftRight | ShiftRightUnsigned) {
        return Ok(Some(shift(op, a, b, types)));
    }
    if op == IntPow {
        return Ok(Some(wrap(power(a, b), types.output)));
    }
    Ok(scaled(op, a, b, types)?.map(|value| wrap(value, types.output)))
}

/// Returns the result of an operation that computes with floats.
pub(super) fn float_result(op: BinaryOperator, a: &Value, b: &Value, types: &Types<'_>) -> Result<Option<f64>, String> {
    use BinaryOperator::{Atan2, LogBase, Pow, TrueDiv};
    let all = [types.lhs, types.rhs, types.output];
    let some_float = all.iter().any(|of| gdf_core::is_floating(of));
    if !matches!(op, TrueDiv | Pow | LogBase | Atan2) && !some_float {
        return Ok(None);
    }
    let narrow = all.iter().all(|of| matches!(width(of), Some(..=2)) || **of == DataType::Float32);
    let (Some(a), Some(b)) = (float(a), float(b)) else { return Err("an operand is not a number".to_owned()) };
    let single = narrow && some_float && op.is_exact();
    Ok(Some(if single { f64::from(floats_32(op, a as f32, b as f32)?) } else { floats_64(op, a, b)? }))
}

fn width(data_type: &DataType) -> Option<usize> {
    if *data_type == DataType::Boolean { Some(1) } else { gdf_core::width(data_type) }
}

macro_rules! floats {
    ($($name:ident $native:ty),*) => {$(
        fn $name(op: BinaryOperator, a: $native, b: $native) -> Result<$native, String> {
            use BinaryOperator::*;
            Ok(match op {
                Add => a + b,
                Sub => a - b,
                Mul => a * b,
                Div | TrueDiv => a / b,
                FloorDiv => (a / b).floor(),
                Mod => a % b,
                PMod if a % b < 0.0 => (a % b + b) % b,
                PMod => a % b,
                PyMod => (a % b + b) % b,
                NullMax => if a > b { a } else { b },
                NullMin => if a < b { a } else { b },
                Pow => a.powf(b),
                LogBase => a.log(b),
                Atan2 => a.atan2(b),
                _ => return Err(format!("{op:?} of floats")),
            })
        }
    )*};
}

floats!(floats_32 f32, floats_64 f64);

pub(super) fn float_to(value: f64, output: &DataType) -> Value {
    match output {
        DataType::Float64 => Value::F64(value),
        DataType::Float32 => Value::F32(value as f32),
        DataType::Float16 => Value::F16(f16::from_f32(value as f32)),
        DataType::Int8 => Value::from(value as i8),
        DataType::Int16 => Value::from(value as i16),
        DataType::Int32 => Value::from(value as i32),
        DataType::Int64 => Value::from(value as i64),
        DataType::UInt8 => Value::from(value as u8),
        DataType::UInt16 => Value::from(value as u16),
        DataType::UInt32 => Value::from(value as u32),
        _ => Value::from(value as u64),
    }
}

/// Returns the lowest bits of `value`, as many as the type has.
fn wrap(value: i256, output: &DataType) -> Value {
    let low = value.to_le_bytes();
    let word = |n: usize| {
        let mut bytes = [0; 16];
        bytes[..n].copy_from_slice(&low[..n]);
        u128::from_le_bytes(bytes)
    };
    match (gdf_core::decimal_parts(output), gdf_core::width(output)) {
        (Some((32, ..)), _) => Value::Decimal(value),
        (Some((bytes, ..)), _) => {
            let unused = 128 - 8 * bytes as u32;
            Value::Decimal(i256::from_i128((word(bytes) << unused) as i128 >> unused))
        }
        (None, Some(bytes)) if gdf_core::is_unsigned_integral(output) => Value::UInt(word(bytes) as u64),
        (None, bytes) => {
            let bytes = bytes.unwrap_or(8);
            let unused = 128 - 8 * bytes as u32;
            Value::Int((word(bytes) << unused) as i128 >> unused)
        }
    }
}

fn shift(op: BinaryOperator, a: i256, b: i256, types: &Types<'_>) -> Value {
    let bits = 8 * width(types.lhs).unwrap_or(8) as u32;
    let by = (b.as_i128() & i128::from(bits - 1)) as u32;
    let a = a.as_i128();
    let shifted = match op {
        BinaryOperator::ShiftLeft => a << by,
        BinaryOperator::ShiftRight => a >> by,
        _ => (a & ((1 << bits) - 1)) >> by,
    };
    let Value::Int(shifted) = wrap(i256::from_i128(shifted), types.lhs) else {
        return wrap(i256::from_i128(shifted & ((1 << bits) - 1)), types.output);
    };
    wrap(i256::from_i128(shifted), types.output)
}

/// Multiplies `a` by itself `b` times, modulo 2^256.
fn power(a: i256, b: i256) -> i256 {
    let (even, zero) = (a.wrapping_rem(i256::from_i128(2)) == i256::ZERO, i256::ZERO);
    match b.to_i128() {
        Some(times) if b >= zero && times < 256 => (0..times).fold(i256::ONE, |product, _| product.wrapping_mul(a)),
        Some(times) if b >= zero && !even => {
            let half = power(a, i256::from_i128(times / 2));
            let square = half.wrapping_mul(half);
            if times % 2 == 1 { square.wrapping_mul(a) } else { square }
        }
        _ => zero,
    }
}

/// Returns four numbers: the factor of the left operand, the factor of the right operand, the factor of the result,
/// and the divisor of the result.
pub(super) fn factors(op: BinaryOperator, types: &Types<'_>) -> [i256; 4] {
    use BinaryOperator::{Div, FloorDiv, Mul};
    let all = [types.lhs, types.rhs, types.output];
    // A unit is the length of one tick.
    let units = all.map(unit);
    if units.iter().any(Option::is_some) {
        let finer = units[0].into_iter().chain(units[1]).min().unwrap_or(i256::ONE);
        let of = |side: Option<i256>| side.map_or(i256::ONE, |side| side.wrapping_div(finer));
        let (left, right) = if units[0].is_some() && units[1].is_some() {
            (of(units[0]), of(units[1]))
        } else {
            (i256::ONE, i256::ONE)
        };
        let to = units[2].unwrap_or(finer);
        if to > finer {
            [left, right, i256::ONE, to.wrapping_div(finer)]
        } else if units[2].is_some() {
            [left, right, finer.wrapping_div(to), i256::ONE]
        } else {
            [left, right, i256::ONE, i256::ONE]
        }
    } else {
        let scales = all.map(scale);
        let larger = scales[0].max(scales[1]);
        let power = |by: i32| ten(by.max(0) as u32);
        let natural = match op {
            Mul => scales[0] + scales[1],
            FloorDiv => 0,
            _ => larger,
        };
        match op {
            Div => {
                let by = scales[2] + scales[1] - scales[0];
                [power(by), power(-by), i256::ONE, i256::ONE]
            }
            Mul => [i256::ONE, i256::ONE, power(scales[2] - natural), power(natural - scales[2])],
            _ => [
                power(larger - scales[0]),
                power(larger - scales[1]),
                power(scales[2] - natural),
                power(natural - scales[2]),
            ],
        }
    }
}

/// Returns whether a scaled operand of decimals may need more than 128 bits where these bits decide about the result.
fn needs_256_bits(op: BinaryOperator, types: &Types<'_>, factors: [i256; 4]) -> bool {
    use BinaryOperator::{Div, FloorDiv, Mod, Mul, NullMax, NullMin, PMod, PyMod};
    if gdf_core::decimal_parts(types.output).is_none() {
        return false;
    }
    let [left, right, up, down] = factors.map(|factor| factor.to_string().len() as u32 - 1);
    let digits = |of: &DataType| match (gdf_core::decimal_parts(of), width(of)) {
        (Some((_, precision, _)), _) => u32::from(precision),
        (_, Some(1)) => 3,
        (_, Some(2)) => 5,
        (_, Some(4)) => 10,
        _ if *of == DataType::UInt64 => 20,
        _ => 19,
    };
    let (lhs, rhs) = (digits(types.lhs) + left, digits(types.rhs) + right);
    let needed = match op {
        Div | FloorDiv | Mod | PMod | PyMod | NullMax | NullMin => lhs.max(rhs),
        _ if down == 0 => 0,
        Mul => lhs + rhs,
        _ => lhs.max(rhs) + 1,
    };
    [needed, left, right, up, down].into_iter().any(|digits| digits > 38)
}

/// Computes with integers, decimals and times.
fn scaled(op: BinaryOperator, a: i256, b: i256, types: &Types<'_>) -> Result<Option<i256>, String> {
    use BinaryOperator::*;
    let all = [types.lhs, types.rhs, types.output];
    let [left, right, up, down] = factors(op, types);
    let wide = all.iter().any(|of| width(of) == Some(32)) || needs_256_bits(op, types, [left, right, up, down]);
    let fit = |value: i256| if wide { value } else { i256::from_i128(value.as_i128()) };
    let times = |value: i256, by: i256| fit(value.wrapping_mul(by));
    let (x, y) = (times(a, left), times(b, right));
    let divides = matches!(op, Div | FloorDiv | Mod | PMod | PyMod);
    if divides && b == i256::ZERO {
        return Ok(None);
    }
    if divides && y == i256::ZERO {
        return Err("the scaled divisor is 0 modulo 2^256".to_owned());
    }
    let rest = || fit(x.wrapping_rem(y));
    let opposite = |rest: i256| rest != i256::ZERO && (rest < i256::ZERO) != (y < i256::ZERO);
    let result = match op {
        Add => x.wrapping_add(y),
        Sub => x.wrapping_sub(y),
        Mul => x.wrapping_mul(y),
        Div => x.wrapping_div(y),
        FloorDiv if opposite(rest()) => x.wrapping_div(y).wrapping_sub(i256::ONE),
        FloorDiv => x.wrapping_div(y),
        Mod => rest(),
        PMod if rest() < i256::ZERO && y > i256::ZERO => rest().wrapping_add(y),
        PMod => rest(),
        PyMod if opposite(rest()) => rest().wrapping_add(y),
        PyMod => rest(),
        BitwiseAnd => i256::from_i128(x.as_i128() & y.as_i128()),
        BitwiseOr => i256::from_i128(x.as_i128() | y.as_i128()),
        BitwiseXor => i256::from_i128(x.as_i128() ^ y.as_i128()),
        NullMax => x.max(y),
        NullMin => x.min(y),
        _ => return Err(format!("{op:?} of integers")),
    };
    let result = times(fit(result), up);
    Ok(Some(if down == i256::ONE { result } else { result.wrapping_div(down) }))
}
