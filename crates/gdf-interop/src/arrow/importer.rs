//! What is known before the first array comes: its type, and whether its data are to be believed.

use std::ffi::c_void;
use std::sync::Arc;

use gdf_core::{Column, DataType, Error, Field, Schema, Table, enter_span};
use gdf_driver::{Device, Stream};
use gdf_memory::{Owner, ResourceRef};

use super::export_release::own_event;
use super::import_node::{Context, import_node};
use super::validation::validated;
use crate::error::malformed;
use crate::{ArrowDeviceArray, ArrowSchema, DeviceType, InteropError, Result};

/// Imports arrays of one type: the schema is read once for any number of arrays.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// use gdf::{Column, DataType};
/// use gdf::{Device, Stream};
/// use gdf::interop::{Importer, to_arrow_device, to_arrow_schema};
///
/// let (stream, mr) = (Stream::cpu(), gdf::memory::current_resource(Device::Cpu)?);
/// let importer = Importer::new(&to_arrow_schema(&DataType::Int32)?)?;
/// for first in 0..3_i32 {
///     let column = Column::from_options_on(&[Some(first), None], &stream, mr.as_ref())?;
///     let array = to_arrow_device(column, &stream)?;
///     // SAFETY: the array is one of ours.
///     let column = unsafe { importer.column(array, &stream, mr.as_ref())? };
///     assert_eq!(column.null_count_on(&stream)?, 1);
/// }
/// # Ok::<(), gdf_interop::InteropError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Importer {
    field: Field,
    trust: Trust,
}

/// What becomes of the data before the column is given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// The CPU looks at them, where it can.
    Validate,
    /// Nobody looks at them, and the column says so.
    Leave,
    /// Nobody looks at them, and the column says that they are right.
    Assume,
}

impl Importer {
    /// An importer of arrays that the struct describes.
    ///
    /// # Errors
    /// - As [`ArrowSchema::to_field`].
    pub fn new(schema: &ArrowSchema) -> Result<Importer> {
        Ok(Self::of_field(schema.to_field()?))
    }

    /// An importer of arrays of this type.
    pub fn of_type(data_type: DataType) -> Importer {
        Self::of_field(Field::new("", data_type, true))
    }

    /// An importer of tables of this schema.
    pub fn of_schema(schema: &Schema) -> Importer {
        Self::of_field(Field::new("", DataType::Struct(schema.fields().clone()), false))
    }

    fn of_field(field: Field) -> Importer {
        Importer { field, trust: Trust::Validate }
    }

    /// Leaves the data alone: the column is unvalidated ([`Column::validated`]), and the first operation or export that gets it
    /// validates it. Otherwise offsets, keys, views, type ids, UTF-8 and null counts are checked where the CPU can look at
    /// them, before the column is given out. Data of a GPU are never looked at here.
    pub fn without_validation(mut self) -> Importer {
        self.trust = Trust::Leave;
        self
    }

    /// Believes the data of all arrays, on a GPU too: the columns are [validated](Column::validated), and nobody ever looks.
    ///
    /// # Safety
    /// - The data of the arrays, their null counts included, follow the rules of their type, which
    ///   [`Column::from_raw_parts`] lists.
    pub unsafe fn assume_validated(mut self) -> Importer {
        self.trust = Trust::Assume;
        self
    }

    /// The type of the arrays.
    pub fn data_type(&self) -> &DataType {
        self.field.data_type()
    }

