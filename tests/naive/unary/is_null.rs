//! Oracles of `unary::{is_null, is_valid, is_nan, is_not_nan}`.

use arrow_array::ArrayRef;
use arrow_schema::DataType;

use gdf_test::value::{Value, from_values, to_values};

fn each(column: &ArrayRef, ask: impl Fn(&Option<Value>) -> bool) -> ArrayRef {
    let answers: Vec<_> = to_values(column).iter().map(|value| Some(Value::Bool(ask(value)))).collect();
    from_values(&DataType::Boolean, &answers)
}

/// Returns whether the value is null. An element of a union is null if its field is null.
fn is_absent(value: &Option<Value>) -> bool {
    match value {
        Some(Value::Union(_, field)) => is_absent(field),
        value => value.is_none(),
    }
}

/// Returns whether each row is null.
pub fn is_null(column: &ArrayRef) -> ArrayRef {
    each(column, is_absent)
}

/// Returns whether each row is not null.
pub fn is_valid(column: &ArrayRef) -> ArrayRef {
    each(column, |value| !is_absent(value))
}

/// Returns whether each row is NaN.
pub fn is_nan(column: &ArrayRef) -> ArrayRef {
    each(column, |value| value.as_ref().and_then(Value::as_f64).is_some_and(f64::is_nan))
}

/// Returns whether each row is not NaN.
pub fn is_not_nan(column: &ArrayRef) -> ArrayRef {
    each(column, |value| !value.as_ref().and_then(Value::as_f64).is_some_and(f64::is_nan))
}
