//! A growable vector on the CPU whose memory comes from a resource.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use gdf_driver::Stream;

use crate::{Buffer, MemoryError, ResourceRef, Result};

/// A vector on the CPU whose memory comes from a resource.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use gdf::Stream;
/// use gdf::memory::{HostResource, HostVec, Resource};
///
/// let (stream, resource) = (Stream::cpu(), Resource::new(HostResource::new()));
/// let mut values = HostVec::<i64>::new(&stream, resource.as_ref());
/// values.try_extend(&[1, 2, 3])?;
/// values[1] = 5;
/// assert_eq!(&values[..], &[1, 5, 3]);
/// # Ok::<(), gdf_memory::MemoryError>(())
/// ```
#[derive(Debug)]
pub struct HostVec<'r, T: Pod> {
    /// The buffer that holds the values. The vector has the only reference. The field is `None` while the capacity is
    /// 0.
    buffer: Option<Buffer>,
    ptr: *mut T,
    len: usize,
    capacity: usize,
    stream: Stream,
    mr: ResourceRef<'r>,
    values: PhantomData<T>,
}

// SAFETY: the pointer points into the buffer. The vector owns the buffer alone, and the buffer is `Send`. A move of the
// vector moves the values, and `T` is `Send`.
unsafe impl<T: Pod + Send> Send for HostVec<'_, T> {}
// SAFETY: `&HostVec` only reads the values, and `T` is `Sync`.
unsafe impl<T: Pod + Sync> Sync for HostVec<'_, T> {}

impl<'r, T: Pod> HostVec<'r, T> {
    /// Makes an empty vector. The call allocates nothing.
    pub fn new(stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Self {
        let mr = mr.into();
        let ptr = std::ptr::NonNull::dangling().as_ptr();
        Self { buffer: None, ptr, len: 0, capacity: 0, stream: stream.clone(), mr, values: PhantomData }
    }

    /// Allocates `len` values with all bits zero.
    ///
    /// # Errors
    /// * [`OutOfMemory`](MemoryError::OutOfMemory) when `mr` has no memory for the values.
    /// * [`NotHostAccessible`](MemoryError::NotHostAccessible) when `stream` and `mr` belong to a GPU.
    /// * [`DeviceMismatch`](MemoryError::DeviceMismatch) when `stream` and `mr` belong to different devices.
    pub fn zeroed(len: usize, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        Self::of_buffer(len, stream, mr.into(), Buffer::zeroed)
    }

    /// Allocates `len` values. The content is unspecified, and the caller is expected to overwrite all values; see
    /// [`Buffer::uninitialized`].
    ///
    /// # Errors
    /// The errors of [`zeroed`](Self::zeroed).
    pub fn uninitialized(len: usize, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        Self::of_buffer(len, stream, mr.into(), Buffer::uninitialized)
    }

    fn of_buffer(
        len: usize,
        stream: &Stream,
        mr: ResourceRef<'r>,
        allocate: impl FnOnce(usize, &Stream, ResourceRef<'r>) -> Result<Buffer>,
    ) -> Result<Self> {
        let mut vec = Self::new(stream, mr);
        if len > 0 {
            let out_of_memory =
                MemoryError::OutOfMemory { requested: usize::MAX, free: None, resource: mr.resource().name() };
            vec.adopt(allocate(len.checked_mul(size_of::<T>()).ok_or(out_of_memory)?, stream, mr)?)?;
            vec.len = len;
        }
        Ok(vec)
    }

    /// Copies the values to `buffer`, a new and unshared buffer, and replaces the memory of the vector by `buffer`.
    fn adopt(&mut self, mut buffer: Buffer) -> Result<()> {
        let slice = buffer.write_on(&self.stream)?.into_mut_slice::<T>()?;
        slice[..self.len].copy_from_slice(self);
        self.ptr = slice.as_mut_ptr();
        self.capacity = slice.len();
        self.buffer = Some(buffer);
        Ok(())
    }

    /// Makes a vector with a copy of `values`.
    ///
    /// # Errors
    /// The errors of [`zeroed`](Self::zeroed).
    pub fn from_slice(values: &[T], stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        let mr = mr.into();
        let mut vec = Self::new(stream, mr);
        vec.try_extend(values)?;
        Ok(vec)
    }

    /// Makes room for `additional` more values. If a new allocation is needed, it is at least 1.5 times as large as the
    /// previous allocation.
    ///
    /// # Errors
    /// The errors of [`zeroed`](Self::zeroed).
    pub fn try_reserve(&mut self, additional: usize) -> Result<()> {
        let out_of_memory =
            || MemoryError::OutOfMemory { requested: usize::MAX, free: None, resource: self.mr.resource().name() };
        let needed = self.len.checked_add(additional).ok_or_else(out_of_memory)?;
        if needed <= self.capacity {
            return Ok(());
        }
        let capacity = if self.capacity == 0 { needed } else { needed.max(self.capacity + self.capacity / 2) };
        let bytes = capacity.checked_mul(size_of::<T>()).ok_or_else(out_of_memory)?;
        self.adopt(Buffer::uninitialized(bytes, &self.stream, self.mr)?)
    }

    /// Appends a value.
    ///
    /// # Errors
    /// The errors of [`zeroed`](Self::zeroed).
    pub fn try_push(&mut self, value: T) -> Result<()> {
        self.try_extend(&[value])
    }

    /// Appends values.
    ///
    /// # Errors
    /// The errors of [`zeroed`](Self::zeroed).
    pub fn try_extend(&mut self, values: &[T]) -> Result<()> {
        self.try_reserve(values.len())?;
        let start = self.len;
        self.len += values.len();
        self[start..].copy_from_slice(values);
        Ok(())
    }

    /// Converts the vector to a buffer that has exactly the bytes of the values. The buffer can be shared. The buffer
    /// takes over the memory without a copy.
    ///
    /// # Errors
    /// The errors of [`zeroed`](Self::zeroed). An error is possible only for an empty vector, because only an empty
    /// vector allocates its buffer in this call.
    pub fn into_buffer(self) -> Result<Buffer> {
        match self.buffer {
            Some(buffer) => buffer.slice(0, self.len * size_of::<T>()),
            None => Buffer::uninitialized(0, &self.stream, self.mr),
        }
    }
}

impl<T: Pod> Deref for HostVec<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: with capacity 0 the pointer is dangling and aligned, and `len` is 0. Otherwise the pointer is
        // aligned and valid for `capacity` values, which are initialized because host-accessible buffers are
        // initialized from the start. `len` is at most `capacity`. The vector owns the buffer alone, so only `&mut
        // self` writes the values.
        unsafe { std::slice::from_raw_parts(self.ptr, self.len) }
    }
}

impl<T: Pod> DerefMut for HostVec<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: the pointer is valid for `len` values, as in `deref`. `&mut self` makes the use exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.ptr, self.len) }
    }
}
