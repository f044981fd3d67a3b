//! Oracles of `stream_compaction`.

use std::collections::BTreeMap;

use arrow_array::ArrayRef;
use gdf_detail::stream_compaction::{DuplicateKeepOption, NanEquality, NullEquality};

use super::groupby::{Row, canonical, has_nan, has_null};
use gdf_test::value::{Value, to_values, try_from_values};

/// Returns the rows of each column where `mask` is true.
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

/// Returns the rows that remain. Of several rows with equal `keys`, `keep` selects one row or no row.
pub fn distinct_rows(
    keys: &[ArrayRef],
    keep: DuplicateKeepOption,
    nulls: NullEquality,
    nans: NanEquality,
) -> Vec<usize> {
    let columns: Vec<_> = keys.iter().map(|key| to_values(key)).collect();
    let mut by_key = BTreeMap::<Row, Vec<usize>>::new();
    let mut stay = Vec::new();
    for row in 0..keys.first().map_or(0, |key| key.len()) {
        let key: Row = columns.iter().map(|column| column[row].clone().map(canonical)).collect();
        let alone = nulls == NullEquality::Unequal && key.iter().any(has_null)
            || nans == NanEquality::Unequal && key.iter().flatten().any(has_nan);
        if alone {
            stay.push(row);
        } else {
            by_key.entry(key).or_default().push(row);
        }
    }
    for rows in by_key.values() {
        match keep {
            DuplicateKeepOption::Any | DuplicateKeepOption::First => stay.push(rows[0]),
            DuplicateKeepOption::Last => stay.push(rows[rows.len() - 1]),
            DuplicateKeepOption::None => stay.extend(rows.iter().filter(|_| rows.len() == 1)),
        }
    }
    stay.sort_unstable();
    stay
}

/// Returns the rows of each column with the given numbers.
///
/// # Errors
/// - a column cannot be built.
pub fn rows(columns: &[ArrayRef], rows: &[usize]) -> Result<Vec<ArrayRef>, String> {
    let take = |column: &ArrayRef| {
        let values = to_values(column);
        let taken: Vec<_> = rows.iter().map(|row| values[*row].clone()).collect();
        Ok(try_from_values(column.data_type(), &taken)?)
    };
    columns.iter().map(take).collect()
}

/// Returns the rows that remain. Of each run of equal rows, `keep` selects one row or no row.
pub fn unique_rows(keys: &[ArrayRef], keep: DuplicateKeepOption, nulls: NullEquality) -> Vec<usize> {
    let columns: Vec<_> = keys.iter().map(|key| to_values(key)).collect();
    let count = keys.first().map_or(0, |key| key.len());
    let key = |row: usize| -> Row { columns.iter().map(|column| column[row].clone().map(canonical)).collect() };
    let differ = |a: usize, b: usize| key(a) != key(b) || nulls == NullEquality::Unequal && key(a).iter().any(has_null);
    let is_first = |row: usize| row == 0 || differ(row - 1, row);
    let is_last = |row: usize| row + 1 == count || differ(row, row + 1);
    let stays = |row: &usize| match keep {
        DuplicateKeepOption::Any | DuplicateKeepOption::First => is_first(*row),
        DuplicateKeepOption::Last => is_last(*row),
        DuplicateKeepOption::None => is_first(*row) && is_last(*row),
    };
    (0..count).filter(stays).collect()
}

/// Returns the rows in which at least `threshold` keys are `wanted`.
pub fn rows_with(keys: &[ArrayRef], threshold: usize, wanted: impl Fn(&Option<Value>) -> bool) -> Vec<usize> {
    let columns: Vec<_> = keys.iter().map(|key| to_values(key)).collect();
    let count = |row: usize| columns.iter().filter(|column| wanted(&column[row])).count();
    (0..keys.first().map_or(0, |key| key.len())).filter(|row| count(*row) >= threshold).collect()
}

/// Returns whether both tables have the same rows.
pub fn tables_equal(left: &[ArrayRef], right: &[ArrayRef], nulls: NullEquality) -> bool {
    let rows = |columns: &[ArrayRef]| -> Vec<Row> {
        columns.iter().map(|column| to_values(column).into_iter().map(|of| of.map(canonical)).collect()).collect()
    };
    let (left, right) = (rows(left), rows(right));
    left == right && (nulls == NullEquality::Equal || !left.iter().flatten().any(has_null))
}
