//! The types of columns inside of plans.
//!
//! Inside of a plan, a column has the *plain* type of its declared type: text or binary with offsets for a view, the
//! type of the values for a dictionary, and a decimal of 64 bits for a decimal of 128 bits that has at most 18 digits.
//! Columns are converted when they enter and leave the plan.

use std::sync::Arc;

use arrow_schema::{DECIMAL64_MAX_PRECISION, DECIMAL128_MAX_PRECISION, DataType, FieldRef, Schema, SchemaRef};
use gdf_core::decimal_parts;

use crate::error::UnsupportedType;

/// Returns the plain type of a type.
///
/// # Errors
/// * [`UnsupportedType`]: plans do not compute with columns of the type.
pub fn plain(data_type: &DataType) -> Result<DataType, UnsupportedType> {
    use DataType::*;
    match data_type {
        Boolean | Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64 | Float32 | Float64 => {}
        Date32 | Date64 | Time32(_) | Time64(_) | Timestamp(..) | Duration(_) => {}
        Utf8 | LargeUtf8 | Binary | LargeBinary => {}
        Decimal128(precision, scale) if *precision <= DECIMAL64_MAX_PRECISION => {
            return Ok(Decimal64(*precision, *scale));
        }
        Decimal32(..) | Decimal64(..) | Decimal128(..) | Decimal256(..) => {}
        Utf8View => return Ok(Utf8),
        BinaryView => return Ok(Binary),
        // Arrow has no cast to a dictionary of dictionaries.
        Dictionary(_, values) if !matches!(values.as_ref(), Dictionary(..)) => return plain(values),
        other => return Err(UnsupportedType(other.clone())),
    }
    Ok(data_type.clone())
}

/// Returns the type that a column has inside of a plan. The type is plain, or it is a type of lists or structs, which
/// plans only pass on and unnest. Lists of a fixed size become lists with offsets.
fn held(data_type: &DataType) -> Result<DataType, UnsupportedType> {
    let inner = |field: &FieldRef| Ok(Arc::new(field.as_ref().clone().with_data_type(held(field.data_type())?)));
    Ok(match data_type {
        DataType::List(element) | DataType::FixedSizeList(element, _) => DataType::List(inner(element)?),
        DataType::LargeList(element) => DataType::LargeList(inner(element)?),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(inner).collect::<Result<_, UnsupportedType>>()?),
        other => return plain(other),
    })
}

/// Returns the types that the columns of a schema have inside of a plan. Lists and structs stay lists and structs.
///
/// # Errors
/// * [`UnsupportedType`]: plans hold no columns of a type.
pub fn held_types(schema: &Schema) -> Result<Vec<DataType>, UnsupportedType> {
    schema.fields().iter().map(|field| held(field.data_type())).collect()
}

/// Returns the plain types of the columns of a schema.
///
/// # Errors
/// * [`UnsupportedType`]: plans do not compute with columns of a type.
pub fn plain_types(schema: &Schema) -> Result<Vec<DataType>, UnsupportedType> {
    schema.fields().iter().map(|field| plain(field.data_type())).collect()
}

/// Returns the schema with the types that the columns have inside of a plan, as by [`held_types`].
///
/// # Errors
/// * [`UnsupportedType`]: plans hold no columns of a type.
pub fn held_schema(schema: &Schema) -> Result<SchemaRef, UnsupportedType> {
    let field = |field: &FieldRef| {
        let data_type = held(field.data_type())?;
        Ok(field.as_ref().clone().with_data_type(data_type))
    };
    let fields = schema.fields().iter().map(field).collect::<Result<Vec<_>, UnsupportedType>>()?;
    Ok(Arc::new(Schema::new(fields)))
}

/// Returns the type of decimals of `width` bytes, which must be 8 or more, with the same precision and scale.
pub fn with_width(data_type: &DataType, width: usize) -> DataType {
    match (decimal_parts(data_type), width) {
        (Some((_, precision, scale)), 8) => DataType::Decimal64(precision, scale),
        (Some((_, precision, scale)), 16) => DataType::Decimal128(precision, scale),
        (Some((_, precision, scale)), 32) => DataType::Decimal256(precision, scale),
        _ => data_type.clone(),
    }
}

/// Returns the smallest absolute value that is too large for a decimal of at most 128 bits with this number of digits.
/// The value is an integer, without the scale.
pub fn most_digits(precision: u8) -> u128 {
    10_u128.pow(precision.min(DECIMAL128_MAX_PRECISION).into())
}
