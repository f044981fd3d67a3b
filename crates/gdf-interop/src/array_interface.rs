//! The CUDA array interface, version 3: how CuPy, Numba, PyTorch and others describe device arrays to each other in Python.

use std::sync::Arc;

use gdf_core::{Column, ColumnView, DataType, Error, NativeType, Table, enter_span};
use gdf_driver::{Device, Stream};
use gdf_memory::{Buffer, DeviceVec, Owner};

use crate::error::malformed;
use crate::foreign::{device_of, wrap};
use crate::matrix::Matrix;
use crate::stream_number::{stream_from_number, stream_number};
use crate::{InteropError, Result};

/// The version of the interface that is exported.
const VERSION: u32 = 3;

/// What `__cuda_array_interface__` says, as plain numbers and text: the entries of the dictionary.
///
/// It owns nothing: whoever gives it away keeps the memory for as long as the other side uses it. An export names the
/// stream that it was made for, and the other side waits for that stream (the interface asks for it); after the other
/// side's writes, make the streams that go on with the column wait for its stream.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// use gdf::Column;
/// use gdf::{Device, Stream};
/// use gdf::interop::CudaArrayInterface;
///
/// let (stream, mr) = (Stream::cpu(), gdf::memory::current_resource(Device::Cpu)?);
/// let column = Column::from_slice_on(&[1i32, 2, 3], &stream, mr.as_ref())?;
/// // The interface is for memory that a GPU reaches.
/// assert!(CudaArrayInterface::of_column(column.view(), &stream).is_err());
/// # Ok::<(), gdf_interop::InteropError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaArrayInterface {
    /// The extents.
    pub shape: Vec<usize>,
    /// The type of the values as in NumPy: `<i4` is a little-endian signed integer of four bytes.
    pub typestr: String,
    /// The address of the first value, and whether it must not be written (the entry `data`).
    pub data: (u64, bool),
    /// Bytes from a value to the next, per dimension; `None` where the last dimension is contiguous.
    pub strides: Option<Vec<i64>>,
    /// The stream to wait for before the memory is used: 1 is the legacy one, 2 the per-thread one, others are handles.
    /// `None`: nothing is to be waited for.
    pub stream: Option<u64>,
    /// The version of the interface.
    pub version: u32,
    /// Whether there is an entry `mask`. Arrays with masks are refused.
    pub has_mask: bool,
}

impl CudaArrayInterface {
    /// The rows of a column of integers or floats, read-only. `stream`, one of the column's device, waits for the column's
    /// writers, and is named in the result. Does not wait, but for a null count that only the device knows.
    ///
    /// The other side may keep the address, so from now on the memory is not written in place any more: that is
    /// [`MemoryError::Shared`](gdf_memory::MemoryError::Shared).
    ///
    /// # Errors
    /// - [`Error::Unsupported`]: the type is no integer or float; booleans have a bit each here and a byte there (cast them
    ///   to `UInt8` first).
    /// - [`Error::InvalidArgument`]: the column is on the CPU, or has nulls (replace or drop them first).
    /// - [`Error::DeviceMismatch`]: the stream is another device's.
    /// - Driver and memory errors.
    pub fn of_column(column: ColumnView<'_>, stream: &Stream) -> Result<CudaArrayInterface> {
        let _span = enter_span("CudaArrayInterface::of_column", stream.device());
        let (typestr, width) = check(column, stream)?;
        let first = exposed_address(column.buffer(0)?, stream)?;
        Ok(Self::vector(first + (column.offset() * width) as u64, true, column.len(), typestr, stream))
    }

    /// As [`of_column`](Self::of_column), to be written: the column's memory must not be shared. Until the other side has
    /// ended, the column is not to be used otherwise.
    ///
    /// # Errors
    /// As [`of_column`](Self::of_column), and [`MemoryError::Shared`](gdf_memory::MemoryError::Shared).
    pub fn of_column_mut(column: &mut Column, stream: &Stream) -> Result<CudaArrayInterface> {
        let _span = enter_span("CudaArrayInterface::of_column_mut", stream.device());
        let (typestr, _) = check(column.view(), stream)?;
        let len = column.len();
        let address = column.write_values_on(stream)?.address();
        Ok(Self::vector(address, false, len, typestr, stream))
    }

