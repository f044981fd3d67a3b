//! Typed vectors and single values in a device's memory (RMM's `device_uvector` and `device_scalar`).

use std::marker::PhantomData;

use bytemuck::Pod;
use gdf_driver::{CopyKind, Device, Stream};

use crate::resource::check_reach;
use crate::{Access, AccessMut, Buffer, MemoryError, ResourceRef, Result};

/// Values of `T` in the memory of a device. The vector owns its memory alone. `DeviceVec<u8>` is RMM's `device_buffer`.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use gdf::Stream;
/// use gdf::memory::{DeviceVec, HostResource, Resource};
///
/// let (stream, resource) = (Stream::cpu(), Resource::new(HostResource::new()));
/// let mut values = DeviceVec::from_slice(&[1_i32, 2, 3], &stream, resource.as_ref())?;
/// values.resize_zeroed(5, &stream, resource.as_ref())?;
/// values.set_element(4, 9, &stream)?;
/// assert_eq!(values.to_vec(&stream)?, [1, 2, 3, 0, 9]);
/// # Ok::<(), gdf_memory::MemoryError>(())
/// ```
#[derive(Debug)]
pub struct DeviceVec<T: Pod> {
    buffer: Buffer,
    values: PhantomData<T>,
}

fn byte_len<T>(len: usize, mr: ResourceRef<'_>) -> Result<usize> {
    len.checked_mul(size_of::<T>()).ok_or(MemoryError::OutOfMemory {
        requested: usize::MAX,
        free: None,
        resource: mr.resource().name(),
    })
}

