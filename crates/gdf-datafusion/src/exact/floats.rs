//! Gives each zero and each NaN one representation. DataFusion compares floats by their bits: −0.0 is less than 0.0, and
//! NaN with a sign is less than all numbers.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float16Type, Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{ArrowError, DataType};
use datafusion::scalar::ScalarValue;

/// Returns whether a column of a type has floats, at any depth.
pub(super) fn has_floats(data_type: &DataType) -> bool {
    match data_type {
        DataType::Float16 | DataType::Float32 | DataType::Float64 => true,
        DataType::Struct(fields) => fields.iter().any(|field| has_floats(field.data_type())),
        DataType::List(inner) | DataType::LargeList(inner) | DataType::FixedSizeList(inner, _) => {
            has_floats(inner.data_type())
        }
        DataType::Map(inner, _) => has_floats(inner.data_type()),
        DataType::Dictionary(_, values) => has_floats(values),
        _ => false,
    }
}

/// Returns floats without −0.0, and with a single kind of NaN. Other arrays, and arrays without such values, are
/// returned as they are.
pub(super) fn one_of_each(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    macro_rules! replaced {
        ($type:ty, $float:ty) => {{
            let one = |value: <$type as arrow_array::ArrowPrimitiveType>::Native| match value.is_nan() {
                true => <$float>::NAN.to_bits(),
                false if value.to_bits() << 1 == 0 => 0,
                false => value.to_bits(),
            };
            let values = array.as_primitive::<$type>();
            match values.values().iter().any(|value| value.to_bits() != one(*value)) {
                true => Arc::new(values.unary::<_, $type>(|value| {
                    <$type as arrow_array::ArrowPrimitiveType>::Native::from_bits(one(value))
                })),
                false => Arc::clone(array),
            }
        }};
    }
    Ok(match array.data_type() {
        DataType::Float16 => replaced!(Float16Type, <Float16Type as arrow_array::ArrowPrimitiveType>::Native),
        DataType::Float32 => replaced!(Float32Type, f32),
        DataType::Float64 => replaced!(Float64Type, f64),
        _ => Arc::clone(array),
    })
}

/// Does the same as [`one_of_each`] for a literal.
pub(super) fn one_of_scalar(value: ScalarValue) -> ScalarValue {
    match value {
        ScalarValue::Float64(Some(value)) if value.is_nan() => ScalarValue::Float64(Some(f64::NAN)),
        ScalarValue::Float64(Some(value)) => ScalarValue::Float64(Some(value + 0.0)),
        ScalarValue::Float32(Some(value)) if value.is_nan() => ScalarValue::Float32(Some(f32::NAN)),
        ScalarValue::Float32(Some(value)) => ScalarValue::Float32(Some(value + 0.0)),
        other => other,
    }
}
