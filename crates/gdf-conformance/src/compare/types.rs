//! Checks that two tables have equal types. If the rule requires equal names, the module also checks the names.

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field};
use gdf_core::same_type;

use crate::case::Rule;

/// Compares the numbers of columns and the types. If the rule requires equal names, the function also compares the
/// names.
///
/// # Errors
/// - The tables differ. The text describes the first difference.
pub(super) fn compare(expected: &RecordBatch, got: &RecordBatch, rule: &Rule) -> Result<(), String> {
    if expected.num_columns() != got.num_columns() {
        return Err(format!("expected {} columns, got {}", expected.num_columns(), got.num_columns()));
    }
    let (expected, got) = (expected.schema(), got.schema());
    for (i, (expected, got)) in expected.fields().iter().zip(got.fields()).enumerate() {
        let (a, b) = (decoded(expected.data_type(), rule), decoded(got.data_type(), rule));
        if !same_type(a, b) {
            return Err(format!("column {i}: expected type {a}, got {b}"));
        }
        if rule.names && !same_names(expected, got) {
            return Err(format!("column {i}: expected the name of {expected}, got {got}"));
        }
    }
    Ok(())
}

fn decoded<'a>(data_type: &'a DataType, rule: &Rule) -> &'a DataType {
    match data_type {
        DataType::Dictionary(_, values) if rule.decode => values,
        other => other,
    }
}

/// Returns whether the names of columns and of struct fields are equal. The names of list elements are ignored, because
/// they have no meaning.
fn same_names(a: &Field, b: &Field) -> bool {
    a.name() == b.name() && same_inner_names(a.data_type(), b.data_type())
}

fn same_inner_names(a: &DataType, b: &DataType) -> bool {
    match (a, b) {
        (DataType::Struct(a), DataType::Struct(b)) => a.iter().zip(b).all(|(a, b)| same_names(a, b)),
        (DataType::List(a), DataType::List(b)) => same_inner_names(a.data_type(), b.data_type()),
        _ => true,
    }
}
