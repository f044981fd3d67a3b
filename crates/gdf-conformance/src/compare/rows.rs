//! Compares columns in three ways: row by row, with rows in any order, or partition by partition.

use gdf_test::compare::Difference;

use super::{Cell, values};
use crate::case::{Rule, Tolerance};

/// Compares the columns row by row.
///
/// # Errors
/// - A row differs. The text describes the first such row.
pub(super) fn in_order(expected: &[Vec<Cell>], got: &[Vec<Cell>], tolerance: Option<Tolerance>) -> Result<(), String> {
    for (column, (expected, got)) in expected.iter().zip(got).enumerate() {
        let pairs = expected.iter().zip(got).enumerate();
        let mut differing = pairs.filter(|(_, (expected, got))| !values::equal(expected, got, tolerance));
        if let Some((row, (first, other))) = differing.next() {
            let rows = 1 + differing.count();
            let (expected, got, of) = (Box::new(first.clone()), Box::new(other.clone()), expected.len());
            return Err(Difference::Row { column, row, expected, got, rows, of }.to_string());
        }
    }
    Ok(())
}

/// Compares the rows in any order. If there is a tolerance, rows with equal keys are paired. If there are no key
/// columns, the columns without floats serve as keys.
///
/// # Errors
/// - A row is missing or surplus. The text describes the row.
pub(super) fn in_any_order(expected: &[Vec<Cell>], got: &[Vec<Cell>], rule: &Rule) -> Result<(), String> {
    let keys: Vec<usize> = match rule.tolerance {
        None => (0..expected.len()).collect(),
        Some(_) if !rule.keys.is_empty() => rule.keys.iter().copied().filter(|i| *i < expected.len()).collect(),
        Some(_) => (0..expected.len()).filter(|i| !values::has_floats(&expected[*i])).collect(),
    };
    let (expected, got) = (sorted(expected, &keys), sorted(got, &keys));
    if let Some(first) = expected.iter().zip(&got).position(|(a, b)| key(a, &keys) != key(b, &keys)) {
        // Both sides are sorted. Therefore the smaller of the two rows does not occur on the other side.
        let (missing, surplus) = (&expected[first], &got[first]);
        let is_missing = key(missing, &keys) < key(surplus, &keys);
        let missing = is_missing.then(|| missing.clone());
        let surplus = (!is_missing).then(|| surplus.clone());
        return Err(Difference::Rows { missing, surplus }.to_string());
    }
    match rule.tolerance {
        None => Ok(()),
        tolerance => matched(&expected, &got, &keys, tolerance),
    }
}

/// Compares the rows of each partition in any order.
///
/// # Errors
/// - A partition differs. The text describes the first such partition.
pub(super) fn in_partitions(
    expected: &[Vec<Cell>],
    got: &[Vec<Cell>],
    splits: &[usize],
    rule: &Rule,
) -> Result<(), String> {
    let rows = expected.first().map_or(0, Vec::len);
    let bounds: Vec<usize> = [0].iter().chain(splits).chain(&[rows]).map(|bound| (*bound).min(rows)).collect();
    for (i, bound) in bounds.windows(2).enumerate().filter(|(_, bound)| bound[0] < bound[1]) {
        let part = |columns: &[Vec<Cell>]| -> Vec<Vec<Cell>> {
            columns.iter().map(|column| column[bound[0]..bound[1]].to_vec()).collect()
        };
        in_any_order(&part(expected), &part(got), rule)
            .map_err(|difference| format!("rows {}..{} of partition {i}: {difference}", bound[0], bound[1]))?;
    }
    Ok(())
}

fn sorted(columns: &[Vec<Cell>], keys: &[usize]) -> Vec<Vec<Cell>> {
    let rows = columns.first().map_or(0, Vec::len);
    let row = |i: usize| columns.iter().map(|column| column[i].clone()).collect();
    let mut rows: Vec<Vec<Cell>> = (0..rows).map(row).collect();
    rows.sort_unstable_by(|a, b| key(a, keys).cmp(&key(b, keys)).then_with(|| a.cmp(b)));
    rows
}

fn key<'a>(row: &'a [Cell], keys: &[usize]) -> Vec<&'a Cell> {
    keys.iter().map(|i| &row[*i]).collect()
}

/// Pairs rows with equal keys. Each expected row is paired with the first row within the tolerance that is not yet
/// paired.
fn matched(
    expected: &[Vec<Cell>],
    got: &[Vec<Cell>],
    keys: &[usize],
    tolerance: Option<Tolerance>,
) -> Result<(), String> {
    let near = |a: &[Cell], b: &[Cell]| a.iter().zip(b).all(|(a, b)| values::equal(a, b, tolerance));
    let mut taken = vec![false; got.len()];
    let mut begin = 0;
    while begin < expected.len() {
        let same = |row: &&Vec<Cell>| key(row, keys) == key(&expected[begin], keys);
        let end = begin + expected[begin..].iter().take_while(same).count();
        for row in &expected[begin..end] {
            let Some(free) = (begin..end).find(|i| !taken[*i] && near(row, &got[*i])) else {
                let other = (begin..end).find(|i| !taken[*i]).map(|i| got[i].clone());
                return Err(Difference::Rows { missing: Some(row.clone()), surplus: other }.to_string());
            };
            taken[free] = true;
        }
        begin = end;
    }
    Ok(())
}
