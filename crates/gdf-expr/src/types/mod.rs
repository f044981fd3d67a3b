//! Type rules: the types of results for the types of operands.

use gdf_core::DataType;

mod cast;
pub mod decimal;
pub mod nested;
mod number;
mod output_type;
mod refused_cast;
mod round;
mod sum;
pub mod temporal;

pub use self::cast::{CastPlan, Scale, ScaleOperation, encoded_types};
pub use self::number::Number;
pub use self::output_type::{default_output_type, natural};
pub use self::refused_cast::refused_cast;
pub use self::round::round_output_type;
pub use self::sum::sum_type;

/// Returns the type of the decoded values of a column of views or a dictionary, and other types unchanged.
pub fn decoded_type(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Utf8View => &DataType::Utf8,
        DataType::BinaryView => &DataType::Binary,
        DataType::Dictionary(_, values) => decoded_type(values),
        _ => data_type,
    }
}

/// Returns the type with 64-bit offsets if both types are text or both are bytes, and only the widths of their offsets
/// differ: `Utf8` and `LargeUtf8`, or `Binary` and `LargeBinary`.
pub fn wider_offsets(a: &DataType, b: &DataType) -> Option<DataType> {
    use DataType::{Binary, LargeBinary, LargeUtf8, Utf8};
    match (a, b) {
        (Utf8, LargeUtf8) | (LargeUtf8, Utf8) => Some(LargeUtf8),
        (Binary, LargeBinary) | (LargeBinary, Binary) => Some(LargeBinary),
        _ => None,
    }
}
