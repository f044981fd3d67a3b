//! Oracles of `null_mask`. The oracles represent a mask by a boolean array.

use std::ops::Range;

use arrow_array::ArrayRef;
use arrow_schema::DataType;

use gdf_test::value::{Value, from_values, to_values};

/// Builds a mask as an array.
pub fn mask(valid: impl IntoIterator<Item = bool>) -> ArrayRef {
    let valid: Vec<_> = valid.into_iter().map(|valid| Some(Value::Bool(valid))).collect();
    from_values(&DataType::Boolean, &valid)
}

fn validity(column: &ArrayRef) -> Vec<bool> {
    to_values(column).iter().map(Option::is_some).collect()
}

fn merge(columns: &[ArrayRef], how: impl Fn(bool, bool) -> bool) -> ArrayRef {
    let masks = columns.iter().map(validity);
    let merged = masks.reduce(|all, mask| all.into_iter().zip(mask).map(|(a, b)| how(a, b)).collect());
    mask(merged.unwrap_or_default())
}

/// Returns the mask in which a row is valid if all columns are valid in this row.
pub fn bitmask_and(columns: &[ArrayRef]) -> ArrayRef {
    merge(columns, |a, b| a && b)
}

/// Returns the mask in which a row is valid if any column is valid in this row.
pub fn bitmask_or(columns: &[ArrayRef]) -> ArrayRef {
    merge(columns, |a, b| a || b)
}

/// Returns the column's mask.
pub fn copy_bitmask(column: &ArrayRef) -> ArrayRef {
    mask(validity(column))
}

/// Returns the column's mask, with the rows of a range made valid or null.
pub fn set_null_mask(column: &ArrayRef, rows: &Range<usize>, valid: bool) -> ArrayRef {
    mask(validity(column).into_iter().enumerate().map(|(row, was)| if rows.contains(&row) { valid } else { was }))
}

/// Returns the number of nulls in a range of rows.
pub fn null_count(column: &ArrayRef, rows: &Range<usize>) -> u64 {
    validity(column)[rows.clone()].iter().filter(|valid| !**valid).count() as u64
}

/// Returns the number of rows in the range that come before the first valid row of the range.
pub fn first_valid(column: &ArrayRef, rows: &Range<usize>) -> u64 {
    validity(column)[rows.clone()].iter().take_while(|valid| !**valid).count() as u64
}

/// Returns the mask of the rows that are valid and true.
pub fn bools_to_mask(column: &ArrayRef) -> ArrayRef {
    mask(to_values(column).into_iter().map(|value| value == Some(Value::Bool(true))))
}

/// Returns a range of a column's mask as booleans.
pub fn mask_to_bools(column: &ArrayRef, rows: &Range<usize>) -> ArrayRef {
    mask(validity(column)[rows.clone()].iter().copied())
}

/// Returns the masks of the columns, one after another.
pub fn concatenate_masks(columns: &[ArrayRef]) -> ArrayRef {
    mask(columns.iter().flat_map(validity))
}
