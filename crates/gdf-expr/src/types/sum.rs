//! The type of sums.

use gdf_core::{DataType, decimal_parts, is_floating, is_integral, is_unsigned_integral};

/// Returns the default type of the sum of values, or `None` for values without a sum.
///
/// | values | sum |
/// |---|---|
/// | booleans, signed integers | `Int64` |
/// | unsigned integers | `UInt64` |
/// | floats, durations | the same |
/// | decimals of up to 128 bits | `Decimal128(38, s)` |
/// | decimals of 256 bits | `Decimal256(76, s)` |
pub fn sum_type(values: &DataType) -> Option<DataType> {
    match (values, decimal_parts(values)) {
        (DataType::Duration(_), _) => Some(values.clone()),
        (_, Some((32, _, scale))) => Some(DataType::Decimal256(76, scale)),
        (_, Some((_, _, scale))) => Some(DataType::Decimal128(38, scale)),
        (values, _) if is_floating(values) => Some(values.clone()),
        (values, _) if is_unsigned_integral(values) => Some(DataType::UInt64),
        (values, _) if is_integral(values) || *values == DataType::Boolean => Some(DataType::Int64),
        _ => None,
    }
}
