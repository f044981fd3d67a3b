//! Oracles of `join`.

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::ArrayRef;
use arrow_schema::DataType;
use gdf_detail::join::NullEquality;

use super::groupby::{Row, canonical};
use gdf_test::value::{Value, from_values, to_values};

fn rows(keys: &[ArrayRef]) -> Vec<Row> {
    let columns: Vec<_> = keys.iter().map(|key| to_values(key)).collect();
    let row = |row: usize| columns.iter().map(|column| column[row].clone().map(canonical)).collect();
    (0..keys.first().map_or(0, |key| key.len())).map(row).collect()
}

fn indices(rows: &[Option<usize>]) -> ArrayRef {
    let number = |row: &Option<usize>| Some(Value::UInt(row.map_or(u64::from(u32::MAX), |row| row as u64)));
    from_values(&DataType::UInt32, &rows.iter().map(number).collect::<Vec<_>>())
}

/// Returns, for each left row, the right rows that match the left row.
fn matches(left: &[ArrayRef], right: &[ArrayRef], nulls: NullEquality) -> Vec<Vec<usize>> {
    let takes_part = |row: &Row| nulls == NullEquality::Equal || row.iter().all(Option::is_some);
    let mut by_key = BTreeMap::<Row, Vec<usize>>::new();
    for (at, row) in rows(right).into_iter().enumerate().filter(|(_, row)| takes_part(row)) {
        by_key.entry(row).or_default().push(at);
    }
    rows(left).iter().map(|row| by_key.get(row).cloned().unwrap_or_default()).collect()
}

/// Returns the pairs of rows with equal keys. With `unmatched_left`, a left row without a match is paired with no
/// row. With `unmatched_right`, the right rows without a match come last, each paired with no row.
pub fn pairs(
    left: &[ArrayRef],
    right: &[ArrayRef],
    nulls: NullEquality,
    unmatched_left: bool,
    unmatched_right: bool,
) -> Vec<ArrayRef> {
    let found = matches(left, right, nulls);
    let mut pairs = Vec::new();
    for (row, others) in found.iter().enumerate() {
        pairs.extend(others.iter().map(|other| (Some(row), Some(*other))));
        if others.is_empty() && unmatched_left {
            pairs.push((Some(row), None));
        }
    }
    if unmatched_right {
        let rows = right.first().map_or(0, |key| key.len());
        let matched: BTreeSet<_> = found.iter().flatten().copied().collect();
        pairs.extend((0..rows).filter(|row| !matched.contains(row)).map(|row| (None, Some(row))));
    }
    let (left, right): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
    vec![indices(&left), indices(&right)]
}

/// Returns the left rows that have a match. With `anti`, returns the left rows that have no match.
pub fn filtered(left: &[ArrayRef], right: &[ArrayRef], nulls: NullEquality, anti: bool) -> Vec<ArrayRef> {
    let found = matches(left, right, nulls);
    let kept: Vec<_> = (0..found.len()).filter(|row| found[*row].is_empty() == anti).map(Some).collect();
    vec![indices(&kept)]
}
