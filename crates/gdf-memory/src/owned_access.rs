//! Accesses that own a clone of the buffer.

use std::ptr::NonNull;

use bytemuck::Pod;
use gdf_driver::Stream;

use crate::access::{check_host, count};
use crate::{Buffer, Result};

/// A clone of a buffer with the right to read the buffer on one stream. In contrast to an [`Access`](crate::Access),
/// the type has no lifetime. Structures without lifetimes can therefore store an `OwnedAccess` beside the address. The
/// bytes are not spilled while the value exists.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use gdf::Stream;
/// use gdf::memory::{Buffer, HostResource, OwnedAccess, Resource};
///
/// let (stream, resource) = (Stream::cpu(), Resource::new(HostResource::new()));
/// let buffer = Buffer::from_host(b"columnar", &stream, resource.as_ref())?;
/// let access = OwnedAccess::new(buffer, &stream)?;
/// assert_eq!((access.buffer().live_accesses(), access.as_slice::<u8>()?), (1, &b"columnar"[..]));
/// # Ok::<(), gdf_memory::MemoryError>(())
/// ```
#[derive(Debug)]
pub struct OwnedAccess {
    buffer: Buffer,
    stream: Stream,
    /// Whether the access is counted as an access of a reader. The value is `false` if the stream is the writer.
    joined: bool,
}

impl OwnedAccess {
    /// Begins a read of `buffer` on `stream`; see [`Buffer::read_on`].
    ///
    /// # Errors
    /// The errors of [`Buffer::read_on`].
    pub fn new(buffer: Buffer, stream: &Stream) -> Result<Self> {
        let joined = buffer.allocation().begin_read(stream)?;
        Ok(Self { buffer, stream: stream.clone(), joined })
    }

    /// Returns the buffer.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Returns the stream of the access.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Returns the address of the first byte; see [`Access::address`](crate::Access::address).
    pub fn address(&self) -> u64 {
        self.ptr().as_ptr().expose_provenance() as u64
    }

    /// Returns the bytes as values of `T`, for code on the CPU; see [`Access::as_slice`](crate::Access::as_slice).
    ///
    /// # Errors
    /// The errors of [`Access::as_slice`](crate::Access::as_slice).
    pub fn as_slice<T: Pod>(&self) -> Result<&[T]> {
        check_host(self.buffer.allocation(), &self.stream)?;
        let (ptr, len) = (self.ptr(), count::<T>(self.ptr(), self.buffer.len())?);
        // SAFETY: as in `Access::as_slice`. The clone of the buffer is a reference to the memory, so no write happens
        // while the slice borrows the clone.
        Ok(unsafe { std::slice::from_raw_parts(ptr.as_ptr().cast::<T>(), len) })
    }

    fn ptr(&self) -> NonNull<u8> {
        // SAFETY: the range of a buffer lies within its allocation. The access, which is live, keeps the address.
        unsafe { self.buffer.allocation().ptr().add(self.buffer.offset()) }
    }
}

impl Drop for OwnedAccess {
    fn drop(&mut self) {
        self.buffer.allocation().end_read(&self.stream, self.joined);
    }
}
