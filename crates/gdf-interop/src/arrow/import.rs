//! Import of `ArrowDeviceArray`.

use std::sync::Arc;

use gdf_core::{Column, Table, enter_span};
use gdf_driver::Stream;
use gdf_memory::ResourceRef;

use super::importer::{Importer, to_table};
use crate::{ArrowDeviceArray, ArrowSchema, Result};

/// Imports the array as a column, without copying the data. The column owns the array. gdf calls the array's `release`
/// when two conditions hold: the column, its clones and its slices have been dropped, *and* all work on any stream that
/// reads them has finished. `release` runs on the thread that drops the last reference, or on the reaper thread.
///
/// The column is on the device of `stream`. `stream` waits on the device for the producer's event. The CPU waits for a
/// device only in the cases that the table below names. If the function returns an error, the array is released, too.
///
/// | | |
/// |---|---|
/// | device type | `CPU` needs a stream of the CPU and `CUDA` a stream of that GPU. `CUDA_HOST` and `CUDA_MANAGED` need a stream of that GPU, or of the CPU, which then waits for the event |
/// | types | all types that columns can have |
/// | validation | data of the CPU are validated ([`Importer::without_validation`] turns validation off). Columns of a GPU are unvalidated: the first operation on such a column validates the column, with a kernel launch and a wait ([`Importer::assume_validated`] avoids both) |
/// | copies | only buffers at misaligned addresses are copied, to memory from `mr`. [`copied_misaligned`](gdf_core::copied_misaligned) counts such copies. For columns without rows, the single offset is allocated from `mr` |
/// | waits | on a GPU, the CPU waits only if the driver cannot tell the size of the allocation that holds text bytes or view lengths. Examples are virtual memory that the producer mapped (PyTorch's expandable segments) and pinned memory |
///
/// The C struct contains no buffer lengths. Therefore, in a string column on a GPU, the buffer of bytes extends to the
/// end of its allocation, and [`Column::alloc_size`] counts all these bytes. [`Column::deep_copy`] copies only the
/// bytes that the offsets use.
///
/// A struct array becomes a struct column, which may have nulls. [`from_arrow_device_table`] makes a table instead.
/// See [`to_arrow_device`](crate::to_arrow_device) for an example.
///
/// # Safety
/// - `array` is valid as [`ArrowDeviceArray::from_raw`] demands, and has the type that `schema` describes.
/// - The buffers are as long as the array's length, offset and type require.
/// - On the CPU, the offsets and the lengths of data buffers stay within the bytes.
/// - On a GPU, the buffers hold data that the type allows, unless the column is validated before use.
/// - After the event and until `release` is called, nobody writes to the buffers.
///
/// # Errors
/// - [`InteropError`](crate::InteropError): the struct is released or malformed, or the data are on a device
///   whose memory work on `stream` cannot access.
/// - [`gdf_core::Error`] inside an `InteropError`: counts or sizes contradict the type. On the CPU, the error is also
///   returned for data that contradict the type.
/// - Driver and memory errors.
pub unsafe fn from_arrow_device<'r>(
    array: ArrowDeviceArray,
    schema: &ArrowSchema,
    stream: &Stream,
    mr: impl Into<ResourceRef<'r>>,
) -> Result<Column> {
    let mr = mr.into();
    // SAFETY: the caller fulfills the same conditions.
    unsafe { Importer::new(schema)?.column(array, stream, mr) }
}

