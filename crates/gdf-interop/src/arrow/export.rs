//! Export of columns and tables as `ArrowDeviceArray`.

use std::ffi::c_void;

use gdf_core::layout::{Content, layout};
use gdf_core::{
    Column, ColumnParts, ColumnView, DataType, Error, NullCount, PhysicalType, Scalar, Table, TableView,
    can_have_validity, enter_span, physical_type,
};
use gdf_driver::{Device, Event, Stream};
use gdf_driver::{MemoryKind, PointerInfo};
use gdf_memory::{BUFFER_PADDING, Buffer};
use smallvec::SmallVec;

use super::export_release::{Private, SyncEvent, release};
use super::importer::device_type_of_owner;
use super::narrow::narrowed;
use super::transfer::moved;
use super::validation::{below, validated};
use crate::{ArrowArray, ArrowDeviceArray, DeviceType, Result};

/// A column or a table to export. If the value is converted from an owned column or table, the export takes over its
/// buffers. If the value is converted from a reference, the export shares the buffers.
#[derive(Clone)]
pub struct Exportable(Kind);

#[derive(Clone)]
enum Kind {
    Column(Column),
    Table(Table),
}

impl From<Column> for Exportable {
    fn from(column: Column) -> Self {
        Exportable(Kind::Column(column))
    }
}

impl From<&Column> for Exportable {
    fn from(column: &Column) -> Self {
        column.clone().into()
    }
}

impl From<ColumnView<'_>> for Exportable {
    fn from(view: ColumnView<'_>) -> Self {
        view.to_column().into()
    }
}

impl From<Scalar> for Exportable {
    fn from(scalar: Scalar) -> Self {
        scalar.into_column().into()
    }
}

impl From<&Scalar> for Exportable {
    fn from(scalar: &Scalar) -> Self {
        scalar.column().into()
    }
}

impl From<Table> for Exportable {
    fn from(table: Table) -> Self {
        Exportable(Kind::Table(table))
    }
}

impl From<&Table> for Exportable {
    fn from(table: &Table) -> Self {
        table.clone().into()
    }
}

impl From<TableView<'_>> for Exportable {
    fn from(view: TableView<'_>) -> Self {
        view.to_table().into()
    }
}

impl Exportable {
    pub(super) fn columns(&self) -> &[Column] {
        match &self.0 {
            Kind::Column(column) => std::slice::from_ref(column),
            Kind::Table(table) => table.columns(),
        }
    }

    /// Counts the nulls of all columns and children whose null count is unknown. **Waits** if the count or the mask of
    /// such a column is in device memory.
    ///
    /// ```
    /// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
    /// use gdf::Column;
    /// use gdf::{Device, Stream};
    /// use gdf::interop::{Exportable, to_arrow_device};
    ///
    /// let (stream, mr) = (Stream::cpu(), gdf::memory::current_resource(Device::Cpu)?);
    /// let slice = Column::from_options_on(&[Some(1_i32), None, Some(3)], &stream, mr.as_ref())?.slice(1, 2)?;
    /// assert_eq!(to_arrow_device(&slice, &stream)?.array().null_count(), -1);
    /// let counted = Exportable::from(&slice).with_null_counts(&stream)?;
    /// assert_eq!(to_arrow_device(counted, &stream)?.array().null_count(), 1);
    /// # Ok::<(), gdf_interop::InteropError>(())
    /// ```
    ///
    /// # Errors
    /// - The errors of [`Column::null_count`].
    pub fn with_null_counts(self, stream: &Stream) -> Result<Exportable> {
        let _span = enter_span("Exportable::with_null_counts", stream.device());
        Ok(match self.0 {
            Kind::Column(column) => counted(column, stream)?.into(),
            Kind::Table(table) => {
                let rows = table.num_rows();
                let columns = table.into_columns().into_iter().map(|column| counted(column, stream));
                Table::try_with_rows(columns.collect::<Result<_>>()?, rows)?.into()
            }
        })
    }

    /// Validates all columns on the CPU that are not yet validated.
    fn validated(self, stream: &Stream) -> Result<Exportable> {
        if self.columns().iter().all(Column::validated) {
            return Ok(self);
        }
        let look = |column: Column| if column.validated() { Ok(column) } else { validated(column, stream) };
        Ok(match self.0 {
            Kind::Column(column) => look(column)?.into(),
            Kind::Table(table) => {
                let rows = table.num_rows();
                let columns = table.into_columns().into_iter().enumerate();
                let columns = columns.map(|(i, column)| below(i, look(column)));
                Table::try_with_rows(columns.collect::<Result<_>>()?, rows)?.into()
            }
        })
    }

