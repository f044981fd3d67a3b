//! Columns that borrow an array for the duration of a call.

use std::time::{Duration, Instant};

use gdf_core::{Column, ColumnView, Table, TableView, enter_span};
use gdf_driver::{DriverError, Stream, foreign};
use gdf_memory::{Buffer, ResourceRef};

use super::import::{view_arrow_device, view_table};
use crate::{ArrowDeviceArray, ArrowSchema, InteropError, Result};

/// Calls `body` with the array as a column, without copying the data. Before this function returns or unwinds, the CPU
/// waits for all work on any stream that reads the array. After that, the caller may release the array at once. See
/// [`from_arrow_device`](crate::from_arrow_device).
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// use gdf::{Column, DataType};
/// use gdf::{Device, Stream};
/// use gdf::interop::{to_arrow_device, to_arrow_schema, with_arrow_device};
///
/// let (stream, mr) = (Stream::cpu(), gdf::memory::current_resource(Device::Cpu)?);
/// let column = Column::from_options_on(&[Some(1_i32), None], &stream, mr.as_ref())?;
/// let (schema, array) = (to_arrow_schema(column.data_type())?, to_arrow_device(column, &stream)?);
/// // SAFETY: gdf exported the array, and no reference to the array leaves the closure.
/// let nulls = unsafe { with_arrow_device(&array, &schema, &stream, mr.as_ref(), |view| view.null_count_on(&stream)) }??;
/// assert_eq!(nulls, 1);
/// # Ok::<(), gdf_interop::InteropError>(())
/// ```
///
/// # Safety
/// - The conditions of [`from_arrow_device`](crate::from_arrow_device) hold, and nobody releases the array during the
///   call.
/// - `body` does not store a column that shares the array's memory anywhere except in its result. If the result
///   contains such a column, this function drops the result. Buffers that were copied because of misaligned addresses
///   do not share the array's memory, so `body` may store those buffers.
///
/// # Errors
/// - The errors of [`from_arrow_device`](crate::from_arrow_device). In this case `body` was not called.
/// - [`InteropError::Escaped`]: the result shared the array's memory and was dropped. Copy such columns inside `body`
///   instead.
/// - Driver errors while waiting. For example, a stream of the device may be being captured into a graph. Work that
///   reads the array may then still be running, so the array must not be released yet.
pub unsafe fn with_arrow_device<'r, R>(
    array: &ArrowDeviceArray,
    schema: &ArrowSchema,
    stream: &Stream,
    mr: impl Into<ResourceRef<'r>>,
    body: impl FnOnce(ColumnView<'_>) -> R,
) -> Result<R> {
    let mr = mr.into();
    let _span = enter_span("with_arrow_device", stream.device());
    // SAFETY: the caller fulfills the conditions of `from_arrow_device`. When this function returns, the lent column
    // has been dropped, and all work that reads the array has finished.
    let column = unsafe { view_arrow_device(array, schema, stream, mr)? };
    let lent = Lent::new(vec![column], stream);
    let result = body(lent.columns[0].view());
    lent.take_back(result)
}

/// Calls `body` with the struct array as a table. In all other respects the function does the same as
/// [`with_arrow_device`].
///
/// # Safety
/// - The conditions of [`with_arrow_device`].
///
/// # Errors
/// - The errors of [`with_arrow_device`] and [`from_arrow_device_table`](crate::from_arrow_device_table).
pub unsafe fn with_arrow_device_table<'r, R>(
    array: &ArrowDeviceArray,
    schema: &ArrowSchema,
    stream: &Stream,
    mr: impl Into<ResourceRef<'r>>,
    body: impl FnOnce(TableView<'_>) -> R,
) -> Result<R> {
    let mr = mr.into();
    let _span = enter_span("with_arrow_device_table", stream.device());
    // SAFETY: the conditions and the proof are those of `with_arrow_device`.
    let table: Table = unsafe { view_table(array, schema, stream, mr)? };
    let rows = table.num_rows();
    let lent = Lent::new(table.into_columns(), stream);
    let views = lent.columns.iter().map(Column::view).collect();
    let result = body(TableView::try_with_rows(views, rows)?);
    lent.take_back(result)
}

