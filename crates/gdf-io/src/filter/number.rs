//! Converts numbers that are written in digits to the types of columns, without a detour over floats.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{ArrayRef, Decimal256Array, Float16Array, Float32Array, Float64Array, StringArray};
use arrow_buffer::i256;
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{ArrowError, DECIMAL256_MAX_PRECISION, DataType};
use gdf_core::f16;

/// The number `digits * 10^exponent`. The digits neither begin nor end with a zero, so equal numbers have equal fields.
#[derive(Debug, PartialEq, Eq)]
struct Number {
    is_negative: bool,
    digits: String,
    exponent: i64,
}

impl Number {
    fn parse(text: &str) -> Option<Number> {
        let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let exponent = exponent.parse::<i64>().ok()?;
        let significant = all.trim_start_matches('0');
        let digits = significant.trim_end_matches('0');
        if digits.is_empty() {
            return Some(Number { is_negative: false, digits: String::new(), exponent: 0 });
        }
        let zeros = significant.len() - digits.len();
        let exponent = exponent.checked_sub(fraction.len() as i64)?.checked_add(zeros as i64)?;
        Some(Number { is_negative, digits: digits.to_owned(), exponent })
    }

    /// Returns the digits of the number times `10^scale`. Returns `None` if the product is no integer, or has more
    /// digits than any type.
    fn scaled(&self, scale: i8) -> Option<String> {
        if self.digits.is_empty() {
            return Some("0".to_owned());
        }
        let zeros = usize::try_from(self.exponent.checked_add(scale.into())?).ok()?;
        if zeros.saturating_add(self.digits.len()) > usize::from(DECIMAL256_MAX_PRECISION) {
            return None;
        }
        let sign = if self.is_negative { "-" } else { "" };
        Some(format!("{sign}{}{}", self.digits, "0".repeat(zeros)))
    }

    /// Returns a key that orders numbers by their absolute values.
    fn magnitude(&self) -> (i64, &str) {
        let place = self.exponent.saturating_add(self.digits.len() as i64);
        (if self.digits.is_empty() { i64::MIN } else { place }, &self.digits)
    }
}

/// Returns an array of one number of a numeric type. Returns `None` if the text is no number, or if the type cannot
/// represent the number. If the text has a point or an exponent, the number is rounded to the nearest float.
pub(super) fn array_of(text: &str, data_type: &DataType) -> Option<ArrayRef> {
    let number = Number::parse(text)?;
    if gdf_core::is_floating(data_type) {
        return float(text, &number, data_type);
    }
    let given: ArrayRef = match gdf_core::decimal_parts(data_type) {
        None => Arc::new(StringArray::from(vec![number.scaled(0)?])),
        Some((_, _, scale)) => {
            let values = Decimal256Array::from(vec![i256::from_string(&number.scaled(scale)?)?]);
            Arc::new(values.with_precision_and_scale(DECIMAL256_MAX_PRECISION, scale).ok()?)
        }
    };
    cast(&given, data_type).ok()
}

fn float(text: &str, number: &Number, data_type: &DataType) -> Option<ArrayRef> {
    let rounded: ArrayRef = match data_type {
        DataType::Float16 => Arc::new(Float16Array::from(vec![nearest_half(text.parse().ok()?, number)])),
        // A detour over 64 bits would round twice.
        DataType::Float32 => Arc::new(Float32Array::from(vec![text.parse::<f32>().ok()?])),
        _ => Arc::new(Float64Array::from(vec![text.parse::<f64>().ok()?])),
    };
    let value = cast(&rounded, &DataType::Float64).ok()?.as_primitive::<Float64Type>().value(0);
    let is_exact = || Number::parse(&format!("{value:.0}")).as_ref() == Some(number);
    (value.is_finite() && (text.contains(['.', 'e', 'E']) || is_exact())).then_some(rounded)
}

/// Returns the 16-bit float that is nearest to the number. `nearest` is the nearest 32-bit float.
///
/// Rounding `nearest` would round twice. If `nearest` is not exact, it is therefore replaced by the one of both 32-bit
/// floats around the number whose last bit is 1. That float never lies in the middle of two 16-bit floats.
fn nearest_half(nearest: f32, number: &Number) -> f16 {
    // 149 decimals show each 32-bit float exactly. Infinity is no number.
    let Some(found) = Number::parse(&format!("{nearest:.149}")) else { return f16::from_f32(nearest) };
    let bits = nearest.to_bits();
    let odd = match number.magnitude().cmp(&found.magnitude()) {
        Ordering::Equal => bits,
        _ if bits % 2 == 1 => bits,
        Ordering::Less => bits - 1,
        Ordering::Greater => bits + 1,
    };
    f16::from_f32(f32::from_bits(odd))
}

