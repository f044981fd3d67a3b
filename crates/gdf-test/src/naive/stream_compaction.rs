//! Oracles of `stream_compaction`.

use arrow_array::ArrayRef;

use crate::value::{Value, to_values, try_from_values};

/// The rows of each column whose element of `mask` is true.
///
/// # Errors
/// - a column cannot be built.
pub fn apply_boolean_mask(columns: &[ArrayRef], mask: &ArrayRef) -> Result<Vec<ArrayRef>, String> {
    let mask = to_values(mask);
    let keep = |column: &ArrayRef| {
        let rows = to_values(column).into_iter().zip(&mask);
        let kept: Vec<_> = rows.filter(|(_, keep)| **keep == Some(Value::Bool(true))).map(|(row, _)| row).collect();
        Ok(try_from_values(column.data_type(), &kept)?)
    };
    columns.iter().map(keep).collect()
}
