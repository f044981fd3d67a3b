//! Oracles of `concatenate`.

use arrow_array::ArrayRef;

use gdf_test::value::{to_values, try_from_values};

/// Returns the rows of all pieces, in the order of the pieces.
///
/// # Errors
/// - there are no pieces, or the result cannot be built.
pub fn concatenate_columns(pieces: &[ArrayRef]) -> Result<ArrayRef, String> {
    let first = pieces.first().ok_or("there are no pieces")?;
    let rows: Vec<_> = pieces.iter().flat_map(|piece| to_values(piece)).collect();
    Ok(try_from_values(first.data_type(), &rows)?)
}

/// Concatenates tables of `columns` columns.
///
/// # Errors
/// - The errors of [`concatenate_columns`].
pub fn concatenate(pieces: &[ArrayRef], columns: usize) -> Result<Vec<ArrayRef>, String> {
    let column = |at: usize| {
        let own: Vec<_> = pieces.iter().skip(at).step_by(columns.max(1)).cloned().collect();
        concatenate_columns(&own)
    };
    (0..columns).map(column).collect()
}
