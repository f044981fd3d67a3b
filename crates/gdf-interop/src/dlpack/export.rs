//! Columns and tables as DLPack tensors.

use std::ffi::c_void;
use std::ptr::NonNull;

use gdf_core::{Column, ColumnView, DataType, Error, TableView, bitmask, enter_span, same_type};
use gdf_driver::{CopyKind, Device, Stream};
use gdf_memory::{Buffer, MemoryError, ResourceRef, current_resource};

use super::abi::{
    DLDataType, DLDevice, DLManagedTensorVersioned, DLPACK_FLAG_BITMASK_IS_COPIED, DLPACK_FLAG_BITMASK_READ_ONLY,
    DLTensor, VERSION,
};
use super::tensor::DlpackTensor;
use crate::release::{keep_until_idle, let_go};
use crate::{DeviceType, InteropError, Result};

/// A tensor of ours, in one box with what it refers to.
#[repr(C)]
struct Exported {
    managed: DLManagedTensorVersioned,
    shape: [i64; 2],
    strides: [i64; 2],
    memory: Memory,
}

/// The memory of an exported tensor.
struct Memory {
    device: Device,
    /// One; none while it is dropped.
    buffers: Vec<Buffer>,
}

impl From<Buffer> for Memory {
    fn from(buffer: Buffer) -> Self {
        Memory { device: buffer.device(), buffers: vec![buffer] }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let held = std::mem::take(&mut self.buffers);
        match self.device {
            // Consumers free tensors while work that they enqueued still uses them, on whatever streams.
            device @ Device::Cuda(_) => keep_until_idle(device, held),
            Device::Cpu => let_go(held),
        }
    }
}

/// Where the consumer finds memory that it may read on `stream`, which waits for the writer. The stream itself is not
/// remembered: it is the consumer's, and may be gone before the tensor is.
fn lend(buffer: &Buffer, stream: &Stream) -> Result<*mut c_void> {
    if stream.device().is_cpu() {
        // Also waits until it is written.
        return Ok(buffer.read_on(stream)?.as_slice::<u8>()?.as_ptr().cast_mut().cast());
    }
    let order = Stream::new(stream.device())?;
    let access = buffer.read_on(&order)?;
    stream.wait_for(&order)?;
    Ok(std::ptr::with_exposed_provenance_mut(access.address() as usize))
}

/// As [`lend`], of memory that it may write, too: `len` bytes from `offset` on.
fn give(buffer: &mut Buffer, offset: usize, len: usize, stream: &Stream) -> Result<*mut c_void> {
    if stream.device().is_cpu() {
        return Ok(buffer.write_part_on(offset, len, stream)?.as_mut_slice::<u8>()?.as_mut_ptr().cast());
    }
    let order = Stream::new(stream.device())?;
    let access = buffer.write_part_on(offset, len, &order)?;
    stream.wait_for(&order)?;
    Ok(std::ptr::with_exposed_provenance_mut(access.address() as usize))
}

/// Frees a tensor of ours.
///
/// # Safety
/// - `this` came from [`finish`] and is freed once.
unsafe extern "C" fn delete(this: *mut DLManagedTensorVersioned) {
    // SAFETY: the caller promises a tensor of `finish`, whose context is its own box.
    drop(unsafe { Box::from_raw((*this).manager_ctx.cast::<Exported>()) });
}

/// What is in a tensor's memory.
struct Content {
    dtype: DLDataType,
    rows: usize,
    columns: Option<usize>,
    flags: u64,
}

/// Boxes a tensor whose memory begins at `data`, where `stream` may use it.
fn finish(data: *mut c_void, content: &Content, memory: Memory, stream: &Stream) -> Result<DlpackTensor> {
    let extent = |extent: usize| i64::try_from(extent).map_err(|_| Error::invalid_argument("too many rows"));
    let rows = extent(content.rows)?;
    let columns = extent(content.columns.unwrap_or(1))?;
    let (device_type, id) = DeviceType::of(memory.device);
    // DLPack numbers the CPU 0, Arrow -1.
    let device = DLDevice { device_type, device_id: i32::try_from(id.max(0)).unwrap_or(i32::MAX) };
    let ndim = if content.columns.is_some() { 2 } else { 1 };
    let is_empty = content.rows == 0 || content.columns == Some(0);
    let dl_tensor = DLTensor {
        // DLPack wants it null where there is nothing
        data: if is_empty { std::ptr::null_mut() } else { data },
        device,
        ndim,
        dtype: content.dtype,
        shape: std::ptr::null_mut(),
        strides: std::ptr::null_mut(),
        byte_offset: 0,
    };
    let managed = DLManagedTensorVersioned {
        version: VERSION,
        manager_ctx: std::ptr::null_mut(),
        deleter: Some(delete),
        flags: content.flags,
        dl_tensor,
    };
    let exported = Box::new(Exported { managed, shape: [rows, columns], strides: [1, rows.max(1)], memory });
    let raw = Box::into_raw(exported);
    // SAFETY: the box is alive and ours alone until the tensor is given away; the pointers are into it.
    unsafe {
        (*raw).managed.manager_ctx = raw.cast();
        (*raw).managed.dl_tensor.shape = (&raw mut (*raw).shape).cast();
        (*raw).managed.dl_tensor.strides = (&raw mut (*raw).strides).cast();
    }
    // SAFETY: a box is never at null, and the tensor comes first in it.
    let raw = unsafe { NonNull::new_unchecked(raw.cast::<DLManagedTensorVersioned>()) };
    // SAFETY: the tensor follows the rules: its memory is kept by the box and ordered on `stream`, and its deleter can be
    // called from any thread, since a buffer can be dropped there.
    Ok(unsafe { DlpackTensor::adopt(raw, stream) })
}

