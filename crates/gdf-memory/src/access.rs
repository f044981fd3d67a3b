//! Accesses to buffers. An access is the only way in which safe code gets the address of a buffer.

use std::ops::Range;
use std::ptr::NonNull;

use bytemuck::Pod;
use gdf_driver::{CopyKind, Stream};

use crate::allocation::Allocation;
use crate::resource::check_reach;
use crate::{MemoryError, Result};

/// The right to read a buffer on one stream.
///
/// Making the access orders the stream after the last write, and registers the stream as a reader of the buffer. All
/// work that is enqueued on the stream while the access exists therefore finds the memory allocated and unchanged. Drop
/// the access only after the work is enqueued.
#[derive(Debug)]
pub struct Access<'a> {
    allocation: &'a Allocation,
    ptr: NonNull<u8>,
    len: usize,
    stream: Stream,
    /// Whether the access is counted as an access of a reader. The value is `false` if the stream is the writer.
    joined: bool,
}

impl<'a> Access<'a> {
    pub(crate) fn new(allocation: &'a Allocation, offset: usize, len: usize, stream: &Stream) -> Result<Self> {
        let joined = allocation.begin_read(stream)?;
        // SAFETY: the caller (`Buffer`) guarantees that the range from `offset` to `offset + len` lies within the
        // allocation.
        let ptr = unsafe { allocation.ptr().add(offset) };
        Ok(Self { allocation, ptr, len, stream: stream.clone(), joined })
    }

    /// Returns the address of the first byte, for the parameters of kernels. Whether a device can dereference the
    /// address depends on the memory of the buffer.
    pub fn address(&self) -> u64 {
        self.ptr.as_ptr().expose_provenance() as u64
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the length is 0.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the bytes as values of `T`, for code on the CPU. If the access is for a deferred CPU stream, the call
    /// first runs the work that is enqueued on the stream.
    ///
    /// # Errors
    /// * [`NotHostAccessible`](MemoryError::NotHostAccessible) when the CPU cannot access the memory, or when the
    ///   access is for a GPU stream. Code on the CPU does not wait for the work of a GPU stream.
    /// * [`Misaligned`](MemoryError::Misaligned) when the address or the length does not fit `T`.
    /// * Driver errors of work that is enqueued on a deferred CPU stream.
    pub fn as_slice<T: Pod>(&self) -> Result<&[T]> {
        check_host(self.allocation, &self.stream)?;
        let len = count::<T>(self.ptr, self.len)?;
        // SAFETY: the pointer is not null, and `count` has checked the alignment and the length. `check_host` has
        // checked that the CPU can access the memory, and has run the work of the CPU stream. The range lies in one
        // live allocation. This shared access borrows the buffer, so no write happens while the slice exists.
        // Host-accessible buffers are initialized from the start (see `Buffer::uninitialized`), and every bit pattern
        // is a valid `T: Pod`.
        Ok(unsafe { std::slice::from_raw_parts(self.ptr.as_ptr().cast::<T>(), len) })
    }
}

// SAFETY: `&Access` gives only the address, and slices of plain values. Nothing writes these values while the access
// exists. The allocation and the stream are `Send` and `Sync`.
unsafe impl Send for Access<'_> {}
// SAFETY: the argument for `Send` also holds for `Sync`.
unsafe impl Sync for Access<'_> {}

impl Drop for Access<'_> {
    fn drop(&mut self) {
        self.allocation.end_read(&self.stream, self.joined);
    }
}

/// The right to write a buffer on one stream. While the access exists, no other access to the buffer exists. The stream
/// is ordered after every earlier use of the buffer.
#[derive(Debug)]
pub struct AccessMut<'a> {
    /// The allocation is borrowed exclusively for `'a`. If the access has been split, all parts share the exclusive
    /// borrow.
    allocation: &'a Allocation,
    ptr: NonNull<u8>,
    len: usize,
    stream: Stream,
}

impl<'a> AccessMut<'a> {
    pub(crate) fn new(allocation: &'a mut Allocation, offset: usize, len: usize, stream: &Stream) -> Result<Self> {
        allocation.begin_write(stream)?;
        // SAFETY: the caller (`Buffer`) guarantees that the range from `offset` to `offset + len` lies within the
        // allocation.
        let ptr = unsafe { allocation.ptr().add(offset) };
        Ok(Self { allocation, ptr, len, stream: stream.clone() })
    }