/// Imports a struct array as a table. The fields of the struct become the columns. The table has no column names;
/// [`ArrowSchema::to_schema`] returns the names. In all other respects the function does the same as
/// [`from_arrow_device`].
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// use gdf::{Column, Table};
/// use gdf::{Device, Stream};
/// use gdf::interop::{from_arrow_device_table, to_arrow_device, to_arrow_schema};
///
/// let (stream, mr) = (Stream::cpu(), gdf::memory::current_resource(Device::Cpu)?);
/// let table = Table::try_new(vec![Column::from_options_on(&[Some(1_i32), None], &stream, mr.as_ref())?])?;
/// let schema = to_arrow_schema(&*table.schema(&["id"]))?;
/// let array = to_arrow_device(table, &stream)?;
/// // SAFETY: gdf exported the array.
/// let table = unsafe { from_arrow_device_table(array, &schema, &stream, mr.as_ref())? };
/// assert_eq!((table.num_rows(), schema.to_schema()?.field(0).name().as_str()), (2, "id"));
/// # Ok::<(), gdf_interop::InteropError>(())
/// ```
///
/// # Safety
/// - The conditions of [`from_arrow_device`].
///
/// # Errors
/// - The errors of [`from_arrow_device`].
/// - [`InteropError::TopLevelNulls`](crate::InteropError::TopLevelNulls): rows of the struct are null. If the
///   producer did not count the nulls, this function **waits** for a count.
pub unsafe fn from_arrow_device_table<'r>(
    array: ArrowDeviceArray,
    schema: &ArrowSchema,
    stream: &Stream,
    mr: impl Into<ResourceRef<'r>>,
) -> Result<Table> {
    let mr = mr.into();
    // SAFETY: the caller fulfills the same conditions.
    unsafe { Importer::new(schema)?.table(array, stream, mr) }
}

/// Imports the array as a column that does not own the array. gdf never calls `release`. If an error occurs, the
/// function waits, so that the caller may release the array at once. Otherwise, the function waits in the same cases as
/// [`from_arrow_device`]. [`with_arrow_device`] is a safer alternative.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// use gdf::Column;
/// use gdf::{Device, Stream};
/// use gdf::interop::{to_arrow_device, to_arrow_schema, view_arrow_device};
///
/// let (stream, mr) = (Stream::cpu(), gdf::memory::current_resource(Device::Cpu)?);
/// let column = Column::from_options_on(&[Some(1_i32), None], &stream, mr.as_ref())?;
/// let (schema, array) = (to_arrow_schema(column.data_type())?, to_arrow_device(column, &stream)?);
/// // SAFETY: gdf exported the array, and the array outlives the view.
/// let view = unsafe { view_arrow_device(&array, &schema, &stream, mr.as_ref())? };
/// assert_eq!(view.null_count_on(&stream)?, 1);
/// drop(view);
/// drop(array);
/// # Ok::<(), gdf_interop::InteropError>(())
/// ```
///
/// # Safety
/// - The conditions of [`from_arrow_device`].
/// - The caller releases the array only after two conditions hold. The column, its clones and its slices have been
///   dropped. All work that reads them has finished.
///
/// # Errors
/// - The errors of [`from_arrow_device`].
///
/// [`with_arrow_device`]: crate::with_arrow_device
pub unsafe fn view_arrow_device<'r>(
    array: &ArrowDeviceArray,
    schema: &ArrowSchema,
    stream: &Stream,
    mr: impl Into<ResourceRef<'r>>,
) -> Result<Column> {
    let mr = mr.into();
    let _span = enter_span("view_arrow_device", stream.device());
    // SAFETY: the caller fulfills the conditions, and promises that the array outlives the column and all work that
    // reads the column.
    done_if_refused(unsafe { Importer::new(schema)?.import(array, Arc::new(()), stream, mr) }, stream)
}

/// Imports a struct array as a table that does not own the array.
///
/// # Safety
/// - The conditions of [`view_arrow_device`].
pub(super) unsafe fn view_table(
    array: &ArrowDeviceArray,
    schema: &ArrowSchema,
    stream: &Stream,
    mr: ResourceRef<'_>,
) -> Result<Table> {
    // SAFETY: the caller fulfills the same conditions.
    let column = unsafe { view_arrow_device(array, schema, stream, mr)? };
    done_if_refused(to_table(column, stream), stream)
}

/// Returns `outcome`.
fn done_if_refused<T>(outcome: Result<T>, stream: &Stream) -> Result<T> {
    if outcome.is_err()
        && let Err(error) = stream.synchronize()
    {
        tracing::warn!(%error, "waiting for the copies from a refused array failed");
    }
    outcome
}
