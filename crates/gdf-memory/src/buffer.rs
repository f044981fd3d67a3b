//! Buffers: shared, immutable bytes with stream-ordered lifetimes.

use std::ptr::NonNull;
use std::sync::Arc;

use gdf_driver::{CopyKind, Device, Stream, memory};

use crate::allocation::{Allocation, Holder};
use crate::large_pages::ask_for_large_pages;
use crate::resource::check_reach;
use crate::shared::Shared;
use crate::{Access, AccessMut, BUFFER_ALIGNMENT, BUFFER_PADDING, MemoryError, Owner, ResourceRef, Result, staging};

/// A run of bytes on one device: shared by cloning, sliced in O(1), immutable once built.
///
/// # The lifetime rule
/// A buffer remembers the stream that wrote it and the streams that read it.
///
/// * Reading on another stream makes that stream wait for the writer, once, and join the readers.
/// * Writing needs the sole reference; the writing stream waits for the writer and all readers and becomes the writer.
/// * When the last reference goes, the writer waits for the readers and the memory is given back in the writer's order.
///
/// Using a buffer on one stream only, the common case, touches no event. None of these waits blocks the CPU, except
/// when CPU code itself asks for bytes that a GPU stream is still to write.
///
/// Memory that a resource allocated is aligned to [`BUFFER_ALIGNMENT`] and padded to [`BUFFER_PADDING`].
///
/// # Code for the CPU and memory of a GPU
/// A buffer is no slice and cannot be taken for one, on whichever device it is: what follows does not compile. Code on the
/// CPU gets bytes from [`to_host`](Self::to_host), which copies, or [`Access::as_slice`], which is an error for memory that
/// the CPU cannot read.
///
/// ```compile_fail,E0308
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// fn sum(bytes: &[u8]) -> u64 {
///     bytes.iter().map(|&byte| u64::from(byte)).sum()
/// }
/// fn of_a_buffer(buffer: &gdf::memory::Buffer) -> u64 {
///     sum(buffer)
/// }
/// ```
///
/// ```compile_fail,E0608
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// fn first(buffer: &gdf::memory::Buffer) -> u8 {
///     buffer[0]
/// }
/// ```
///
/// ```compile_fail,E0369
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// fn is_equal(device: &gdf::memory::Buffer, host: &[u8]) -> bool {
///     *device == *host
/// }
/// ```
///
/// ```compile_fail,E0608
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// fn first(values: &gdf::memory::DeviceVec<i32>) -> i32 {
///     values[0]
/// }
/// ```
///
/// Nor does an access outlive its buffer, or is there a reader beside a writer:
///
/// ```compile_fail,E0505
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// fn address(buffer: gdf::memory::Buffer, stream: &gdf::Stream) -> u64 {
///     let access = buffer.read_on(stream).unwrap();
///     drop(buffer);
///     access.address()
/// }
/// ```
///
/// ```compile_fail,E0502
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// fn both(buffer: &mut gdf::memory::Buffer, stream: &gdf::Stream) -> (u64, u64) {
///     let writer = buffer.write_on(stream).unwrap();
///     let reader = buffer.read_on(stream).unwrap();
///     (writer.address(), reader.address())
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Buffer {
    allocation: Shared<Allocation>,
    offset: usize,
    len: usize,
}

/// What new memory holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Zeros,
    Anything,
}

/// Zeros from the end of the bytes to the end of the block, in the order of `stream`, one of the CPU's.
fn clear_padding(ptr: NonNull<u8>, bytes: usize, padded: usize, stream: &Stream) -> Result<()> {
    struct Padding(NonNull<u8>, usize);
    // SAFETY: the padding is part of a block that nobody uses yet.
    unsafe impl Send for Padding {}
    impl Padding {
        fn clear(self) {
            // SAFETY: the range is the end of a block that is alive until work that is enqueued later gives it back.
            unsafe { self.0.write_bytes(0, self.1) };
        }
    }
    // SAFETY: `bytes` lies within the block.
    let padding = Padding(unsafe { ptr.add(bytes) }, padded - bytes);
    Ok(stream.enqueue(move || padding.clear())?)
}

/// Whether the memory is from a resource, and its address with nobody outside.
fn is_ours(allocation: &Allocation) -> bool {
    matches!(allocation.holder(), Some(Holder::Resource { .. })) && !allocation.is_exposed()
}