    /// Imports an array as a column; see [`from_arrow_device`](crate::from_arrow_device).
    ///
    /// # Safety
    /// - As [`from_arrow_device`](crate::from_arrow_device).
    ///
    /// # Errors
    /// - As [`from_arrow_device`](crate::from_arrow_device).
    pub unsafe fn column<'r>(
        &self,
        array: ArrowDeviceArray,
        stream: &Stream,
        mr: impl Into<ResourceRef<'r>>,
    ) -> Result<Column> {
        let mr = mr.into();
        let _span = enter_span("from_arrow_device", stream.device());
        // SAFETY: as the caller promises.
        unsafe { super::import::import_owned(self, array, stream, mr) }
    }

    /// Imports a struct array as a table; see [`from_arrow_device_table`](crate::from_arrow_device_table).
    ///
    /// # Safety
    /// - As [`from_arrow_device`](crate::from_arrow_device).
    ///
    /// # Errors
    /// - As [`from_arrow_device_table`](crate::from_arrow_device_table).
    pub unsafe fn table<'r>(
        &self,
        array: ArrowDeviceArray,
        stream: &Stream,
        mr: impl Into<ResourceRef<'r>>,
    ) -> Result<Table> {
        let mr = mr.into();
        let _span = enter_span("from_arrow_device_table", stream.device());
        // SAFETY: as the caller promises.
        let column = unsafe { super::import::import_owned(self, array, stream, mr)? };
        to_table(column, stream)
    }

    /// The column of an array whose memory `owner` keeps, after its event.
    ///
    /// # Safety
    /// - As [`from_arrow_device`](crate::from_arrow_device), until `owner` is dropped.
    pub(super) unsafe fn import(
        &self,
        array: &ArrowDeviceArray,
        owner: Arc<dyn Owner>,
        stream: &Stream,
        mr: ResourceRef<'_>,
    ) -> Result<Column> {
        if array.is_released() {
            return Err(InteropError::Released { what: "array" });
        }
        let device = stream.device();
        check_device(array, device)?;
        if mr.device() != device {
            return Err(Error::device_mismatch(device, mr.device()).into());
        }
        // SAFETY: as the caller promises.
        unsafe { wait(array, stream)? };
        let validate = device.is_cpu() && self.trust == Trust::Validate;
        let cx = Context { owner, device, stream, mr, validate, assume: self.trust == Trust::Assume };
        // SAFETY: as the caller promises; the stream waits for the event.
        let column = unsafe { import_node(&array.array, self.data_type(), &cx)? };
        if validate { validated(column, stream) } else { Ok(column) }
    }
}

/// Whether work of `device` can read the array's memory.
fn check_device(array: &ArrowDeviceArray, device: Device) -> Result<()> {
    let (kind, id) = (array.device_type, array.device_id);
    let unsupported = InteropError::UnsupportedDevice { device_type: kind, device_id: id };
    let found = match kind {
        DeviceType::CPU => Device::Cpu,
        DeviceType::CUDA => kind.device(id).ok_or(unsupported)?,
        // the CPU can read these as well, and some producers do not say which device they are pinned for
        DeviceType::CUDA_HOST | DeviceType::CUDA_MANAGED if device.is_cpu() || id < 0 => device,
        DeviceType::CUDA_HOST | DeviceType::CUDA_MANAGED => kind.device(id).ok_or(unsupported)?,
        _ => return Err(unsupported),
    };
    if found != device {
        return Err(Error::device_mismatch(device, found).into());
    }
    Ok(())
}

/// Orders `stream` after the producer's event.
///
/// # Safety
/// - The event, if there is one, is a live `CUevent`.
unsafe fn wait(array: &ArrowDeviceArray, stream: &Stream) -> Result<()> {
    if array.sync_event.is_null() {
        return Ok(());
    }
    if array.device_type == DeviceType::CPU {
        return Err(malformed("an event for memory of the CPU"));
    }
    // SAFETY: as the caller promises. Of an event of ours is known on which stream it was recorded, which need not wait for it.
    if let Some(event) = unsafe { own_event(&array.array, array.sync_event) } {
        stream.wait(&event)?;
        return Ok(());
    }
    // SAFETY: for all kinds of CUDA memory the event is passed as a pointer to a `CUevent`.
    let event = unsafe { array.sync_event.cast::<*mut c_void>().read() };
    if event.is_null() {
        return Err(malformed("a pointer to a null event"));
    }
    // SAFETY: as the caller promises.
    unsafe { stream.wait_raw(event)? };
    Ok(())
}

/// The table whose columns are the fields of a struct column without nulls.
pub(super) fn to_table(column: Column, stream: &Stream) -> Result<Table> {
    if !matches!(column.data_type(), DataType::Struct(_)) {
        return Err(Error::type_mismatch("a struct", column.data_type()).into());
    }
    if column.has_validity() {
        // Who promised the array promised its null count, and counting on a GPU takes operations.
        match column.claimed_null_count().map_or_else(|| column.null_count_on(stream), Ok)? {
            0 => {}
            count => return Err(InteropError::TopLevelNulls { count }),
        }
    }
    let (rows, offset) = (column.len(), column.offset());
    let columns = column.into_parts().children.into_iter().map(|child| child.slice(offset, rows));
    Ok(Table::try_with_rows(columns.collect::<gdf_core::Result<_>>()?, rows)?)
}
