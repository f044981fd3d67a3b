//! Returns the distinct rows of parts.

use gdf_api::join::NullEquality;
use gdf_api::stream_compaction::{self, DuplicateKeepOption, NanEquality};
use gdf_core::{Result, Table};

use crate::Budget;
use crate::partition::by_keys;

/// Keeps one row of all rows that are equal in the columns `keys`. `keep` states which of these rows is kept, or that
/// none of them is. Nulls are equal to each other, and NaNs are equal to each other.
///
/// The rows of the result are in no particular order.
///
/// ```
/// use gdf::external::{Budget, distinct};
/// use gdf::stream_compaction::DuplicateKeepOption;
/// use gdf::{Column, Table};
///
/// let part = |rows: &[i32]| Table::try_new(vec![Column::from_slice(rows)?]);
/// let parts = [part(&[1, 2, 1]), part(&[2, 3])];
/// let found = distinct(parts, &[0], DuplicateKeepOption::Any, &Budget::unlimited())?;
/// assert_eq!(found.iter().map(Table::num_rows).sum::<usize>(), 3);
/// # Ok::<(), gdf::Error>(())
/// ```
///
/// # Errors
/// * The errors of [`distinct`](stream_compaction::distinct()).
pub fn distinct(
    parts: impl IntoIterator<Item = Result<Table>>,
    keys: &[usize],
    keep: DuplicateKeepOption,
    budget: &Budget,
) -> Result<Vec<Table>> {
    let _reserved = budget.reserve()?;
    let of = |table: &Table| {
        let found = stream_compaction::distinct(table, keys, keep, NullEquality::Equal, NanEquality::AllEqual)?;
        Ok(budget.keep(found))
    };
    // Each part can be reduced alone, except for `None`: a row that is unique in its part may have a duplicate in
    // another.
    let needs_all = keep == DuplicateKeepOption::None;
    let mut found = Vec::new();
    for part in parts {
        let part = budget.keep(part?);
        match needs_all {
            true => found.push(part),
            false => found.extend(budget.in_pieces(&part, &mut |piece| of(piece))?),
        }
    }
    by_keys(found, keys, budget, &mut |parts| {
        let Some(whole) = budget.whole(&parts)? else { return Ok(None) };
        drop(parts);
        of(&whole).map(Some)
    })
}

#[cfg(test)]
mod tests {
    use gdf_core::Column;

    use super::*;

    #[test]
    fn rows_with_duplicates_in_their_own_part_are_not_unique_in_other_parts() {
        let part = |rows: &[i32]| Table::try_new(vec![Column::from_slice(rows)?]);
        let parts = [part(&[1, 1, 2]), part(&[1, 3, 4]), part(&[4, 4])];
        let found = distinct(parts, &[0], DuplicateKeepOption::None, &Budget::unlimited()).unwrap();
        let rows =
            found.iter().flat_map(|table| table.column(0).unwrap().to_vec::<i32>().unwrap().into_iter().flatten());
        let mut rows: Vec<i32> = rows.collect();
        rows.sort_unstable();
        assert_eq!(rows, [2, 3]);
    }
}
