//! Oracles of `copying`.

use arrow_array::ArrayRef;

use crate::value::{Value, to_values, try_from_values};

/// Row `map[r]` of each column for every r; negative numbers count from the end; null where the map is null or out of
/// bounds.
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
                    let number = element.as_i128().ok_or("a map of integers")?;
                    let row = if number < 0 { number + rows.len() as i128 } else { number };
                    usize::try_from(row).ok().and_then(|row| rows.get(row).cloned()).flatten()
                }
            });
        }
        Ok(try_from_values(column.data_type(), &picked)?)
    };
    columns.iter().map(pick).collect()
}

/// The first element of the map, as a number, that is no row of a table of `rows` rows.
pub fn first_out_of_bounds(map: &ArrayRef, rows: usize) -> Option<i128> {
    let rows = rows as i128;
    let numbers = to_values(map).into_iter().flatten();
    numbers.filter_map(|number: Value| number.as_i128()).find(|number| !(-rows..rows).contains(number))
}
