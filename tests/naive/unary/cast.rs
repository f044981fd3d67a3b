//! Oracle of `unary.cast`. The oracle converts each value to an exact integer or to a float, and then to the target
//! type.

use arrow_array::ArrayRef;
use arrow_buffer::i256;
use arrow_schema::{DataType, TimeUnit};
use gdf_core::{decimal_parts, is_floating, is_integral};
use half::f16;

use gdf_test::value::{Value, to_values, try_from_values};

/// Converts each element of `column` to `target`.
///
/// # Errors
/// - a value has no counterpart in `target`, or the column cannot be built.
pub fn cast(column: &ArrayRef, target: &DataType) -> Result<Vec<ArrayRef>, String> {
    let from = column.data_type();
    let rows: Result<Vec<_>, String> =
        to_values(column).into_iter().map(|row| row.map(|row| value(row, from, target)).transpose()).collect();
    Ok(vec![try_from_values(target, &rows?)?])
}

fn value(value: Value, from: &DataType, to: &DataType) -> Result<Value, String> {
    let of_values = |of: &DataType| match of {
        DataType::Dictionary(_, values) => values.as_ref().clone(),
        other => other.clone(),
    };
    let (from, to) = (&of_values(from), &of_values(to));
    if let Value::List(_) | Value::Struct(_) = value {
        return Ok(value);
    }
    if let Value::Str(_) | Value::Bytes(_) = value {
        return Ok(match (value, to) {
            (Value::Str(text), DataType::Binary | DataType::LargeBinary | DataType::BinaryView) => {
                Value::Bytes(text.into_bytes())
            }
            (value, _) => value,
        });
    }
    if let Some((old, new)) = tick(from).zip(tick(to)) {
        let count = exact(&value)?.wrapping_mul(wide(old));
        let rest = count.wrapping_rem(wide(new));
        let floor = count.wrapping_sub(if rest.is_negative() { rest.wrapping_add(wide(new)) } else { rest });
        return Ok(integer(floor.wrapping_div(wide(new)), to));
    }
    let old_scale = decimal_parts(from).map_or(0, |(_, _, scale)| i32::from(scale));
    Ok(match (value.as_f64(), decimal_parts(to)) {
        (Some(number), _) if *to == DataType::Boolean => Value::Bool(number != 0.0),
        (Some(number), _) if is_floating(to) => float(number, to),
        (Some(number), Some((width, _, scale))) => {
            Value::Decimal(saturate(decimal(number, &value, i32::from(scale)), number < 0.0, width))
        }
        (Some(number), None) => integer_of_float(number, to),
        (None, _) if *to == DataType::Boolean => Value::Bool(exact(&value)? != i256::ZERO),
        (None, _) if is_floating(to) => {
            let number: f64 = parse(&exact(&value)?.to_string())?;
            match old_scale {
                0 if *to == DataType::Float32 => Value::F32(parse(&exact(&value)?.to_string())?),
                1.. => float(number / parse::<f64>(&format!("1e{old_scale}"))?, to),
                _ => float(number * parse::<f64>(&format!("1e{}", -old_scale))?, to),
            }
        }
        (None, decimal) => {
            let new_scale = decimal.map_or(0, |(_, _, scale)| i32::from(scale));
            integer(rescale(exact(&value)?, new_scale - old_scale), to)
        }
    })
}

fn parse<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text} is not a number"))
}

fn wide(value: i128) -> i256 {
    i256::from_i128(value)
}

fn ten(digits: i32) -> i256 {
    wide(10).wrapping_pow(digits.unsigned_abs())
}

/// Returns the integer of a boolean, an integer, a count of ticks or an unscaled decimal.
pub(crate) fn exact(value: &Value) -> Result<i256, String> {
    match value {
        Value::Bool(bit) => Ok(wide(i128::from(*bit))),
        value => value.as_i256().ok_or_else(|| format!("{value:?} is not an integer")),
    }
}

/// Returns the number of nanoseconds of one tick of a moment, a duration or a time of day.
pub(crate) fn tick(data_type: &DataType) -> Option<i128> {
    let unit = match data_type {
        DataType::Date32 => return Some(86_400_000_000_000),
        DataType::Date64 => &TimeUnit::Millisecond,
        DataType::Timestamp(unit, _) | DataType::Duration(unit) | DataType::Time32(unit) | DataType::Time64(unit) => {
            unit
        }
        _ => return None,
    };
    Some(match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    })
}

/// Returns two numbers.
pub(crate) fn ratio(from: &DataType, to: &DataType) -> [i256; 2] {
    if let Some((old, new)) = tick(from).zip(tick(to)) {
        return [wide(old), wide(new)];
    }
    let scale = |of: &DataType| decimal_parts(of).map_or(0, |(_, _, scale)| i32::from(scale));
    match scale(to) - scale(from) {
        77.. => [i256::MAX, wide(1)],
        digits @ 0.. => [ten(digits), wide(1)],
        digits @ -76.. => [wide(1), ten(digits)],
        _ => [wide(1), i256::MAX],
    }
}

