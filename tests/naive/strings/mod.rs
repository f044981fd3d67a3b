//! Oracles of `strings`. The oracles apply the standard library to each row.

pub mod characters;
pub mod edit;
pub mod floats;
pub mod numbers;
pub mod regex;
pub mod search;
pub mod similarity;
pub mod split;
pub mod times;
pub mod tokens;

use arrow_array::ArrayRef;
use arrow_schema::DataType;

use gdf_test::value::{Value, from_values, to_values};

/// Applies `f` to each text.
pub(super) fn map(column: &ArrayRef, output_type: &DataType, f: impl Fn(&str) -> Value) -> ArrayRef {
    let of = |row: &Option<Value>| match row {
        Some(Value::Str(text)) => Some(f(text)),
        _ => None,
    };
    let rows: Vec<_> = to_values(column).iter().map(of).collect();
    from_values(output_type, &rows)
}

/// Converts each row to upper case.
pub fn to_upper(column: &ArrayRef) -> ArrayRef {
    map(column, column.data_type(), |text| Value::Str(text.to_uppercase()))
}
