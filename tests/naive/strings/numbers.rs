//! Oracles of `strings` for conversions between text and numbers. The oracles apply the standard library and arrow's
//! 256-bit integers to each row.

use arrow_array::ArrayRef;
use arrow_buffer::i256;
use arrow_schema::DataType;

use super::map;
use gdf_test::value::{Value, from_values, to_values};

pub(crate) fn parsed(column: &ArrayRef, output_type: &DataType, parse: impl Fn(&str) -> Option<Value>) -> ArrayRef {
    let of = |row: &Option<Value>| match row {
        Some(Value::Str(text)) => parse(text),
        _ => None,
    };
    let rows: Vec<_> = to_values(column).iter().map(of).collect();
    from_values(output_type, &rows)
}

fn integer(text: &str, data_type: &DataType) -> Option<Value> {
    Some(match data_type {
        DataType::Int8 => Value::Int(text.parse::<i8>().ok()?.into()),
        DataType::Int16 => Value::Int(text.parse::<i16>().ok()?.into()),
        DataType::Int32 => Value::Int(text.parse::<i32>().ok()?.into()),
        DataType::Int64 => Value::Int(text.parse::<i64>().ok()?.into()),
        DataType::UInt8 => Value::UInt(text.parse::<u8>().ok()?.into()),
        DataType::UInt16 => Value::UInt(text.parse::<u16>().ok()?.into()),
        DataType::UInt32 => Value::UInt(text.parse::<u32>().ok()?.into()),
        _ => Value::UInt(text.parse::<u64>().ok()?),
    })
}

/// Returns the first row that has a text but no value.
pub fn first_unconverted(texts: &ArrayRef, values: &ArrayRef) -> u64 {
    let (texts, values) = (to_values(texts), to_values(values));
    let lost = texts.iter().zip(&values).position(|(text, value)| text.is_some() && value.is_none());
    lost.unwrap_or(texts.len()) as u64
}

/// Parses integers with `str::parse`.
pub fn to_integers(column: &ArrayRef, output_type: &DataType) -> ArrayRef {
    parsed(column, output_type, |text| integer(text, output_type))
}

/// Returns whether each row is an integer.
pub fn is_integer(column: &ArrayRef, data_type: Option<&DataType>) -> ArrayRef {
    map(column, &DataType::Boolean, |text| {
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        let any = !digits.is_empty() && digits.chars().all(|digit| digit.is_ascii_digit());
        Value::Bool(data_type.map_or(any, |data_type| integer(text, data_type).is_some()))
    })
}

/// Returns the digits of a hexadecimal number, without the prefix `0x` or `0X`.
fn hex_digits(text: &str) -> Option<&str> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    (!digits.is_empty() && digits.chars().all(|digit| digit.is_ascii_hexdigit())).then_some(digits)
}

/// Parses hexadecimal integers.
pub fn hex_to_integers(column: &ArrayRef, output_type: &DataType) -> ArrayRef {
    parsed(column, output_type, |text| {
        let digits = hex_digits(text)?;
        Some(match output_type {
            DataType::Int8 => Value::Int((u8::from_str_radix(digits, 16).ok()? as i8).into()),
            DataType::Int16 => Value::Int((u16::from_str_radix(digits, 16).ok()? as i16).into()),
            DataType::Int32 => Value::Int((u32::from_str_radix(digits, 16).ok()? as i32).into()),
            DataType::Int64 => Value::Int((u64::from_str_radix(digits, 16).ok()? as i64).into()),
            DataType::UInt8 => Value::UInt(u8::from_str_radix(digits, 16).ok()?.into()),
            DataType::UInt16 => Value::UInt(u16::from_str_radix(digits, 16).ok()?.into()),
            DataType::UInt32 => Value::UInt(u32::from_str_radix(digits, 16).ok()?.into()),
            _ => Value::UInt(u64::from_str_radix(digits, 16).ok()?),
        })
    })
}

/// Returns whether each row is a hexadecimal number.
pub fn is_hex(column: &ArrayRef) -> ArrayRef {
    map(column, &DataType::Boolean, |text| Value::Bool(hex_digits(text).is_some()))
}

fn ipv4(text: &str) -> Option<u64> {
    let parts: Vec<&str> = text.split('.').collect();
    let is_part = |part: &&str| part.len() <= 3 && part.chars().all(|digit| digit.is_ascii_digit());
    let bytes: Vec<u8> = parts.iter().filter(|part| is_part(part)).filter_map(|part| part.parse().ok()).collect();
    let [a, b, c, d] = <[u8; 4]>::try_from(bytes).ok().filter(|_| parts.len() == 4)?;
    Some(u32::from(std::net::Ipv4Addr::new(a, b, c, d)).into())
}

/// Parses IPv4 addresses of four numbers.
pub fn ipv4_to_integers(column: &ArrayRef) -> ArrayRef {
    parsed(column, &DataType::UInt32, |text| ipv4(text).map(Value::UInt))
}

