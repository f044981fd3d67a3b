//! `null_count`: checks and choice of backend.

mod cuda;
mod host;

use gdf_core::{ColumnView, DataType, Error, Result};
use gdf_driver::{Device, Stream};

pub use self::cuda::run;
use crate::device;

/// How many of the rows `[start, stop)` the column's mask says are null; all of them for a null column.
///
/// **Waits** once for device memory, unless the range is empty, there is no mask, or the count of all rows is known and
/// asked for.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument): `start` above `stop`. [`OutOfBounds`](Error::OutOfBounds): `stop` above
///   the number of rows. [`DeviceMismatch`](Error::DeviceMismatch).
/// * Driver and memory errors.
pub fn null_count(column: ColumnView<'_>, start: usize, stop: usize, stream: &Stream) -> Result<usize> {
    let rows = range(column, start, stop, stream)?;
    match rows.known_null_count() {
        Some(count) => Ok(count),
        None => count_view(&rows, stream),
    }
}

/// The rows `[start, stop)` of a column that is on the stream's device.
pub fn range<'a>(column: ColumnView<'a>, start: usize, stop: usize, stream: &Stream) -> Result<ColumnView<'a>> {
    device::on_device(column.device(), stream)?;
    if start > stop {
        return Err(Error::invalid_argument("the range stops before it starts"));
    }
    column.slice(start, stop - start)
}

/// Counts the zeros of the view's mask; what `gdf_core` is told to count device memory with.
pub(crate) fn count_view(rows: &ColumnView<'_>, stream: &Stream) -> Result<usize> {
    if *rows.data_type() == DataType::Null {
        return Ok(rows.len());
    }
    let Some(mask) = rows.validity() else { return Ok(0) };
    if rows.is_empty() {
        return Ok(0);
    }
    let (begin, end) = (rows.offset(), rows.offset() + rows.len());
    match stream.device() {
        Device::Cpu => host::null_count(mask, begin, end, stream),
        Device::Cuda(_) => cuda::null_count(mask, begin, end, stream),
    }
}

/// Tells `gdf_core` how to count nulls in device memory. Cheap, and may be called any number of times; `gdf-api` does so
/// whenever an operation begins.
#[doc(hidden)]
pub fn init() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| gdf_core::set_null_counter(count_view));
}