    /// The values of a vector, read-only. As [`of_column`](Self::of_column).
    ///
    /// # Errors
    /// As [`of_column`](Self::of_column).
    pub fn of_vec<T: NativeType>(vec: &DeviceVec<T>, stream: &Stream) -> Result<CudaArrayInterface> {
        let _span = enter_span("CudaArrayInterface::of_vec", stream.device());
        let typestr = check_place(&T::DATA_TYPE, vec.device(), stream)?.0;
        Ok(Self::vector(exposed_address(vec.buffer(), stream)?, true, vec.len(), typestr, stream))
    }

    /// The values of a vector, to be written. As [`of_column_mut`](Self::of_column_mut).
    ///
    /// # Errors
    /// As [`of_column`](Self::of_column).
    pub fn of_vec_mut<T: NativeType>(vec: &mut DeviceVec<T>, stream: &Stream) -> Result<CudaArrayInterface> {
        let _span = enter_span("CudaArrayInterface::of_vec_mut", stream.device());
        let typestr = check_place(&T::DATA_TYPE, vec.device(), stream)?.0;
        let len = vec.len();
        Ok(Self::vector(vec.write_on(stream)?.address(), false, len, typestr, stream))
    }

    fn vector(address: u64, read_only: bool, len: usize, typestr: String, stream: &Stream) -> CudaArrayInterface {
        CudaArrayInterface {
            shape: vec![len],
            typestr,
            // The interface asks for address 0 where there is nothing.
            data: (if len == 0 { 0 } else { address }, read_only),
            strides: None,
            stream: stream_number(stream),
            version: VERSION,
            has_mask: false,
        }
    }

    /// The device that the driver finds behind the address; the CPU where it knows none.
    ///
    /// # Errors
    /// - Driver errors.
    pub fn device(&self) -> Result<Device> {
        device_of(self.data.0)
    }

    /// The type of the values.
    ///
    /// # Errors
    /// - [`InteropError::UnknownFormat`]: no column has this type, or its bytes are not in this machine's order.
    pub fn data_type(&self) -> Result<DataType> {
        parse(&self.typestr).ok_or_else(|| InteropError::UnknownFormat { format: self.typestr.clone() })
    }

    /// An array of one dimension, or of one column, as a column that shares its memory.
    ///
    /// # Safety
    /// As [`into_table`](Self::into_table).
    ///
    /// # Errors
    /// As [`into_table`](Self::into_table); [`Error::ColumnCount`] for more columns than one.
    pub unsafe fn into_column(self, owner: Arc<dyn Owner>, stream: &Stream) -> Result<Column> {
        let _span = enter_span("CudaArrayInterface::into_column", stream.device());
        // SAFETY: the caller's promises.
        let table = unsafe { self.into_table(owner, stream) }?;
        let found = table.num_columns();
        table.into_columns().pop().filter(|_| found == 1).ok_or(Error::column_count(1, found).into())
    }

