//! Columns that go to another device as they are imported or exported.

use gdf_core::Column;
use gdf_driver::Stream;
use gdf_memory::ResourceRef;

use crate::Result;

/// The rows in memory of `mr`, on the device of `there`; `here` is a stream of the column's device. **Waits** for a GPU's memory.
///
/// What is not validated is validated on the way.
#[cfg(feature = "arrow-rs")]
pub(super) fn moved(column: &Column, here: &Stream, there: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
    // Only what the rows need is copied.
    Ok(Column::from_arrow(&column.to_arrow(here)?, there, mr)?)
}

/// The rows in memory of `mr`, on the device of `there`; `here` is a stream of the column's device. **Waits** for a GPU's memory.
///
/// Buffers are copied whole, and the copy is as validated as the column.
#[cfg(not(feature = "arrow-rs"))]
pub(super) fn moved(column: &Column, here: &Stream, there: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
    if here.device() != column.device() {
        let (expected, found) = (column.device(), here.device());
        return Err(gdf_core::Error::device_mismatch(expected, found).into());
    }
    Ok(column.copy_to(there, mr)?)
}
