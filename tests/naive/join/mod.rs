//! Oracles of `join`.

pub mod asof;

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::{ArrayRef, UInt64Array};
use arrow_schema::DataType;
use arrow_select::take::take;
use gdf_detail::join::{JoinKeys, JoinKind, NullEquality};
use gdf_expr::Expr;

use super::groupby::{Row, canonical, has_null};
use super::transform::expression::evaluate;
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

fn matches(left: &[ArrayRef], right: &[ArrayRef], nulls: NullEquality) -> Vec<Vec<usize>> {
    let takes_part = |row: &Row| nulls == NullEquality::Equal || !row.iter().any(has_null);
    let mut by_key = BTreeMap::<Row, Vec<usize>>::new();
    for (at, row) in rows(right).into_iter().enumerate().filter(|(_, row)| takes_part(row)) {
        by_key.entry(row).or_default().push(at);
    }
    rows(left).iter().map(|row| by_key.get(row).cloned().unwrap_or_default()).collect()
}

/// Returns, for each left row, the right rows for which the condition is true.
///
/// # Errors
/// - The errors of the oracle of expressions.
pub fn condition_matches(left: &[ArrayRef], right: &[ArrayRef], condition: &Expr) -> Result<Vec<Vec<usize>>, String> {
    let rows = |side: &[ArrayRef]| side.first().map_or(0, |column| column.len());
    let (left_rows, right_rows) = (rows(left), rows(right));
    let pairs = || (0..left_rows).flat_map(|row| (0..right_rows).map(move |other| (row, other)));
    let numbers =
        |number: fn((usize, usize)) -> usize| UInt64Array::from_iter_values(pairs().map(|pair| number(pair) as u64));
    let (left_numbers, right_numbers) = (numbers(|pair| pair.0), numbers(|pair| pair.1));
    let taken = |side: &[ArrayRef], numbers: &UInt64Array| {
        let columns = side.iter().map(|column| take(column, numbers, None).map_err(|error| error.to_string()));
        columns.collect::<Result<Vec<_>, String>>()
    };
    let columns = [taken(left, &left_numbers)?, taken(right, &right_numbers)?].concat();
    let truth = to_values(&evaluate(&columns, left_rows * right_rows, condition)?);
    let is_match = |pair: usize| truth[pair] == Some(Value::Bool(true));
    let of_row = |row: usize| (0..right_rows).filter(|other| is_match(row * right_rows + other)).collect();
    Ok((0..left_rows).map(of_row).collect())
}

/// For each left row, returns the right rows that have equal keys and for which the condition is true.
///
/// # Errors
/// - The errors of [`condition_matches`].
pub fn mixed_matches(
    left: &[ArrayRef],
    right: &[ArrayRef],
    keys: &JoinKeys<'_>,
    condition: &Expr,
) -> Result<Vec<Vec<usize>>, String> {
    let pick = |side: &[ArrayRef], keys: &[usize]| keys.iter().map(|key| side[*key].clone()).collect::<Vec<_>>();
    let equal = matches(&pick(left, keys.left), &pick(right, keys.right), keys.nulls);
    let found = condition_matches(left, right, condition)?;
    let both = |(equal, found): (Vec<usize>, Vec<usize>)| equal.into_iter().filter(|row| found.contains(row)).collect();
    Ok(equal.into_iter().zip(found).map(both).collect())
}

/// Returns the pairs of rows with equal keys.
pub fn pairs(
    left: &[ArrayRef],
    right: &[ArrayRef],
    nulls: NullEquality,
    unmatched_left: bool,
    unmatched_right: bool,
) -> Vec<ArrayRef> {
    let right_rows = right.first().map_or(0, |key| key.len());
    pairs_of(&matches(left, right, nulls), right_rows, unmatched_left, unmatched_right)
}

/// Returns pairs in the same way as [`pairs`].
pub fn pairs_of(found: &[Vec<usize>], right_rows: usize, unmatched_left: bool, unmatched_right: bool) -> Vec<ArrayRef> {
    let mut pairs = Vec::new();
    for (row, others) in found.iter().enumerate() {
        pairs.extend(others.iter().map(|other| (Some(row), Some(*other))));
        if others.is_empty() && unmatched_left {
            pairs.push((Some(row), None));
        }
    }
    if unmatched_right {
        let matched: BTreeSet<_> = found.iter().flatten().copied().collect();
        pairs.extend((0..right_rows).filter(|row| !matched.contains(row)).map(|row| (None, Some(row))));
    }
    let (left, right): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
    vec![indices(&left), indices(&right)]
}

/// Returns the left rows that have a match.
pub fn filtered(left: &[ArrayRef], right: &[ArrayRef], nulls: NullEquality, anti: bool) -> Vec<ArrayRef> {
    filtered_of(&matches(left, right, nulls), anti)
}

/// Returns the left rows with a match, or without a match, in the same way as [`filtered`].
pub fn filtered_of(found: &[Vec<usize>], anti: bool) -> Vec<ArrayRef> {
    let kept: Vec<_> = (0..found.len()).filter(|row| found[*row].is_empty() == anti).map(Some).collect();
    vec![indices(&kept)]
}

/// Returns whether each left row has a match.
pub fn marks(left: &[ArrayRef], right: &[ArrayRef], nulls: NullEquality) -> Vec<ArrayRef> {
    let rows = to_values(&filtered(left, right, nulls, false)[0]);
    let number = |row: usize| Some(Value::UInt(row as u64));
    let marks =
        (0..left.first().map_or(0, |column| column.len())).map(|row| Some(Value::Bool(rows.contains(&number(row)))));
    vec![from_values(&DataType::Boolean, &marks.collect::<Vec<_>>())]
}

/// Returns the pairs that remain if a condition is added to a join.
pub fn filtered_pairs(pairs: &[ArrayRef], found: &[Vec<usize>], right_rows: usize, kind: JoinKind) -> Vec<ArrayRef> {
    let numbers = |column: &ArrayRef, rows: usize| -> Vec<Option<usize>> {
        let number = |value: Option<Value>| match value {
            Some(Value::UInt(number)) => Some(number as usize).filter(|number| *number < rows),
            _ => None,
        };
        to_values(column).into_iter().map(number).collect()
    };
    let (left, right) = (numbers(&pairs[0], found.len()), numbers(&pairs[1], right_rows));
    let remains = |pair: &(&Option<usize>, &Option<usize>)| matches!(pair, (Some(row), Some(other)) if found[*row].contains(other));
    let mut kept: Vec<_> = left.iter().zip(&right).filter(remains).map(|(row, other)| (*row, *other)).collect();
    let (kept_left, kept_right): (BTreeSet<_>, BTreeSet<_>) = kept.iter().copied().unzip();
    let lost = |rows: &[Option<usize>], kept: &BTreeSet<Option<usize>>| -> BTreeSet<Option<usize>> {
        rows.iter().copied().filter(|row| row.is_some() && !kept.contains(row)).collect()
    };
    if kind != JoinKind::Inner {
        kept.extend(lost(&left, &kept_left).into_iter().map(|row| (row, None)));
    }
    if kind == JoinKind::Full {
        kept.extend(lost(&right, &kept_right).into_iter().map(|row| (None, row)));
    }
    let (left, right): (Vec<_>, Vec<_>) = kept.into_iter().unzip();
    vec![indices(&left), indices(&right)]
}