    /// Returns the address of the first byte, for the parameters of kernels. Whether a device can dereference the
    /// address depends on the memory of the buffer.
    pub fn address(&self) -> u64 {
        self.ptr.as_ptr().expose_provenance() as u64
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the length is 0.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Returns the bytes as mutable values of `T`, for code on the CPU. If the access is for a deferred CPU stream, the
    /// call first runs the work that is enqueued on the stream.
    ///
    /// # Errors
    /// The errors of [`Access::as_slice`].
    pub fn as_mut_slice<T: Pod>(&mut self) -> Result<&mut [T]> {
        check_host(self.allocation, &self.stream)?;
        let len = count::<T>(self.ptr, self.len)?;
        // SAFETY: the pointer is not null, and `count` has checked the alignment and the length. `check_host` has
        // checked that the CPU can access the memory, and has run the work of the CPU stream. The range lies in one
        // live allocation. The access was made from `&mut` of the only reference, and split accesses do not overlap,
        // so the use is exclusive. Host-accessible buffers are initialized from the start (see
        // `Buffer::uninitialized`), and every bit pattern is a valid `T: Pod`.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.ptr.as_ptr().cast::<T>(), len) })
    }

    #[cfg(test)]
    pub(crate) fn allocation_accesses(&self) -> usize {
        self.allocation.live_accesses()
    }

    /// Sets the bytes of the range `bytes` to `value`, in the order of the stream of the access. The call does not
    /// wait.
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
    /// * [`OutOfRange`](MemoryError::OutOfRange) when the range exceeds the access.
    /// * [`NotHostAccessible`](MemoryError::NotHostAccessible) for a CPU stream when the CPU cannot access the
    ///   memory.
    /// * [`DeviceMismatch`](MemoryError::DeviceMismatch) for a GPU stream and memory of the CPU.
    /// * Driver errors of the fill.
    pub fn fill(&mut self, bytes: Range<usize>, value: u8) -> Result<()> {
        let (offset, len) = (bytes.start, bytes.len());
        if bytes.end > self.len {
            return Err(MemoryError::OutOfRange { offset, len, size: self.len });
        }
        check_reach(self.allocation.device(), self.allocation.host_accessible(), &self.stream)?;
        if len > 0 {
            // SAFETY: the range lies within the access, and `check_reach` has checked that work on the stream can
            // access the memory. The access is unique, so no other work uses the bytes until the enqueued fill has
            // run.
            unsafe { self.stream.fill(self.address() + offset as u64, value, len)? };
        }
        Ok(())
    }

    /// Copies the bytes of `source` to the first bytes of this access, in the order of the stream. `source` must be an
    /// access for the same stream. The call does not wait. A copy from pinned memory to a GPU needs no staging buffer.
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
    /// * [`OutOfRange`](MemoryError::OutOfRange) when `source` is longer than this access.
    /// * [`DeviceMismatch`](MemoryError::DeviceMismatch) when the accesses are for different streams, or for a GPU
    ///   stream and memory of the CPU.
    /// * [`NotHostAccessible`](MemoryError::NotHostAccessible) for a CPU stream when the CPU cannot access both
    ///   memories.
    /// * Driver errors of the copy.
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
            // SAFETY: both ranges have `source.len` bytes. The ranges are disjoint, because this access is unique.
            // `check_reach` has checked that work on the stream can access both. Both accesses are for the stream, so
            // no conflicting work runs until the copy has run.
            unsafe { self.stream.copy(self.address(), source.address(), source.len, CopyKind::DeviceToDevice)? };
        }
        Ok(())
    }

    /// Splits off the first `len` bytes as a separate access. Two threads may then write the two parts concurrently.
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
    /// * [`OutOfRange`](MemoryError::OutOfRange) when `len` exceeds the access. The access is then unchanged.
    pub fn split_off_front(&mut self, len: usize) -> Result<Self> {
        let Some(rest) = self.len.checked_sub(len) else {
            return Err(MemoryError::OutOfRange { offset: 0, len, size: self.len });
        };
        self.allocation.split_write();
        let front = Self { allocation: self.allocation, ptr: self.ptr, len, stream: self.stream.clone() };
        // SAFETY: `len` is at most the length of the range, as `checked_sub` has checked.
        self.ptr = unsafe { self.ptr.add(len) };
        self.len = rest;
        Ok(front)
    }

    /// Returns the same slice as [`as_mut_slice`](Self::as_mut_slice). The slice has the lifetime of the borrowed
    /// buffer instead of the lifetime of the access.
    ///
    /// # Errors
    /// The errors of [`Access::as_slice`].
    pub fn into_mut_slice<T: Pod>(mut self) -> Result<&'a mut [T]> {
        let (ptr, len) = {
            let slice = self.as_mut_slice::<T>()?;
            (slice.as_mut_ptr(), slice.len())
        };
        // SAFETY: `as_mut_slice` returned the same pointer and length, so the slice is valid. The buffer stays
        // exclusively borrowed for `'a`, and `self` ends here, so no other reference to the bytes exists.
        Ok(unsafe { std::slice::from_raw_parts_mut(ptr, len) })
    }
}

impl Drop for AccessMut<'_> {
    fn drop(&mut self) {
        self.allocation.end_write();
    }
}

// SAFETY: the access has exclusive use of its memory. A move of the access to another thread also moves the exclusive
// use. The allocation and the stream are `Send` and `Sync`.
unsafe impl Send for AccessMut<'_> {}
// SAFETY: `&AccessMut` gives only the address, the length and the stream, and does not reach the bytes.
unsafe impl Sync for AccessMut<'_> {}

pub(crate) fn check_host(allocation: &Allocation, stream: &Stream) -> Result<()> {
    if !allocation.host_accessible() || !stream.device().is_cpu() {
        return Err(MemoryError::NotHostAccessible { device: allocation.device() });
    }
    Ok(stream.settle()?)
}

pub(crate) fn count<T>(ptr: NonNull<u8>, len: usize) -> Result<usize> {
    let (align, width) = (align_of::<T>(), size_of::<T>());
    if width == 0 || !ptr.cast::<T>().is_aligned() || !len.is_multiple_of(width) {
        return Err(MemoryError::Misaligned { align, width });
    }
    Ok(len / width)
}
