//! Typed vectors and single values in a device's memory (RMM's `device_uvector` and `device_scalar`).

use std::marker::PhantomData;

use bytemuck::Pod;
use gdf_driver::{CopyKind, Device, Stream};

use crate::resource::check_reach;
use crate::{Access, AccessMut, Buffer, MemoryError, ResourceRef, Result};

/// Values of `T` in a device's memory, uniquely owned. `DeviceVec<u8>` is RMM's `device_buffer`.
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
    /// `len` values that are to be written on `stream`; where the CPU can see them, they are initialized with something.
    ///
    /// # Errors
    /// As [`Buffer::uninitialized`].
    pub fn uninitialized<'r>(len: usize, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        let mr = mr.into();
        Ok(Self { buffer: Buffer::uninitialized(byte_len::<T>(len, mr)?, stream, mr)?, values: PhantomData })
    }

    /// `len` values with all bits zero.
    ///
    /// # Errors
    /// As [`Buffer::uninitialized`].
    pub fn zeroed<'r>(len: usize, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        let mr = mr.into();
        Ok(Self { buffer: Buffer::zeroed(byte_len::<T>(len, mr)?, stream, mr)?, values: PhantomData })
    }

    /// A copy of values on the CPU; see [`Buffer::from_host`].
    ///
    /// # Errors
    /// As [`Buffer::from_host`].
    pub fn from_slice<'r>(values: &[T], stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        let mr = mr.into();
        let buffer = Buffer::from_host(bytemuck::cast_slice(values), stream, mr)?;
        Ok(Self { buffer, values: PhantomData })
    }

    /// `len` values, each a copy of `value`.
    ///
    /// # Errors
    /// As [`Buffer::from_host`].
    pub fn filled<'r>(value: T, len: usize, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        let mr = mr.into();
        let bytes = bytemuck::bytes_of(&value);
        match bytes.first() {
            // One driver call where all bytes are the same, as with zeros.
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

    /// Memory of the CPU is filled, copied and cleared by the CPU, and memory that the CPU cannot access by the GPU.
    fn check(&self, stream: &Stream) -> Result<()> {
        check_reach(self.buffer.device(), self.buffer.host_accessible(), stream)
    }

    fn fill_bytes(&mut self, from: usize, bytes: usize, value: u8, stream: &Stream) -> Result<()> {
        self.check(stream)?;
        if bytes > 0 { self.buffer.write_part_on(from, bytes, stream)?.fill(0..bytes, value) } else { Ok(()) }
    }

    /// How many values fit without allocating.
    pub fn capacity(&self) -> usize {
        self.buffer.allocated_bytes() / size_of::<T>().max(1)
    }

    /// Makes room for `capacity` values in all; those that there are keep their values. Does not wait.
    ///
    /// # Errors
    /// As [`Buffer::uninitialized`]; [`DeviceMismatch`](MemoryError::DeviceMismatch) for memory of the CPU and a stream of a
    /// GPU, [`NotHostAccessible`](MemoryError::NotHostAccessible) for memory that the CPU cannot access and a stream of the
    /// CPU. Then the vector is as it was.
    pub fn reserve<'r>(&mut self, capacity: usize, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<()> {
        let mr = mr.into();
        if capacity <= self.capacity() { Ok(()) } else { self.move_to(capacity, stream, mr) }
    }

    /// Gives memory back that the values do not need, by a copy where there is any to give. Does not wait.
    ///
    /// # Errors
    /// As [`reserve`](Self::reserve).
    pub fn shrink_to_fit<'r>(&mut self, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<()> {
        let mr = mr.into();
        let needed = self.buffer.len().next_multiple_of(crate::BUFFER_PADDING);
        if self.buffer.allocated_bytes() <= needed { Ok(()) } else { self.move_to(self.len(), stream, mr) }
    }

    /// Copies the values to new memory for `capacity` of them.
    fn move_to(&mut self, capacity: usize, stream: &Stream, mr: ResourceRef<'_>) -> Result<()> {
        self.check(stream)?;
        let mut larger = Buffer::uninitialized(byte_len::<T>(capacity, mr)?, stream, mr)?;
        let bytes = self.buffer.len();
        if bytes > 0 {
            check_reach(larger.device(), larger.host_accessible(), stream)?;
            let (source, target) = (self.buffer.read_on(stream)?, larger.write_on(stream)?);
            // SAFETY: both are at least `bytes` long, disjoint, and usable on `stream` while the accesses are held.
            unsafe { stream.copy(target.address(), source.address(), bytes, CopyKind::DeviceToDevice)? };
        }
        if stream.device().is_cpu() && larger.len() > bytes {
            // What lies behind the values is zero, as with every buffer of the CPU.
            let added = larger.len() - bytes;
            larger.write_part_on(bytes, added, stream)?.fill(0..added, 0)?;
        }
        larger.set_len(bytes);
        self.buffer = larger;
        Ok(())
    }

    /// Makes it `len` values. What is added is to be written on `stream`; where the CPU can see it, values that were cut off
    /// before are zero, and on the CPU all of it is. Allocates exactly what is needed, and only to grow. Does not wait.
    ///
    /// # Errors
    /// As [`reserve`](Self::reserve).
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

    /// As [`resize`](Self::resize), and what is added is zero.
    ///
    /// # Errors
    /// As [`reserve`](Self::reserve), and those of the fill.
    pub fn resize_zeroed<'r>(&mut self, len: usize, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<()> {
        let mr = mr.into();
        let before = self.buffer.len();
        self.resize(len, stream, mr)?;
        self.fill_bytes(before, self.buffer.len().saturating_sub(before), 0, stream)
    }

    /// Makes `stream` the one that the vector belongs to: it waits, on the device, for all uses until now, and the memory
    /// is given back in its order (RMM's `set_stream`).
    ///
    /// # Errors
    /// Driver errors of ordering the streams.
    pub fn rebind(&mut self, stream: &Stream) -> Result<()> {
        self.buffer.rebind(stream)
    }

    /// The stream that the vector belongs to: the last one to write it, or to be [`rebind`](Self::rebind)'s. The memory is
    /// given back in its order (RMM's `stream`).
    pub fn stream(&self) -> Stream {
        self.buffer.writer()
    }

    /// A copy in memory of `mr` on the same device. With pinned memory this is how values get to the CPU without waiting;
    /// see [`Buffer::deep_copy`].
    ///
    /// # Errors
    /// As [`Buffer::deep_copy`].
    pub fn try_clone<'r>(&self, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        let mr = mr.into();
        Ok(Self { buffer: self.buffer.deep_copy(stream, mr)?, values: PhantomData })
    }

    /// Sets the value at `index`, in the order of `stream`. Does not wait.
    ///
    /// # Errors
    /// [`OutOfRange`](MemoryError::OutOfRange), driver errors of the transfer, and for a stream as
    /// [`reserve`](Self::reserve).
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

    /// Copies bytes of the CPU over those from `offset` on.
    pub(crate) fn write_from(&mut self, offset: usize, bytes: &[u8], stream: &Stream) -> Result<()> {
        self.buffer.write_from(offset, bytes, stream)
    }

    /// The first value; `None` of an empty vector. Waits as [`element`](Self::element).
    ///
    /// # Errors
    /// As [`Buffer::to_host`].
    pub fn front(&self, stream: &Stream) -> Result<Option<T>> {
        if self.is_empty() { Ok(None) } else { self.element(0, stream).map(Some) }
    }

    /// The last value; `None` of an empty vector. Waits as [`element`](Self::element).
    ///
    /// # Errors
    /// As [`Buffer::to_host`].
    pub fn back(&self, stream: &Stream) -> Result<Option<T>> {
        self.len().checked_sub(1).map(|last| self.element(last, stream)).transpose()
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.buffer.len() / size_of::<T>().max(1)
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Where the values are.
    pub fn device(&self) -> Device {
        self.buffer.device()
    }

    /// Leave to read on `stream`.
    ///
    /// # Errors
    /// As [`Buffer::read_on`].
    pub fn read_on(&self, stream: &Stream) -> Result<Access<'_>> {
        self.buffer.read_on(stream)
    }

    /// Leave to write on `stream`.
    ///
    /// # Errors
    /// As [`Buffer::write_on`].
    pub fn write_on(&mut self, stream: &Stream) -> Result<AccessMut<'_>> {
        self.buffer.write_on(stream)
    }

    /// All values on the CPU. Waits for `stream` when the memory is a GPU's.
    ///
    /// # Errors
    /// As [`Buffer::to_host`].
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<T>> {
        let bytes = self.buffer.to_host(stream)?;
        Ok(bytes.chunks_exact(size_of::<T>().max(1)).map(bytemuck::pod_read_unaligned).collect())
    }

    /// The value at `index`. Waits for `stream` when the memory is a GPU's.
    ///
    /// # Errors
    /// [`OutOfRange`](MemoryError::OutOfRange) and those of [`Buffer::to_host`].
    pub fn element(&self, index: usize, stream: &Stream) -> Result<T> {
        let width = size_of::<T>();
        let range = MemoryError::OutOfRange { offset: index, len: 1, size: self.len() };
        if index >= self.len() {
            return Err(range);
        }
        let bytes = self.buffer.slice(index * width, width)?.to_host(stream)?;
        bytemuck::try_pod_read_unaligned(&bytes).map_err(|_| range)
    }

    /// The bytes of the values.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Gives the memory up as a shared, untyped buffer.
    pub fn into_buffer(self) -> Buffer {
        self.buffer
    }
}

