//! `null_count`: checks and choice of backend.

mod cuda;
mod host;

use gdf_core::{ColumnView, DataType, Error, Position, Result};
use gdf_driver::{Device, Stream};
use gdf_memory::Mailbox;

pub use self::cuda::run;
use crate::device;

/// Returns the number of rows in `[start, stop)` that are null by the column's mask. All rows of a column of the type
/// null are null.
///
/// **Waits** once for device memory.
///
/// # Errors
/// * [`InvalidArgument`](Error::InvalidArgument): `start` is above `stop`. [`OutOfBounds`](Error::OutOfBounds):
///   `stop` is above the number of rows. [`DeviceMismatch`](Error::DeviceMismatch).
/// * Driver and memory errors.
pub fn null_count(column: ColumnView<'_>, start: usize, stop: usize, stream: &Stream) -> Result<usize> {
    let rows = range(column, start, stop, stream)?;
    match rows.known_null_count() {
        Some(count) => Ok(count),
        None => count_view(&rows, stream),
    }
}

/// Returns the result of [`null_count`] for each column. **Waits** once for each [`Mailbox::MAX_WORDS`] columns whose
/// nulls have to be counted on the device.
///
/// # Errors
/// * The errors of [`null_count`], with the position of the column.
pub fn batch_null_count(columns: &[ColumnView<'_>], start: usize, stop: usize, stream: &Stream) -> Result<Vec<usize>> {
    let (mut counts, mut unknown) = (vec![0; columns.len()], Vec::new());
    for (at, column) in columns.iter().enumerate() {
        let in_column = |error: Error| error.at(Position::Column(at));
        let rows = range(*column, start, stop, stream).map_err(in_column)?;
        match (rows.known_null_count(), stream.device(), rows.validity()) {
            (Some(count), ..) => counts[at] = count,
            (_, Device::Cuda(_), Some(mask)) if !rows.is_empty() => {
                unknown.push((at, mask, rows.offset()..rows.offset() + rows.len()));
            }
            _ => counts[at] = count_view(&rows, stream).map_err(in_column)?,
        }
    }
    for unknown in unknown.chunks(Mailbox::MAX_WORDS) {
        let found = cuda::null_counts(unknown.iter().map(|(_, mask, bits)| (*mask, bits.clone())), stream)?;
        unknown.iter().zip(found).for_each(|((at, ..), count)| counts[*at] = count);
    }
    Ok(counts)
}

/// Returns the rows `[start, stop)` of a column. The column must be on the stream's device.
pub fn range<'a>(column: ColumnView<'a>, start: usize, stop: usize, stream: &Stream) -> Result<ColumnView<'a>> {
    device::on_device(column.device(), stream)?;
    if start > stop {
        return Err(Error::beyond_limit("the end of the range", stop as i128, start as i128));
    }
    column.slice(start, stop - start)
}

/// Counts the zeros in the mask of a view. `gdf_core` calls this function for masks in device memory, after [`init`]
/// has registered it.
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

/// Registers the function with which `gdf_core` counts nulls in device memory.
#[doc(hidden)]
pub fn init() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| gdf_core::set_null_counter(count_view));
}