impl DlpackTensor {
    /// The rows of a column as a read-only tensor of one dimension, which shares the memory and keeps it.
    ///
    /// `stream` is where the consumer is going to use it, one of the column's device (see
    /// [`stream_from_number`](crate::stream_from_number)). Does not wait, but for the CPU's memory, which must be written
    /// when the call returns, and for a null count that only the device knows.
    ///
    /// # Errors
    /// - [`Error::Unsupported`]: the type is no integer, float or boolean, or is boolean on a GPU (cast it to `UInt8` first).
    /// - [`Error::InvalidArgument`]: there are nulls, which DLPack cannot say; replace or drop them first.
    /// - [`Error::DeviceMismatch`]: the stream is another device's.
    /// - Driver and memory errors.
    pub fn from_column(column: &Column, stream: &Stream) -> Result<DlpackTensor> {
        let _span = enter_span("DlpackTensor::from_column", stream.device());
        let dtype = check(column.view(), stream)?;
        if dtype == DLDataType::BOOL {
            return copied_bools(column, stream);
        }
        let buffer = values(column.view())?;
        let data = lend(&buffer, stream)?;
        let content = Content { dtype, rows: column.len(), columns: None, flags: DLPACK_FLAG_BITMASK_READ_ONLY };
        finish(data, &content, buffer.into(), stream)
    }

    /// As [`from_column`](Self::from_column), of a column that is given up: where nothing else shares its memory, the
    /// consumer may write to it.
    ///
    /// ```
    /// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
    /// use gdf::Column;
    /// use gdf::{Device, Stream};
    /// use gdf::interop::DlpackTensor;
    ///
    /// let (stream, mr) = (Stream::cpu(), gdf::memory::current_resource(Device::Cpu)?);
    /// let column = Column::from_slice_on(&[1i32, 2, 3], &stream, mr.as_ref())?;
    /// assert!(DlpackTensor::from_owned_column(column.clone(), &stream)?.is_read_only());
    /// assert!(!DlpackTensor::from_owned_column(column, &stream)?.is_read_only());
    /// # Ok::<(), gdf_interop::InteropError>(())
    /// ```
    ///
    /// # Errors
    /// As [`from_column`](Self::from_column).
    pub fn from_owned_column(column: Column, stream: &Stream) -> Result<DlpackTensor> {
        let _span = enter_span("DlpackTensor::from_owned_column", stream.device());
        let dtype = check(column.view(), stream)?;
        let (offset, rows) = (column.offset(), column.len());
        let width = usize::from(dtype.bits / 8);
        if dtype == DLDataType::BOOL {
            return copied_bools(&column, stream);
        }
        let mut parts = column.into_parts();
        if parts.buffers.is_empty() {
            return Err(Error::invalid_argument("the column has no buffer of values to share").into());
        }
        let mut buffer = parts.buffers.swap_remove(0);
        let data = match give(&mut buffer, offset * width, rows * width, stream) {
            Err(InteropError::Core(Error::Memory(MemoryError::Shared))) => {
                parts.buffers.push(buffer);
                return Self::from_column(&Column::try_from_parts(parts)?, stream);
            }
            data => data?,
        };
        finish(data, &Content { dtype, rows, columns: None, flags: 0 }, buffer.into(), stream)
    }