impl Buffer {
    fn allocate(bytes: usize, stream: &Stream, mr: ResourceRef<'_>, content: Content) -> Result<Self> {
        let resource = mr.resource();
        let device = resource.device();
        if stream.device() != device {
            return Err(MemoryError::DeviceMismatch { expected: device, found: stream.device() });
        }
        let padded = bytes.checked_next_multiple_of(BUFFER_PADDING).filter(|&padded| padded <= isize::MAX as usize);
        let refused = || MemoryError::OutOfMemory { requested: bytes, free: None, resource: resource.name() };
        let padded = padded.ok_or_else(refused)?;
        let host_accessible = resource.host_accessible();
        let mut keeper = None;
        let ptr = if padded == 0 {
            NonNull::without_provenance(const { std::num::NonZero::new(BUFFER_ALIGNMENT).expect("not zero") })
        } else if content == Content::Zeros {
            resource.allocate_zeroed(padded, BUFFER_ALIGNMENT, stream).map_err(|error| error.asked(bytes))?
        } else {
            let kept = resource.allocate_kept(padded, BUFFER_ALIGNMENT, stream, &mut keeper);
            kept.map_err(|error| error.asked(bytes))?
        };
        let holder = Holder::Resource { resource: keeper.unwrap_or_else(|| resource.to_arc()), bytes: padded };
        let allocation = Allocation::new(ptr, device, host_accessible, holder, stream);
        if content == Content::Anything && device.is_cpu() && host_accessible && padded > bytes {
            clear_padding(ptr, bytes, padded, stream)?;
        }
        Ok(Self { allocation: Shared::new(allocation), offset: 0, len: bytes })
    }