/// Returns whether each row is an IPv4 address.
pub fn is_ipv4(column: &ArrayRef) -> ArrayRef {
    map(column, &DataType::Boolean, |text| Value::Bool(ipv4(text).is_some()))
}

/// Parses an exponent, limited to 10,000, because a larger exponent does not change the result.
fn decimal_exponent(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse::<i32>().map_or(10_000, |size| size.min(10_000));
    Some(if text.starts_with('-') { -size } else { size })
}

/// Parses a decimal and returns its unscaled integer.
fn decimal(text: &str, precision: u8, scale: i8) -> Option<i256> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, decimal_exponent(exponent)?),
        None => (digits, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut all = whole.to_owned() + fraction;
    if all.is_empty() || !all.chars().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let keep = usize::try_from(whole.len() as i32 + exponent + i32::from(scale)).unwrap_or(0);
    while all.len() < keep {
        all.push('0');
    }
    all.truncate(keep);
    let number = all.trim_start_matches('0');
    let number = if text.starts_with('-') && !number.is_empty() { format!("-{number}") } else { number.to_owned() };
    let length = number.trim_start_matches('-').len();
    if length > usize::from(precision) {
        return None;
    }
    Some(if number.is_empty() { i256::ZERO } else { i256::from_string(&number)? })
}

fn parts(data_type: &DataType) -> (u8, i8) {
    match data_type {
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => (*precision, *scale),
        other => panic!("{other} is not a decimal"),
    }
}

/// Parses decimals.
pub fn to_fixed_point(column: &ArrayRef, output_type: &DataType) -> ArrayRef {
    let (precision, scale) = parts(output_type);
    parsed(column, output_type, |text| decimal(text, precision, scale).map(Value::Decimal))
}

/// Returns whether each row is a decimal of the type.
pub fn is_fixed_point(column: &ArrayRef, data_type: &DataType) -> ArrayRef {
    let (precision, scale) = parts(data_type);
    map(column, &DataType::Boolean, |text| Value::Bool(decimal(text, precision, scale).is_some()))
}

pub(crate) fn texts(column: &ArrayRef, text: impl Fn(&Value) -> String) -> ArrayRef {
    let rows: Vec<_> = to_values(column).iter().map(|row| row.as_ref().map(|value| Value::Str(text(value)))).collect();
    from_values(&DataType::Utf8, &rows)
}

/// Formats integers in decimal digits.
pub fn from_integers(column: &ArrayRef) -> ArrayRef {
    texts(column, |value| match value {
        Value::Int(value) => value.to_string(),
        Value::UInt(value) => value.to_string(),
        other => panic!("{other:?} is not an integer"),
    })
}

/// Formats integers in pairs of hexadecimal digits.
pub fn integers_to_hex(column: &ArrayRef) -> ArrayRef {
    let data_type = column.data_type().clone();
    texts(column, |value| {
        let digits = match (value, &data_type) {
            (Value::Int(value), DataType::Int8) => format!("{:X}", *value as i8),
            (Value::Int(value), DataType::Int16) => format!("{:X}", *value as i16),
            (Value::Int(value), DataType::Int32) => format!("{:X}", *value as i32),
            (Value::Int(value), _) => format!("{:X}", *value as i64),
            (Value::UInt(value), _) => format!("{value:X}"),
            (other, _) => panic!("{other:?} is not an integer"),
        };
        if digits.len() % 2 == 0 { digits } else { format!("0{digits}") }
    })
}

/// Formats IPv4 addresses as four numbers separated by points.
pub fn integers_to_ipv4(column: &ArrayRef) -> ArrayRef {
    texts(column, |value| match value {
        Value::UInt(value) => std::net::Ipv4Addr::from(*value as u32).to_string(),
        other => panic!("{other:?} is not an address"),
    })
}

/// Formats decimals as digits with a decimal point.
pub fn from_fixed_point(column: &ArrayRef) -> ArrayRef {
    let (_, scale) = parts(column.data_type());
    texts(column, |value| {
        let Value::Decimal(value) = value else { panic!("{value:?} is not a decimal") };
        let (sign, digits) = match value.to_string() {
            text if text.starts_with('-') => ("-", text[1..].to_owned()),
            text => ("", text),
        };
        match usize::try_from(scale) {
            Ok(0) => format!("{sign}{digits}"),
            Ok(scale) => {
                let digits = format!("{digits:0>width$}", width = scale + 1);
                let (whole, fraction) = digits.split_at(digits.len() - scale);
                format!("{sign}{whole}.{fraction}")
            }
            Err(_) if digits == "0" => digits,
            Err(_) => format!("{sign}{digits}{}", "0".repeat(usize::from(scale.unsigned_abs()))),
        }
    })
}

/// Returns `yes` for true and `no` for false.
pub fn from_booleans(column: &ArrayRef, yes: &str, no: &str) -> ArrayRef {
    texts(column, |value| (if matches!(value, Value::Bool(true)) { yes } else { no }).to_owned())
}
