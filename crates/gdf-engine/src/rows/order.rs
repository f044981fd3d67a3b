//! Tables of columns that were made separately.

use gdf_core::{Column, Error, Result, Table};

/// Returns a table of columns from two lists. Column `i` is the next one of the first list if `is_of_first(i)` is true,
/// and the next one of the second list otherwise.
///
/// # Errors
/// * [`Internal`](Error::Internal) if a list has too few columns. The errors of [`Table::try_with_rows`].
pub fn columns_in_order(
    columns: usize,
    is_of_first: impl Fn(usize) -> bool,
    lists: [Vec<Column>; 2],
    rows: usize,
) -> Result<Table> {
    let [mut first, mut second] = lists.map(Vec::into_iter);
    let columns = (0..columns).map(|column| if is_of_first(column) { first.next() } else { second.next() });
    let missing = || Error::internal("a copied table has too few columns");
    Table::try_with_rows(columns.collect::<Option<_>>().ok_or_else(missing)?, rows)
}
