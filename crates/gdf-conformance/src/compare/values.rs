//! Converts columns to values. Two values are equal if the elements are equal under the rule.

use arrow_array::{ArrayRef, RecordBatch};
use gdf_test::value::{Value, to_values};

use super::Cell;
use crate::case::{Rule, Tolerance};

/// Returns the columns as values. If the rule does not distinguish −0.0 and 0.0, the function removes the sign of
/// zeros. If the rule allows any order of list elements, the function sorts the elements.
pub(super) fn columns(table: &RecordBatch, rule: &Rule) -> Vec<Vec<Cell>> {
    let column = |column: &ArrayRef| {
        let mut values = to_values(column);
        values.iter_mut().for_each(|cell| forget(cell, rule, true));
        values
    };
    table.columns().iter().map(column).collect()
}

/// Removes the properties of a cell that the rule ignores. Only the elements of the column's own lists are sorted. The
/// elements of nested lists keep their order.
fn forget(cell: &mut Cell, rule: &Rule, top: bool) {
    match cell {
        Some(Value::F32(value)) if *value == 0.0 && !rule.signed_zeros => *value = 0.0,
        Some(Value::F64(value)) if *value == 0.0 && !rule.signed_zeros => *value = 0.0,
        Some(Value::List(cells)) => {
            cells.iter_mut().for_each(|cell| forget(cell, rule, false));
            if top && rule.unordered_lists {
                cells.sort_unstable();
            }
        }
        Some(Value::Struct(cells)) => cells.iter_mut().for_each(|cell| forget(cell, rule, false)),
        _ => {}
    }
}

/// Returns whether two cells are equal. Floats may differ within the tolerance.
pub(super) fn equal(expected: &Cell, got: &Cell, tolerance: Option<Tolerance>) -> bool {
    let Some(tolerance) = tolerance else { return expected == got };
    match (expected, got) {
        (Some(Value::List(a)), Some(Value::List(b))) | (Some(Value::Struct(a)), Some(Value::Struct(b))) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b, Some(tolerance)))
        }
        (Some(a @ (Value::F32(_) | Value::F64(_))), Some(b @ (Value::F32(_) | Value::F64(_)))) => {
            match (a.as_f64(), b.as_f64()) {
                (Some(a), Some(b)) if a.is_finite() && b.is_finite() => {
                    (a - b).abs() <= tolerance.absolute + tolerance.relative * a.abs()
                }
                _ => a == b,
            }
        }
        _ => expected == got,
    }
}

/// Returns whether a column has floats at any depth.
pub(super) fn has_floats(column: &[Cell]) -> bool {
    column.iter().flatten().any(|value| match value {
        Value::F16(_) | Value::F32(_) | Value::F64(_) => true,
        Value::List(cells) | Value::Struct(cells) => has_floats(cells),
        _ => false,
    })
}
