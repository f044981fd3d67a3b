//! `get_element`: returns a row as a scalar.

use gdf_core::{ColumnView, Result, Scalar};

/// Returns row `index` of `column` as a scalar that shares the memory of `column`. Implements
/// `gdf_api::copying::get_element`. Returns the errors of that function.
pub fn get_element(column: ColumnView<'_>, index: usize) -> Result<Scalar> {
    Scalar::from_column(column.slice(index, 1).map_err(|error| error.in_argument("index"))?.to_column())
}
