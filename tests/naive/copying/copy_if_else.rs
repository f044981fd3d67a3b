//! Oracles of `copying::copy_if_else` and `replace::replace_nulls`.

use arrow_array::ArrayRef;

use gdf_test::value::{Value, to_values, try_from_values};

/// Returns row `i`.
fn row(rows: &[Option<Value>], i: usize) -> Option<Value> {
    let i = if rows.len() == 1 { 0 } else { i };
    rows.get(i).cloned().flatten()
}

/// Takes each row from `lhs` where `mask` is true, and from `rhs` elsewhere.
///
/// # Errors
/// - the result cannot be built.
pub fn copy_if_else(lhs: &ArrayRef, rhs: &ArrayRef, mask: &ArrayRef) -> Result<ArrayRef, String> {
    let (left, right) = (to_values(lhs), to_values(rhs));
    let chosen = to_values(mask).into_iter().enumerate();
    let rows: Vec<_> =
        chosen.map(|(i, mask)| row(if mask == Some(Value::Bool(true)) { &left } else { &right }, i)).collect();
    Ok(try_from_values(lhs.data_type(), &rows)?)
}

/// Replaces each null row of `column` by the same row of `replacement`.
///
/// # Errors
/// - the result cannot be built.
pub fn replace_nulls(column: &ArrayRef, replacement: &ArrayRef) -> Result<ArrayRef, String> {
    let replacements = to_values(replacement);
    let rows = to_values(column).into_iter().enumerate();
    let rows: Vec<_> = rows.map(|(i, value)| value.or_else(|| row(&replacements, i))).collect();
    Ok(try_from_values(column.data_type(), &rows)?)
}