impl<T: Pod> DeviceVec<T> {
    /// Allocates `len` values for writing on `stream`. The values are unspecified. If the CPU can access the memory,
    /// the memory is initialized.
    ///
    /// # Errors
    /// The errors of [`Buffer::uninitialized`].
    pub fn uninitialized<'r>(len: usize, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        let mr = mr.into();
        Ok(Self { buffer: Buffer::uninitialized(byte_len::<T>(len, mr)?, stream, mr)?, values: PhantomData })
    }

    /// Allocates `len` values with all bits zero.
    ///
    /// # Errors
    /// The errors of [`Buffer::uninitialized`].
    pub fn zeroed<'r>(len: usize, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        let mr = mr.into();
        Ok(Self { buffer: Buffer::zeroed(byte_len::<T>(len, mr)?, stream, mr)?, values: PhantomData })
    }

    /// Copies `values` from the CPU to the device of `stream`; see [`Buffer::from_host`].
    ///
    /// # Errors
    /// The errors of [`Buffer::from_host`].
    pub fn from_slice<'r>(values: &[T], stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        let mr = mr.into();
        let buffer = Buffer::from_host(bytemuck::cast_slice(values), stream, mr)?;
        Ok(Self { buffer, values: PhantomData })
    }

    /// Allocates `len` values and sets each value to `value`.
    ///
    /// # Errors
    /// The errors of [`Buffer::from_host`].
    pub fn filled<'r>(value: T, len: usize, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        let mr = mr.into();
        let bytes = bytemuck::bytes_of(&value);
        match bytes.first() {
            // If all bytes of the value are equal, as in zero, one fill sets all values.
            Some(&first) if bytes.iter().all(|&byte| byte == first) => {
                let mut filled = Self::uninitialized(len, stream, mr)?;
                filled.fill_bytes(0, filled.buffer.len(), first, stream)?;
                Ok(filled)
            }
            _ => {
                let mut values = Vec::new();
                let requested = len.saturating_mul(size_of::<T>());
                let refused = |_| MemoryError::OutOfMemory { requested, free: None, resource: "vector" };
                values.try_reserve_exact(len).map_err(refused)?;
                values.resize(len, value);
                Self::from_slice(&values, stream, mr)
            }
        }
    }

    /// Checks that work on `stream` can access the memory of the vector.
    fn check(&self, stream: &Stream) -> Result<()> {
        check_reach(self.buffer.device(), self.buffer.host_accessible(), stream)
    }

    fn fill_bytes(&mut self, from: usize, bytes: usize, value: u8, stream: &Stream) -> Result<()> {
        self.check(stream)?;
        if bytes > 0 { self.buffer.write_part_on(from, bytes, stream)?.fill(0..bytes, value) } else { Ok(()) }
    }

    /// Returns the number of values that fit without a new allocation.
    pub fn capacity(&self) -> usize {
        self.buffer.allocated_bytes() / size_of::<T>().max(1)
    }

    /// Makes room for `capacity` values in total. The existing values are kept. The call does not wait.
    ///
    /// # Errors
    /// The vector is unchanged after an error.
    /// * The errors of [`Buffer::uninitialized`].
    /// * [`DeviceMismatch`](MemoryError::DeviceMismatch) for memory of the CPU and a stream of a GPU.
    /// * [`NotHostAccessible`](MemoryError::NotHostAccessible) for a CPU stream and memory that the CPU cannot
    ///   access.
    pub fn reserve<'r>(&mut self, capacity: usize, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<()> {
        let mr = mr.into();
        if capacity <= self.capacity() { Ok(()) } else { self.move_to(capacity, stream, mr) }
    }

    /// Frees memory that the values do not need, by copying the values to a smaller allocation. If the values need the
    /// whole memory, nothing is copied. The call does not wait.
    ///
    /// # Errors
    /// The errors of [`reserve`](Self::reserve).
    pub fn shrink_to_fit<'r>(&mut self, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<()> {
        let mr = mr.into();
        let needed = self.buffer.len().next_multiple_of(crate::BUFFER_PADDING);
        if self.buffer.allocated_bytes() <= needed { Ok(()) } else { self.move_to(self.len(), stream, mr) }
    }

    fn move_to(&mut self, capacity: usize, stream: &Stream, mr: ResourceRef<'_>) -> Result<()> {
        self.check(stream)?;
        let mut larger = Buffer::uninitialized(byte_len::<T>(capacity, mr)?, stream, mr)?;
        let bytes = self.buffer.len();
        if bytes > 0 {
            check_reach(larger.device(), larger.host_accessible(), stream)?;
            let (source, target) = (self.buffer.read_on(stream)?, larger.write_on(stream)?);
            // SAFETY: both ranges have at least `bytes` bytes, and the new allocation makes the ranges disjoint.
            // `check_reach` has checked that work on `stream` can access both. Both accesses are for `stream`, so no
            // conflicting work runs until the copy has run.
            unsafe { stream.copy(target.address(), source.address(), bytes, CopyKind::DeviceToDevice)? };
        }
        if stream.device().is_cpu() && larger.len() > bytes {
            // Every buffer on the CPU has zeroed padding. Therefore the bytes after the values are set to zero.
            let added = larger.len() - bytes;
            larger.write_part_on(bytes, added, stream)?.fill(0..added, 0)?;
        }
        larger.set_len(bytes);
        self.buffer = larger;
        Ok(())
    }

    /// Changes the length to `len` values. Added values can be written on `stream`. On the CPU, added values are zero.
    /// In other memory that the CPU can access, an added value is zero if an earlier call cut off a value at the same
    /// position. The vector allocates only if `len` exceeds the capacity, and then exactly the needed size. The call
    /// does not wait.
    ///
    /// # Errors
    /// The errors of [`reserve`](Self::reserve).
    pub fn resize<'r>(&mut self, len: usize, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<()> {
        let mr = mr.into();
        let bytes = byte_len::<T>(len, mr)?;
        self.check(stream)?;
        self.reserve(len, stream, mr)?;
        let before = self.buffer.len();
        if bytes < before && self.buffer.host_accessible() {
            self.fill_bytes(bytes, before - bytes, 0, stream)?;
        }
        self.buffer.set_len(bytes);
        Ok(())
    }

    /// Changes the length to `len` values. Added values are zero. In all other respects the function does the same as
    /// [`resize`](Self::resize).
    ///
    /// # Errors
    /// The errors of [`reserve`](Self::reserve), and driver errors of the fill.
    pub fn resize_zeroed<'r>(&mut self, len: usize, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<()> {
        let mr = mr.into();
        let before = self.buffer.len();
        self.resize(len, stream, mr)?;
        self.fill_bytes(before, self.buffer.len().saturating_sub(before), 0, stream)
    }

    /// Makes `stream` the stream of the vector (RMM's `set_stream`). Work on `stream` waits, on the device, for all
    /// earlier uses of the vector. The memory will be freed in the order of `stream`.
    ///
    /// # Errors
    /// Driver errors of ordering the streams.
    pub fn rebind(&mut self, stream: &Stream) -> Result<()> {
        self.buffer.rebind(stream)
    }

    /// Returns the stream of the vector (RMM's `stream`): the stream of the last write or of the last
    /// [`rebind`](Self::rebind). The memory is freed in the order of that stream.
    pub fn stream(&self) -> Stream {
        self.buffer.writer()
    }

    /// Copies the values to memory of `mr` on the same device. If `mr` allocates pinned memory, the CPU can access the
    /// copy, and the call does not block the CPU; see [`Buffer::deep_copy`].
    ///
    /// # Errors
    /// The errors of [`Buffer::deep_copy`].
    pub fn try_clone<'r>(&self, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        let mr = mr.into();
        Ok(Self { buffer: self.buffer.deep_copy(stream, mr)?, values: PhantomData })
    }

    /// Sets the value at `index`, in the order of `stream`. The call does not wait.
    ///
    /// # Errors
    /// * [`OutOfRange`](MemoryError::OutOfRange) when `index` is not less than the length.
    /// * The errors of [`reserve`](Self::reserve) for a stream that cannot access the memory.
    /// * Driver errors of the transfer.
    pub fn set_element(&mut self, index: usize, value: T, stream: &Stream) -> Result<()> {
        let width = size_of::<T>();
        if index >= self.len() {
            return Err(MemoryError::OutOfRange { offset: index, len: 1, size: self.len() });
        }
        self.check(stream)?;
        let bytes = bytemuck::bytes_of(&value);
        if bytes.iter().all(|&byte| byte == 0) {
            return self.fill_bytes(index * width, width, 0, stream);
        }
        self.write_from(index * width, bytes, stream)
    }

    pub(crate) fn write_from(&mut self, offset: usize, bytes: &[u8], stream: &Stream) -> Result<()> {
        self.buffer.write_from(offset, bytes, stream)
    }

    /// Returns the first value, or `None` if the vector is empty. For memory of a GPU, the call waits for the transfer
    /// on `stream`.
    ///
    /// # Errors
    /// The errors of [`Buffer::to_host`].
    pub fn front(&self, stream: &Stream) -> Result<Option<T>> {
        if self.is_empty() { Ok(None) } else { self.element(0, stream).map(Some) }
    }

    /// Returns the last value, or `None` if the vector is empty. For memory of a GPU, the call waits for the transfer
    /// on `stream`.
    ///
    /// # Errors
    /// The errors of [`Buffer::to_host`].
    pub fn back(&self, stream: &Stream) -> Result<Option<T>> {
        self.len().checked_sub(1).map(|last| self.element(last, stream)).transpose()
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.buffer.len() / size_of::<T>().max(1)
    }

    /// Returns whether the vector has no values.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Returns the device that the values belong to.
    pub fn device(&self) -> Device {
        self.buffer.device()
    }

    /// Returns an access for reading on `stream`.
    ///
    /// # Errors
    /// The errors of [`Buffer::read_on`].
    pub fn read_on(&self, stream: &Stream) -> Result<Access<'_>> {
        self.buffer.read_on(stream)
    }

    /// Returns an access for writing on `stream`.
    ///
    /// # Errors
    /// The errors of [`Buffer::write_on`].
    pub fn write_on(&mut self, stream: &Stream) -> Result<AccessMut<'_>> {
        self.buffer.write_on(stream)
    }

    /// Copies all values to a vector on the CPU. For memory of a GPU, the call waits for the transfer on `stream`.
    ///
    /// # Errors
    /// The errors of [`Buffer::to_host`].
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<T>> {
        let bytes = self.buffer.to_host(stream)?;
        Ok(bytes.chunks_exact(size_of::<T>().max(1)).map(bytemuck::pod_read_unaligned).collect())
    }

    /// Copies the value at `index` to the CPU. For memory of a GPU, the call waits for the transfer on `stream`.
    ///
    /// # Errors
    /// [`OutOfRange`](MemoryError::OutOfRange) when `index` is not less than the length; the errors of
    /// [`Buffer::to_host`].
    pub fn element(&self, index: usize, stream: &Stream) -> Result<T> {
        let width = size_of::<T>();
        let range = MemoryError::OutOfRange { offset: index, len: 1, size: self.len() };
        if index >= self.len() {
            return Err(range);
        }
        let bytes = self.buffer.slice(index * width, width)?.to_host(stream)?;
        bytemuck::try_pod_read_unaligned(&bytes).map_err(|_| range)
    }

    /// Returns the buffer that holds the values.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Converts the vector to an untyped buffer, which can be shared. The buffer takes over the memory without a copy.
    pub fn into_buffer(self) -> Buffer {
        self.buffer
    }
}

