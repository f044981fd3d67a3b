//! Texts whose values a type cannot hold without loss. The parsers of arrow-rs drop what does not fit, such as digits
//! of seconds, digits of a decimal, the time of a date, and the fraction of an integer.

use arrow_array::timezone::Tz;
use arrow_cast::parse::string_to_datetime;
use arrow_schema::{DataType, TimeUnit};

/// Integers below this limit have exact floats.
const EXACT_FLOATS: f64 = (1_u64 << 53) as f64;

/// Returns whether a type holds the value of a text without loss. The result is true for texts that are no value of the
/// type, which the parser refuses. The result is true for types of text, too, and for floats, which round each number.
pub(crate) fn is_exact(text: &str, data_type: &DataType) -> bool {
    if gdf_core::is_string(data_type) || gdf_core::is_floating(data_type) {
        return true;
    }
    if let Some((_, _, scale)) = gdf_core::decimal_parts(data_type) {
        return digits_of_decimal(text) <= i64::from(scale).max(0);
    }
    let is_fraction = text.contains(['.', 'e', 'E']);
    if is_fraction && let Ok(number) = text.parse::<f64>() {
        return number.fract() == 0.0 && number.abs() < EXACT_FLOATS;
    }
    match data_type {
        DataType::Date32 => is_day(text),
        DataType::Date64 => digits_after_point(text) <= 3,
        DataType::Timestamp(unit, _) | DataType::Time32(unit) | DataType::Time64(unit) => {
            digits_after_point(text) <= digits_of_unit(*unit)
        }
        _ => true,
    }
}

/// Returns whether a date has no time of day, or the time 00:00:00 UTC. A text of at most 10 bytes, or with a sign, has
/// no time.
fn is_day(text: &str) -> bool {
    if text.len() <= 10 || text.starts_with(['+', '-']) {
        return true;
    }
    let Ok(utc) = "+00:00".parse::<Tz>() else { return false };
    string_to_datetime(&utc, text).map_or(true, |moment| {
        moment.timestamp().rem_euclid(86_400) == 0
            && moment.timestamp_subsec_nanos() == 0
            && digits_after_point(text) == 0
    })
}

fn digits_of_unit(unit: TimeUnit) -> usize {
    match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 3,
        TimeUnit::Microsecond => 6,
        TimeUnit::Nanosecond => 9,
    }
}

/// Returns how many digits the text of a number or a time has after the decimal point. Zeros at the end do not count.
fn digits_after_point(text: &str) -> usize {
    let digits = text.split_once('.').map_or("", |(_, rest)| rest);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].trim_end_matches('0').len()
}

/// Returns how many digits the value of a number has after the decimal point. The result may be negative for a number
/// with an exponent.
fn digits_of_decimal(text: &str) -> i64 {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    digits_after_point(digits) as i64 - exponent.parse::<i64>().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::is_exact;
    use arrow_schema::{DataType, TimeUnit};

    #[test]
    fn values_with_more_digits_than_the_type_are_inexact() {
        let micros = DataType::Timestamp(TimeUnit::Microsecond, None);
        let decimal = DataType::Decimal128(9, 2);
        for (text, data_type, expected) in [
            ("7", DataType::Int64, true),
            ("7.0", DataType::Int64, true),
            ("7.5", DataType::Int64, false),
            ("1e3", DataType::Int64, true),
            ("-25e-1", DataType::Int64, false),
            ("9007199254740993.0", DataType::Int64, false),
            ("nonsense.", DataType::Int64, true),
            ("2024-01-02", DataType::Date32, true),
            ("2024-01-02T00:00:00", DataType::Date32, true),
            ("2024-01-02T23:30:00-05:00", DataType::Date32, false),
            ("2024-01-02T00:00:00.000000001", DataType::Date32, false),
            ("+12024-01-02", DataType::Date32, true),
            ("2024-01-02T00:00:00.1234", DataType::Date64, false),
            ("2024-01-02T00:00:00.123456", micros.clone(), true),
            ("2024-01-02T00:00:00.1234567Z", micros.clone(), false),
            ("2024-01-02T00:00:00.1234560+02:00", micros, true),
            ("00:00:00.5", DataType::Time32(TimeUnit::Second), false),
            ("2.34", decimal.clone(), true),
            ("2.345", decimal.clone(), false),
            ("2.340", decimal.clone(), true),
            ("2.345e1", decimal.clone(), true),
            ("2.3e-2", decimal, false),
            ("1.5", DataType::Utf8, true),
            ("1e400", DataType::LargeUtf8, true),
            ("9007199254740993.0", DataType::Utf8View, true),
            ("0.05", DataType::Float64, true),
            ("0.05", DataType::Float32, true),
        ] {
            assert_eq!(is_exact(text, &data_type), expected, "{text} as {data_type}");
        }
    }
}
