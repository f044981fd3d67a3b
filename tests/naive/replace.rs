//! Oracles of `replace`, except for `replace_nulls` by values, whose oracle is in `copy_if_else`.

use std::cmp::Ordering;

use arrow_array::ArrayRef;
use arrow_schema::DataType;

use gdf_test::value::{Value, to_values, try_from_values};

fn column(like: &ArrayRef, rows: &[Option<Value>]) -> Result<ArrayRef, String> {
    Ok(try_from_values(like.data_type(), rows)?)
}

/// Compares two values.
pub fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a.partial_cmp(&b),
        _ => Some(a.cmp(b)),
    }
}

/// Returns whether a value is NaN.
pub fn is_nan(value: &Value) -> bool {
    value.as_f64().is_some_and(f64::is_nan)
}

/// Replaces each null by the last valid row before it. With `following`, replaces each null by the next valid row after
/// it.
///
/// # Errors
/// - the result cannot be built.
pub fn replace_nulls_by_policy(input: &ArrayRef, following: bool) -> Result<ArrayRef, String> {
    let mut rows = to_values(input);
    let mut nearest = None;
    let mut fill = |row: &mut Option<Value>| match row {
        Some(value) => nearest = Some(value.clone()),
        None => row.clone_from(&nearest),
    };
    if following {
        rows.iter_mut().rev().for_each(&mut fill)
    } else {
        rows.iter_mut().for_each(&mut fill)
    }
    column(input, &rows)
}

/// Replaces each NaN by the same row of `replacement`.
///
/// # Errors
/// - the result cannot be built.
pub fn replace_nans(input: &ArrayRef, replacement: &ArrayRef) -> Result<ArrayRef, String> {
    let by = to_values(replacement);
    let rows = to_values(input).into_iter().enumerate();
    let row = |(row, value): (usize, Option<Value>)| {
        if value.as_ref().is_some_and(is_nan) { by[if by.len() == 1 { 0 } else { row }].clone() } else { value }
    };
    column(input, &rows.map(row).collect::<Vec<_>>())
}

/// Returns the type of unsigned integers that have the width of a type of floats.
pub fn type_of_bits(floats: &DataType) -> DataType {
    match floats {
        DataType::Float16 => DataType::UInt16,
        DataType::Float32 => DataType::UInt32,
        _ => DataType::UInt64,
    }
}

/// Returns the bits of floats, after each NaN is replaced by the NaN without sign and payload, and −0.0 by 0.0.
///
/// # Errors
/// - the result cannot be built.
pub fn normalized_bits(input: &ArrayRef) -> Result<ArrayRef, String> {
    let bits = |value: Value| match value {
        Value::F16(x) if x.is_nan() => 0x7e00,
        Value::F32(x) if x.is_nan() => 0x7fc0_0000,
        Value::F64(x) if x.is_nan() => 0x7ff8_0000_0000_0000,
        value if value.as_f64() == Some(0.0) => 0,
        Value::F16(x) => u64::from(x.to_bits()),
        Value::F32(x) => u64::from(x.to_bits()),
        Value::F64(x) => x.to_bits(),
        other => unreachable!("{other:?} is not a float"),
    };
    let rows: Vec<_> = to_values(input).into_iter().map(|value| value.map(|value| Value::UInt(bits(value)))).collect();
    Ok(try_from_values(&type_of_bits(input.data_type()), &rows)?)
}

/// Replaces each row below the bound `low[0]` by `low[1]`, and each row above the bound `high[0]` by `high[1]`.
///
/// # Errors
/// - the result cannot be built.
pub fn clamp(input: &ArrayRef, low: [&ArrayRef; 2], high: [&ArrayRef; 2]) -> Result<ArrayRef, String> {
    let [low, high] = [low, high].map(|ends| ends.map(|end| to_values(end)));
    let at = |rows: &[Option<Value>], row: usize| rows[if rows.len() == 1 { 0 } else { row }].clone();
    let clamped = |(row, value): (usize, Option<Value>)| {
        let value = value?;
        let is = |bound: Option<Value>, order| bound.is_some_and(|bound| compare(&value, &bound) == Some(order));
        if is(at(&low[0], row), Ordering::Less) {
            at(&low[1], row)
        } else if is(at(&high[0], row), Ordering::Greater) {
            at(&high[1], row)
        } else {
            Some(value)
        }
    };
    column(input, &to_values(input).into_iter().enumerate().map(clamped).collect::<Vec<_>>())
}

/// Replaces each row that occurs in `from` by the row of `to` at the same position.
///
/// # Errors
/// - the result cannot be built.
pub fn find_and_replace_all(input: &ArrayRef, from: &ArrayRef, to: &ArrayRef) -> Result<ArrayRef, String> {
    let (from, to) = (to_values(from), to_values(to));
    let replaced = |value: Option<Value>| {
        let value = value?;
        let equal = |other: &Option<Value>| {
            let other = other.as_ref();
            other
                .is_some_and(|other| compare(&value, other) == Some(Ordering::Equal) || is_nan(&value) && is_nan(other))
        };
        from.iter().position(equal).map_or(Some(value.clone()), |row| to[row].clone())
    };
    column(input, &to_values(input).into_iter().map(replaced).collect::<Vec<_>>())
}
