//! Hashes of rows by which equal rows are found.

use gdf_core::{Column, Result, TableView, is_floating};

use super::xxhash_64;
use crate::Ctx;
use crate::replace::normalize_nans_and_zeros;

/// Returns a 64-bit hash of each row. Equal rows have equal hashes: all NaNs are equal, and −0 is equal to 0.
///
/// # Errors
/// * The errors of [`xxhash_64`].
pub fn row_hashes(rows: &TableView<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let normalized = rows.columns().iter().map(|column| match is_floating(column.data_type()) {
        true => normalize_nans_and_zeros(*column, ctx),
        false => Ok(column.to_column()),
    });
    let normalized = normalized.collect::<Result<Vec<_>>>()?;
    let normalized = TableView::try_with_rows(normalized.iter().map(Column::view).collect(), rows.num_rows())?;
    xxhash_64(normalized, 0, ctx)
}
