//! The CUDA array interface, version 3. CuPy, Numba, PyTorch and other Python libraries exchange device arrays through
//! this interface.

use std::sync::Arc;

use gdf_core::{Column, ColumnView, DataType, Error, NativeType, Table, enter_span};
use gdf_driver::{Device, Stream};
use gdf_memory::{Buffer, DeviceVec, Owner};

use crate::error::malformed;
use crate::foreign::{device_of, wrap};
use crate::matrix::Matrix;
use crate::stream_number::{stream_from_number, stream_number};
use crate::{InteropError, Result};

const VERSION: u32 = 3;

/// The entries of the dictionary `__cuda_array_interface__`, as plain numbers and text.
///
/// `CudaArrayInterface` owns no memory. The exporter must keep the memory alive while the consumer uses it. An export
/// names the stream that was passed to the constructor.
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
    /// The number of values along each dimension.
    pub shape: Vec<usize>,
    /// The type of the values in NumPy's notation. For example, `<i4` is a little-endian signed integer of four
    /// bytes.
    pub typestr: String,
    /// The entry `data`: the address of the first value, and whether the memory is read-only.
    pub data: (u64, bool),
    /// The distance in bytes between consecutive values, for each dimension. `None` means C-contiguous (row-major)
    /// order.
    pub strides: Option<Vec<i64>>,
    /// The stream to wait for before using the memory. 1 is the legacy default stream, 2 is the per-thread default
    /// stream, and other numbers are stream handles. `None` means that no wait is necessary.
    pub stream: Option<u64>,
    /// The version of the interface.
    pub version: u32,
    /// Whether the dictionary has an entry `mask`. Importing an array with a mask fails.
    pub has_mask: bool,
}

impl CudaArrayInterface {
    /// Describes the rows of an integer or float column as a read-only array. `stream` must be a stream of the column's
    /// device. `stream` waits on the device for the column's writers. The CPU waits only if the column has a validity
    /// mask and the CPU does not know the null count.
    ///
    /// The consumer may keep the address. Therefore the memory can no longer be written in place: attempts return
    /// [`MemoryError::Shared`](gdf_memory::MemoryError::Shared).
    ///
    /// # Errors
    /// - [`Error::Unsupported`]: the type is neither an integer nor a float. Booleans are unsupported because a column
    ///   stores one bit per boolean, but the interface requires one byte. Cast booleans to `UInt8` first.
    /// - [`Error::InvalidArgument`]: the column has nulls, or the column is on the CPU.
    /// - [`Error::DeviceMismatch`]: `stream` belongs to a different device than the column.
    /// - Driver and memory errors.
    pub fn of_column(column: ColumnView<'_>, stream: &Stream) -> Result<CudaArrayInterface> {
        let _span = enter_span("CudaArrayInterface::of_column", stream.device());
        let (typestr, width) = check(column, stream)?;
        let first = exposed_address(column.buffer(0)?, stream)?;
        Ok(Self::vector(first + (column.offset() * width) as u64, true, column.len(), typestr, stream))
    }

    /// Describes the rows of an integer or float column as a writable array. The column's memory must not be shared. Do
    /// not use the column by other means until the consumer has finished. In all other respects the function does the
    /// same as [`of_column`](Self::of_column).
    ///
    /// # Errors
    /// The errors of [`of_column`](Self::of_column), and [`MemoryError::Shared`](gdf_memory::MemoryError::Shared).
    pub fn of_column_mut(column: &mut Column, stream: &Stream) -> Result<CudaArrayInterface> {
        let _span = enter_span("CudaArrayInterface::of_column_mut", stream.device());
        let (typestr, _) = check(column.view(), stream)?;
        let len = column.len();
        let address = column.write_values_on(stream)?.address();
        Ok(Self::vector(address, false, len, typestr, stream))
    }

