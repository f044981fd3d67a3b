//! Import of arrays on the CPU as columns on any device, and export of columns on any device as arrays on the CPU.

use gdf_core::{Column, Table, enter_span};
use gdf_driver::{Device, Stream};
use gdf_memory::ResourceRef;

use super::export::{Exportable, to_arrow_device};
use super::importer::{Importer, to_table};
use super::transfer::moved;
use crate::{ArrowArray, ArrowDeviceArray, ArrowSchema, Result};

/// Exports a column, a table or a scalar as an array on the CPU. If the data are on the CPU, the array shares them. If
/// the data are on a GPU, they are copied once, and the function **waits** for the copy. With the feature `arrow-rs`,
/// only the ranges that the rows need are copied from a GPU. Without the feature, whole buffers are copied.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// use gdf::Column;
/// use gdf::{Device, Stream};
/// use gdf::interop::{DeviceType, to_arrow_host};
///
/// let (stream, mr) = (Stream::cpu(), gdf::memory::current_resource(Device::Cpu)?);
/// let column = Column::from_options_on(&[Some(1_i32), None], &stream, mr.as_ref())?;
/// let array = to_arrow_host(column, &stream)?;
/// assert_eq!((array.device_type(), array.array().null_count()), (DeviceType::CPU, 1));
/// # Ok::<(), gdf_interop::InteropError>(())
/// ```
///
/// # Errors
/// - The errors of [`to_arrow_device`].
/// - [`Error::Arrow`](gdf_core::Error::Arrow): the data on a GPU are not validated, and violate the rules of their
///   type.
/// - Driver and memory errors of copying.
pub fn to_arrow_host(data: impl Into<Exportable>, stream: &Stream) -> Result<ArrowDeviceArray> {
    let _span = enter_span("to_arrow_host", stream.device());
    to_arrow_device(data.into().to_cpu(stream)?, &Stream::cpu())
}

/// Imports an array on the CPU as a column on the device of `stream`. If that device is the CPU, the column shares the
/// memory of the array; see [`from_arrow_device`](crate::from_arrow_device). If that device is a GPU, the data are
/// copied, and the array is then released.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// use gdf::Column;
/// use gdf::{Device, Stream};
/// use gdf::interop::{from_arrow_host, to_arrow_host, to_arrow_schema};
///
/// let (stream, mr) = (Stream::cpu(), gdf::memory::current_resource(Device::Cpu)?);
/// let column = Column::from_options_on(&[Some(1_i32), None], &stream, mr.as_ref())?;
/// let schema = to_arrow_schema(column.data_type())?;
/// let array = to_arrow_host(column, &stream)?.into_array()?;
/// // SAFETY: gdf exported the array.
/// let column = unsafe { from_arrow_host(array, &schema, &stream, mr.as_ref())? };
/// assert_eq!(column.len(), 2);
/// # Ok::<(), gdf_interop::InteropError>(())
/// ```
///
/// # Safety
/// - The conditions of [`from_arrow_device`](crate::from_arrow_device), for an array on the CPU.
///
/// # Errors
/// - The errors of [`from_arrow_device`](crate::from_arrow_device).
/// - Driver and memory errors of copying to a GPU.
pub unsafe fn from_arrow_host<'r>(
    array: ArrowArray,
    schema: &ArrowSchema,
    stream: &Stream,
    mr: impl Into<ResourceRef<'r>>,
) -> Result<Column> {
    let mr = mr.into();
    let _span = enter_span("from_arrow_host", stream.device());
    // SAFETY: the caller fulfills the same conditions.
    unsafe { import_host(&Importer::new(schema)?, array, stream, mr) }
}

/// Imports a struct array on the CPU as a table on the device of `stream`. In all other respects the function does the
/// same as [`from_arrow_host`].
///
/// # Safety
/// - The conditions of [`from_arrow_host`].
///
/// # Errors
/// - The errors of [`from_arrow_host`].
/// - [`InteropError::TopLevelNulls`](crate::InteropError::TopLevelNulls): rows of the struct are null.
pub unsafe fn from_arrow_host_table<'r>(
    array: ArrowArray,
    schema: &ArrowSchema,
    stream: &Stream,
    mr: impl Into<ResourceRef<'r>>,
) -> Result<Table> {
    let mr = mr.into();
    let _span = enter_span("from_arrow_host_table", stream.device());
    // SAFETY: the caller fulfills the same conditions.
    to_table(unsafe { import_host(&Importer::new(schema)?, array, stream, mr)? }, stream)
}

/// Imports an array on the CPU as a column on the device of `stream`, with an existing importer.
///
/// # Safety
/// - The conditions of [`from_arrow_host`].
pub(super) unsafe fn import_host(
    importer: &Importer,
    array: ArrowArray,
    stream: &Stream,
    mr: ResourceRef<'_>,
) -> Result<Column> {
    if stream.device().is_cpu() {
        // SAFETY: the caller fulfills the same conditions.
        return unsafe { importer.column(array.into(), stream, mr) };
    }
    let (cpu, cpu_mr) = (Stream::cpu(), gdf_memory::current_resource(Device::Cpu)?);
    // SAFETY: the caller fulfills the same conditions.
    let column = unsafe { importer.column(array.into(), &cpu, cpu_mr.as_ref())? };
    moved(&column, &cpu, stream, mr)
}
