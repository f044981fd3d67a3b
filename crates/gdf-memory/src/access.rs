//! Accesses: the only way to an address.

use std::ops::Range;
use std::ptr::NonNull;

use bytemuck::Pod;
use gdf_driver::{CopyKind, Stream};

use crate::allocation::Allocation;
use crate::resource::check_reach;
use crate::{MemoryError, Result};

/// Leave to read a buffer on one stream.
///
/// Holding it proves that the stream has been ordered after the last write and is known as a reader, so the memory
/// outlives and stays unchanged for everything that is enqueued on that stream while the access is held. Drop it once
/// the launch is enqueued.
#[derive(Debug)]
pub struct Access<'a> {
    allocation: &'a Allocation,
    ptr: NonNull<u8>,
    len: usize,
    stream: Stream,
    /// Whether the stream is one of the readers.
    joined: bool,
}

impl<'a> Access<'a> {
    pub(crate) fn new(allocation: &'a Allocation, offset: usize, len: usize, stream: &Stream) -> Result<Self> {
        let joined = allocation.begin_read(stream)?;
        // SAFETY: the caller (Buffer) keeps offset + len within the allocation.
        let ptr = unsafe { allocation.ptr().add(offset) };
        Ok(Self { allocation, ptr, len, stream: stream.clone(), joined })
    }

    /// First byte's address, for kernel descriptors; it says nothing about who may dereference it.
    pub fn address(&self) -> u64 {
        self.ptr.as_ptr().expose_provenance() as u64
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes as values of `T`, for code on the CPU.
    ///
    /// # Errors
    /// * [`NotHostAccessible`](MemoryError::NotHostAccessible) for device memory, or when the access is for a GPU
    ///   stream (the CPU would not be ordered after that stream).
    /// * [`Misaligned`](MemoryError::Misaligned) when address or length do not fit `T`.
    pub fn as_slice<T: Pod>(&self) -> Result<&[T]> {
        check_host(self.allocation, &self.stream)?;
        let len = count::<T>(self.ptr, self.len)?;
        // SAFETY: ptr is non-null and aligned (checked), the range lies in one live allocation that nobody writes
        // while this shared access exists, and every bit pattern is a valid `T: Pod`. Host-accessible buffers are
        // initialized from the start (Buffer::uninitialized).
        Ok(unsafe { std::slice::from_raw_parts(self.ptr.as_ptr().cast::<T>(), len) })
    }
}

// SAFETY: an access only gives addresses away and shares slices of plain values that nobody writes while it exists; the
// allocation and the stream behind it are Send and Sync.
unsafe impl Send for Access<'_> {}
// SAFETY: as above.
unsafe impl Sync for Access<'_> {}

impl Drop for Access<'_> {
    fn drop(&mut self) {
        self.allocation.end_read(&self.stream, self.joined);
    }
}

/// Leave to write a buffer on one stream: unique, and ordered after every earlier use.
#[derive(Debug)]
pub struct AccessMut<'a> {
    /// Borrowed exclusively for `'a`.
    allocation: &'a Allocation,
    ptr: NonNull<u8>,
    len: usize,
    stream: Stream,
}

impl<'a> AccessMut<'a> {
    pub(crate) fn new(allocation: &'a mut Allocation, offset: usize, len: usize, stream: &Stream) -> Result<Self> {
        allocation.begin_write(stream)?;
        // SAFETY: the caller (Buffer) keeps offset + len within the allocation.
        let ptr = unsafe { allocation.ptr().add(offset) };
        Ok(Self { allocation, ptr, len, stream: stream.clone() })
    }

