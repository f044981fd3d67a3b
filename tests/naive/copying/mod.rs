//! Oracles of `copying`.

pub mod copy_if_else;

use arrow_array::ArrayRef;

use gdf_test::value::{Value, to_values, try_from_values};

/// For every row `r` of the map, returns row `map[r]` of each column.
///
/// # Errors
/// - a column cannot be built, or the map is not of integers.
pub fn gather(columns: &[ArrayRef], map: &ArrayRef) -> Result<Vec<ArrayRef>, String> {
    let map = to_values(map);
    let pick = |column: &ArrayRef| {
        let rows = to_values(column);
        let mut picked = Vec::with_capacity(map.len());
        for element in &map {
            picked.push(match element {
                None => None,
                Some(element) => {
                    let number = element.as_i128().ok_or("the map must contain integers")?;
                    let row = if number < 0 { number + rows.len() as i128 } else { number };
                    usize::try_from(row).ok().and_then(|row| rows.get(row).cloned()).flatten()
                }
            });
        }
        Ok(try_from_values(column.data_type(), &picked)?)
    };
    columns.iter().map(pick).collect()
}

/// Returns the first number of the map that is out of bounds for a table of `rows` rows.
pub fn first_out_of_bounds(map: &ArrayRef, rows: usize) -> Option<i128> {
    let rows = rows as i128;
    let numbers = to_values(map).into_iter().flatten();
    numbers.filter_map(|number: Value| number.as_i128()).find(|number| !(-rows..rows).contains(number))
}

/// Returns the rows of `target` after a scatter: for every `r`, row `r` of `source` replaces row `map[r]`.
///
/// # Errors
/// - a column cannot be built, or the map is not of integers.
pub fn scatter(source: &[ArrayRef], map: &ArrayRef, target: &[ArrayRef]) -> Result<Vec<ArrayRef>, String> {
    let map = to_values(map);
    let put = |(source, target): (&ArrayRef, &ArrayRef)| {
        let mut rows = to_values(target);
        let from = to_values(source);
        for (at, element) in map.iter().enumerate() {
            let Some(element) = element else { continue };
            let number = element.as_i128().ok_or("the map must contain integers")?;
            let row = if number < 0 { number + rows.len() as i128 } else { number };
            if let Some(slot) = usize::try_from(row).ok().and_then(|row| rows.get_mut(row)) {
                *slot = from[if from.len() == 1 { 0 } else { at }].clone();
            }
        }
        Ok(try_from_values(target.data_type(), &rows)?)
    };
    source.iter().zip(target).map(put).collect()
}

/// For each pair of `indices`, returns the rows of each column from the first number of the pair up to the second.
///
/// # Errors
/// - A column cannot be built, or the rows are out of bounds.
pub fn slice(columns: &[ArrayRef], indices: &[usize]) -> Result<Vec<ArrayRef>, String> {
    let mut parts = Vec::new();
    for pair in indices.chunks(2) {
        for column in columns {
            let rows = to_values(column);
            parts.push(try_from_values(
                column.data_type(),
                rows.get(pair[0]..pair[1]).ok_or("the rows are out of bounds")?,
            )?);
        }
    }
    Ok(parts)
}

/// For every `r`, returns row `r - offset` of `column`, or `fill` if there is no such row.
///
/// # Errors
/// - the column cannot be built.
pub fn shift(column: &ArrayRef, offset: i64, fill: &ArrayRef) -> Result<Vec<ArrayRef>, String> {
    let (rows, fill) = (to_values(column), &to_values(fill)[0]);
    let row = |at: usize| usize::try_from(at as i128 - i128::from(offset)).ok().and_then(|at| rows.get(at));
    let shifted: Vec<_> = (0..rows.len()).map(|at| row(at).unwrap_or(fill).clone()).collect();
    Ok(vec![try_from_values(column.data_type(), &shifted)?])
}

/// Returns the rows with the given numbers.
///
/// # Errors
/// - a column cannot be built.
pub fn rows(columns: &[ArrayRef], numbers: &[usize]) -> Result<Vec<ArrayRef>, String> {
    let pick = |column: &ArrayRef| {
        let rows = to_values(column);
        let picked: Vec<_> = numbers.iter().map(|&row| rows[row].clone()).collect();
        Ok(try_from_values(column.data_type(), &picked)?)
    };
    columns.iter().map(pick).collect()
}

/// Returns `target`. The rows of `source` in `range` replace the rows of `target` from `begin` on.
///
/// # Errors
/// - the column cannot be built.
pub fn copy_range(
    source: &ArrayRef,
    range: std::ops::Range<usize>,
    target: &ArrayRef,
    begin: usize,
) -> Result<Vec<ArrayRef>, String> {
    let (from, mut rows) = (to_values(source), to_values(target));
    rows.splice(begin..begin + range.len(), from[range].iter().cloned());
    Ok(vec![try_from_values(target.data_type(), &rows)?])
}

/// Returns `target`. The next row of `source` replaces each row for which `mask` is true. After its last row, `source`
/// begins again.
///
/// # Errors
/// - a column cannot be built.
pub fn boolean_mask_scatter(
    source: &[ArrayRef],
    target: &[ArrayRef],
    mask: &ArrayRef,
) -> Result<Vec<ArrayRef>, String> {
    let mask = to_values(mask);
    let put = |(source, target): (&ArrayRef, &ArrayRef)| {
        let (from, mut rows) = (to_values(source), to_values(target));
        let mut next = from.iter().cycle();
        for (row, keep) in rows.iter_mut().zip(&mask) {
            if matches!(keep, Some(Value::Bool(true))) {
                *row = next.next().ok_or("the source has too few rows")?.clone();
            }
        }
        Ok(try_from_values(target.data_type(), &rows)?)
    };
    source.iter().zip(target).map(put).collect()
}
