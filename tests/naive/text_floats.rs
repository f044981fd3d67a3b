//! Oracles of `strings`, of text to and from floats: what the standard library says of each row.

use arrow_array::ArrayRef;
use arrow_schema::DataType;

use super::strings::map;
use super::text_numbers::{parsed, texts};
use gdf_test::value::Value;

/// Floats, as `str::parse` takes them.
pub fn to_floats(column: &ArrayRef, output_type: &DataType) -> ArrayRef {
    parsed(column, output_type, |text| match output_type {
        DataType::Float32 => text.parse().ok().map(Value::F32),
        _ => text.parse().ok().map(Value::F64),
    })
}

/// Whether each row is a float.
pub fn is_float(column: &ArrayRef) -> ArrayRef {
    map(column, &DataType::Boolean, |text| Value::Bool(text.parse::<f64>().is_ok()))
}

/// Where a number is halfway between two texts of its shortest length, the one whose last digit is even; `{:?}` has the larger.
fn even(printed: String, exact: f64, is_same: impl Fn(&str) -> bool) -> String {
    let (mantissa, exponent) = printed.split_at(printed.find('e').unwrap_or(printed.len()));
    let (begin, last) = mantissa.split_at(mantissa.len() - 1);
    let digits = |text: &str| text.replace(['-', '.'], "").trim_start_matches('0').to_owned();
    match last.parse::<u8>() {
        Ok(last) if last % 2 == 1 => {
            let below = format!("{begin}{}", last - 1);
            let expansion = format!("{exact:.1080e}");
            let expansion = digits(&expansion[..expansion.find('e').unwrap_or(expansion.len())]);
            let is_half = |rest: &str| rest.trim_end_matches('0') == "5";
            let is_tie = expansion.strip_prefix(&digits(&below)).is_some_and(is_half);
            Some(below + exponent).filter(|text| is_tie && is_same(text)).unwrap_or(printed)
        }
        _ => printed,
    }
}

/// Floats, as `{:?}` prints them, but for the last digit of two that are as near.
pub fn from_floats(column: &ArrayRef) -> ArrayRef {
    texts(column, |value| match value {
        Value::F32(value) => even(format!("{value:?}"), f64::from(*value), |text| text.parse() == Ok(*value)),
        Value::F64(value) => even(format!("{value:?}"), *value, |text| text.parse() == Ok(*value)),
        other => panic!("{other:?} is no float"),
    })
}
