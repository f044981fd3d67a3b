//! Oracles of `dictionary`.

use arrow_array::ArrayRef;
use arrow_schema::DataType;

use super::groupby::canonical;
use super::sorting::{Direction, compare};
use gdf_test::value::{to_values, try_from_values};

/// Returns the distinct values of the column in ascending order, without null. If several values are equal, the first
/// value remains.
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