/// Multiplies by ten to the power of `digits`.
fn rescale(value: i256, digits: i32) -> i256 {
    match digits {
        0.. => value.wrapping_mul(ten(digits)),
        -76..0 => value.wrapping_div(ten(digits)),
        _ => i256::ZERO,
    }
}

/// Returns the low bits of `value` as an element of an integer, temporal or decimal type.
pub(crate) fn integer(value: i256, to: &DataType) -> Value {
    if let Some((width, _, _)) = decimal_parts(to) {
        return Value::Decimal(low_bytes(value, width));
    }
    let width = gdf_core::width(to).unwrap_or(8);
    let low = low_bytes(value, width).as_i128();
    if is_integral(to) && !gdf_core::is_signed_integral(to) {
        return Value::UInt((low & ((1_i128 << (8 * width)) - 1)) as u64);
    }
    Value::Int(low)
}

/// Returns the low `width` bytes, sign-extended from the highest of these bytes.
fn low_bytes(value: i256, width: usize) -> i256 {
    let mut bytes = value.to_le_bytes();
    let sign = if bytes[width - 1] >= 0x80 { 0xff } else { 0 };
    bytes[width..].fill(sign);
    i256::from_le_bytes(bytes)
}

fn integer_of_float(number: f64, to: &DataType) -> Value {
    let bits = 8 * gdf_core::width(to).unwrap_or(8) as u32;
    let signed = !is_integral(to) || gdf_core::is_signed_integral(to);
    let (lower, upper) = match signed {
        true => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
        false => (0, (1_i128 << bits) - 1),
    };
    let whole = if number.is_nan() { 0 } else { (number.trunc() as i128).clamp(lower, upper) };
    if signed { Value::Int(whole) } else { Value::UInt(whole as u64) }
}

pub(crate) fn float(number: f64, to: &DataType) -> Value {
    match to {
        DataType::Float16 => Value::F16(nearest_half(number)),
        DataType::Float32 => Value::F32(number as f32),
        _ => Value::F64(number),
    }
}

/// Returns the half-precision float nearest to `number`.
pub(crate) fn nearest_half(number: f64) -> f16 {
    let guess = f16::from_f32(number as f32);
    if guess.is_infinite() && number.abs() < 65_520.0 {
        return f16::MAX.copysign(guess); // 65519.999… is 65520 in single precision
    }
    if !guess.is_finite() || guess.to_f64() == number {
        return guess;
    }
    let around = (-1..=1).map(|step: i32| f16::from_bits((i32::from(guess.to_bits()) + step) as u16));
    let near = around.filter(|half| half.is_finite() && (half.is_sign_negative() == number.is_sign_negative()));
    let distance = |half: &f16| ((half.to_f64() - number).abs(), half.to_bits() & 1);
    near.min_by(|a, b| distance(a).partial_cmp(&distance(b)).unwrap_or(std::cmp::Ordering::Equal)).unwrap_or(guess)
}

/// Returns the digits of |`number`| with `scale` digits after the point, without the point.
fn decimal(number: f64, value: &Value, scale: i32) -> Option<i256> {
    if number.is_nan() {
        return Some(i256::ZERO);
    }
    if number.is_infinite() {
        return None;
    }
    let size = number.abs();
    if scale < 0 {
        let power: f64 = parse(&format!("1e{}", -scale)).ok()?;
        return digits(&format!("{:.0}", (size / power).trunc()), 0);
    }
    let ulp = match value {
        Value::F16(half) => f16::from_bits((half.to_bits() & 0x7fff) + 1).to_f64() - size,
        Value::F32(single) => f64::from(single.abs().next_up()) - size,
        _ => size.next_up() - size,
    };
    let reads_back = |text: &str| match value {
        Value::F16(half) => text.parse().is_ok_and(|read| nearest_half(read) == half.max(-*half)),
        Value::F32(single) => text.parse() == Ok(single.abs()),
        _ => text.parse() == Ok(size),
    };
    let shortest = || (0..400).map(|places| format!("{size:.places$}")).find(|text| reads_back(text));
    if ulp * 10_f64.powi(scale) < 1.0 {
        return digits(&shortest()?, scale as usize);
    }
    digits(&format!("{size:.1080}"), scale as usize)
}

fn digits(text: &str, scale: usize) -> Option<i256> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fraction = format!("{fraction:0<scale$}");
    let all = format!("{whole}{}", &fraction[..scale]);
    let all = all.trim_start_matches('0');
    all.bytes()
        .try_fold(i256::ZERO, |number, digit| number.checked_mul(wide(10))?.checked_add(wide(i128::from(digit - b'0'))))
}

fn saturate(size: Option<i256>, negative: bool, width: usize) -> i256 {
    let most = low_bytes(i256::MAX, 32);
    let most = if width == 32 { most } else { wide(2).wrapping_pow(8 * width as u32 - 1).wrapping_sub(wide(1)) };
    match size {
        Some(size) if size <= most => {
            if negative {
                size.wrapping_neg()
            } else {
                size
            }
        }
        _ if negative => most.wrapping_neg().wrapping_sub(wide(1)),
        _ => most,
    }
}
