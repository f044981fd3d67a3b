//! DLPack tensors as columns and tables.

use std::sync::Arc;

use gdf_core::{Column, ColumnParts, DataType, Error, Table, bitmask, enter_span};
use gdf_driver::{Device, Stream};
use gdf_memory::{Buffer, Owner, ResourceRef, current_resource};

use super::abi::{DLDataType, DLTensor};
use super::tensor::DlpackTensor;
use crate::error::malformed;
use crate::foreign::wrap;
use crate::matrix::Matrix;
use crate::{DeviceType, InteropError, Result};

/// Addresses have at most 57 bits: those of x86-64 with page tables of five levels. Extents and strides beyond that are no
/// memory of anyone's, whatever a producer says.
const ADDRESS_SPACE: usize = 1 << 57;

/// What a tensor's struct says, checked.
struct Checked {
    matrix: Matrix,
    data_type: DataType,
    pointer: *mut u8,
    bytes: usize,
}

/// # Safety
/// - `shape` and `strides` are null or have `ndim` entries.
unsafe fn check(tensor: &DLTensor, stream: &Stream) -> Result<Checked> {
    let data_type = tensor.dtype.data_type();
    let data_type = data_type.ok_or_else(|| {
        let DLDataType { code, bits, lanes } = tensor.dtype;
        InteropError::UnknownFormat { format: format!("DLPack code {code}, {bits} bits, {lanes} lanes") }
    })?;
    check_device(tensor, stream)?;
    let ndim = match tensor.ndim {
        ndim @ (1 | 2) => ndim as usize,
        _ => return Err(malformed("a tensor that has neither one nor two dimensions")),
    };
    if tensor.shape.is_null() {
        return Err(malformed("a tensor without a shape"));
    }
    // SAFETY: the caller promises `ndim` extents.
    let shape = unsafe { std::slice::from_raw_parts(tensor.shape, ndim) };
    let strides = (!tensor.strides.is_null()).then(|| {
        // SAFETY: the caller promises `ndim` strides.
        unsafe { std::slice::from_raw_parts(tensor.strides, ndim) }
    });
    let matrix = Matrix::new(shape, strides)?;
    let bytes = matrix.bytes(usize::from(tensor.dtype.bits / 8))?;
    let offset = usize::try_from(tensor.byte_offset).ok().filter(|&offset| offset <= isize::MAX as usize);
    let offset = offset.ok_or(malformed("an offset that no memory can hold"))?;
    if tensor.data.is_null() && bytes > 0 {
        return Err(malformed("a null address for memory that is not empty"));
    }
    let end = tensor.data.addr().checked_add(offset).and_then(|first| first.checked_add(bytes));
    if bytes > 0 && end.is_none_or(|end| end > ADDRESS_SPACE) {
        return Err(malformed("memory that goes beyond the address space"));
    }
    let pointer = tensor.data.cast::<u8>().wrapping_add(if bytes == 0 { 0 } else { offset });
    Ok(Checked { matrix, data_type, pointer, bytes })
}

/// Whether memory of the tensor's device can be used on `stream`.
fn check_device(tensor: &DLTensor, stream: &Stream) -> Result<()> {
    let found = stream.device();
    let expected = match tensor.device.device_type {
        DeviceType::CPU => Device::Cpu,
        DeviceType::CUDA | DeviceType::CUDA_MANAGED => match u32::try_from(tensor.device.device_id) {
            Ok(ordinal) => Device::Cuda(ordinal),
            Err(_) => return Err(malformed("a negative device")),
        },
        // Both sides reach it: the stream says which is to.
        DeviceType::CUDA_HOST => found,
        device_type => {
            return Err(InteropError::UnsupportedDevice { device_type, device_id: tensor.device.device_id.into() });
        }
    };
    if expected == found { Ok(()) } else { Err(Error::device_mismatch(expected, found).into()) }
}

/// # Safety
/// - As [`gdf_memory::Buffer::from_foreign`], for the memory that was checked.
unsafe fn table(checked: &Checked, owner: Arc<dyn Owner>, stream: &Stream) -> Result<Table> {
    let Checked { matrix, data_type, pointer, bytes } = checked;
    // SAFETY: the caller's promises. What the producer says of the CPU is believed.
    let buffer = unsafe { wrap(*pointer, *bytes, owner, stream, false) }?;
    if *data_type == DataType::Boolean { bools(matrix, &buffer, stream) } else { matrix.table(&buffer, data_type) }
}