/// One value of `T` in the memory of a device.
#[derive(Debug)]
pub struct DeviceScalar<T: Pod>(DeviceVec<T>);

impl<T: Pod> DeviceScalar<T> {
    /// Allocates a value for writing on `stream`.
    ///
    /// # Errors
    /// The errors of [`Buffer::uninitialized`].
    pub fn uninitialized<'r>(stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        DeviceVec::uninitialized(1, stream, mr.into()).map(Self)
    }

    /// Copies `value` from the CPU to the device of `stream`.
    ///
    /// # Errors
    /// The errors of [`Buffer::from_host`].
    pub fn new<'r>(value: T, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        DeviceVec::from_slice(&[value], stream, mr.into()).map(Self)
    }

    /// Sets the value, in the order of `stream`. The call does not wait.
    ///
    /// # Errors
    /// The errors of [`DeviceVec::set_element`].
    pub fn set_value(&mut self, value: T, stream: &Stream) -> Result<()> {
        self.0.set_element(0, value, stream)
    }

    /// Sets all bits to zero, in the order of `stream`. The call does not wait.
    ///
    /// # Errors
    /// The errors of [`DeviceVec::set_element`].
    pub fn set_zero(&mut self, stream: &Stream) -> Result<()> {
        self.0.set_element(0, T::zeroed(), stream)
    }

    /// Copies the value to memory of `mr` on the same device.
    ///
    /// # Errors
    /// The errors of [`Buffer::deep_copy`].
    pub fn try_clone<'r>(&self, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        self.0.try_clone(stream, mr.into()).map(Self)
    }

    /// Makes `stream` the stream of the scalar; see [`DeviceVec::rebind`].
    ///
    /// # Errors
    /// The errors of [`DeviceVec::rebind`].
    pub fn rebind(&mut self, stream: &Stream) -> Result<()> {
        self.0.rebind(stream)
    }

    /// Returns the stream of the scalar; see [`DeviceVec::stream`].
    pub fn stream(&self) -> Stream {
        self.0.stream()
    }

    /// Copies the value to the CPU. For memory of a GPU, the call waits for the transfer on `stream`.
    ///
    /// # Errors
    /// The errors of [`Buffer::to_host`].
    pub fn value(&self, stream: &Stream) -> Result<T> {
        self.0.element(0, stream)
    }

    /// Returns an access for reading on `stream`.
    ///
    /// # Errors
    /// The errors of [`Buffer::read_on`].
    pub fn read_on(&self, stream: &Stream) -> Result<Access<'_>> {
        self.0.read_on(stream)
    }

    /// Returns an access for writing on `stream`.
    ///
    /// # Errors
    /// The errors of [`Buffer::write_on`].
    pub fn write_on(&mut self, stream: &Stream) -> Result<AccessMut<'_>> {
        self.0.write_on(stream)
    }

    /// Converts the scalar to an untyped buffer, which can be shared. The buffer takes over the memory without a copy.
    pub fn into_buffer(self) -> Buffer {
        self.0.into_buffer()
    }
}