    /// Allocates `bytes` whose content is to be written on `stream`.
    ///
    /// Safe code can look at memory that the CPU can access: it holds zeros, or bytes that this process wrote to a buffer
    /// before. On the CPU the padding is zero.
    ///
    /// # Errors
    /// * [`OutOfMemory`](MemoryError::OutOfMemory), [`DeviceMismatch`](MemoryError::DeviceMismatch) when the stream is
    ///   not one of the resource's device.
    pub fn uninitialized<'r>(bytes: usize, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        Self::allocate(bytes, stream, mr.into(), Content::Anything)
    }

    /// Allocates `bytes` of zeros.
    ///
    /// # Errors
    /// As [`uninitialized`](Self::uninitialized).
    pub fn zeroed<'r>(bytes: usize, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        Self::allocate(bytes, stream, mr.into(), Content::Zeros)
    }

    /// Copies bytes of the CPU to the device of `stream`. The slice is free for other use when the call returns; on a
    /// GPU the transfer goes through pinned memory and may still be under way.
    ///
    /// # Errors
    /// As [`uninitialized`](Self::uninitialized), and driver errors of the transfer.
    pub fn from_host<'r>(bytes: &[u8], stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        let mr = mr.into();
        let mut buffer = Self::uninitialized(bytes.len(), stream, mr)?;
        if bytes.is_empty() {
            return Ok(buffer);
        }
        buffer.write_on(stream)?.copy_from_host(0, bytes)?;
        Ok(buffer)
    }

    /// Wraps memory that `owner` keeps alive, written so far on `stream`. The owner is dropped when nothing uses the
    /// memory any more. The memory is never written and never read outside of its `len` bytes.
    ///
    /// # Safety
    /// * `ptr` is valid for reads of `len` bytes by work on `device` until `owner` is dropped, and nobody writes there.
    /// * For [`Device::Cpu`] the bytes are initialized.
    /// * `stream` belongs to `device`; everything that wrote the memory precedes what is enqueued on it from now on.
    pub unsafe fn from_foreign(
        device: Device,
        ptr: NonNull<u8>,
        len: usize,
        owner: Arc<dyn Owner>,
        stream: &Stream,
    ) -> Self {
        let allocation = Allocation::new(ptr, device, device.is_cpu(), Holder::Foreign(owner), stream);
        Self { allocation: Shared::new(allocation), offset: 0, len }
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Where the bytes are.
    pub fn device(&self) -> Device {
        self.allocation.device()
    }

    /// Bytes that the allocation behind this buffer holds, padding included; 0 for foreign memory.
    pub fn allocated_bytes(&self) -> usize {
        match self.allocation.holder() {
            Some(Holder::Resource { bytes, .. }) => *bytes,
            _ => 0,
        }
    }

    /// Sees other many of the allocated bytes as this buffer's, from the same first byte on. The caller keeps them within
    /// the allocation.
    pub(crate) fn set_len(&mut self, len: usize) {
        debug_assert!(self.offset + len <= self.allocated_bytes());
        self.len = len;
    }

    /// The foreign owner behind the bytes, where there is one.
    pub fn foreign_owner(&self) -> Option<&Arc<dyn Owner>> {
        match self.allocation.holder() {
            Some(Holder::Foreign(owner)) => Some(owner),
            _ => None,
        }
    }

    /// First byte of this buffer, relative to its allocation.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// `len` bytes from `offset` on, sharing the memory.
    ///
    /// # Errors
    /// [`OutOfRange`](MemoryError::OutOfRange).
    pub fn slice(&self, offset: usize, len: usize) -> Result<Self> {
        if offset.checked_add(len).is_none_or(|end| end > self.len) {
            return Err(MemoryError::OutOfRange { offset, len, size: self.len });
        }
        Ok(Self { allocation: self.allocation.clone(), offset: self.offset + offset, len })
    }

    /// Whether both share one allocation.
    pub fn same_allocation(&self, other: &Self) -> bool {
        self.allocation.ptr_eq(&other.allocation)
    }

    /// Whether this is the only reference to memory of ours, and nobody outside has its address, so that it can be written.
    pub fn is_unique(&mut self) -> bool {
        self.allocation.get_mut().is_some_and(|allocation| is_ours(allocation))
    }

    /// Leave to read on `stream`; see the lifetime rule.
    ///
    /// # Errors
    /// Driver errors of ordering the streams.
    pub fn read_on<'a>(&'a self, stream: &Stream) -> Result<Access<'a>> {
        Access::new(&self.allocation, self.offset, self.len, stream)
    }

    /// Leave to write on `stream`; see the lifetime rule.
    ///
    /// # Errors
    /// * [`Shared`](MemoryError::Shared) when there are other references, the memory is foreign, or it was exposed.
    /// * Driver errors of ordering the streams.
    pub fn write_on<'a>(&'a mut self, stream: &Stream) -> Result<AccessMut<'a>> {
        self.write_part_on(0, self.len, stream)
    }

    /// As [`write_on`](Self::write_on), for `len` bytes from `offset` on.
    ///
    /// # Errors
    /// As [`write_on`](Self::write_on); [`OutOfRange`](MemoryError::OutOfRange).
    pub fn write_part_on<'a>(&'a mut self, offset: usize, len: usize, stream: &Stream) -> Result<AccessMut<'a>> {
        if offset.checked_add(len).is_none_or(|end| end > self.len) {
            return Err(MemoryError::OutOfRange { offset, len, size: self.len });
        }
        let first = self.offset + offset;
        let allocation = self.allocation.get_mut().ok_or(MemoryError::Shared)?;
        if !is_ours(allocation) {
            return Err(MemoryError::Shared);
        }
        AccessMut::new(allocation, first, len, stream)
    }

    /// Leave to write on `stream`, after a copy when the buffer is shared.
    ///
    /// # Errors
    /// As [`uninitialized`](Self::uninitialized).
    pub fn make_mut<'r, 'a>(&'a mut self, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<AccessMut<'a>> {
        let mr = mr.into();
        if !self.is_unique() {
            *self = self.deep_copy(stream, mr)?;
        }
        self.write_on(stream)
    }

    /// Makes `stream` the one that the memory belongs to: it waits, on the device, for all uses until now, and the memory is
    /// given back in its order.
    ///
    /// # Errors
    /// As [`write_on`](Self::write_on).
    pub fn rebind(&mut self, stream: &Stream) -> Result<()> {
        self.write_on(stream).map(|_| ())
    }

    /// Copies the bytes to memory of `mr` on the same device, in the order of `stream`.
    ///
    /// With a [`PinnedResource`](crate::PinnedResource), or a pool on one, this is the way to the CPU that does not wait:
    /// reading the copy on a CPU stream waits, once, for the transfer.
    ///
    /// # Errors
    /// As [`uninitialized`](Self::uninitialized).
    pub fn deep_copy<'r>(&self, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        let mr = mr.into();
        if mr.device() != self.device() {
            return Err(MemoryError::DeviceMismatch { expected: self.device(), found: mr.device() });
        }
        let mut copy = Self::uninitialized(self.len, stream, mr)?;
        if self.len > 0 {
            check_reach(self.device(), self.host_accessible() && copy.host_accessible(), stream)?;
            let source = self.read_on(stream)?;
            let target = copy.write_on(stream)?;
            // SAFETY: both ranges are `len` bytes, disjoint, and usable on `stream` while the accesses are held.
            unsafe { stream.copy(target.address(), source.address(), self.len, CopyKind::DeviceToDevice)? };
        }
        Ok(copy)
    }

    /// Moves managed memory to the device of `stream`, in its order, before work there touches it page by page (RMM's
    /// `prefetch`). `false` for all other memory, which stays where it is. Does not wait.
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
    /// use gdf::Stream;
    /// use gdf::memory::{Buffer, HostResource, Resource};
    ///
    /// let (stream, resource) = (Stream::cpu(), Resource::new(HostResource::new()));
    /// assert_eq!(Buffer::zeroed(10, &stream, resource.as_ref())?.prefetch(&stream), Ok(false));
    /// # Ok::<(), gdf_memory::MemoryError>(())
    /// ```
    ///
    /// # Errors
    /// Driver errors.
    pub fn prefetch(&self, stream: &Stream) -> Result<bool> {
        let access = self.read_on(stream)?;
        if access.is_empty() || stream.device().is_cpu() {
            return Ok(false);
        }
        // SAFETY: the access keeps the bytes for work that is enqueued on the stream while it is held.
        Ok(unsafe { memory::prefetch(access.address(), self.len, stream)? })
    }

    /// Copies the bytes to a new vector on the CPU. Waits for `stream` when the memory is a GPU's.
    ///
    /// # Errors
    /// Driver errors; [`OutOfMemory`](MemoryError::OutOfMemory) of the vector.
    pub fn to_host(&self, stream: &Stream) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(self.len).map_err(|_| MemoryError::OutOfMemory {
            requested: self.len,
            free: None,
            resource: "vector",
        })?;
        let source = self.read_on(stream)?;
        if stream.device().is_cpu() {
            bytes.extend_from_slice(source.as_slice::<u8>()?);
            return Ok(bytes);
        }
        let spare = &mut bytes.spare_capacity_mut()[..self.len];
        ask_for_large_pages(spare);
        staging::to_host(&source, spare, stream)?;
        // SAFETY: the capacity was reserved, and all of it has been filled.
        unsafe { bytes.set_len(self.len) };
        Ok(bytes)
    }

    /// Whether code on the CPU can access the bytes, once they are written.
    pub fn host_accessible(&self) -> bool {
        self.allocation.host_accessible()
    }

    /// The stream that wrote the bytes, or is to write them.
    pub fn writer(&self) -> Stream {
        self.allocation.writer()
    }

    /// Shows the streams that use the allocation, the writer first. `see` must not use the buffer.
    #[doc(hidden)]
    pub fn for_each_user(&self, see: &mut dyn FnMut(&Stream)) {
        self.allocation.for_each_user(see);
    }

    /// Whether there are other references to the allocation.
    #[doc(hidden)]
    pub fn is_shared(&mut self) -> bool {
        self.allocation.get_mut().is_none()
    }

    /// Records that the address is known outside for good, so the bytes are never again written in place.
    pub fn expose(&self) {
        self.allocation.expose();
    }

    /// Whether the address is known outside for good.
    pub fn is_exposed(&self) -> bool {
        self.allocation.is_exposed()
    }

    /// How many accesses to the allocation there are now: those of [`read_on`](Self::read_on) and
    /// [`write_on`](Self::write_on), on whichever stream, that were not dropped yet. One that was forgotten stays.
    ///
    /// This is what spilling asks. While it is not 0 somebody has an address and is about to enqueue work with it, so the
    /// memory stays where it is; exposed memory stays for good. At 0 all work on the memory is enqueued on the streams that
    /// the buffer remembers. A slice of [`AccessMut::into_mut_slice`] is not counted: it is of memory that the CPU can
    /// access, which is not spilled.
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
    /// use gdf::Stream;
    /// use gdf::memory::{Buffer, HostResource, Resource};
    ///
    /// let (stream, resource) = (Stream::cpu(), Resource::new(HostResource::new()));
    /// let buffer = Buffer::zeroed(10, &stream, resource.as_ref())?;
    /// let access = buffer.read_on(&stream)?;
    /// assert_eq!(buffer.live_accesses(), 1);
    /// drop(access);
    /// assert_eq!(buffer.live_accesses(), 0);
    /// # Ok::<(), gdf_memory::MemoryError>(())
    /// ```
    pub fn live_accesses(&self) -> usize {
        self.allocation.live_accesses()
    }

    /// The first byte's address, outside of the rules above.
    ///
    /// # Safety
    /// Whoever uses the address orders that use after the writer and before the last reference goes.
    pub unsafe fn danger_address(&self) -> u64 {
        self.allocation.ptr().as_ptr().wrapping_add(self.offset).expose_provenance() as u64
    }
}
