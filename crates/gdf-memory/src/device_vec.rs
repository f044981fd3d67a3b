//! Typed vectors and single values in a device's memory (RMM's `device_uvector` and `device_scalar`).

use std::marker::PhantomData;

use bytemuck::Pod;
use gdf_driver::{Device, Stream};

use crate::{Access, AccessMut, Buffer, MemoryError, ResourceRef, Result};

/// `len` values of `T` in a device's memory, uniquely owned.
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
    /// `len` values that are to be written on `stream`; zero where the CPU can see them.
    ///
    /// # Errors
    /// As [`Buffer::uninitialized`].
    pub fn uninitialized(len: usize, stream: &Stream, mr: ResourceRef<'_>) -> Result<Self> {
        Ok(Self { buffer: Buffer::uninitialized(byte_len::<T>(len, mr)?, stream, mr)?, values: PhantomData })
    }

    /// `len` values with all bits zero.
    ///
    /// # Errors
    /// As [`Buffer::uninitialized`].
    pub fn zeroed(len: usize, stream: &Stream, mr: ResourceRef<'_>) -> Result<Self> {
        Ok(Self { buffer: Buffer::zeroed(byte_len::<T>(len, mr)?, stream, mr)?, values: PhantomData })
    }

    /// A copy of values on the CPU; see [`Buffer::from_host`].
    ///
    /// # Errors
    /// As [`Buffer::from_host`].
    pub fn from_slice(values: &[T], stream: &Stream, mr: ResourceRef<'_>) -> Result<Self> {
        let buffer = Buffer::from_host(bytemuck::cast_slice(values), stream, mr)?;
        Ok(Self { buffer, values: PhantomData })
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
    pub fn uninitialized(stream: &Stream, mr: ResourceRef<'_>) -> Result<Self> {
        DeviceVec::uninitialized(1, stream, mr).map(Self)
    }

    /// A copy of `value`.
    ///
    /// # Errors
    /// As [`Buffer::from_host`].
    pub fn new(value: T, stream: &Stream, mr: ResourceRef<'_>) -> Result<Self> {
        DeviceVec::from_slice(&[value], stream, mr).map(Self)
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