fn cast(array: &ArrayRef, data_type: &DataType) -> Result<ArrayRef, ArrowError> {
    cast_with_options(array, data_type, &CastOptions { safe: false, ..CastOptions::default() })
}

#[cfg(test)]
mod tests {
    use arrow_array::Array;
    use arrow_cast::display::array_value_to_string;

    use super::*;

    #[test]
    fn integers_and_decimals_are_exact_or_refused() {
        let decimal = |precision, scale| DataType::Decimal128(precision, scale);
        let long = format!("1{}", "0".repeat(75));
        for (text, data_type, expected) in [
            ("9007199254740993.0", DataType::Int64, Some("9007199254740993")),
            ("-9223372036854775808.00", DataType::Int64, Some("-9223372036854775808")),
            ("9223372036854775808.0", DataType::Int64, None),
            ("18446744073709551615e0", DataType::UInt64, Some("18446744073709551615")),
            ("0.5", DataType::Int64, None),
            ("1e2", DataType::Int8, Some("100")),
            ("1e3", DataType::Int8, None),
            ("-0.0", DataType::UInt8, Some("0")),
            ("0e999", DataType::Int8, Some("0")),
            ("12345678901234567.89", decimal(20, 2), Some("12345678901234567.89")),
            ("-.10", decimal(4, 2), Some("-0.10")),
            ("123.45", decimal(4, 2), None),
            ("0.123", decimal(4, 2), None),
            ("99999999999999999999", decimal(38, 0), Some("99999999999999999999")),
            ("12e2", decimal(5, -2), Some("1200")),
            ("1250", decimal(5, -2), None),
            ("1e75", DataType::Decimal256(76, 0), Some(long.as_str())),
            ("1e76", DataType::Decimal256(76, 0), None),
            ("1e99999999999", DataType::Decimal256(76, 0), None),
            ("1.2.3", DataType::Int64, None),
            ("1e", DataType::Int64, None),
            ("0e", DataType::Int64, None),
            ("-", DataType::Int64, None),
            ("", DataType::Int64, None),
        ] {
            let found = array_of(text, &data_type);
            assert!(found.iter().all(|found| *found.data_type() == data_type), "{text}: {found:?}");
            let found = found.map(|found| array_value_to_string(&found, 0).unwrap());
            assert_eq!(found.as_deref(), expected, "{text} as {data_type}");
        }
    }

    #[test]
    fn fractions_become_the_nearest_float_and_integers_are_exact() {
        for (text, data_type, expected) in [
            ("0.1", DataType::Float64, Some(0.1)),
            ("-1e-3", DataType::Float64, Some(-0.001)),
            ("9007199254740993.0", DataType::Float64, Some(9_007_199_254_740_992.0)),
            ("9007199254740993", DataType::Float64, None),
            // The nearest 64-bit float lies in the middle of two 32-bit floats, and would become the lower one.
            ("16777217.000000000001", DataType::Float32, Some(16_777_218.0)),
            ("16777217", DataType::Float32, None),
            ("100000000000000000000", DataType::Float64, Some(1e20)),
            ("100000000000000000001", DataType::Float64, None),
            ("65504", DataType::Float16, Some(65_504.0)),
            // The nearest 32-bit float and the nearest 64-bit float lie in the middle of two 16-bit floats.
            ("1.00048828125", DataType::Float16, Some(1.0)),
            ("1.000488281250000000001", DataType::Float16, Some(1.0009765625)),
            ("-1.00146484374999999999999", DataType::Float16, Some(-1.0009765625)),
            ("2.98023223876953125e-8", DataType::Float16, Some(0.0)),
            ("2.980232238769531250000000001e-8", DataType::Float16, Some(5.960464477539063e-8)),
            ("65519.999999999999", DataType::Float16, Some(65_504.0)),
            ("65520.0", DataType::Float16, None),
            ("1e-60", DataType::Float16, Some(0.0)),
            ("1e999", DataType::Float64, None),
            ("1e5", DataType::Float16, None),
            ("-inf", DataType::Float64, None),
        ] {
            let found = array_of(text, &data_type);
            assert!(found.iter().all(|found| *found.data_type() == data_type), "{text}: {found:?}");
            let value =
                |found: ArrayRef| cast(&found, &DataType::Float64).unwrap().as_primitive::<Float64Type>().value(0);
            assert_eq!(found.map(value), expected, "{text} as {data_type}");
        }
    }
}
