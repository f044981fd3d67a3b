//! Oracles of `dictionary`.

use arrow_array::ArrayRef;
use arrow_schema::DataType;

use super::groupby::canonical;
use super::sorting::{Direction, compare};
use gdf_test::value::{Value, to_values, try_from_values};

/// Returns the distinct values of the column in ascending order, without null.
///
/// # Errors
/// - the column cannot be built.
pub fn values(column: &ArrayRef) -> Result<ArrayRef, String> {
    let up = Direction { descending: false, nulls_smallest: true };
    let mut values = Vec::new();
    for value in to_values(column).into_iter().flatten() {
        let is_new = |other: &Option<_>| other.clone().map(canonical) != Some(canonical(value.clone()));
        if values.iter().all(is_new) {
            values.push(Some(value));
        }
    }
    values.sort_by(|a, b| compare(a, b, up));
    Ok(try_from_values(column.data_type(), &values)?)
}

/// Returns the same rows as a column of another type.
///
/// # Errors
/// - the column cannot be built.
pub fn with_type(column: &ArrayRef, data_type: &DataType) -> Result<ArrayRef, String> {
    Ok(try_from_values(data_type, &to_values(column))?)
}

/// Returns the values of a column that satisfy a condition, once each, in ascending order, without null.
///
/// # Errors
/// - the column cannot be built.
pub fn chosen(column: &ArrayRef, is_chosen: impl Fn(&Value) -> bool) -> Result<ArrayRef, String> {
    let kept: Vec<_> = to_values(column).into_iter().filter(|value| value.as_ref().is_some_and(&is_chosen)).collect();
    values(&try_from_values(column.data_type(), &kept)?)
}

/// Returns the rows, with null in place of each value that is not in `keys`.
///
/// # Errors
/// - the column cannot be built.
pub fn only(column: &ArrayRef, keys: &ArrayRef) -> Result<ArrayRef, String> {
    let keys = to_values(keys);
    let rows = to_values(column).into_iter().map(|value| value.filter(|value| has(&keys, value)));
    Ok(try_from_values(column.data_type(), &rows.collect::<Vec<_>>())?)
}

/// Returns whether a value is among others.
pub fn has(values: &[Option<Value>], value: &Value) -> bool {
    values.iter().flatten().any(|other| canonical(other.clone()) == canonical(value.clone()))
}

/// Returns whether two values are equal as keys.
pub fn same(a: &Option<Value>, b: &Option<Value>) -> bool {
    a.clone().map(canonical) == b.clone().map(canonical)
}

/// Returns a number as a value of an integer type.
pub fn number(data_type: &DataType, number: usize) -> Value {
    if data_type.is_unsigned_integer() { Value::UInt(number as u64) } else { Value::Int(number as i128) }
}
