//! `null_count`: checks and choice of backend.

mod cuda;
mod host;

use gdf_core::{ColumnView, DataType, Error, Result};
use gdf_driver::{Device, Stream};

use crate::check;

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
pub(in crate::null_mask) fn range<'a>(
    column: ColumnView<'a>,
    start: usize,
    stop: usize,
    stream: &Stream,
) -> Result<ColumnView<'a>> {
    check::on_device(column.device(), stream)?;
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