    /// An array of one dimension, or of two in column-major order (Fortran's), as a table that shares its memory, on the
    /// device that the driver finds behind the address, which must be `stream`'s. `stream` waits, on the device, for the
    /// stream that the interface names. The owner is dropped when nothing of ours uses the memory any more.
    ///
    /// # Safety
    /// - The memory that it describes is valid, and nobody writes there, until `owner` is dropped.
    /// - Everything that wrote it precedes what is enqueued from now on on the stream that it names, or, where it names
    ///   none, on `stream`. A stream that it names is alive.
    ///
    /// # Errors
    /// - [`InteropError::Malformed`], [`InteropError::UnknownFormat`]: a mask; other dimensions, strides or types than columns
    ///   have.
    /// - [`InteropError::TooManyColumns`]: more than 1,048,576 columns.
    /// - [`Error::DeviceMismatch`]: the memory is another device's than the stream.
    /// - [`Error::BufferMisaligned`]: values at addresses that do not suit them.
    /// - Driver and memory errors.
    pub unsafe fn into_table(self, owner: Arc<dyn Owner>, stream: &Stream) -> Result<Table> {
        let _span = enter_span("CudaArrayInterface::into_table", stream.device());
        if self.has_mask {
            return Err(malformed("an array with a mask"));
        }
        let data_type = self.data_type()?;
        let width = gdf_core::types::width(&data_type).ok_or_else(|| Error::unsupported("arrays", &data_type))?;
        let shape: Vec<i64> = self.shape.iter().map(|&extent| i64::try_from(extent).unwrap_or(-1)).collect();
        let matrix = Matrix::new(&shape, self.value_strides(width)?.as_deref())?;
        let bytes = matrix.bytes(width)?;
        let device = stream.device();
        if device.is_cpu() {
            let found = self.device()?;
            let expected = if found.is_cpu() { Device::Cuda(0) } else { found };
            return Err(Error::device_mismatch(expected, device).into());
        }
        let pointer = std::ptr::with_exposed_provenance_mut(self.data.0 as usize);
        // SAFETY: the caller promises memory that is valid until the owner is dropped and not written meanwhile; what wrote
        // it precedes on `stream` once that has waited, which it does before the buffer is used.
        let buffer = unsafe { wrap(pointer, bytes, owner, stream, true) }?;
        if let Some(number) = self.stream {
            let number = i64::try_from(number).ok().filter(|&number| number > 0);
            let number = number.ok_or(malformed("stream 0 could mean two streams"))?;
            // SAFETY: the caller promises that the stream is alive; it is not kept beyond this call.
            let producer = unsafe { stream_from_number(device, Some(number)) }?;
            // A handle of ours that comes back needs no event.
            if stream_number(stream) != stream_number(&producer) {
                stream.wait_for(&producer)?;
            }
        }
        matrix.table(&buffer, &data_type)
    }

    /// The strides in values.
    fn value_strides(&self, width: usize) -> Result<Option<Vec<i64>>> {
        let Some(strides) = &self.strides else { return Ok(None) };
        if strides.len() != self.shape.len() {
            return Err(malformed("other many strides than dimensions"));
        }
        let width = width as i64;
        let whole = |&stride: &i64| (stride % width == 0).then_some(stride / width);
        let strides: Option<Vec<i64>> = strides.iter().map(whole).collect();
        strides.map(Some).ok_or(malformed("strides that are no multiples of the values' size"))
    }
}

/// The first byte's address, after the buffer's writer in the order of `stream`. The bytes stay as they are from now on.
fn exposed_address(buffer: &Buffer, stream: &Stream) -> Result<u64> {
    let address = buffer.read_on(stream)?.address();
    buffer.expose();
    Ok(address)
}

/// The `typestr` of the column's values and their width in bytes. An error if the interface cannot describe the column.
fn check(column: ColumnView<'_>, stream: &Stream) -> Result<(String, usize)> {
    let described = check_place(column.data_type(), column.device(), stream)?;
    if column.has_validity() && column.null_count_on(stream)? > 0 {
        return Err(Error::invalid_argument("the array interface has no nulls; replace or drop them first").into());
    }
    Ok(described)
}

/// As [`check`], of values on `device`.
fn check_place(data_type: &DataType, device: Device, stream: &Stream) -> Result<(String, usize)> {
    let unsupported = || Error::unsupported("CUDA array interface", data_type);
    let typestr = spell(data_type).ok_or_else(unsupported)?;
    let width = gdf_core::types::width(data_type).ok_or_else(unsupported)?;
    if device.is_cpu() {
        return Err(Error::invalid_argument("the CUDA array interface is for memory of a GPU").into());
    }
    if stream.device() != device {
        return Err(Error::device_mismatch(device, stream.device()).into());
    }
    Ok((typestr, width))
}

/// `<` on all machines that CUDA runs on.
const ORDER: char = if cfg!(target_endian = "little") { '<' } else { '>' };

fn spell(data_type: &DataType) -> Option<String> {
    let kind = match data_type {
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => 'i',
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => 'u',
        DataType::Float16 | DataType::Float32 | DataType::Float64 => 'f',
        _ => return None,
    };
    let width = gdf_core::types::width(data_type)?;
    // The order of one byte is none.
    Some(format!("{}{kind}{width}", if width == 1 { '|' } else { ORDER }))
}