    /// Returns the data on the CPU.
    pub(super) fn to_cpu(&self, stream: &Stream) -> Result<Exportable> {
        let cpu = Stream::cpu();
        let mr = gdf_memory::current_resource(Device::Cpu)?;
        let copy = |column: &Column| -> Result<Column> {
            if column.device().is_cpu() {
                return Ok(column.clone());
            }
            moved(column, stream, &cpu, mr.as_ref())
        };
        Ok(match &self.0 {
            Kind::Column(column) => copy(column)?.into(),
            Kind::Table(table) => {
                let columns = table.columns().iter().map(copy).collect::<Result<_>>()?;
                Table::try_with_rows(columns, table.num_rows())?.into()
            }
        })
    }
}

/// Returns the column with known null counts, for the column and its children.
fn counted(column: Column, stream: &Stream) -> Result<Column> {
    let nulls = column.null_count_on(stream)?;
    let validated = column.own_data_validated();
    let mut parts = column.into_parts();
    parts.null_count = NullCount::Known(nulls);
    parts.children = parts.children.into_iter().map(|child| counted(child, stream)).collect::<Result<_>>()?;
    if !validated {
        return Ok(Column::try_from_parts(parts)?);
    }
    // SAFETY: the data are those of a validated column, and the null count is the count that the column already had
    // or that was computed above.
    Ok(unsafe { Column::try_from_vouched_parts(parts)? })
}

/// Exports a column, a scalar, or a table (as a struct array) as the C struct, without copying. The function never
/// waits for a device.
///
/// An argument that is passed by value (`to_arrow_device(column, …)`) gives the ownership of its buffers to the array.
/// An argument that is passed by reference shares its buffers with the array. In both cases the buffers stay alive
/// until `release` is called. `release` may be called on any thread. The buffers are freed only after all work that is
/// enqueued on their device at that moment has finished. From the export on, the buffers cannot be written in place.
/// [`to_arrow_schema`](crate::to_arrow_schema) exports the type separately.
///
/// | | |
/// |---|---|
/// | device type | `CPU` or `CUDA`. `CUDA_HOST` or `CUDA_MANAGED` for a column of a GPU whose buffers are all in pinned or managed memory |
/// | `sync_event` | null for the CPU. For a GPU, a pointer to a `CUevent` recorded after the last writer of *every* buffer |
/// | stream of the event | if a single stream wrote all buffers, the event is recorded on that stream and `stream` is not used. If that stream belongs to another thread, the event is recorded on the legacy stream; see [`Stream::record_from_anywhere`]. If several streams wrote the buffers, `stream` waits for them, and the event is recorded on `stream` |
/// | null count | as in the column, or -1 if nobody has counted the nulls (see [`Exportable::with_null_counts`]) |
///
/// The CPU waits only for writers of CPU memory.
///
/// Consumers trust the data of the struct. Therefore the export validates columns on the CPU that are not yet
/// [validated](Column::validated).
///
/// If a string, binary, list or map column has no rows, its array has a new buffer with the single offset 0. The buffer
/// is allocated from the [current resource](gdf_memory::current_resource), and is written on `stream`.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// use gdf::{Column, DataType};
/// use gdf::{Device, Stream};
/// use gdf::interop::{DeviceType, from_arrow_device, to_arrow_device, to_arrow_schema};
///
/// let (stream, mr) = (Stream::cpu(), gdf::memory::current_resource(Device::Cpu)?);
/// let column = Column::from_options_on(&[Some(1_i32), None, Some(3)], &stream, mr.as_ref())?;
/// let schema = to_arrow_schema(column.data_type())?;
/// let array = to_arrow_device(&column, &stream)?;
/// assert_eq!((array.device_type(), array.array().length()), (DeviceType::CPU, 3));
///
/// // SAFETY: gdf exported the array.
/// let again = unsafe { from_arrow_device(array, &schema, &stream, mr.as_ref())? };
/// assert_eq!(&again.to_arrow(&stream)?, &column.to_arrow(&stream)?);
/// # Ok::<(), gdf_interop::InteropError>(())
/// ```
///
/// # Errors
/// - [`Error::DeviceMismatch`]: `stream` does not belong to the device of the data.
/// - [`Error::BrokenData`], [`Error::InvalidData`]: data of the CPU violate the rules of their type.
/// - Memory errors while allocating the offset of a column without rows.
/// - Driver errors while recording the event.
pub fn to_arrow_device(data: impl Into<Exportable>, stream: &Stream) -> Result<ArrowDeviceArray> {
    let _span = enter_span("to_arrow_device", stream.device());
    let data = data.into();
    let device = data.columns().first().map_or(stream.device(), Column::device);
    if stream.device() != device {
        return Err(Error::device_mismatch(device, stream.device()).into());
    }
    let data = if device.is_cpu() { data.validated(stream)? } else { data };
    let mut survey = Survey { device, stream, writers: SmallVec::new(), kinds: SmallVec::new() };
    data.columns().iter().try_for_each(|column| survey.column(column))?;
    let mut array = match data.0 {
        Kind::Column(column) => column_array(column, &mut survey)?,
        Kind::Table(table) => table_array(table, &mut survey)?,
    };
    let device_type = survey.device_type();
    let sync_event = match survey.event()? {
        Some(event) => attach(&mut array, event),
        None => std::ptr::null_mut(),
    };
    let (_, device_id) = DeviceType::of(device);
    Ok(ArrowDeviceArray { array, device_id, device_type, sync_event, reserved: [0; 3] })
}

