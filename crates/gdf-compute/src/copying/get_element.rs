//! `get_element`: a row as a scalar.

use gdf_core::{ColumnView, Result, Scalar};

/// Returns row `index` of `column` as a scalar that shares the memory of `column`. Implements
/// `gdf_api::copying::get_element`. The errors are the same.
pub fn get_element(column: ColumnView<'_>, index: usize) -> Result<Scalar> {
    Scalar::from_column(column.slice(index, 1).map_err(|error| error.in_argument("index"))?.to_column())
}
