//! Oracles of `sorting`.

use std::cmp::Ordering;

use arrow_array::ArrayRef;
use arrow_array::types::UInt64Type;

use super::copying::gather;
use gdf_detail::scan::{RankMethod, RankPercentage};
use gdf_test::builders::plain;
use gdf_test::value::{Value, to_values, try_from_values};

/// The order in which a column is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Direction {
    /// Sorts large values first.
    pub descending: bool,
    /// If true, nulls are smaller than all values.
    pub nulls_smallest: bool,
}

/// Compares values. NaN is greater than all numbers. Nulls among elements are ordered as nulls of the column.
pub(super) fn compare_values(a: &Value, b: &Value, direction: Direction) -> Ordering {
    match (a, b) {
        (Value::List(a), Value::List(b)) | (Value::Struct(a), Value::Struct(b)) => {
            let ascending = Direction { descending: false, ..direction };
            let different = a.iter().zip(b).map(|(a, b)| compare(a, b, ascending)).find(|order| order.is_ne());
            different.unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        _ => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan())),
            _ => a.cmp(b),
        },
    }
}

pub(super) fn compare(a: &Option<Value>, b: &Option<Value>, direction: Direction) -> Ordering {
    let order = match (a, b) {
        (Some(a), Some(b)) => compare_values(a, b, direction),
        (None, None) => Ordering::Equal,
        (None, Some(_)) if direction.nulls_smallest => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) if direction.nulls_smallest => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
    };
    if direction.descending { order.reverse() } else { order }
}

/// Returns the sorted row numbers.
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

/// Returns whether the rows are sorted.
pub fn is_sorted(keys: &[ArrayRef], directions: &[Direction]) -> bool {
    order(keys, directions).is_sorted()
}

/// Returns the row numbers, sorted within each segment.
pub fn segmented_order(keys: &[ArrayRef], offsets: &[usize], directions: &[Direction]) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..keys.first().map_or(0, |key| key.len())).collect();
    for segment in offsets.windows(2) {
        let own: Vec<ArrayRef> = keys.iter().map(|key| key.slice(segment[0], segment[1] - segment[0])).collect();
        for (at, row) in order(&own, directions).into_iter().enumerate() {
            rows[segment[0] + at] = segment[0] + row;
        }
    }
    rows
}

/// Returns the ranks of the rows of a table, in the order of the rows.
///
/// # Errors
/// - the result cannot be built.
pub fn rank(
    columns: &[ArrayRef],
    directions: &[Direction],
    (method, percentage): (RankMethod, RankPercentage),
    excludes_nulls: bool,
) -> Result<Vec<ArrayRef>, String> {
    let all: Vec<_> = columns.iter().map(|column| to_values(column)).collect();
    let rows = all.first().map_or(0, Vec::len);
    let is_counted = |row: &usize| !excludes_nulls || all.iter().all(|column| column[*row].is_some());
    let counted: Vec<usize> = (0..rows).filter(is_counted).collect();
    let numbers = plain::<UInt64Type>(counted.iter().map(|row| *row as u64));
    let counted_rows = gather(columns, &numbers)?;
    let sorted = sort_by_key(&counted_rows, &counted_rows, directions, usize::MAX)?;
    let ranks = super::scan::rank(&sorted, method, percentage)?;
    let mut result = vec![None; rows];
    for (at, rank) in order(&counted_rows, directions).into_iter().zip(to_values(&ranks[0])) {
        result[counted[at]] = rank;
    }
    Ok(vec![try_from_values(ranks[0].data_type(), &result)?])
}

/// Compares rows. Nulls are greater than all values, but nulls inside of lists are smaller than all other elements.
fn compare_outside_of_lists(a: &Option<Value>, b: &Option<Value>) -> Ordering {
    let outside = Direction { descending: false, nulls_smallest: false };
    match (a, b) {
        (Some(Value::Struct(a)), Some(Value::Struct(b))) => {
            let fields = a.iter().zip(b).map(|(a, b)| compare_outside_of_lists(a, b));
            fields.fold(Ordering::Equal, Ordering::then)
        }
        (Some(a @ Value::List(_)), Some(b @ Value::List(_))) => {
            compare_values(a, b, Direction { nulls_smallest: true, ..outside })
        }
        _ => compare(a, b, outside),
    }
}

/// Returns the sorted row numbers of a column. Nulls are greater than all values, but nulls inside of lists are smaller
/// than all other elements.
pub fn order_outside_of_lists(column: &ArrayRef, descending: bool) -> Vec<usize> {
    let values = to_values(column);
    let mut rows: Vec<usize> = (0..values.len()).collect();
    rows.sort_by(|&a, &b| {
        let order = compare_outside_of_lists(&values[a], &values[b]);
        if descending { order.reverse() } else { order }
    });
    rows
}