struct Survey<'a> {
    device: Device,
    stream: &'a Stream,
    writers: SmallVec<[Stream; 4]>,
    kinds: SmallVec<[DeviceType; 4]>,
}

impl Survey<'_> {
    fn column(&mut self, column: &Column) -> Result<()> {
        let mut buffers = column.validity().into_iter().chain(column.buffers()).filter(|buffer| !buffer.is_empty());
        buffers.try_for_each(|buffer| self.buffer(buffer))?;
        column.children().iter().try_for_each(|child| self.column(child))
    }

    fn buffer(&mut self, buffer: &Buffer) -> Result<()> {
        buffer.expose()?;
        let writer = buffer.writer();
        if self.writers.last() != Some(&writer) && !self.writers.contains(&writer) {
            self.writers.push(writer);
        }
        let kind = kind_of(buffer)?;
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
        Ok(())
    }

    /// Returns an event after all writers.
    fn event(&self) -> Result<Option<Event>> {
        if self.device.is_cpu() {
            self.writers.iter().try_for_each(Stream::settle)?;
            return Ok(None);
        }
        Ok(match &*self.writers {
            [] => None,
            [writer] => Some(writer.record_from_anywhere()?),
            writers => {
                writers.iter().try_for_each(|writer| self.stream.wait_for(writer))?;
                Some(self.stream.record()?)
            }
        })
    }

    fn device_type(&self) -> DeviceType {
        match &*self.kinds {
            [kind] => *kind,
            _ => DeviceType::of(self.device).0,
        }
    }
}

/// Returns the kind of memory of a buffer.
fn kind_of(buffer: &Buffer) -> Result<DeviceType> {
    let device = buffer.device();
    // A column on the CPU is exported as `CPU`, whatever kind of memory holds the column.
    if device.is_cpu() {
        return Ok(DeviceType::CPU);
    }
    if let Some(kind) = buffer.foreign_owner().and_then(device_type_of_owner) {
        return Ok(kind);
    }
    if !buffer.host_accessible() {
        return Ok(DeviceType::of(device).0);
    }
    // SAFETY: the driver only looks the address up, and nobody accesses memory through the address.
    let address = unsafe { buffer.danger_address() };
    Ok(match PointerInfo::of(address)?.map(|info| info.kind) {
        Some(MemoryKind::PinnedHost) => DeviceType::CUDA_HOST,
        Some(MemoryKind::Managed) => DeviceType::CUDA_MANAGED,
        _ => DeviceType::CUDA,
    })
}

/// Stores the event in the private data of the outermost array.
fn attach(array: &mut ArrowArray, event: Event) -> *mut c_void {
    let Some(raw) = event.raw_event() else { return std::ptr::null_mut() };
    let event = Box::into_raw(Box::new(SyncEvent { raw, event }));
    // SAFETY: `finish` made the array, so `private_data` points to a live `Private`. The array was not given away
    // yet, so nobody else accesses the private data.
    let private = unsafe { &mut *array.private_data.cast::<Private>() };
    private.event = event;
    // SAFETY: `event` points to the box that was made just above, so taking the address of a field stays within the
    // box.
    unsafe { (&raw mut (*event).raw).cast::<c_void>() }
}

fn table_array(table: Table, survey: &mut Survey<'_>) -> Result<ArrowArray> {
    let (device, rows) = (survey.device, table.num_rows());
    let columns = table.into_columns().into_iter();
    let children = columns.map(|column| column_array(column, survey)).collect::<Result<Vec<_>>>()?;
    let mut buffers = SmallVec::new();
    buffers.push(None);
    Ok(finish(Node { device, len: rows, offset: 0, null_count: 0, buffers, lengths: None }, children, None))
}

