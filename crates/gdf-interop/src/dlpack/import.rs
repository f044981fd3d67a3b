//! Import of DLPack tensors as columns and tables.

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

/// The size of the largest address space: 57 bits, on x86-64 with five-level page tables.
const ADDRESS_SPACE: usize = 1 << 57;

struct Checked {
    matrix: Matrix,
    data_type: DataType,
    pointer: *mut u8,
    bytes: usize,
}

/// Checks a tensor's struct.
///
/// # Safety
/// - `shape` and `strides` of `tensor` are null or point to `ndim` numbers.
unsafe fn check(tensor: &DLTensor, stream: &Stream) -> Result<Checked> {
    let data_type = tensor.dtype.data_type();
    let data_type = data_type.ok_or_else(|| {
        let DLDataType { code, bits, lanes } = tensor.dtype;
        InteropError::UnknownFormat { format: format!("DLPack code {code}, {bits} bits, {lanes} lanes") }
    })?;
    check_device(tensor, stream)?;
    let ndim = match tensor.ndim {
        ndim @ (1 | 2) => ndim as usize,
        ndim => {
            return Err(malformed(format!(
                "the number of dimensions must be 1 or 2, found {ndim}; reshape the tensor"
            )));
        }
    };
    if tensor.shape.is_null() {
        return Err(malformed("`shape` of the tensor is a null pointer"));
    }
    // SAFETY: the caller promises `ndim` extents at `shape`, and `shape` is not null.
    let shape = unsafe { std::slice::from_raw_parts(tensor.shape, ndim) };
    let strides = (!tensor.strides.is_null()).then(|| {
        // SAFETY: the caller promises `ndim` strides at `strides`, and `strides` is not null.
        unsafe { std::slice::from_raw_parts(tensor.strides, ndim) }
    });
    let matrix = Matrix::new(shape, strides)?;
    let bytes = matrix.bytes(usize::from(tensor.dtype.bits / 8))?;
    let offset = usize::try_from(tensor.byte_offset).ok().filter(|&offset| offset <= isize::MAX as usize);
    let offset = offset.ok_or_else(|| {
        malformed(format!("`byte_offset` of the tensor must be at most {}, found {}", isize::MAX, tensor.byte_offset))
    })?;
    if tensor.data.is_null() && bytes > 0 {
        return Err(malformed("`data` of the tensor is a null pointer, but the tensor is not empty"));
    }
    let end = tensor.data.addr().checked_add(offset).and_then(|first| first.checked_add(bytes));
    if bytes > 0 && end.is_none_or(|end| end > ADDRESS_SPACE) {
        return Err(malformed("the memory of the tensor exceeds the address space"));
    }
    let pointer = tensor.data.cast::<u8>().wrapping_add(if bytes == 0 { 0 } else { offset });
    Ok(Checked { matrix, data_type, pointer, bytes })
}

/// Returns an error if the tensor's memory cannot be used on `stream`.
fn check_device(tensor: &DLTensor, stream: &Stream) -> Result<()> {
    let found = stream.device();
    let expected = match tensor.device.device_type {
        DeviceType::CPU => Device::Cpu,
        DeviceType::CUDA | DeviceType::CUDA_MANAGED => match u32::try_from(tensor.device.device_id) {
            Ok(ordinal) => Device::Cuda(ordinal),
            Err(_) => {
                return Err(malformed(format!(
                    "`device_id` of the tensor must be at least 0, found {}",
                    tensor.device.device_id
                )));
            }
        },
        // The CPU and all GPUs can access pinned memory.
        DeviceType::CUDA_HOST => found,
        device_type => {
            return Err(InteropError::UnsupportedDevice { device_type, device_id: tensor.device.device_id.into() });
        }
    };
    if expected == found { Ok(()) } else { Err(Error::device_mismatch(expected, found).into()) }
}

/// Makes a table that shares the checked memory.
///
/// # Safety
/// - The conditions of [`gdf_memory::Buffer::from_foreign`] hold for the checked memory. For GPUs, this function checks
///   the condition on the device.
unsafe fn table(checked: &Checked, owner: Arc<dyn Owner>, stream: &Stream) -> Result<Table> {
    let Checked { matrix, data_type, pointer, bytes } = checked;
    // SAFETY: the caller promises the conditions. On the CPU, the producer's claim that the memory belongs to the CPU
    // is trusted.
    let buffer = unsafe { wrap(*pointer, *bytes, owner, stream, false) }?;
    if *data_type == DataType::Boolean { bools(matrix, &buffer, stream) } else { matrix.table(&buffer, data_type) }
}