/// `take_back` waits at most this long for the reaper thread to drop buffers that are no longer used.
const PATIENCE: Duration = Duration::from_secs(1);

/// Columns that share lent memory.
struct Lent<'a> {
    columns: Vec<Column>,
    /// The buffers of the columns that share the array's memory.
    buffers: Vec<Buffer>,
    stream: &'a Stream,
}

impl<'a> Lent<'a> {
    fn new(columns: Vec<Column>, stream: &'a Stream) -> Self {
        Self { columns, buffers: Vec::new(), stream }
    }

    fn take_back<R>(mut self, result: R) -> Result<R> {
        self.wait()?;
        // On a GPU, the reaper thread keeps the buffers of a released export for a short time after their last use.
        let patience = if self.stream.device().is_cuda() { PATIENCE } else { Duration::ZERO };
        if is_shared_for(&mut self.buffers, patience) {
            // Dropping the result may enqueue work. The drop of `self` waits for that work.
            drop(result);
            return Err(InteropError::Escaped);
        }
        self.buffers.clear();
        Ok(result)
    }

    fn wait(&mut self) -> Result<(), DriverError> {
        for column in std::mem::take(&mut self.columns) {
            take_buffers(column, &mut self.buffers);
        }
        let waits: Vec<_> = self.users().iter().map(wait_for).collect();
        let device = self.stream.device();
        // gdf does not know which streams use an exported buffer. Therefore the CPU waits for all work on the device.
        let rest = if device.is_cuda() && is_shared_for(&mut self.buffers, Duration::ZERO) {
            foreign::synchronize_all(device)
        } else {
            Ok(())
        };
        waits.into_iter().chain([rest]).try_for_each(|outcome| match outcome {
            Err(error) if error.is_fatal() => {
                tracing::warn!(%error, "work on a lent array failed, and no part of the work runs any more");
                Ok(())
            }
            outcome => outcome,
        })
    }

    fn users(&self) -> Vec<Stream> {
        let mut users = vec![self.stream.clone()];
        for buffer in &self.buffers {
            buffer.for_each_user(&mut |user| {
                if !users.contains(user) {
                    users.push(user.clone());
                }
            });
        }
        users
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        if self.columns.is_empty() && self.buffers.is_empty() {
            return;
        }
        if let Err(error) = self.wait() {
            tracing::warn!(%error, "waiting for the work on a lent array failed");
        }
    }
}

/// Waits for a stream.
fn wait_for(user: &Stream) -> Result<(), DriverError> {
    if user.is_usable_here() { user.synchronize() } else { user.record_from_anywhere()?.synchronize() }
}

/// Returns whether other references to the buffers exist. Waits up to `patience` until they are dropped.
fn is_shared_for(buffers: &mut [Buffer], patience: Duration) -> bool {
    let begin = Instant::now();
    while buffers.iter_mut().any(Buffer::is_shared) {
        if begin.elapsed() >= patience {
            return true;
        }
        std::thread::sleep(Duration::from_micros(50));
    }
    false
}

/// Collects the buffers that share foreign memory.
fn take_buffers(column: Column, buffers: &mut Vec<Buffer>) {
    let parts = column.into_parts();
    let all = parts.validity.into_iter().chain(parts.buffers);
    buffers.extend(all.filter(|buffer| buffer.foreign_owner().is_some()));
    parts.children.into_iter().for_each(|child| take_buffers(child, buffers));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_let_go_of_in_time_has_not_escaped() {
        let (stream, mr) = (Stream::cpu(), gdf_memory::Resource::new(gdf_memory::HostResource::new()));
        let mut buffers = [Buffer::zeroed(8, &stream, mr.as_ref()).unwrap()];
        assert!(!is_shared_for(&mut buffers, Duration::ZERO));
        let other = buffers[0].clone();
        assert!(is_shared_for(&mut buffers, Duration::ZERO));
        assert!(is_shared_for(&mut buffers, Duration::from_millis(2)));
        std::thread::scope(|scope| {
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(2));
                drop(other);
            });
            assert!(!is_shared_for(&mut buffers, Duration::from_secs(60)));
        });
    }
}