    /// First byte's address, for kernel descriptors; it says nothing about who may dereference it.
    pub fn address(&self) -> u64 {
        self.ptr.as_ptr().expose_provenance() as u64
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The bytes as values of `T`, for code on the CPU.
    ///
    /// # Errors
    /// As [`Access::as_slice`].
    pub fn as_mut_slice<T: Pod>(&mut self) -> Result<&mut [T]> {
        check_host(self.allocation, &self.stream)?;
        let len = count::<T>(self.ptr, self.len)?;
        // SAFETY: ptr is non-null and aligned (checked); the range lies in one live allocation, this access holds it uniquely
        // (`&mut` of the sole owner, whose parts do not overlap), and every bit pattern is a valid `T: Pod`.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.ptr.as_ptr().cast::<T>(), len) })
    }

    #[cfg(test)]
    pub(crate) fn allocation_accesses(&self) -> usize {
        self.allocation.live_accesses()
    }

    /// Sets these bytes to `value`, in the order of the access's stream; nothing waits.
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
    /// use gdf::{Device, Stream};
    /// use gdf::memory::{Buffer, current_resource};
    ///
    /// let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu)?);
    /// let mut buffer = Buffer::zeroed(4, &stream, mr.as_ref())?;
    /// buffer.write_on(&stream)?.fill(1..3, 7)?;
    /// assert_eq!(buffer.to_host(&stream)?, [0, 7, 7, 0]);
    /// assert!(buffer.write_on(&stream)?.fill(3..5, 7).is_err());
    /// # Ok::<(), gdf_memory::MemoryError>(())
    /// ```
    ///
    /// # Errors
    /// * [`OutOfRange`](MemoryError::OutOfRange) when there are fewer bytes.
    /// * Driver errors.
    pub fn fill(&mut self, bytes: Range<usize>, value: u8) -> Result<()> {
        let (offset, len) = (bytes.start, bytes.len());
        if bytes.end > self.len {
            return Err(MemoryError::OutOfRange { offset, len, size: self.len });
        }
        check_reach(self.allocation.device(), self.allocation.host_accessible(), &self.stream)?;
        if len > 0 {
            // SAFETY: the bytes are this stream's alone until it has run what is enqueued while the access exists.
            unsafe { self.stream.fill(self.address() + offset as u64, value, len)? };
        }
        Ok(())
    }

    /// Copies the bytes of `source`, an access for the same stream, over the first ones, in the order of that stream; nothing
    /// waits, and from pinned memory to a GPU nothing is staged.
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
    /// use gdf::{Device, Stream};
    /// use gdf::memory::{Buffer, current_resource};
    ///
    /// let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu)?);
    /// let source = Buffer::from_host(&[7, 8], &stream, mr.as_ref())?;
    /// let mut buffer = Buffer::zeroed(3, &stream, mr.as_ref())?;
    /// buffer.write_on(&stream)?.copy_from(&source.read_on(&stream)?)?;
    /// assert_eq!(buffer.to_host(&stream)?, [7, 8, 0]);
    /// # Ok::<(), gdf_memory::MemoryError>(())
    /// ```
    ///
    /// # Errors
    /// * [`OutOfRange`](MemoryError::OutOfRange) when there are fewer bytes.
    /// * [`DeviceMismatch`](MemoryError::DeviceMismatch): the accesses are for different streams, or the stream does not reach
    ///   the memory of one.
    /// * Driver errors.
    pub fn copy_from(&mut self, source: &Access<'_>) -> Result<()> {
        if source.len > self.len {
            return Err(MemoryError::OutOfRange { offset: 0, len: source.len, size: self.len });
        }
        if source.stream.id() != self.stream.id() {
            return Err(MemoryError::DeviceMismatch { expected: self.stream.device(), found: source.stream.device() });
        }
        for allocation in [self.allocation, source.allocation] {
            check_reach(allocation.device(), allocation.host_accessible(), &self.stream)?;
        }
        if !source.is_empty() {
            // SAFETY: as many bytes of both, disjoint since this access is unique, usable on the stream while both are held.
            unsafe { self.stream.copy(self.address(), source.address(), source.len, CopyKind::DeviceToDevice)? };
        }
        Ok(())
    }

    /// Takes the first `len` bytes off into an access of their own, so that threads may write both side by side.
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
    /// use gdf::{Device, Stream};
    /// use gdf::memory::{Buffer, current_resource};
    ///
    /// let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu)?);
    /// let mut buffer = Buffer::zeroed(4, &stream, mr.as_ref())?;
    /// let mut back = buffer.write_on(&stream)?;
    /// let mut front = back.split_off_front(1)?;
    /// front.copy_from_host(0, &[1])?;
    /// back.copy_from_host(0, &[2, 3, 4])?;
    /// drop((front, back));
    /// assert_eq!(buffer.to_host(&stream)?, [1, 2, 3, 4]);
    /// # Ok::<(), gdf_memory::MemoryError>(())
    /// ```
    ///
    /// # Errors
    /// * [`OutOfRange`](MemoryError::OutOfRange) when there are fewer bytes; the access stays as it was.
    pub fn split_off_front(&mut self, len: usize) -> Result<Self> {
        let Some(rest) = self.len.checked_sub(len) else {
            return Err(MemoryError::OutOfRange { offset: 0, len, size: self.len });
        };
        self.allocation.split_write();
        let front = Self { allocation: self.allocation, ptr: self.ptr, len, stream: self.stream.clone() };
        // SAFETY: `len` is at most the length of the range.
        self.ptr = unsafe { self.ptr.add(len) };
        self.len = rest;
        Ok(front)
    }

    /// As [`as_mut_slice`](Self::as_mut_slice), with the buffer's lifetime.
    ///
    /// # Errors
    /// As [`Access::as_slice`].
    pub fn into_mut_slice<T: Pod>(mut self) -> Result<&'a mut [T]> {
        let (ptr, len) = {
            let slice = self.as_mut_slice::<T>()?;
            (slice.as_mut_ptr(), slice.len())
        };
        // SAFETY: the same slice as above; the buffer stays uniquely borrowed for 'a and `self` ends here.
        Ok(unsafe { std::slice::from_raw_parts_mut(ptr, len) })
    }
}

impl Drop for AccessMut<'_> {
    fn drop(&mut self) {
        self.allocation.end_write();
    }
}

// SAFETY: the access holds its memory uniquely; moving it to another thread moves that right, sharing it only gives the
// address away.
unsafe impl Send for AccessMut<'_> {}
// SAFETY: as above.
unsafe impl Sync for AccessMut<'_> {}

fn check_host(allocation: &Allocation, stream: &Stream) -> Result<()> {
    if !allocation.host_accessible() || !stream.device().is_cpu() {
        return Err(MemoryError::NotHostAccessible { device: allocation.device() });
    }
    Ok(stream.settle()?)
}

fn count<T>(ptr: NonNull<u8>, len: usize) -> Result<usize> {
    let (align, width) = (align_of::<T>(), size_of::<T>());
    if width == 0 || !ptr.cast::<T>().is_aligned() || !len.is_multiple_of(width) {
        return Err(MemoryError::Misaligned { align, width });
    }
    Ok(len / width)
}
