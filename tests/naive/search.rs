//! Oracles of `search`.

use std::cmp::Ordering;

use arrow_array::ArrayRef;
use arrow_schema::DataType;

use super::groupby::canonical;
use super::sorting::{Direction, compare};
use gdf_test::value::{Value, from_values, to_values};

/// For each needle, returns the number of rows that come before the needle in the given order. With `upper`, rows that
/// are equal to the needle also count.
pub fn bounds(haystack: &[ArrayRef], needles: &[ArrayRef], directions: &[Direction], upper: bool) -> ArrayRef {
    let rows = |columns: &[ArrayRef]| -> Vec<Vec<Option<Value>>> {
        let columns: Vec<_> = columns.iter().map(|column| to_values(column)).collect();
        (0..columns[0].len()).map(|row| columns.iter().map(|column| column[row].clone()).collect()).collect()
    };
    let haystack = rows(haystack);
    let position = |needle: Vec<Option<Value>>| {
        let before = |row: &&Vec<Option<Value>>| {
            let columns = row.iter().zip(&needle).zip(directions);
            let order = columns.map(|((row, needle), direction)| compare(row, needle, *direction));
            let order = order.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal);
            order.is_lt() || upper && order.is_eq()
        };
        Some(Value::UInt(haystack.iter().filter(before).count() as u64))
    };
    from_values(&DataType::UInt32, &rows(needles).into_iter().map(position).collect::<Vec<_>>())
}

/// Returns whether each needle is in the haystack.
pub fn contains(haystack: &ArrayRef, needles: &ArrayRef) -> ArrayRef {
    let rows = |column: &ArrayRef| to_values(column).into_iter().map(|value| value.map(canonical)).collect::<Vec<_>>();
    let haystack = rows(haystack);
    let found = |needle: Option<Value>| needle.map(|needle| Value::Bool(haystack.contains(&Some(needle))));
    from_values(&DataType::Boolean, &rows(needles).into_iter().map(found).collect::<Vec<_>>())
}
