//! Columns and tables from `ArrowDeviceArray`: owned, or as a bare view.

use std::mem::ManuallyDrop;
use std::sync::Arc;

use gdf_core::{Column, Table, enter_span};
use gdf_driver::Stream;
use gdf_memory::{Owner, ResourceRef};

use super::export_release::{is_ours, release_now};
use super::importer::{Importer, to_table};
use crate::{ArrowDeviceArray, ArrowSchema, DeviceType, Result};

/// An array whose buffers columns use. The last of them to go, after all of its readers, drops it.
#[derive(Debug)]
struct Imported(ManuallyDrop<ArrowDeviceArray>);

// SAFETY: nothing in it is looked at through a shared reference but the kind of device, a number.
unsafe impl Sync for Imported {}

impl Drop for Imported {
    fn drop(&mut self) {
        // SAFETY: taken once, and not used again.
        let mut array = unsafe { ManuallyDrop::take(&mut self.0) };
        if is_ours(&array.array) {
            // SAFETY: an array of ours; buffers wait for their readers before they let go of their owner.
            unsafe { release_now(&raw mut array.array) };
        }
    }
}

/// Which kind of memory an imported buffer is.
pub(super) fn device_type_of_owner(owner: &Arc<dyn Owner>) -> Option<DeviceType> {
    let owner: &dyn std::any::Any = &**owner;
    owner.downcast_ref::<Imported>().map(|array| array.0.device_type)
}

/// The array as a column, without a copy: the column owns the array, and calls `release` when it, its clones and slices are
/// gone *and* everything that read them on any stream is done, on the thread that lets go last or on the reaper's.
///
/// The column is on the device of `stream`, which waits for the producer's event; the CPU does not wait for a device. The array
/// is released also where an error is returned.
///
/// | | |
/// |---|---|
/// | device type | `CPU` and `CUDA` for a stream of that device; `CUDA_HOST` and `CUDA_MANAGED` for one of that GPU, or of the CPU, which then waits for the event |
/// | types | all that columns can have |
/// | data | validated where the CPU can look at them ([`Importer::without_validation`]); columns of a GPU are unvalidated: the first operation that gets one validates it, with a launch and a wait ([`Importer::assume_validated`]) |
/// | copies | of buffers at an address that does not suit their elements, from `mr`; [`copied_misaligned`](gdf_core::copied_misaligned) counts them. Columns without rows get their one offset from `mr` |
/// | waits | on a GPU: only where the driver does not know the allocation behind text or its lengths, as of virtual memory that the producer mapped (PyTorch's expandable segments) and of pinned memory |
///
/// The struct says no lengths, so buffers of text on a GPU reach to the end of the allocation that they are in, and
/// [`Column::alloc_size`] counts that; [`Column::deep_copy`] copies what the offsets need.
///
/// A struct array becomes a struct column, with its nulls; [`from_arrow_device_table`] makes a table. See
/// [`to_arrow_device`](crate::to_arrow_device) for an example.
///
/// # Safety
/// - `array` is valid as [`ArrowDeviceArray::from_raw`] says, and of the type that `schema` says.
/// - Its buffers are as long as its length, offset and type ask for; on the CPU, offsets and lengths of data buffers lead
///   no further than to the end of the bytes. On a GPU they hold what the type asks for, unless the column is validated before use.
/// - Until `release` is called, nobody writes to the buffers after the event.
///
/// # Errors
/// - [`InteropError`](crate::InteropError): the struct is released, malformed, or of a device that the stream's is not.
/// - [`gdf_core::Error`] within it: counts, sizes or, on the CPU, data contradict the type.
/// - Driver and memory errors.
pub unsafe fn from_arrow_device<'r>(
    array: ArrowDeviceArray,
    schema: &ArrowSchema,
    stream: &Stream,
    mr: impl Into<ResourceRef<'r>>,
) -> Result<Column> {
    let mr = mr.into();
    // SAFETY: as the caller promises.
    unsafe { Importer::new(schema)?.column(array, stream, mr) }
}

/// The struct array as a table, as [`from_arrow_device`] makes a column. Its fields become the columns; their names stay with
/// the schema ([`ArrowSchema::to_schema`]).
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
/// // SAFETY: the array is one of ours.
/// let table = unsafe { from_arrow_device_table(array, &schema, &stream, mr.as_ref())? };
/// assert_eq!((table.num_rows(), schema.to_schema()?.field(0).name().as_str()), (2, "id"));
/// # Ok::<(), gdf_interop::InteropError>(())
/// ```
///
/// # Safety
/// - As [`from_arrow_device`].
///
/// # Errors
/// - As [`from_arrow_device`].
/// - [`InteropError::TopLevelNulls`](crate::InteropError::TopLevelNulls): rows of the struct are null. Where the producer did not count
///   them, this **waits** for a count.
pub unsafe fn from_arrow_device_table<'r>(
    array: ArrowDeviceArray,
    schema: &ArrowSchema,
    stream: &Stream,
    mr: impl Into<ResourceRef<'r>>,
) -> Result<Table> {
    let mr = mr.into();
    // SAFETY: as the caller promises.
    unsafe { Importer::new(schema)?.table(array, stream, mr) }
}

/// # Safety
/// - As [`from_arrow_device`].
pub(super) unsafe fn import_owned(
    importer: &Importer,
    array: ArrowDeviceArray,
    stream: &Stream,
    mr: ResourceRef<'_>,
) -> Result<Column> {
    let owner = Arc::new(Imported(ManuallyDrop::new(array)));
    // SAFETY: as the caller promises; the buffers' owner is the array itself.
    unsafe { importer.import(&owner.0, owner.clone(), stream, mr) }
}

/// The array as a column that owns nothing: `release` is never called, and nothing waits but for an error, after which the array may
/// be released at once. [`with_arrow_device`] is the safer way.
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
/// // SAFETY: the array is one of ours and outlives the view.
/// let view = unsafe { view_arrow_device(&array, &schema, &stream, mr.as_ref())? };
/// assert_eq!(view.null_count_on(&stream)?, 1);
/// drop(view);
/// drop(array);
/// # Ok::<(), gdf_interop::InteropError>(())
/// ```
///
/// # Safety
/// - As [`from_arrow_device`].
/// - The array stays unreleased until the column, its clones and slices are gone and everything that read them is done.
///
/// # Errors
/// - As [`from_arrow_device`].
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
    // SAFETY: as the caller promises.
    done_if_refused(unsafe { Importer::new(schema)?.import(array, Arc::new(()), stream, mr) }, stream)
}

/// # Safety
/// - As [`view_arrow_device`].
pub(super) unsafe fn view_table(
    array: &ArrowDeviceArray,
    schema: &ArrowSchema,
    stream: &Stream,
    mr: ResourceRef<'_>,
) -> Result<Table> {
    // SAFETY: as the caller promises.
    let column = unsafe { view_arrow_device(array, schema, stream, mr)? };
    done_if_refused(to_table(column, stream), stream)
}

/// The outcome for an array that is not owned; if that is an error, copies of parts of it (of misaligned ones) have ended.
fn done_if_refused<T>(outcome: Result<T>, stream: &Stream) -> Result<T> {
    if outcome.is_err()
        && let Err(error) = stream.synchronize()
    {
        tracing::warn!(%error, "copies out of an array that was refused cannot be waited for");
    }
    outcome
}
