//! Compares the rows of gdf with the rows of DataFusion.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use arrow_select::concat::concat_batches;
use datafusion::arrow::array::make_comparator;
use datafusion::arrow::compute::{SortColumn, SortOptions, lexsort_to_indices, take_record_batch};

use crate::error::{IslandError, Result};

/// The maximum difference of two equal floats, relative to the larger absolute value.
const TOLERANCE: f64 = 1e-9;

/// Checks that both results have the same rows, in any order, or the same number of rows if `counts_only` is set.
///
/// # Errors
/// * [`IslandError::Different`]: the rows differ.
pub(crate) fn same_rows(found: &[RecordBatch], expected: &[RecordBatch], counts_only: bool) -> Result<()> {
    let Some(first) = found.first() else { return Err(IslandError::internal("an island has no batch").into()) };
    let (found, expected) = (concat_batches(&first.schema(), found)?, concat_batches(&first.schema(), expected)?);
    if found.num_rows() != expected.num_rows() {
        let (found, expected) = (found.num_rows(), expected.num_rows());
        return Err(IslandError::Different(format!("gdf returned {found} rows, and DataFusion {expected}")).into());
    }
    if counts_only || found.num_columns() == 0 || found.num_rows() == 0 {
        return Ok(());
    }
    let (found, expected) = (sorted(&found)?, sorted(&expected)?);
    for (field, (left, right)) in found.schema().fields().iter().zip(found.columns().iter().zip(expected.columns())) {
        if let Some(row) = first_difference(left, right)? {
            let text = |array: &ArrayRef| datafusion::arrow::util::display::array_value_to_string(array, row);
            let (name, left, right) = (field.name(), text(left)?, text(right)?);
            let what =
                format!("in row {row} of the sorted rows, column `{name}` is {left} in gdf and {right} in DataFusion");
            return Err(IslandError::Different(what).into());
        }
    }
    Ok(())
}

/// Sorts the rows by all columns. Floats are the last keys, because they may differ slightly. Their signs of zeros and
/// of NaN do not count.
fn sorted(batch: &RecordBatch) -> Result<RecordBatch> {
    let (floats, others): (Vec<_>, Vec<_>) =
        batch.columns().iter().partition(|column| column.data_type().is_floating());
    let column = |values: ArrayRef| SortColumn { values, options: Some(SortOptions::default()) };
    let values = others.into_iter().cloned().chain(floats.into_iter().map(without_signs));
    let keys: Vec<SortColumn> = values.map(column).collect();
    let order = lexsort_to_indices(&keys, None)?;
    Ok(take_record_batch(batch, &order)?)
}

/// Removes the signs of zeros and of NaN, by which arrow-rs orders floats.
fn without_signs(values: &ArrayRef) -> ArrayRef {
    match values.data_type() {
        DataType::Float64 => {
            let plain = |value: f64| if value.is_nan() { f64::NAN } else { value + 0.0 };
            Arc::new(values.as_primitive::<Float64Type>().unary::<_, Float64Type>(plain))
        }
        DataType::Float32 => {
            let plain = |value: f32| if value.is_nan() { f32::NAN } else { value + 0.0 };
            Arc::new(values.as_primitive::<Float32Type>().unary::<_, Float32Type>(plain))
        }
        _ => Arc::clone(values),
    }
}

fn first_difference(left: &ArrayRef, right: &ArrayRef) -> Result<Option<usize>> {
    let rows = 0..left.len();
    let differs = |row: usize, values: &dyn Fn(usize) -> (f64, f64)| {
        if left.is_null(row) || right.is_null(row) {
            return left.is_null(row) != right.is_null(row);
        }
        let (a, b) = values(row);
        let is_close = a == b || (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()) || (a.is_nan() && b.is_nan());
        !is_close
    };
    Ok(match left.data_type() {
        DataType::Float64 => {
            let (a, b) = (left.as_primitive::<Float64Type>(), right.as_primitive::<Float64Type>());
            rows.into_iter().find(|row| differs(*row, &|row| (a.value(row), b.value(row))))
        }
        DataType::Float32 => {
            let (a, b) = (left.as_primitive::<Float32Type>(), right.as_primitive::<Float32Type>());
            rows.into_iter().find(|row| differs(*row, &|row| (a.value(row).into(), b.value(row).into())))
        }
        _ => {
            let compare = make_comparator(left, right, SortOptions::default())?;
            rows.into_iter().find(|row| compare(*row, *row) != Ordering::Equal)
        }
    })
}

#[cfg(test)]
mod tests {
    use arrow_array::{Float64Array, Int32Array};

    use super::*;
    use crate::error::Failure;

    fn batch(keys: &[i32], values: &[Option<f64>]) -> RecordBatch {
        let columns: [(&str, ArrayRef); 2] = [
            ("key", Arc::new(Int32Array::from(keys.to_vec()))),
            ("value", Arc::new(Float64Array::from(values.to_vec()))),
        ];
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true))).unwrap()
    }

    fn difference(found: &RecordBatch, expected: &RecordBatch) -> Option<String> {
        match same_rows(std::slice::from_ref(found), std::slice::from_ref(expected), false) {
            Ok(()) => None,
            Err(Failure::Island(IslandError::Different(what))) => Some(what),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn rows_are_compared_without_order_and_floats_with_a_tolerance() {
        let found = batch(&[2, 1], &[None, Some(1.0)]);
        assert_eq!(difference(&found, &batch(&[1, 2], &[Some(1.0 + 1e-12), None])), None);
        let what = difference(&found, &batch(&[1, 2], &[Some(1.1), None])).unwrap();
        assert!(what.contains("column `value` is 1.0 in gdf and 1.1 in DataFusion"), "{what}");
        assert!(difference(&found, &batch(&[1], &[None])).unwrap().contains("2 rows, and DataFusion 1"));
        assert!(difference(&found, &batch(&[1, 3], &[Some(1.0), None])).unwrap().contains("`key`"));
    }

    #[test]
    fn rows_whose_zeros_and_nan_have_other_signs_are_equal() {
        let rows = |keys: [f64; 2]| {
            let columns: [(&str, ArrayRef); 2] = [
                ("key", Arc::new(Float64Array::from(keys.to_vec()))),
                ("value", Arc::new(Float64Array::from(vec![2.0, 1.0]))),
            ];
            RecordBatch::try_from_iter(columns).unwrap()
        };
        assert_eq!(difference(&rows([0.0, 0.0]), &rows([-0.0, 0.0])), None);
        assert_eq!(difference(&rows([f64::NAN, f64::NAN]), &rows([-f64::NAN, f64::NAN])), None);
    }
}