/// Packs booleans on the CPU from one byte to one bit per value, in memory of the current resource.
fn bools(matrix: &Matrix, buffer: &Buffer, stream: &Stream) -> Result<Table> {
    if stream.device().is_cuda() {
        return Err(Error::unsupported("DLPack on a GPU", &DataType::Boolean)
            .with_remedy("view the tensor as uint8, import the view, and cast the column to Boolean")
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
    /// Converts a tensor to a column that shares the tensor's memory. The tensor must have one dimension, or must be a
    /// matrix with one column. Booleans on the CPU are copied.
    ///
    /// # Errors
    /// The errors of [`into_table`](Self::into_table), and [`Error::ColumnCount`] if the matrix does not have exactly
    /// one column.
    pub fn into_column(self) -> Result<Column> {
        let _span = enter_span("DlpackTensor::into_column", self.stream().device());
        let table = self.into_table()?;
        let found = table.num_columns();
        table.into_columns().pop().filter(|_| found == 1).ok_or(Error::column_count(1, found).into())
    }

    /// Converts a tensor to a table that shares the tensor's memory. The tensor must have one dimension, or two
    /// dimensions in column-major order. gdf frees the tensor after the last use of the memory. If the tensor is
    /// refused, gdf frees the tensor at once. The call does not wait. There is one exception: booleans on the CPU are
    /// copied in the call.
    ///
    /// libcudf's `from_dlpack` copies the memory. To get a copy from gdf, call `deep_copy` on the result.
    ///
    /// # Errors
    /// - [`InteropError::Malformed`]: the struct is invalid, or its dimensions or strides are not those of a table.
    /// - [`InteropError::UnknownFormat`]: no gdf column has the tensor's type.
    /// - [`InteropError::UnsupportedDevice`]: gdf does not support the tensor's kind of device.
    /// - [`InteropError::TooManyColumns`]: the tensor has more than 1,048,576 columns.
    /// - [`Error::Unsupported`]: the tensor holds booleans on a GPU.
    /// - [`Error::BufferMisaligned`]: the address of a column is not aligned for the type of the values.
    /// - [`Error::DeviceMismatch`]: the memory belongs to a different device than the tensor's stream, according to the
    ///   tensor or to the driver.
    /// - Driver and memory errors.
    pub fn into_table(self) -> Result<Table> {
        let stream = self.stream().clone();
        let _span = enter_span("DlpackTensor::into_table", stream.device());
        // SAFETY: the maker of the tensor promised that the tensor follows DLPack's rules, so `shape` and `strides`
        // are null or hold `ndim` numbers.
        let checked = unsafe { check(self.tensor(), &stream) }?;
        // SAFETY: the maker of the tensor promised that the memory is valid and not written until the tensor is
        // freed. `self` becomes the owner, which frees the tensor. Earlier writes are ordered before work on the
        // tensor's stream.
        unsafe { table(&checked, Arc::new(self), &stream) }
    }

    /// Copies a tensor, as libcudf's `from_dlpack` does. The caller still owns the tensor. The memory of the result
    /// comes from `mr`. The call waits only for tensors on the CPU.
    ///
    /// # Safety
    /// - The tensor follows DLPack's rules.
    /// - The tensor's memory is valid and not written until the work that this call enqueues on `stream` has
    ///   finished.
    /// - All earlier writes to the memory precede all work that is enqueued on `stream` from now on.
    ///
    /// # Errors
    /// The errors of [`into_table`](Self::into_table).
    pub unsafe fn copy_tensor<'r>(tensor: &DLTensor, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Table> {
        let mr = mr.into();
        let _span = enter_span("DlpackTensor::copy_tensor", stream.device());
        // SAFETY: the caller promises DLPack's rules, so `shape` and `strides` are null or hold `ndim` numbers.
        let checked = unsafe { check(tensor, stream) }?;
        // SAFETY: the caller promises that the memory is valid, and not written, until the copy below has finished.
        // `shared` is dropped at the end of this function, so nothing else uses the memory later.
        let shared = unsafe { table(&checked, Arc::new(()), stream) }?;
        Ok(shared.deep_copy(stream, mr)?)
    }
}

impl DLDataType {
    #[cfg(test)]
    pub(super) fn width(self) -> usize {
        usize::from(self.bits / 8)
    }
}
