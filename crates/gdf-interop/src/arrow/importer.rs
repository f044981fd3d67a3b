//! `Importer`, which stores the settings that apply to all imported arrays: the type of the arrays, and whether to
//! validate the data.

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

/// Imports any number of arrays of one type. The schema is parsed only once.
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
///     // SAFETY: gdf exported the array.
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

/// The treatment of the data of an array before the importer returns the column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// If the imported column is on the CPU, the CPU checks the data.
    Validate,
    /// The data are not checked, and the column is marked as unvalidated.
    Leave,
    /// The data are not checked, but the column is marked as validated.
    Assume,
}

impl Importer {
    /// Makes an importer of arrays whose type `schema` describes.
    ///
    /// # Errors
    /// - The errors of [`ArrowSchema::to_field`].
    pub fn new(schema: &ArrowSchema) -> Result<Importer> {
        Ok(Self::of_field(schema.to_field()?))
    }

    /// Makes an importer of arrays of type `data_type`.
    pub fn of_type(data_type: DataType) -> Importer {
        Self::of_field(Field::new("", data_type, true))
    }

    /// Makes an importer of struct arrays whose fields are those of `schema`. [`table`](Self::table) imports such
    /// arrays as tables.
    pub fn of_schema(schema: &Schema) -> Importer {
        Self::of_field(Field::new("", DataType::Struct(schema.fields().clone()), false))
    }

    fn of_field(field: Field) -> Importer {
        Importer { field, trust: Trust::Validate }
    }

    /// Turns off the validation of data at import. The imported columns are unvalidated ([`Column::validated`]). The
    /// first operation or export of such a column validates the column.
    ///
    /// By default, an importer checks data on the CPU before it returns the column: offsets, dictionary keys, views,
    /// type ids, UTF-8 and null counts. An importer never checks data on a GPU.
    pub fn without_validation(mut self) -> Importer {
        self.trust = Trust::Leave;
        self
    }

    /// Marks all imported columns as [validated](Column::validated), on the CPU and on a GPU. The importer does not
    /// check the data, and later operations do not check the data either.
    ///
    /// # Safety
    /// - The data of the arrays and their null counts follow the rules of the type. [`Column::from_raw_parts`] lists
    ///   the rules.
    pub unsafe fn assume_validated(mut self) -> Importer {
        self.trust = Trust::Assume;
        self
    }

    /// Returns the type of the arrays.
    pub fn data_type(&self) -> &DataType {
        self.field.data_type()
    }

    /// Imports an array as a column. See [`from_arrow_device`](crate::from_arrow_device).
    ///
    /// # Safety
    /// - The conditions of [`from_arrow_device`](crate::from_arrow_device).
    ///
    /// # Errors
    /// - The errors of [`from_arrow_device`](crate::from_arrow_device).
    pub unsafe fn column<'r>(
        &self,
        array: ArrowDeviceArray,
        stream: &Stream,
        mr: impl Into<ResourceRef<'r>>,
    ) -> Result<Column> {
        let mr = mr.into();
        let _span = enter_span("from_arrow_device", stream.device());
        // SAFETY: the caller fulfills the same conditions.
        unsafe { import_owned(self, array, stream, mr) }
    }

    /// Imports a struct array as a table. See [`from_arrow_device_table`](crate::from_arrow_device_table).
    ///
    /// # Safety
    /// - The conditions of [`from_arrow_device`](crate::from_arrow_device).
    ///
    /// # Errors
    /// - The errors of [`from_arrow_device_table`](crate::from_arrow_device_table).
    pub unsafe fn table<'r>(
        &self,
        array: ArrowDeviceArray,
        stream: &Stream,
        mr: impl Into<ResourceRef<'r>>,
    ) -> Result<Table> {
        let mr = mr.into();
        let _span = enter_span("from_arrow_device_table", stream.device());
        // SAFETY: the caller fulfills the same conditions.
        let column = unsafe { import_owned(self, array, stream, mr)? };
        to_table(column, stream)
    }

    /// Makes `stream` wait for the array's event, and makes a column that shares the memory of `array`.
    ///
    /// # Safety
    /// - The conditions of [`from_arrow_device`](crate::from_arrow_device) hold until `owner` is dropped.
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
        // SAFETY: the caller promises a valid array, so the event is null or live.
        unsafe { wait(array, stream)? };
        let validate = device.is_cpu() && self.trust == Trust::Validate;
        let cx = Context { owner, device, stream, mr, validate, assume: self.trust == Trust::Assume };
        // SAFETY: the caller promises that the array is valid, and that the buffers are readable and not written
        // until `owner` is dropped. `stream` has waited for the event.
        let column = unsafe { import_node(&array.array, self.data_type(), &cx)? };
        if validate { validated(column, stream) } else { Ok(column) }
    }
}

