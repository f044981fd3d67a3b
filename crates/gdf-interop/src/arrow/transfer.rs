//! Columns that move to another device during import or export.

use gdf_core::Column;
use gdf_driver::Stream;
use gdf_memory::ResourceRef;

use crate::Result;

/// Copies the rows to memory of `mr`, on the device of `there`. `here` is a stream of the column's device. **Waits**
/// for memory of a GPU.
///
/// A column that is not validated is validated during the copy.
#[cfg(feature = "arrow-rs")]
pub(super) fn moved(column: &Column, here: &Stream, there: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
    // The conversion to an arrow-rs array copies only the ranges that the rows need.
    Ok(Column::from_arrow(&column.to_arrow(here)?, there, mr)?)
}

/// Copies the column to memory of `mr`, on the device of `there`. `here` is a stream of the column's device.
/// **Waits** for memory of a GPU.
///
/// Whole buffers are copied. The copy is marked as validated if and only if the column is validated.
#[cfg(not(feature = "arrow-rs"))]
pub(super) fn moved(column: &Column, here: &Stream, there: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
    if here.device() != column.device() {
        let (expected, found) = (column.device(), here.device());
        return Err(gdf_core::Error::device_mismatch(expected, found).into());
    }
    Ok(column.copy_to(there, mr)?)
}
