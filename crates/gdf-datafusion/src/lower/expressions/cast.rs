//! Lowers casts that have the same results in DataFusion. Casts that can fail get a check.

use arrow_schema::{DataType, TimeUnit};
use gdf_core::{decimal_parts, is_floating, is_integral, is_string, is_unsigned_integral, same_type, width};
use gdf_exec::Problem;
use gdf_expr::{Expr, Function, lit, when};

use super::lowered::{Lowered, stored};
use super::moments::has_no_day;
use crate::error::Refusal;

/// The treatment of values that the target type cannot represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnOverflow {
    /// The query fails.
    Fail,
    /// The result is null.
    Null,
}

pub(crate) fn cast(of: Lowered, to: &DataType, on_overflow: OnOverflow) -> Result<Lowered, Refusal> {
    let from = of.data_type.clone();
    let refused = || Refusal::Cast { from: from.clone(), to: to.clone() };
    if from == *to {
        return Ok(of);
    }
    let cast = |of: Lowered| of.map(to.clone(), |value| value.cast(to.clone()));
    if let (Some(old), Some(new)) = (decimal_parts(&from), decimal_parts(to)) {
        return between_decimals(of, to, [old, new], on_overflow).ok_or_else(refused)?;
    }
    if is_integral(&from) && is_integral(to) {
        let ([low, high], [min, max]) = (limits(&from).ok_or_else(refused)?, limits(to).ok_or_else(refused)?);
        if min <= low && high <= max {
            return Ok(cast(of));
        }
        let value = of.value.clone();
        let mut outside = Vec::new();
        if low < min {
            outside.push(value.clone().lt(stored(min, &from)?));
        }
        if max < high {
            outside.push(value.gt(stored(max, &from)?));
        }
        let outside = outside.into_iter().reduce(Expr::or).ok_or_else(refused)?;
        return Ok(limited(of, to, outside, on_overflow));
    }
    if let (true, Some((_, precision, scale))) = (is_integral(&from), decimal_parts(to)) {
        let digits = i32::from(precision) - i32::from(scale);
        let [_, high] = limits(&from).ok_or_else(refused)?;
        let bound = power(digits).ok_or_else(refused)?;
        if high < bound {
            return Ok(cast(of));
        }
        let mut outside = of.value.clone().ge(stored(bound, &from)?);
        if !is_unsigned_integral(&from) {
            outside = outside.or(of.value.clone().le(stored(-bound, &from)?));
        }
        return Ok(limited(of, to, outside, on_overflow));
    }
    if let (Some((_, precision, scale)), true) = (decimal_parts(&from), is_integral(to)) {
        let ([min, max], digits) = (limits(to).ok_or_else(refused)?, i32::from(precision) - i32::from(scale));
        if power(digits).is_some_and(|bound| bound <= max) && (min < 0) {
            return Ok(cast(of));
        }
        let unit = power(i32::from(scale)).ok_or_else(refused)?;
        let above = (max + 1).checked_mul(unit).ok_or_else(refused)?;
        let below = (min - 1).checked_mul(unit).ok_or_else(refused)?;
        let wide = DataType::Decimal128(38, scale);
        let (above, below) = (stored(above, &wide)?, stored(below, &wide)?);
        let outside = of.value.clone().ge(above).or(of.value.clone().le(below));
        return Ok(limited(of, to, outside, on_overflow));
    }
    if is_floating(&from) && is_integral(to) {
        let [min, max] = limits(to).ok_or_else(refused)?;
        let value = of.value.clone().cast(DataType::Float64);
        let above = (max + 1) as f64;
        // A double cannot represent the integer that is one less than the smallest 64-bit integer.
        let inside = match width(to) {
            Some(8) if min < 0 => value.clone().ge(min as f64),
            _ => value.clone().gt((min - 1) as f64),
        };
        let outside = !inside.and(value.lt(above));
        return Ok(limited(of, to, outside, on_overflow));
    }
    if let (true, Some((8 | 16, precision, scale))) = (is_floating(&from), decimal_parts(to)) {
        return float_to_decimal(of, to, precision, scale, on_overflow).ok_or_else(refused)?;
    }
    let is_exact = match (&from, to) {
        (DataType::Boolean, to) => is_integral(to) || is_floating(to),
        (from, DataType::Boolean) => is_integral(from),
        (from, to) if is_floating(to) => is_integral(from) || is_floating(from) || decimal_parts(from).is_some(),
        (from, to) if is_string(from) && is_string(to) => true,
        (DataType::Binary, DataType::LargeBinary) | (DataType::LargeBinary, DataType::Binary) => true,
        (DataType::Date32, DataType::Int32) | (DataType::Int32, DataType::Date32) => true,
        (DataType::Date32, DataType::Date64) => true,
        (DataType::Date32, DataType::Timestamp(unit, None)) => {
            matches!(unit, TimeUnit::Second | TimeUnit::Millisecond)
        }
        _ => false,
    };
    if is_exact {
        return Ok(cast(of));
    }
    if let (DataType::Date32, DataType::Timestamp(unit, None)) = (&from, to) {
        // Days whose timestamps have 64 bits.
        let last: i128 = if *unit == TimeUnit::Nanosecond { 106_751 } else { 106_751_991 };
        let outside = of.value.clone().gt(stored(last, &from)?).or(of.value.clone().lt(stored(-last, &from)?));
        return Ok(limited(of, to, outside, on_overflow));
    }
    if let (DataType::Timestamp(_, None), DataType::Date32) = (&from, to) {
        let mut of = of;
        // In DataFusion, TRY_CAST fails too.
        if let Some(fails) = has_no_day(&of) {
            of.check(fails, Problem::CastOverflow(to.clone()));
        }
        return Ok(cast(of));
    }
    if let (DataType::Timestamp(unit, None), DataType::Timestamp(new, None)) = (&from, to) {
        return Ok(between_units(of, to, [per_second(*unit), per_second(*new)], on_overflow));
    }
    if same_type(&from, to) {
        return Ok(of.map(to.clone(), |value| value));
    }
    Err(refused())
}

