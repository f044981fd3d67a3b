//! Converts the names of libcudf's types to types of gdf. The corpus contains these names.

use arrow_schema::{DataType, TimeUnit};

/// Returns the type of a name such as `INT8`, `TIMESTAMP_DAYS` or `DECIMAL64:-2`. The number after the colon is a
/// libcudf scale, which is the negated Arrow scale.
///
/// A decimal type has the largest precision of its width. The result for the name of a nested type is `None`, because
/// the name does not contain the types of the fields. The result for a type that does not exist in Arrow is also
/// `None`.
pub fn data_type(name: &str) -> Option<DataType> {
    use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    if let Some((decimal, scale)) = name.split_once(':') {
        let scale = scale.parse::<i8>().ok()?.checked_neg()?;
        return Some(match decimal {
            "DECIMAL32" => DataType::Decimal32(9, scale),
            "DECIMAL64" => DataType::Decimal64(18, scale),
            "DECIMAL128" => DataType::Decimal128(38, scale),
            _ => return None,
        });
    }
    Some(match name {
        "EMPTY" => DataType::Null,
        "INT8" => DataType::Int8,
        "INT16" => DataType::Int16,
        "INT32" => DataType::Int32,
        "INT64" => DataType::Int64,
        "UINT8" => DataType::UInt8,
        "UINT16" => DataType::UInt16,
        "UINT32" => DataType::UInt32,
        "UINT64" => DataType::UInt64,
        "FLOAT32" => DataType::Float32,
        "FLOAT64" => DataType::Float64,
        "BOOL8" => DataType::Boolean,
        "STRING" => DataType::Utf8,
        "TIMESTAMP_DAYS" => DataType::Date32,
        "TIMESTAMP_SECONDS" => DataType::Timestamp(Second, None),
        "TIMESTAMP_MILLISECONDS" => DataType::Timestamp(Millisecond, None),
        "TIMESTAMP_MICROSECONDS" => DataType::Timestamp(Microsecond, None),
        "TIMESTAMP_NANOSECONDS" => DataType::Timestamp(Nanosecond, None),
        "DURATION_SECONDS" => DataType::Duration(Second),
        "DURATION_MILLISECONDS" => DataType::Duration(Millisecond),
        "DURATION_MICROSECONDS" => DataType::Duration(Microsecond),
        "DURATION_NANOSECONDS" => DataType::Duration(Nanosecond),
        "DECIMAL32" => DataType::Decimal32(9, 0),
        "DECIMAL64" => DataType::Decimal64(18, 0),
        "DECIMAL128" => DataType::Decimal128(38, 0),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_change_their_sign() {
        assert_eq!(data_type("DECIMAL64:-2"), Some(DataType::Decimal64(18, 2)));
        assert_eq!(data_type("DECIMAL32:3"), Some(DataType::Decimal32(9, -3)));
        assert_eq!(data_type("TIMESTAMP_DAYS"), Some(DataType::Date32));
        for name in ["LIST", "STRUCT", "INT", "DECIMAL64:x", "INT8:1", ""] {
            assert_eq!(data_type(name), None, "{name}");
        }
    }
}