fn parse(typestr: &str) -> Option<DataType> {
    let mut letters = typestr.chars();
    let (order, kind) = (letters.next()?, letters.next()?);
    let data_type = match (kind, letters.as_str()) {
        ('i', "1") => DataType::Int8,
        ('i', "2") => DataType::Int16,
        ('i', "4") => DataType::Int32,
        ('i', "8") => DataType::Int64,
        ('u', "1") => DataType::UInt8,
        ('u', "2") => DataType::UInt16,
        ('u', "4") => DataType::UInt32,
        ('u', "8") => DataType::UInt64,
        ('f', "2") => DataType::Float16,
        ('f', "4") => DataType::Float32,
        ('f', "8") => DataType::Float64,
        _ => return None,
    };
    let one_byte = letters.as_str() == "1";
    let is_ours = matches!(order, '=') || order == ORDER || (one_byte && matches!(order, '|' | '<' | '>'));
    is_ours.then_some(data_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_spelled_as_in_numpy() {
        let types = [
            (DataType::Int8, "|i1"),
            (DataType::Int32, "<i4"),
            (DataType::UInt64, "<u8"),
            (DataType::Float16, "<f2"),
            (DataType::Float64, "<f8"),
        ];
        for (data_type, text) in types {
            assert_eq!(spell(&data_type).as_deref(), Some(text));
            assert_eq!(parse(text), Some(data_type));
        }
        for text in ["", "<", "<i", "<i3", ">i4", "|i4", "<c8", "|b1", "<M8[ns]", "i4", "<i44", "é4"] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse("=f4"), Some(DataType::Float32));
        assert_eq!(spell(&DataType::Date32), None);
    }

    #[test]
    fn an_address_that_was_given_away_is_not_written_in_place() {
        let (stream, mr) = (Stream::cpu(), gdf_memory::current_resource(Device::Cpu).unwrap());
        let mut column = gdf_core::Column::from_slice_on(&[1i32, 2, 3], &stream, mr.as_ref()).unwrap();
        column.write_values_on(&stream).unwrap();
        exposed_address(&column.buffers()[0], &stream).unwrap();
        let refused = column.write_values_on(&stream).map(|_| ()).unwrap_err();
        assert!(matches!(refused, Error::Memory(gdf_memory::MemoryError::Shared)), "{refused}");
        let mut vec = DeviceVec::from_slice(&[1i32, 2, 3], &stream, mr.as_ref()).unwrap();
        exposed_address(vec.buffer(), &stream).unwrap();
        assert_eq!(vec.write_on(&stream).unwrap_err(), gdf_memory::MemoryError::Shared);
        assert!(!vec.into_buffer().is_unique());
    }

    fn vector() -> CudaArrayInterface {
        CudaArrayInterface {
            shape: vec![3],
            typestr: "<i4".into(),
            data: (4096, true),
            strides: None,
            stream: None,
            version: 3,
            has_mask: false,
        }
    }

    #[test]
    fn what_is_no_column_is_refused_before_memory_is_looked_at() {
        let refuse = |interface: CudaArrayInterface| {
            // SAFETY: memory of the CPU's streams is refused, and nothing is read before that.
            unsafe { interface.into_table(Arc::new(()), &Stream::cpu()) }.unwrap_err()
        };
        assert!(matches!(refuse(CudaArrayInterface { has_mask: true, ..vector() }), InteropError::Malformed { .. }));
        let shape = vec![2, 2, 2];
        assert!(matches!(refuse(CudaArrayInterface { shape, ..vector() }), InteropError::Malformed { .. }));
        for strides in [vec![8], vec![-4], vec![3], vec![4, 4]] {
            let interface = CudaArrayInterface { strides: Some(strides), ..vector() };
            assert!(matches!(refuse(interface), InteropError::Malformed { .. }));
        }
        assert!(matches!(refuse(vector()), InteropError::Core(Error::DeviceMismatch { .. })));
    }
}