/// One value of `T` in a device's memory.
#[derive(Debug)]
pub struct DeviceScalar<T: Pod>(DeviceVec<T>);

impl<T: Pod> DeviceScalar<T> {
    /// A value that is to be written on `stream`.
    ///
    /// # Errors
    /// As [`Buffer::uninitialized`].
    pub fn uninitialized<'r>(stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        DeviceVec::uninitialized(1, stream, mr.into()).map(Self)
    }

    /// A copy of `value`.
    ///
    /// # Errors
    /// As [`Buffer::from_host`].
    pub fn new<'r>(value: T, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        DeviceVec::from_slice(&[value], stream, mr.into()).map(Self)
    }

    /// Sets the value, in the order of `stream`. Does not wait.
    ///
    /// # Errors
    /// As [`DeviceVec::set_element`].
    pub fn set_value(&mut self, value: T, stream: &Stream) -> Result<()> {
        self.0.set_element(0, value, stream)
    }

    /// Sets all bits to zero, in the order of `stream`. Does not wait.
    ///
    /// # Errors
    /// As [`DeviceVec::set_element`].
    pub fn set_zero(&mut self, stream: &Stream) -> Result<()> {
        self.0.set_element(0, T::zeroed(), stream)
    }

    /// A copy in memory of `mr` on the same device.
    ///
    /// # Errors
    /// As [`Buffer::deep_copy`].
    pub fn try_clone<'r>(&self, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        self.0.try_clone(stream, mr.into()).map(Self)
    }

    /// As [`DeviceVec::rebind`].
    ///
    /// # Errors
    /// As [`DeviceVec::rebind`].
    pub fn rebind(&mut self, stream: &Stream) -> Result<()> {
        self.0.rebind(stream)
    }

    /// As [`DeviceVec::stream`].
    pub fn stream(&self) -> Stream {
        self.0.stream()
    }

    /// The value. Waits for `stream` when the memory is a GPU's.
    ///
    /// # Errors
    /// As [`Buffer::to_host`].
    pub fn value(&self, stream: &Stream) -> Result<T> {
        self.0.element(0, stream)
    }

    /// Leave to read on `stream`.
    ///
    /// # Errors
    /// As [`Buffer::read_on`].
    pub fn read_on(&self, stream: &Stream) -> Result<Access<'_>> {
        self.0.read_on(stream)
    }

    /// Leave to write on `stream`.
    ///
    /// # Errors
    /// As [`Buffer::write_on`].
    pub fn write_on(&mut self, stream: &Stream) -> Result<AccessMut<'_>> {
        self.0.write_on(stream)
    }

    /// Gives the memory up as a shared, untyped buffer.
    pub fn into_buffer(self) -> Buffer {
        self.0.into_buffer()
    }
}
