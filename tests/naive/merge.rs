//! Oracle of `merge`.

use arrow_array::ArrayRef;

use super::sorting::{Direction, compare};
use gdf_test::value::{Value, to_values, try_from_values};

/// Merges sorted tables. Each step takes the smallest of the next rows of all tables.
///
/// # Errors
/// - a column cannot be built.
pub fn merge(tables: &[Vec<ArrayRef>], keys: &[usize], directions: &[Direction]) -> Result<Vec<ArrayRef>, String> {
    let types: Vec<_> = tables.iter().take(1).flatten().map(|column| column.data_type().clone()).collect();
    let tables: Vec<Vec<Vec<Option<Value>>>> =
        tables.iter().map(|table| table.iter().map(|column| to_values(column)).collect()).collect();
    let mut next = vec![0; tables.len()];
    let mut merged: Vec<Vec<Option<Value>>> = vec![Vec::new(); types.len()];
    let is_less = |a: (usize, usize), b: (usize, usize)| {
        let mut orders = keys
            .iter()
            .zip(directions)
            .map(|(&key, &direction)| compare(&tables[a.0][key][a.1], &tables[b.0][key][b.1], direction));
        orders.find(|order| order.is_ne()).is_some_and(std::cmp::Ordering::is_lt)
    };
    loop {
        let mut smallest: Option<usize> = None;
        for table in (0..tables.len()).filter(|&table| next[table] < tables[table].first().map_or(0, Vec::len)) {
            if smallest.is_none_or(|smallest| is_less((table, next[table]), (smallest, next[smallest]))) {
                smallest = Some(table);
            }
        }
        let Some(table) = smallest else { break };
        for (column, values) in merged.iter_mut().zip(&tables[table]) {
            column.push(values[next[table]].clone());
        }
        next[table] += 1;
    }
    types.iter().zip(&merged).map(|(of, column)| Ok(try_from_values(of, column)?)).collect()
}