/// An imported array.
#[derive(Debug)]
struct Imported(ArrowDeviceArray);

// SAFETY: code only reads fields through a shared reference, and no field changes before the drop.
unsafe impl Sync for Imported {}

/// Returns the kind of memory of an imported buffer.
pub(super) fn device_type_of_owner(owner: &Arc<dyn Owner>) -> Option<DeviceType> {
    let owner: &dyn std::any::Any = &**owner;
    owner.downcast_ref::<Imported>().map(|array| array.0.device_type)
}

/// Imports an array as a column that owns the array.
///
/// # Safety
/// - The conditions of [`from_arrow_device`](super::import::from_arrow_device).
unsafe fn import_owned(
    importer: &Importer,
    array: ArrowDeviceArray,
    stream: &Stream,
    mr: ResourceRef<'_>,
) -> Result<Column> {
    let owner = Arc::new(Imported(array));
    // SAFETY: the caller fulfills the conditions of `from_arrow_device`. The owner of the buffers is the array
    // itself, which is released when the owner is dropped.
    unsafe { importer.import(&owner.0, owner.clone(), stream, mr) }
}

/// Returns an error if work on `device` cannot read the array's memory.
fn check_device(array: &ArrowDeviceArray, device: Device) -> Result<()> {
    let (kind, id) = (array.device_type, array.device_id);
    let unsupported = InteropError::UnsupportedDevice { device_type: kind, device_id: id };
    let found = match kind {
        DeviceType::CPU => Device::Cpu,
        DeviceType::CUDA => kind.device(id).ok_or(unsupported)?,
        // The CPU can also read pinned and managed memory.
        DeviceType::CUDA_HOST | DeviceType::CUDA_MANAGED if device.is_cpu() || id < 0 => device,
        DeviceType::CUDA_HOST | DeviceType::CUDA_MANAGED => kind.device(id).ok_or(unsupported)?,
        _ => return Err(unsupported),
    };
    if found != device {
        return Err(Error::device_mismatch(device, found).into());
    }
    Ok(())
}

/// Makes `stream` wait for the producer's event.
///
/// # Safety
/// - The event of `array` is null or a live `CUevent`.
unsafe fn wait(array: &ArrowDeviceArray, stream: &Stream) -> Result<()> {
    if array.sync_event.is_null() {
        return Ok(());
    }
    if array.device_type == DeviceType::CPU {
        return Err(malformed("`sync_event` of an array in CPU memory must be null"));
    }
    // SAFETY: the caller promises that the event is live. gdf knows on which stream it recorded its own event, so
    // `wait` can skip a wait for the same stream.
    if let Some(event) = unsafe { own_event(&array.array, array.sync_event) } {
        stream.wait(&event)?;
        return Ok(());
    }
    // SAFETY: for all kinds of CUDA memory, `sync_event` is a pointer to a `CUevent`, and the caller promises that
    // the pointer is valid.
    let event = unsafe { array.sync_event.cast::<*mut c_void>().read() };
    if event.is_null() {
        return Err(malformed("`sync_event` points to a null `CUevent`"));
    }
    // SAFETY: the caller promises that the event is live.
    unsafe { stream.wait_raw(event)? };
    Ok(())
}

/// Converts a struct column without nulls to a table.
pub(super) fn to_table(column: Column, stream: &Stream) -> Result<Table> {
    if !matches!(column.data_type(), DataType::Struct(_)) {
        return Err(Error::type_mismatch("a struct", column.data_type()).into());
    }
    if column.has_validity() {
        // The caller's promises about the array include its null count, so the reported count is used.
        match column.claimed_null_count().map_or_else(|| column.null_count_on(stream), Ok)? {
            0 => {}
            count => return Err(InteropError::TopLevelNulls { count }),
        }
    }
    let (rows, offset) = (column.len(), column.offset());
    let columns = column.into_parts().children.into_iter().map(|child| child.slice(offset, rows));
    Ok(Table::try_with_rows(columns.collect::<gdf_core::Result<_>>()?, rows)?)
}