    /// A copy of a table's columns, side by side, as a tensor of two dimensions in column-major order (of one dimension for
    /// a single column, as libcudf's `to_dlpack` does), which the consumer may write to. Enqueued on `stream`, where the
    /// consumer is going to use it; memory comes from `mr`.
    ///
    /// ```
    /// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
    /// use gdf::{Column, Table};
    /// use gdf::{Device, Stream};
    /// use gdf::interop::DlpackTensor;
    ///
    /// let (stream, mr) = (Stream::cpu(), gdf::memory::current_resource(Device::Cpu)?);
    /// let column = Column::from_slice_on(&[1.5f64, 2.5], &stream, mr.as_ref())?;
    /// let table = Table::try_new(vec![column.clone(), column])?;
    /// let tensor = DlpackTensor::from_table(table.view(), &stream, mr.as_ref())?;
    /// assert_eq!((tensor.tensor().ndim, tensor.is_read_only()), (2, false));
    /// assert_eq!(tensor.into_table()?.num_columns(), 2);
    /// # Ok::<(), gdf_interop::InteropError>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::TypeMismatch`]: the columns differ in type.
    /// - [`Error::InvalidArgument`]: there is no column, or there are nulls.
    /// - As [`from_column`](Self::from_column).
    pub fn from_table<'r>(
        table: TableView<'_>,
        stream: &Stream,
        mr: impl Into<ResourceRef<'r>>,
    ) -> Result<DlpackTensor> {
        let mr = mr.into();
        let _span = enter_span("DlpackTensor::from_table", stream.device());
        let Some(first) = table.columns().first().copied() else {
            return Err(Error::invalid_argument("a table without columns has no values to share").into());
        };
        let dtype = check(first, stream)?;
        for column in table.columns() {
            if !same_type(column.data_type(), first.data_type()) {
                return Err(Error::type_mismatch(first.data_type(), column.data_type()).into());
            }
            check(*column, stream)?;
        }
        let (rows, columns) = (table.num_rows(), table.columns().len());
        let bytes = rows * usize::from(dtype.bits / 8);
        let total = bytes.checked_mul(columns).ok_or(Error::invalid_argument("a table of too many values"))?;
        let mut buffer = Buffer::uninitialized(total, stream, mr)?;
        for (i, column) in table.columns().iter().enumerate().filter(|_| bytes > 0) {
            let mut target = buffer.write_part_on(i * bytes, bytes, stream)?;
            if dtype == DLDataType::BOOL {
                expand(*column, target.as_mut_slice::<u8>()?, stream)?;
                continue;
            }
            let source = values(*column)?;
            let access = source.read_on(stream)?;
            // SAFETY: both ranges are `bytes` long, disjoint, and usable on `stream` while the accesses are held.
            unsafe { stream.copy(target.address(), access.address(), bytes, CopyKind::DeviceToDevice)? };
        }
        let content =
            Content { dtype, rows, columns: (columns > 1).then_some(columns), flags: DLPACK_FLAG_BITMASK_IS_COPIED };
        fresh(buffer, &content, stream)
    }
}

/// A tensor of new memory, for the consumer alone.
fn fresh(mut buffer: Buffer, content: &Content, stream: &Stream) -> Result<DlpackTensor> {
    let bytes = buffer.len();
    let data = give(&mut buffer, 0, bytes, stream)?;
    finish(data, content, buffer.into(), stream)
}

/// The type of the values, where the column can be shared with a consumer on `stream`.
fn check(column: ColumnView<'_>, stream: &Stream) -> Result<DLDataType> {
    let data_type = column.data_type();
    let dtype = DLDataType::of(data_type).ok_or_else(|| Error::unsupported("DLPack", data_type))?;
    if stream.device() != column.device() {
        return Err(Error::device_mismatch(column.device(), stream.device()).into());
    }
    if dtype == DLDataType::BOOL && column.device().is_cuda() {
        return Err(Error::unsupported("DLPack on a GPU", data_type).with_remedy("cast to UInt8 first").into());
    }
    if column.has_validity() && column.null_count_on(stream)? > 0 {
        return Err(Error::invalid_argument("DLPack has no nulls; replace or drop them first").into());
    }
    Ok(dtype)
}

/// The rows' values.
fn values(column: ColumnView<'_>) -> Result<Buffer> {
    let data_type = column.data_type();
    let width = gdf_core::types::width(data_type).ok_or_else(|| Error::unsupported("DLPack", data_type))?;
    Ok(column.buffer(0)?.slice(column.offset() * width, column.len() * width)?)
}

/// Booleans of the CPU, a byte each.
fn expand(column: ColumnView<'_>, target: &mut [u8], stream: &Stream) -> Result<()> {
    let access = column.buffer(0)?.read_on(stream)?;
    let bits = access.as_slice::<u8>()?;
    for (i, byte) in target.iter_mut().enumerate() {
        *byte = u8::from(bitmask::get_bit(bits, column.offset() + i));
    }
    Ok(())
}

/// Booleans of the CPU, a byte each, in memory of the current resource.
fn copied_bools(column: &Column, stream: &Stream) -> Result<DlpackTensor> {
    debug_assert_eq!(column.data_type(), &DataType::Boolean);
    let mr = current_resource(stream.device())?;
    let mut bytes = Buffer::uninitialized(column.len(), stream, mr.as_ref())?;
    expand(column.view(), bytes.write_on(stream)?.as_mut_slice::<u8>()?, stream)?;
    let flags = DLPACK_FLAG_BITMASK_IS_COPIED;
    fresh(bytes, &Content { dtype: DLDataType::BOOL, rows: column.len(), columns: None, flags }, stream)
}
