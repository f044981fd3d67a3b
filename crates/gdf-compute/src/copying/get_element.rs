//! `get_element`: a row as a scalar.

use gdf_core::{ColumnView, Result, Scalar};

/// Row `index` of `column`, in its memory: the explicit form of `gdf_api::copying::get_element`, with its errors.
pub fn get_element(column: ColumnView<'_>, index: usize) -> Result<Scalar> {
    Scalar::from_column(column.slice(index, 1).map_err(|error| error.in_argument("index"))?.to_column())
}
