//! Export of columns and tables as DLPack tensors.

use std::ffi::c_void;
use std::ptr::NonNull;

use gdf_core::{Column, ColumnView, DataType, Error, NullCount, TableView, bitmask, enter_span, same_type};
use gdf_driver::{CopyKind, Device, Stream};
use gdf_memory::{Buffer, MemoryError, OwnedAccess, ResourceRef, current_resource};

use super::abi::{
    DLDataType, DLDevice, DLManagedTensorVersioned, DLPACK_FLAG_BITMASK_IS_COPIED, DLPACK_FLAG_BITMASK_READ_ONLY,
    DLTensor, VERSION,
};
use super::tensor::DlpackTensor;
use crate::release::{keep_until_idle, let_go};
use crate::{DeviceType, InteropError, Result};

/// An exported tensor.
#[repr(C)]
struct Exported {
    managed: DLManagedTensorVersioned,
    shape: [i64; 2],
    strides: [i64; 2],
    memory: Memory,
}

struct Memory {
    device: Device,
    /// The only owner.
    owners: Vec<Owner>,
}

enum Owner {
    /// Memory that nobody else refers to.
    Given(#[expect(dead_code, reason = "the buffer is kept alive")] Buffer),
    /// Memory with other owners. The access keeps the memory in its place, because other owners may let it be spilled.
    Lent(#[expect(dead_code, reason = "the access is kept alive")] OwnedAccess),
}

impl From<Buffer> for Memory {
    fn from(buffer: Buffer) -> Self {
        Memory { device: buffer.device(), owners: vec![Owner::Given(buffer)] }
    }
}

impl From<OwnedAccess> for Memory {
    fn from(access: OwnedAccess) -> Self {
        Memory { device: access.buffer().device(), owners: vec![Owner::Lent(access)] }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let held = std::mem::take(&mut self.owners);
        match self.device {
            // A consumer may free a tensor while work on any stream still uses the memory.
            device @ Device::Cuda(_) => keep_until_idle(device, held),
            Device::Cpu => let_go(held),
        }
    }
}

/// Makes `stream` wait for the buffer's writer, and returns the address at which the consumer may read the memory on
/// `stream` while the access exists.
fn lend(buffer: Buffer, stream: &Stream) -> Result<(*mut c_void, OwnedAccess)> {
    if stream.device().is_cpu() {
        // The access also waits until the memory is written.
        let access = OwnedAccess::new(buffer, stream)?;
        let address = access.as_slice::<u8>()?.as_ptr().cast_mut().cast();
        return Ok((address, access));
    }
    let order = Stream::new(stream.device())?;
    let access = OwnedAccess::new(buffer, &order)?;
    stream.wait_for(&order)?;
    Ok((std::ptr::with_exposed_provenance_mut(access.address() as usize), access))
}

/// Makes `stream` wait for the buffer's users, and returns the address at which the consumer may read the memory, and
/// write to the `len` bytes from `offset` on.
fn give(buffer: &mut Buffer, offset: usize, len: usize, stream: &Stream) -> Result<*mut c_void> {
    if stream.device().is_cpu() {
        return Ok(buffer.write_part_on(offset, len, stream)?.as_mut_slice::<u8>()?.as_mut_ptr().cast());
    }
    let order = Stream::new(stream.device())?;
    let access = buffer.write_part_on(offset, len, &order)?;
    stream.wait_for(&order)?;
    Ok(std::ptr::with_exposed_provenance_mut(access.address() as usize))
}

/// Frees an exported tensor.
///
/// # Safety
/// - [`finish`] made `this`, and `this` is freed once.
unsafe extern "C" fn delete(this: *mut DLManagedTensorVersioned) {
    // SAFETY: the caller promises that `finish` made `this`. `finish` stores the pointer to the whole box in
    // `manager_ctx`. The box is freed once.
    drop(unsafe { Box::from_raw((*this).manager_ctx.cast::<Exported>()) });
}

struct Content {
    dtype: DLDataType,
    rows: usize,
    columns: Option<usize>,
    flags: u64,
}

/// Builds a tensor for use on `stream`.
fn finish(data: *mut c_void, content: &Content, memory: Memory, stream: &Stream) -> Result<DlpackTensor> {
    let extent = |extent: usize| {
        i64::try_from(extent)
            .map_err(|_| Error::invalid_argument("the number of rows or columns exceeds i64; export fewer rows"))
    };
    let rows = extent(content.rows)?;
    let columns = extent(content.columns.unwrap_or(1))?;
    let (device_type, id) = DeviceType::of(memory.device);
    // The id of the CPU is 0 in DLPack, but -1 in Arrow.
    let device = DLDevice { device_type, device_id: i32::try_from(id.max(0)).unwrap_or(i32::MAX) };
    let ndim = if content.columns.is_some() { 2 } else { 1 };
    let is_empty = content.rows == 0 || content.columns == Some(0);
    let dl_tensor = DLTensor {
        // DLPack requires a null pointer for a tensor without values.
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
    // SAFETY: `raw` points to a live box that nobody else accesses until the tensor is given away. The stored
    // pointers lead into the box, which does not move.
    unsafe {
        (*raw).managed.manager_ctx = raw.cast();
        (*raw).managed.dl_tensor.shape = (&raw mut (*raw).shape).cast();
        (*raw).managed.dl_tensor.strides = (&raw mut (*raw).strides).cast();
    }
    // SAFETY: a pointer from a box is never null. The struct `managed` is the first field of the `repr(C)` struct
    // `Exported`.
    let raw = unsafe { NonNull::new_unchecked(raw.cast::<DLManagedTensorVersioned>()) };
    // SAFETY: the box keeps the memory until the deleter is called, and `stream` is ordered after the writers. The
    // deleter may be called from any thread, because buffers may be dropped on any thread.
    Ok(unsafe { DlpackTensor::adopt(raw, stream) })
}

impl DlpackTensor {
    /// Exports the rows of a column as a read-only tensor of one dimension. The tensor shares the column's memory and
    /// keeps it alive. Booleans on the CPU are copied.
    ///
    /// `stream` is the stream on which the consumer will use the memory. `stream` must belong to the column's device
    /// (see [`stream_from_number`](crate::stream_from_number)). The call waits in two cases only. First, CPU memory
    /// must be written when the call returns, so the call waits for its writers. Second, if a column on a GPU has a
    /// validity mask and the CPU does not know the null count, the call waits for the null count.
    ///
    /// # Errors
    /// - [`Error::Unsupported`]: the type is not an integer, float or boolean, or the column is a boolean column on a
    ///   GPU. Cast a boolean column to `UInt8` first.
    /// - [`Error::InvalidArgument`]: the column has nulls, which DLPack cannot represent. Replace or drop nulls
    ///   first.
    /// - [`Error::DeviceMismatch`]: `stream` belongs to a different device than the column.
    /// - Driver and memory errors.
    pub fn from_column(column: &Column, stream: &Stream) -> Result<DlpackTensor> {
        let _span = enter_span("DlpackTensor::from_column", stream.device());
        let dtype = check(column.view(), stream)?;
        if dtype == DLDataType::BOOL {
            return copied_bools(column, stream);
        }
        let buffer = values(column.view())?;
        let (data, access) = lend(buffer, stream)?;
        let content = Content { dtype, rows: column.len(), columns: None, flags: DLPACK_FLAG_BITMASK_READ_ONLY };
        finish(data, &content, access.into(), stream)
    }

    /// Exports a column that the caller gives up. If no other reference to the column's memory exists, the consumer may
    /// write to the memory. In all other respects the function does the same as [`from_column`](Self::from_column).
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
    /// The errors of [`from_column`](Self::from_column).
    pub fn from_owned_column(column: Column, stream: &Stream) -> Result<DlpackTensor> {
        let _span = enter_span("DlpackTensor::from_owned_column", stream.device());
        let dtype = check(column.view(), stream)?;
        let (offset, rows) = (column.offset(), column.len());
        let width = usize::from(dtype.bits / 8);
        if dtype == DLDataType::BOOL {
            return copied_bools(&column, stream);
        }
        let mut parts = column.into_parts();
        // No row is null. The mask and the null count may be in the allocation of the values, and would share it.
        (parts.validity, parts.null_count) = (None, NullCount::Known(0));
        if parts.buffers.is_empty() {
            return Err(
                Error::invalid_argument("the column has no buffer of values; export a column of numbers").into()
            );
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

    /// Copies the columns of a table into a tensor of two dimensions in column-major order. If the table has only one
    /// column, the tensor has one dimension, as with libcudf's `to_dlpack`. The consumer may write to the tensor. The
    /// copies are enqueued on `stream`, and the consumer must use the memory on `stream`, too. The memory comes from
    /// `mr`.
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
    /// - [`Error::TypeMismatch`]: the columns have different types.
    /// - [`Error::InvalidArgument`]: the table has no column, or a column has nulls.
    /// - The errors of [`from_column`](Self::from_column).
    pub fn from_table<'r>(
        table: TableView<'_>,
        stream: &Stream,
        mr: impl Into<ResourceRef<'r>>,
    ) -> Result<DlpackTensor> {
        let mr = mr.into();
        let _span = enter_span("DlpackTensor::from_table", stream.device());
        let matrix = Matrix::of(&table, stream)?;
        let mut buffer = Buffer::uninitialized(matrix.total, stream, mr)?;
        matrix.write(&table, &mut buffer, stream)?;
        let Matrix { dtype, rows, columns, .. } = matrix;
        let content =
            Content { dtype, rows, columns: (columns > 1).then_some(columns), flags: DLPACK_FLAG_BITMASK_IS_COPIED };
        fresh(buffer, &content, stream)
    }
}

/// Copies the columns of a table to the first bytes of `array`, as a matrix in column-major order without gaps.
/// Booleans of the CPU have one byte each. The copies are enqueued on `stream`. In libcudf the function has the same
/// name.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } pub use gdf_core::memory; }
/// use gdf::interop::table_to_array;
/// use gdf::memory::{Buffer, current_resource};
/// use gdf::{Column, Device, Stream, Table};
///
/// let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu)?);
/// let column = |values: &[i16]| Column::from_slice_on(values, &stream, mr.as_ref());
/// let table = Table::try_new(vec![column(&[1, 2])?, column(&[3, 4])?])?;
/// let mut array = Buffer::uninitialized(8, &stream, mr.as_ref())?;
/// table_to_array(table.view(), &mut array, &stream)?;
/// assert_eq!(array.read_on(&stream)?.as_slice::<i16>()?, [1, 2, 3, 4]);
/// # Ok::<(), gdf_interop::InteropError>(())
/// ```
///
/// # Errors
/// - [`Error::InvalidArgument`]: the table has no column, a column has nulls, or `array` has fewer bytes than the
///   matrix. Nothing is written.
/// - [`Error::TypeMismatch`]: the columns have different types.
/// - [`Error::Unsupported`]: a type without DLPack values, and booleans on a GPU.
/// - [`Error::DeviceMismatch`]: the columns, the array and the stream are not of one device.
/// - [`MemoryError::Shared`]: the array has other owners, or its memory is foreign.
#[doc(alias("to_matrix", "to_numpy", "values"))]
pub fn table_to_array(table: TableView<'_>, array: &mut Buffer, stream: &Stream) -> Result<()> {
    let _span = enter_span("table_to_array", stream.device());
    let matrix = Matrix::of(&table, stream)?;
    if array.device() != stream.device() {
        let error = Error::device_mismatch(array.device(), stream.device()).in_argument("array");
        return Err(error.in_operation("table_to_array").into());
    }
    if array.len() < matrix.total {
        let rule = "the bytes of the array must be at least the bytes of all columns; pass a larger buffer";
        let error = Error::invalid_number(rule, array.len() as i128).in_argument("array");
        return Err(error.in_operation("table_to_array").into());
    }
    matrix.write(&table, array, stream)
}

/// A matrix of all values of a table.
struct Matrix {
    dtype: DLDataType,
    rows: usize,
    columns: usize,
    /// The number of bytes of a column.
    bytes: usize,
    /// The number of bytes of all columns.
    total: usize,
}

impl Matrix {
    fn of(table: &TableView<'_>, stream: &Stream) -> Result<Self> {
        let Some(first) = table.columns().first().copied() else {
            return Err(Error::invalid_argument("the table has no columns; pass at least 1 column").into());
        };
        let dtype = check(first, stream)?;
        for column in table.columns() {
            if !same_type(column.data_type(), first.data_type()) {
                return Err(Error::type_mismatch(first.data_type(), column.data_type()).into());
            }
            check(*column, stream)?;
        }
        let (rows, columns) = (table.num_rows(), table.columns().len());
        let bytes = rows.checked_mul(usize::from(dtype.bits / 8));
        let total = bytes.and_then(|bytes| Some((bytes, bytes.checked_mul(columns)?)));
        let (bytes, total) = total
            .ok_or(Error::invalid_argument("the bytes of the table exceed the address space; export fewer rows"))?;
        Ok(Self { dtype, rows, columns, bytes, total })
    }

    /// Copies the columns to the first `self.total` bytes of a buffer.
    fn write(&self, table: &TableView<'_>, buffer: &mut Buffer, stream: &Stream) -> Result<()> {
        let bytes = self.bytes;
        for (i, column) in table.columns().iter().enumerate().filter(|_| bytes > 0) {
            let mut target = buffer.write_part_on(i * bytes, bytes, stream)?;
            if self.dtype == DLDataType::BOOL {
                expand(*column, target.as_mut_slice::<u8>()?, stream)?;
                continue;
            }
            let source = values(*column)?;
            let access = source.read_on(stream)?;
            // SAFETY: both ranges are `bytes` long. The ranges are disjoint, because a buffer that can be written has
            // no other owner, such as the column. The accesses keep both ranges valid and ordered on `stream`.
            unsafe { stream.copy(target.address(), access.address(), bytes, CopyKind::DeviceToDevice)? };
        }
        Ok(())
    }
}

/// Builds a tensor of newly allocated memory.
fn fresh(mut buffer: Buffer, content: &Content, stream: &Stream) -> Result<DlpackTensor> {
    let bytes = buffer.len();
    let data = give(&mut buffer, 0, bytes, stream)?;
    finish(data, content, buffer.into(), stream)
}

/// Returns the type of the values.
fn check(column: ColumnView<'_>, stream: &Stream) -> Result<DLDataType> {
    let data_type = column.data_type();
    let dtype = DLDataType::of(data_type).ok_or_else(|| Error::unsupported("DLPack", data_type))?;
    if stream.device() != column.device() {
        return Err(Error::device_mismatch(column.device(), stream.device()).into());
    }
    if dtype == DLDataType::BOOL && column.device().is_cuda() {
        return Err(Error::unsupported("DLPack on a GPU", data_type)
            .with_remedy("cast the column to UInt8 first")
            .into());
    }
    if column.has_validity() && column.null_count_on(stream)? > 0 {
        return Err(Error::invalid_argument("the column has nulls; replace or drop the nulls first").into());
    }
    Ok(dtype)
}

/// Returns the values of the column's rows as a slice of the column's buffer.
fn values(column: ColumnView<'_>) -> Result<Buffer> {
    let data_type = column.data_type();
    let width = gdf_core::types::width(data_type).ok_or_else(|| Error::unsupported("DLPack", data_type))?;
    Ok(column.buffer(0)?.slice(column.offset() * width, column.len() * width)?)
}

/// Expands booleans on the CPU from one bit to one byte per value.
fn expand(column: ColumnView<'_>, target: &mut [u8], stream: &Stream) -> Result<()> {
    let access = column.buffer(0)?.read_on(stream)?;
    let bits = access.as_slice::<u8>()?;
    for (i, byte) in target.iter_mut().enumerate() {
        *byte = u8::from(bitmask::get_bit(bits, column.offset() + i));
    }
    Ok(())
}

/// Copies booleans on the CPU to memory of the current resource, with one byte per value.
fn copied_bools(column: &Column, stream: &Stream) -> Result<DlpackTensor> {
    debug_assert_eq!(column.data_type(), &DataType::Boolean);
    let mr = current_resource(stream.device())?;
    let mut bytes = Buffer::uninitialized(column.len(), stream, mr.as_ref())?;
    expand(column.view(), bytes.write_on(stream)?.as_mut_slice::<u8>()?, stream)?;
    let flags = DLPACK_FLAG_BITMASK_IS_COPIED;
    fresh(bytes, &Content { dtype: DLDataType::BOOL, rows: column.len(), columns: None, flags }, stream)
}