/// Booleans of the CPU: bits of bytes, in memory of the current resource.
fn bools(matrix: &Matrix, buffer: &Buffer, stream: &Stream) -> Result<Table> {
    if stream.device().is_cuda() {
        return Err(Error::unsupported("DLPack on a GPU", &DataType::Boolean)
            .with_remedy("view the tensor as uint8, and cast")
            .into());
    }
    let mr = current_resource(stream.device())?;
    let bytes = matrix.table(buffer, &DataType::UInt8)?;
    let columns = bytes.columns().iter().map(|bytes| {
        let access = bytes.view().buffer(0)?.read_on(stream)?;
        let mut bits = Buffer::zeroed(bitmask::bytes(bytes.len()), stream, mr.as_ref())?;
        let values = access.as_slice::<u8>()?.iter().map(|&byte| byte != 0);
        bitmask::pack_bools(values, bits.write_on(stream)?.as_mut_slice::<u8>()?);
        Column::try_from_parts(ColumnParts::new(DataType::Boolean, Device::Cpu, bytes.len()).buffer(bits))
    });
    Ok(Table::try_with_rows(columns.collect::<gdf_core::Result<_>>()?, matrix.rows)?)
}

impl DlpackTensor {
    /// A tensor of one dimension, or of one column, as a column that shares its memory. Booleans of the CPU are copied.
    ///
    /// # Errors
    /// As [`into_table`](Self::into_table); [`Error::ColumnCount`] for more columns than one.
    pub fn into_column(self) -> Result<Column> {
        let _span = enter_span("DlpackTensor::into_column", self.stream().device());
        let table = self.into_table()?;
        let found = table.num_columns();
        table.into_columns().pop().filter(|_| found == 1).ok_or(Error::column_count(1, found).into())
    }

    /// A tensor of one dimension, or of two in column-major order, as a table that shares its memory; of libcudf's
    /// `from_dlpack`, `deep_copy` of the result is the equivalent. The tensor is freed when nothing of ours uses it any
    /// more, or at once where it is refused. Does not wait.
    ///
    /// # Errors
    /// - [`InteropError::Malformed`], [`InteropError::UnknownFormat`], [`InteropError::UnsupportedDevice`]: other dimensions,
    ///   strides, types or devices than columns have, or a struct that makes no sense.
    /// - [`InteropError::TooManyColumns`]: more than 1,048,576 columns.
    /// - [`Error::Unsupported`]: booleans on a GPU.
    /// - [`Error::BufferMisaligned`]: values at addresses that do not suit them.
    /// - [`Error::DeviceMismatch`]: the tensor's memory is another device's than its stream, as it says itself or the
    ///   driver says.
    /// - Driver and memory errors.
    pub fn into_table(self) -> Result<Table> {
        let stream = self.stream().clone();
        let _span = enter_span("DlpackTensor::into_table", stream.device());
        // SAFETY: whoever made the tensor promised that it follows DLPack's rules.
        let checked = unsafe { check(self.tensor(), &stream) }?;
        // SAFETY: the same promise: the memory is valid until the tensor, the owner here, is freed, is not written
        // meanwhile, and is ordered on the tensor's stream.
        unsafe { table(&checked, Arc::new(self), &stream) }
    }

    /// Copies a tensor that somebody else goes on to own, which is libcudf's `from_dlpack`. Memory comes from `mr`. Does
    /// not wait, but for tensors of the CPU.
    ///
    /// # Safety
    /// - The tensor follows DLPack's rules.
    /// - Its memory is valid and not written until what is enqueued on `stream` now has run, and everything that wrote it
    ///   precedes what is enqueued there from now on.
    ///
    /// # Errors
    /// As [`into_table`](Self::into_table).
    pub unsafe fn copy_tensor<'r>(tensor: &DLTensor, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Table> {
        let mr = mr.into();
        let _span = enter_span("DlpackTensor::copy_tensor", stream.device());
        // SAFETY: the caller promises DLPack's rules.
        let checked = unsafe { check(tensor, stream) }?;
        // SAFETY: the caller promises valid memory for as long as the copy below takes; what shares it is dropped here.
        let shared = unsafe { table(&checked, Arc::new(()), stream) }?;
        Ok(shared.deep_copy(stream, mr)?)
    }
}

impl DLDataType {
    /// Bytes of one value.
    #[cfg(test)]
    pub(super) fn width(self) -> usize {
        usize::from(self.bits / 8)
    }
}
