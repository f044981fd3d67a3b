//! Copies columns to another device during import or export.

use gdf_core::Column;
use gdf_driver::Stream;
use gdf_memory::ResourceRef;

use crate::Result;

/// Copies the rows to memory of `mr`, on the device of `there`.
#[cfg(feature = "arrow-rs")]
pub(super) fn moved(column: &Column, here: &Stream, there: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
    // The conversion to an array of arrow-rs copies only the ranges that the rows need.
    Ok(Column::from_arrow(&column.to_arrow(here)?, there, mr)?)
}

/// Copies the column to memory of `mr`, on the device of `there`.
#[cfg(not(feature = "arrow-rs"))]
pub(super) fn moved(column: &Column, here: &Stream, there: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
    if here.device() != column.device() {
        let (expected, found) = (column.device(), here.device());
        return Err(gdf_core::Error::device_mismatch(expected, found).into());
    }
    Ok(column.copy_to(there, mr)?)
}