/// Casts `of`. Rows for which `outside` is true fail the query or become null, as `on_overflow` says.
fn limited(of: Lowered, to: &DataType, outside: Expr, on_overflow: OnOverflow) -> Lowered {
    let mut of = of;
    match on_overflow {
        OnOverflow::Fail => {
            of.check(outside, Problem::CastOverflow(to.clone()));
            of.map(to.clone(), |value| value.cast(to.clone()))
        }
        OnOverflow::Null => of.map(to.clone(), |value| when(!outside, value.cast(to.clone())).end()),
    }
}

/// Casts a decimal to a decimal. A smaller scale rounds the value, halves away from zero.
fn between_decimals(
    of: Lowered,
    to: &DataType,
    [(_, precision, scale), (_, new_precision, new_scale)]: [(usize, u8, i8); 2],
    on_overflow: OnOverflow,
) -> Option<Result<Lowered, Refusal>> {
    let digits = i32::from(precision) - i32::from(scale);
    let new_digits = i32::from(new_precision) - i32::from(new_scale);
    if new_scale < scale {
        // Rounding can add one digit before the decimal point.
        if new_digits <= digits {
            return None;
        }
        let rounded = |value: Expr| Expr::call(Function::Round, [value, lit(i32::from(new_scale))]);
        return Some(Ok(of.map(to.clone(), |value| rounded(value).cast(to.clone()))));
    }
    if digits <= new_digits {
        return Some(Ok(of.map(to.clone(), |value| value.cast(to.clone()))));
    }
    let bound = power(new_digits + i32::from(scale))?;
    let wide = DataType::Decimal128(38, scale);
    let limits = stored(bound, &wide).and_then(|high| Ok((high, stored(-bound, &wide)?)));
    Some(limits.map(|(high, low)| {
        let outside = of.value.clone().ge(high).or(of.value.clone().le(low));
        limited(of, to, outside, on_overflow)
    }))
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

/// Casts a timestamp to another unit. DataFusion truncates toward 1970-01-01.
fn between_units(of: Lowered, to: &DataType, [old, new]: [i64; 2], on_overflow: OnOverflow) -> Lowered {
    let stored = of.value.clone().cast(DataType::Int64);
    if new < old {
        return of.map(to.clone(), |_| (stored / (old / new)).cast(to.clone()));
    }
    let factor = new / old;
    let outside = stored.clone().gt(i64::MAX / factor).or(stored.clone().lt(i64::MIN / factor));
    let scaled = of.map(to.clone(), |_| (stored * factor).cast(to.clone()));
    limited(scaled, to, outside, on_overflow)
}

/// Casts a float to a decimal of 64 or 128 bits in the same way as DataFusion. The float becomes a double, is
/// multiplied by a power of ten, and is rounded to an integer, with halves away from zero.
fn float_to_decimal(
    of: Lowered,
    to: &DataType,
    precision: u8,
    scale: i8,
    on_overflow: OnOverflow,
) -> Option<Result<Lowered, Refusal>> {
    let units = of.value.clone().cast(DataType::Float64) * 10_f64.powi(i32::from(scale));
    let units = Expr::call(Function::Round, [units, lit(0)]);
    let outside = !units.clone().abs().lt(10_f64.powi(i32::from(precision)));
    // The product with the smallest positive decimal converts the number of units to a decimal with the scale.
    let whole = DataType::Decimal128(38, 0);
    let unit = match stored(1, &DataType::Decimal128(38, scale)) {
        Ok(unit) if scale >= 0 => unit,
        Ok(_) => return None,
        Err(refusal) => return Some(Err(refusal)),
    };
    let value = (units.cast(whole) * lit(unit)).cast(to.clone());
    Some(Ok(limited(of.map(to.clone(), |_| value), to, outside, on_overflow)))
}

/// Returns a power of ten for an exponent from 0 to 38.
fn power(exponent: i32) -> Option<i128> {
    u32::try_from(exponent).ok().filter(|exponent| *exponent <= 38).and_then(|exponent| 10_i128.checked_pow(exponent))
}

/// Returns the smallest and the largest number of an integer type.
pub(super) fn limits(data_type: &DataType) -> Option<[i128; 2]> {
    let bits = u32::try_from(width(data_type)? * 8).ok()?;
    Some(match is_unsigned_integral(data_type) {
        true => [0, (1_i128 << bits) - 1],
        false => [-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1],
    })
}