    /// Describes the values of a vector as a read-only array. In all other respects the function does the same as
    /// [`of_column`](Self::of_column).
    ///
    /// # Errors
    /// The errors of [`of_column`](Self::of_column).
    pub fn of_vec<T: NativeType>(vec: &DeviceVec<T>, stream: &Stream) -> Result<CudaArrayInterface> {
        let _span = enter_span("CudaArrayInterface::of_vec", stream.device());
        let typestr = check_place(&T::DATA_TYPE, vec.device(), stream)?.0;
        Ok(Self::vector(exposed_address(vec.buffer(), stream)?, true, vec.len(), typestr, stream))
    }

    /// Describes the values of a vector as a writable array. In all other respects the function does the same as
    /// [`of_column_mut`](Self::of_column_mut).
    ///
    /// # Errors
    /// The errors of [`of_column`](Self::of_column).
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
            // The interface requires address 0 for an array without values.
            data: (if len == 0 { 0 } else { address }, read_only),
            strides: None,
            stream: stream_number(stream),
            version: VERSION,
            has_mask: false,
        }
    }

    /// Returns the device that owns the memory, according to the driver. If the driver does not know the address, the
    /// result is the CPU.
    ///
    /// # Errors
    /// - Driver errors.
    pub fn device(&self) -> Result<Device> {
        device_of(self.data.0)
    }

    /// Returns the type of the values.
    ///
    /// # Errors
    /// - [`InteropError::UnknownFormat`]: no gdf column has this type, or the values are not in this machine's byte
    ///   order.
    pub fn data_type(&self) -> Result<DataType> {
        parse(&self.typestr).ok_or_else(|| InteropError::UnknownFormat { format: self.typestr.clone() })
    }

    /// Converts an array of one dimension, or a matrix of one column, to a column that shares the array's memory.
    ///
    /// # Safety
    /// The conditions of [`into_table`](Self::into_table).
    ///
    /// # Errors
    /// The errors of [`into_table`](Self::into_table), and [`Error::ColumnCount`] if the matrix does not have exactly
    /// one column.
    pub unsafe fn into_column(self, owner: Arc<dyn Owner>, stream: &Stream) -> Result<Column> {
        let _span = enter_span("CudaArrayInterface::into_column", stream.device());
        // SAFETY: the caller fulfills the same conditions.
        let table = unsafe { self.into_table(owner, stream) }?;
        let found = table.num_columns();
        table.into_columns().pop().filter(|_| found == 1).ok_or(Error::column_count(1, found).into())
    }

    /// Converts an array to a table that shares the array's memory. The array must have one dimension, or two
    /// dimensions in column-major (Fortran) order. The table is on the device that owns the memory, according to the
    /// driver. `stream` must be a stream of that device. `stream` waits on the device for the stream that the interface
    /// names. gdf drops `owner` after the last use of the memory.
    ///
    /// # Safety
    /// - The described memory is valid until `owner` is dropped, and nobody writes to the memory before then.
    /// - If the interface names a stream, the stream is alive. All writes to the memory precede all work that is
    ///   enqueued on the named stream from now on.
    /// - If the interface names no stream, all writes to the memory precede all work that is enqueued on `stream`
    ///   from now on.
    ///
    /// # Errors
    /// - [`InteropError::Malformed`]: the array has a mask, or its dimensions or strides are not those of a table.
    /// - [`InteropError::UnknownFormat`]: no gdf column has the array's type.
    /// - [`InteropError::TooManyColumns`]: the array has more than 1,048,576 columns.
    /// - [`Error::DeviceMismatch`]: the memory belongs to a different device than `stream`.
    /// - [`Error::BufferMisaligned`]: the address of a column is not aligned for the type of the values.
    /// - Driver and memory errors.
    pub unsafe fn into_table(self, owner: Arc<dyn Owner>, stream: &Stream) -> Result<Table> {
        let _span = enter_span("CudaArrayInterface::into_table", stream.device());
        if self.has_mask {
            return Err(malformed("the array has a `mask`; pass an array without a mask"));
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
        // SAFETY: the caller promises that the memory is valid and not written until `owner` is dropped. All earlier
        // writes precede work on `stream` after `stream` has waited for the named stream. The wait below comes before
        // the first use of the buffer.
        let buffer = unsafe { wrap(pointer, bytes, owner, stream, true) }?;
        if let Some(number) = self.stream {
            let number = match i64::try_from(number) {
                Ok(0) => {
                    return Err(malformed("stream 0 is ambiguous; pass stream 1 (legacy) or stream 2 (per-thread)"));
                }
                Ok(number) => number,
                Err(_) => {
                    return Err(malformed(format!("`stream` must be at most {}, found {number}", i64::MAX)));
                }
            };
            // SAFETY: the caller promises that the named stream is alive. `producer` is dropped at the end of this
            // block and no buffer is used with `producer`.
            let producer = unsafe { stream_from_number(device, Some(number)) }?;
            // If the interface names `stream` itself, no wait is necessary.
            if stream_number(stream) != stream_number(&producer) {
                stream.wait_for(&producer)?;
            }
        }
        matrix.table(&buffer, &data_type)
    }

    /// Converts the strides from numbers of bytes to numbers of values.
    fn value_strides(&self, width: usize) -> Result<Option<Vec<i64>>> {
        let Some(strides) = &self.strides else { return Ok(None) };
        if strides.len() != self.shape.len() {
            return Err(malformed(format!(
                "the number of strides must be the number of dimensions ({}), found {}",
                self.shape.len(),
                strides.len()
            )));
        }
        let width = width as i64;
        let whole = |&stride: &i64| (stride % width == 0).then_some(stride / width);
        let strides: Option<Vec<i64>> = strides.iter().map(whole).collect();
        strides.map(Some).ok_or(malformed(
            "a stride is not a multiple of the width of a value in bytes; copy the array to contiguous memory first",
        ))
    }
}

