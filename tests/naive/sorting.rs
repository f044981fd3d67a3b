//! Oracles of `sorting`.

use std::cmp::Ordering;

use arrow_array::ArrayRef;
use arrow_array::types::UInt64Type;

use super::copying::gather;
use gdf_test::builders::plain;
use gdf_test::value::{Value, to_values};

/// The order in which a column is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Direction {
    /// Sorts large values first.
    pub descending: bool,
    /// Nulls are smaller than values if true, else larger. The direction is applied afterwards.
    pub nulls_smallest: bool,
}

/// Compares values. NaN is greater than all numbers and equal to every NaN, and −0.0 is equal to 0.0.
fn compare_values(a: &Value, b: &Value) -> Ordering {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan())),
        _ => a.cmp(b),
    }
}

pub(super) fn compare(a: &Option<Value>, b: &Option<Value>, direction: Direction) -> Ordering {
    let order = match (a, b) {
        (Some(a), Some(b)) => compare_values(a, b),
        (None, None) => Ordering::Equal,
        (None, Some(_)) if direction.nulls_smallest => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) if direction.nulls_smallest => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
    };
    if direction.descending { order.reverse() } else { order }
}

/// Returns the sorted row numbers. Equal rows keep their order.
pub fn order(keys: &[ArrayRef], directions: &[Direction]) -> Vec<usize> {
    let columns: Vec<_> = keys.iter().map(|key| to_values(key)).collect();
    let mut rows: Vec<usize> = (0..columns.first().map_or(0, Vec::len)).collect();
    rows.sort_by(|&a, &b| {
        let column =
            |(values, &direction): (&Vec<Option<Value>>, &Direction)| compare(&values[a], &values[b], direction);
        columns.iter().zip(directions).map(column).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    });
    rows
}

/// Returns the first `count` rows of `values` in the order of `keys`.
///
/// # Errors
/// - a column cannot be built.
pub fn sort_by_key(
    values: &[ArrayRef],
    keys: &[ArrayRef],
    directions: &[Direction],
    count: usize,
) -> Result<Vec<ArrayRef>, String> {
    let rows = order(keys, directions).into_iter().take(count);
    gather(values, &plain::<UInt64Type>(rows.map(|row| row as u64)))
}

/// Returns whether a stable sort would leave the rows in place.
pub fn is_sorted(keys: &[ArrayRef], directions: &[Direction]) -> bool {
    order(keys, directions).is_sorted()
}