fn column_array(column: Column, survey: &mut Survey<'_>) -> Result<ArrowArray> {
    let data_type = column.data_type();
    let physical = physical_type(data_type);
    let null_count = match data_type {
        DataType::Null => column.len() as i64,
        _ if !column.has_validity() => 0,
        _ => column.known_null_count().map_or(-1, |count| count as i64),
    };
    // The start of the mask can only move by whole bytes. On a GPU, the start moves by multiples of the padding, so
    // that the mask stays aligned.
    let step = if column.device().is_cpu() { 8 } else { 8 * BUFFER_PADDING };
    let has_mask = can_have_validity(data_type);
    let is_dictionary = physical == PhysicalType::Dictionary;
    let is_view = matches!(physical, PhysicalType::View { .. });
    // Consumers differ in how they apply the offset of a parent to its children. Therefore the offset is moved to the
    // children.
    let mut parts = narrowed(column.into_parts(), step)?;
    if parts.len == 0 {
        clear_offset(&mut parts, survey)?;
    }
    let mut buffers: SmallVec<[Option<Buffer>; 3]> = SmallVec::new();
    if has_mask {
        buffers.push(parts.validity);
    }
    buffers.extend(parts.buffers.into_iter().map(|buffer| Some(buffer).filter(|buffer| !buffer.is_empty())));
    let lengths = is_view.then(|| {
        let data = buffers.iter().skip(2);
        data.map(|buffer| buffer.as_ref().map_or(0, |buffer| buffer.len() as i64)).collect()
    });
    let columns = parts.children.into_iter();
    let mut children = columns.map(|column| column_array(column, survey)).collect::<Result<Vec<_>>>()?;
    let dictionary = if is_dictionary { children.pop() } else { None };
    let (device, len, offset) = (parts.device, parts.len, parts.offset);
    Ok(finish(Node { device, len, offset, null_count, buffers, lengths }, children, dictionary))
}

/// Replaces the only offset of a column without rows by 0. Consumers may read that offset, but validation does not.
fn clear_offset(parts: &mut ColumnParts, survey: &mut Survey<'_>) -> Result<()> {
    if let Some((_, Content::Offsets { width })) = layout(&parts.data_type).buffers.first() {
        let mr = gdf_memory::current_resource(survey.device)?;
        parts.buffers[0] = Buffer::zeroed(*width, survey.stream, mr.as_ref())?;
        parts.offset = 0;
        survey.buffer(&parts.buffers[0])?;
    }
    Ok(())
}

struct Node {
    device: Device,
    len: usize,
    offset: usize,
    null_count: i64,
    buffers: SmallVec<[Option<Buffer>; 3]>,
    /// The lengths of the data buffers, if the array is a view array.
    lengths: Option<Vec<i64>>,
}

fn finish(node: Node, children: Vec<ArrowArray>, dictionary: Option<ArrowArray>) -> ArrowArray {
    let Node { device, len, offset, null_count, buffers, lengths } = node;
    let address = |buffer: &Option<Buffer>| match buffer {
        // SAFETY: the exported array keeps the buffer alive, and the array's event is recorded after the buffer's
        // writer.
        Some(buffer) => unsafe { std::ptr::with_exposed_provenance(buffer.danger_address() as usize) },
        None => std::ptr::null(),
    };
    let mut private = Private {
        device,
        addresses: buffers.iter().map(address).collect(),
        buffers,
        lengths: Vec::new(),
        children: children.into_iter().map(|child| Box::into_raw(Box::new(child))).collect(),
        dictionary: dictionary.map_or(std::ptr::null_mut(), |values| Box::into_raw(Box::new(values))),
        event: std::ptr::null_mut(),
    };
    if let Some(lengths) = lengths {
        private.lengths = lengths;
        let lengths = private.lengths.as_ptr().cast::<c_void>();
        private.addresses.push(lengths);
    }
    let (n_buffers, n_children, dictionary) = (private.addresses.len(), private.children.len(), private.dictionary);
    let private = Box::into_raw(Box::new(private));
    // SAFETY: `private` points to the box that was made just above. The box does not move, so the addresses of its
    // contents stay valid.
    let (addresses, children) = unsafe { ((*private).addresses.as_mut_ptr(), (*private).children.as_mut_ptr()) };
    let mut array = ArrowArray::empty();
    array.length = len as i64;
    array.offset = offset as i64;
    array.null_count = null_count;
    array.n_buffers = n_buffers as i64;
    array.buffers = if n_buffers == 0 { std::ptr::null_mut() } else { addresses };
    array.n_children = n_children as i64;
    array.children = if n_children == 0 { std::ptr::null_mut() } else { children };
    array.dictionary = dictionary;
    array.release = Some(release);
    array.private_data = private.cast::<c_void>();
    array
}