/// Makes `stream` wait for the buffer's writer, and returns the address of the first byte.
fn exposed_address(buffer: &Buffer, stream: &Stream) -> Result<u64> {
    buffer.expose()?;
    Ok(buffer.read_on(stream)?.address())
}

/// Returns the `typestr` of the column's values, and the width of a value in bytes.
fn check(column: ColumnView<'_>, stream: &Stream) -> Result<(String, usize)> {
    let described = check_place(column.data_type(), column.device(), stream)?;
    if column.has_validity() && column.null_count_on(stream)? > 0 {
        return Err(Error::invalid_argument("the column has nulls; replace or drop the nulls first").into());
    }
    Ok(described)
}

/// Does the same as [`check`] for values on `device`, without the check for nulls.
fn check_place(data_type: &DataType, device: Device, stream: &Stream) -> Result<(String, usize)> {
    let unsupported = || Error::unsupported("CUDA array interface", data_type);
    let typestr = spell(data_type).ok_or_else(unsupported)?;
    let width = gdf_core::types::width(data_type).ok_or_else(unsupported)?;
    if device.is_cpu() {
        return Err(Error::invalid_argument("the values are not on a GPU; copy the values to a GPU").into());
    }
    if stream.device() != device {
        return Err(Error::device_mismatch(device, stream.device()).into());
    }
    Ok((typestr, width))
}

/// The byte order of this machine.
const ORDER: char = if cfg!(target_endian = "little") { '<' } else { '>' };

fn spell(data_type: &DataType) -> Option<String> {
    let kind = match data_type {
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => 'i',
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => 'u',
        DataType::Float16 | DataType::Float32 | DataType::Float64 => 'f',
        _ => return None,
    };
    let width = gdf_core::types::width(data_type)?;
    // For values of one byte, NumPy writes `|` instead of a byte order.
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
            // SAFETY: the stream of the CPU is refused before any memory is read.
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
