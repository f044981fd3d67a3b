//! Oracles of `strings` for conversions between text and floats. The oracles apply the standard library to each row.

use arrow_array::ArrayRef;
use arrow_schema::DataType;

use super::map;
use super::numbers::{parsed, texts};
use gdf_test::value::Value;

/// Parses floats with `str::parse`.
pub fn to_floats(column: &ArrayRef, output_type: &DataType) -> ArrayRef {
    parsed(column, output_type, |text| match output_type {
        DataType::Float32 => text.parse().ok().map(Value::F32),
        _ => text.parse().ok().map(Value::F64),
    })
}

/// Returns whether each row is a float.
pub fn is_float(column: &ArrayRef) -> ArrayRef {
    map(column, &DataType::Boolean, |text| Value::Bool(text.parse::<f64>().is_ok()))
}

/// Returns `printed`, which is a shortest text of a float. If the number is halfway between two texts of this length,
/// returns the text whose last digit is even. `{:?}` prints the text with the larger last digit.
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

/// Formats floats in the same way as `{:?}`. If two texts are equally near, the last digit is even instead.
pub fn from_floats(column: &ArrayRef) -> ArrayRef {
    texts(column, |value| match value {
        Value::F32(value) => even(format!("{value:?}"), f64::from(*value), |text| text.parse() == Ok(*value)),
        Value::F64(value) => even(format!("{value:?}"), *value, |text| text.parse() == Ok(*value)),
        other => panic!("{other:?} is not a float"),
    })
}
