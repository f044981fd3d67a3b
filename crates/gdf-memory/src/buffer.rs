//! Buffers: shared, immutable bytes with stream-ordered lifetimes.

use std::ptr::NonNull;
use std::sync::Arc;

use gdf_driver::{CopyKind, Device, Stream, memory};

use crate::allocation::{Allocation, Holder, Memory};
use crate::large_pages::ask_for_large_pages;
use crate::resource::check_reach;
use crate::shared::Shared;
use crate::{Access, AccessMut, BUFFER_ALIGNMENT, BUFFER_PADDING, MemoryError, Owner, ResourceRef, Result, staging};

/// A range of bytes on one device. After the bytes are written, a buffer is immutable. Clones and slices share the
/// memory. Slicing takes constant time.
///
/// # The lifetime rule
/// A buffer remembers the stream that wrote the bytes (the writer) and the streams that read the bytes (the readers).
///
/// * A read on another stream makes the reading stream wait for the writer, once. The reading stream then joins the
///   readers.
/// * A write needs the only reference to the memory. The writing stream waits for the writer and for all readers, and
///   becomes the writer.
/// * When the last reference is dropped, the writer waits for the readers. The memory is then freed in the order of
///   the writer.
///
/// If a buffer is used on only one stream, as most buffers are, no event is needed. The waits make streams wait, and do
/// not block the CPU. There is one exception: code on the CPU blocks when it reads bytes that a GPU stream has not yet
/// written.
///
/// Memory that a resource allocated is aligned to [`BUFFER_ALIGNMENT`] and padded to [`BUFFER_PADDING`].
///
/// # Access from the CPU
/// A buffer does not dereference to a slice, not even a buffer in CPU memory. Code on the CPU gets the bytes in two
/// ways. [`to_host`](Self::to_host) copies the bytes. [`Access::as_slice`] borrows the bytes, and returns an error for
/// memory that the CPU cannot read. The following functions do not compile:
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
/// An access cannot outlive its buffer. While an access for writing exists, no other access can be made. The following
/// functions do not compile:
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Zeros,
    Anything,
}

/// Sets the padding of a new block to zero, in the order of `stream`, which must be a CPU stream.
fn clear_padding(ptr: NonNull<u8>, bytes: usize, padded: usize, stream: &Stream) -> Result<()> {
    struct Padding(NonNull<u8>, usize);
    // SAFETY: `Padding` is only an address and a length. The bytes are the padding of a new block, so no other thread
    // uses the bytes.
    unsafe impl Send for Padding {}
    impl Padding {
        fn clear(self) {
            // SAFETY: `allocate` made the block of `padded` bytes, so the range lies within the block, and the CPU
            // can access the block. The block is freed in the order of `stream`, after this write.
            unsafe { self.0.write_bytes(0, self.1) };
        }
    }
    // SAFETY: `bytes` is at most `padded`, the size of the block.
    let padding = Padding(unsafe { ptr.add(bytes) }, padded - bytes);
    Ok(stream.enqueue(move || padding.clear())?)
}

/// Returns whether the memory comes from a resource and its address was never exposed.
fn is_ours(allocation: &Allocation) -> bool {
    allocation.foreign_owner().is_none() && !allocation.is_exposed()
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

    /// Allocates `bytes` bytes for writing on `stream`. The content is unspecified.
    ///
    /// If the CPU can access the memory, safe code may read the memory. Therefore such memory is always initialized:
    /// the memory holds zeros, or bytes that this process wrote to a buffer earlier. On the CPU the padding is zero.
    ///
    /// # Errors
    /// * [`OutOfMemory`](MemoryError::OutOfMemory) when the resource has no memory for the request.
    /// * [`DeviceMismatch`](MemoryError::DeviceMismatch) when `stream` belongs to another device than the resource.
    pub fn uninitialized<'r>(bytes: usize, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        Self::allocate(bytes, stream, mr.into(), Content::Anything)
    }

    /// Allocates `bytes` bytes, all zero.
    ///
    /// # Errors
    /// The errors of [`uninitialized`](Self::uninitialized).
    pub fn zeroed<'r>(bytes: usize, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        Self::allocate(bytes, stream, mr.into(), Content::Zeros)
    }

    /// Copies `bytes` from CPU memory to the device of `stream`. The caller may change or free the slice when the call
    /// returns. On a GPU, the transfer goes through pinned memory and may still run at that time.
    ///
    /// # Errors
    /// The errors of [`uninitialized`](Self::uninitialized), and driver errors of the transfer.
    pub fn from_host<'r>(bytes: &[u8], stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<Self> {
        let mr = mr.into();
        let mut buffer = Self::uninitialized(bytes.len(), stream, mr)?;
        if bytes.is_empty() {
            return Ok(buffer);
        }
        buffer.write_on(stream)?.copy_from_host(0, bytes)?;
        Ok(buffer)
    }

    /// Makes a buffer of foreign memory. `owner` keeps the memory alive, and is dropped after the last use of the
    /// memory. `stream` becomes the writer of the buffer. The buffer never writes the memory and never reads outside of
    /// the `len` bytes.
    ///
    /// # Safety
    /// * `ptr` is valid for reads of `len` bytes by work on `device` until `owner` is dropped, and nobody writes to
    ///   these bytes.
    /// * For [`Device::Cpu`] the bytes are initialized.
    /// * `stream` belongs to `device`. All work that wrote the memory precedes the work that is enqueued on `stream`
    ///   after the call.
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

    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the length is 0.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the device that the bytes belong to.
    pub fn device(&self) -> Device {
        self.allocation.device()
    }

    /// Returns the number of bytes of the whole allocation, padding included. The number is 0 for foreign memory.
    pub fn allocated_bytes(&self) -> usize {
        self.allocation.bytes()
    }

    /// Sets the length of the buffer to `len` bytes.
    pub(crate) fn set_len(&mut self, len: usize) {
        debug_assert!(self.offset + len <= self.allocated_bytes());
        self.len = len;
    }

    /// Returns the owner of foreign memory. Returns `None` for memory that a resource allocated.
    pub fn foreign_owner(&self) -> Option<&Arc<dyn Owner>> {
        self.allocation.foreign_owner()
    }

    /// Returns the offset in bytes of the first byte of this buffer from the start of the allocation.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns a buffer for the `len` bytes from `offset` on. The new buffer shares the memory.
    ///
    /// # Errors
    /// [`OutOfRange`](MemoryError::OutOfRange) when the range exceeds this buffer.
    pub fn slice(&self, offset: usize, len: usize) -> Result<Self> {
        if offset.checked_add(len).is_none_or(|end| end > self.len) {
            return Err(MemoryError::OutOfRange { offset, len, size: self.len });
        }
        Ok(Self { allocation: self.allocation.clone(), offset: self.offset + offset, len })
    }

    /// Returns whether the two buffers share one allocation.
    pub fn same_allocation(&self, other: &Self) -> bool {
        self.allocation.ptr_eq(&other.allocation)
    }

    /// Returns whether the buffer can be written in place. Three conditions must hold. The memory comes from a
    /// resource. This buffer is the only reference to the memory. The address was never exposed.
    pub fn is_unique(&mut self) -> bool {
        self.sole_owner().is_some_and(|allocation| is_ours(allocation))
    }

    /// Returns the allocation if this buffer is its only owner.
    fn sole_owner(&mut self) -> Option<&mut Allocation> {
        if self.allocation.is_watched() {
            let spill = self.allocation.uses().spill.clone()?;
            if !spill.leave_if(&|| self.allocation.owners() == 1) {
                return None;
            }
            self.allocation.unwatch();
        }
        self.allocation.get_mut()
    }

    pub(crate) fn allocation(&self) -> &Shared<Allocation> {
        &self.allocation
    }

    /// Takes the memory from a new buffer, which has no other owner.
    pub(crate) fn into_memory(self) -> Option<Memory> {
        let resource = self.allocation.uses().resource.take()?;
        Some(Memory { ptr: self.allocation.ptr(), resource })
    }

    /// Returns the bytes of a whole allocation, padding included.
    pub(crate) fn of_allocation(allocation: &Shared<Allocation>) -> Self {
        Self { allocation: allocation.clone(), offset: 0, len: allocation.bytes() }
    }

    /// Returns an access for reading on `stream`; see the lifetime rule.
    ///
    /// # Errors
    /// Driver errors of ordering the streams. If the bytes are spilled, also the errors of bringing them back:
    /// [`OutOfMemory`](MemoryError::OutOfMemory) and [`Spill`](MemoryError::Spill).
    pub fn read_on<'a>(&'a self, stream: &Stream) -> Result<Access<'a>> {
        Access::new(&self.allocation, self.offset, self.len, stream)
    }

    /// Returns an access for writing on `stream`; see the lifetime rule.
    ///
    /// # Errors
    /// * [`Shared`](MemoryError::Shared) when other references exist, the memory is foreign, or the address was
    ///   exposed.
    /// * Driver errors of ordering the streams.
    pub fn write_on<'a>(&'a mut self, stream: &Stream) -> Result<AccessMut<'a>> {
        self.write_part_on(0, self.len, stream)
    }

    /// Returns an access for writing the `len` bytes from `offset` on. In all other respects the function does the same
    /// as [`write_on`](Self::write_on).
    ///
    /// # Errors
    /// The errors of [`write_on`](Self::write_on); [`OutOfRange`](MemoryError::OutOfRange) when the range exceeds
    /// this buffer.
    pub fn write_part_on<'a>(&'a mut self, offset: usize, len: usize, stream: &Stream) -> Result<AccessMut<'a>> {
        if offset.checked_add(len).is_none_or(|end| end > self.len) {
            return Err(MemoryError::OutOfRange { offset, len, size: self.len });
        }
        let first = self.offset + offset;
        let allocation = self.sole_owner().ok_or(MemoryError::Shared)?;
        if !is_ours(allocation) {
            return Err(MemoryError::Shared);
        }
        AccessMut::new(allocation, first, len, stream)
    }

    /// Returns an access for writing on `stream`. If the buffer cannot be written in place (see
    /// [`is_unique`](Self::is_unique)), the function first replaces the buffer by a copy in memory of `mr`.
    ///
    /// # Errors
    /// The errors of [`uninitialized`](Self::uninitialized), and driver errors of the copy and of ordering the
    /// streams.
    pub fn make_mut<'r, 'a>(&'a mut self, stream: &Stream, mr: impl Into<ResourceRef<'r>>) -> Result<AccessMut<'a>> {
        let mr = mr.into();
        if !self.is_unique() {
            *self = self.deep_copy(stream, mr)?;
        }
        self.write_on(stream)
    }

    /// Makes `stream` the writer of the buffer. Work on `stream` waits, on the device, for all earlier uses of the
    /// buffer. The memory will be freed in the order of `stream`.
    ///
    /// # Errors
    /// The errors of [`write_on`](Self::write_on).
    pub fn rebind(&mut self, stream: &Stream) -> Result<()> {
        self.write_on(stream).map(|_| ())
    }

    /// Copies the bytes to memory of `mr`, on the same device, in the order of `stream`.
    ///
    /// `mr` can be a [`PinnedResource`](crate::PinnedResource), or a pool over a pinned resource. The function then
    /// copies bytes of a GPU to memory that the CPU can access, without blocking the CPU. The first read of the copy on
    /// a CPU stream waits for the transfer.
    ///
    /// # Errors
    /// * The errors of [`uninitialized`](Self::uninitialized).
    /// * [`DeviceMismatch`](MemoryError::DeviceMismatch) when `mr` belongs to another device than the buffer.
    /// * [`NotHostAccessible`](MemoryError::NotHostAccessible) when `stream` is a CPU stream and the CPU cannot
    ///   access both memories.
    /// * Driver errors of the copy.
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
            // SAFETY: both ranges have `len` bytes, and the new allocation makes the ranges disjoint. The accesses
            // keep both ranges valid and free of conflicting work until the copy on `stream` has run. `check_reach`
            // has checked that work on `stream` can access both ranges.
            unsafe { stream.copy(target.address(), source.address(), self.len, CopyKind::DeviceToDevice)? };
        }
        Ok(copy)
    }

    /// Moves managed memory to the device of `stream`, in the order of `stream`, without waiting (RMM's `prefetch`).
    /// Later kernels on that device cause no page faults. If the memory is not managed, or if `stream` is a CPU stream,
    /// nothing is moved and the result is `false`.
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
        // SAFETY: the range lies in the live allocation. The access orders the free of the bytes after the
        // work on `stream`, so the bytes stay allocated until the prefetch has run.
        Ok(unsafe { memory::prefetch(access.address(), self.len, stream)? })
    }

    /// Copies the bytes to a new vector on the CPU. If the memory belongs to a GPU, the call waits for the transfer on
    /// `stream`.
    ///
    /// # Errors
    /// * Driver errors of the transfer and of ordering the streams.
    /// * [`OutOfMemory`](MemoryError::OutOfMemory) when the vector cannot be allocated.
    /// * [`NotHostAccessible`](MemoryError::NotHostAccessible) when `stream` is a CPU stream and the CPU cannot
    ///   access the memory.
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
        // SAFETY: `try_reserve_exact` reserved `len` bytes, and `staging::to_host` initialized all `len` bytes.
        unsafe { bytes.set_len(self.len) };
        Ok(bytes)
    }

    /// Returns whether code on the CPU can access the memory. Before the CPU reads the bytes, the work that writes the
    /// bytes must also have completed.
    pub fn host_accessible(&self) -> bool {
        self.allocation.host_accessible()
    }

    /// Returns the stream of the last or current write.
    pub fn writer(&self) -> Stream {
        self.allocation.writer()
    }

    /// Calls `see` with each stream that uses the allocation. The first call is for the writer. `see` must not use the
    /// buffer, because the lock of the allocation is held during the call.
    #[doc(hidden)]
    pub fn for_each_user(&self, see: &mut dyn FnMut(&Stream)) {
        self.allocation.for_each_user(see);
    }

    /// Returns whether the allocation has `count` references, this buffer included, and could be written in place if
    /// this buffer were the only one. A thread that spills the bytes holds a reference, too.
    #[doc(hidden)]
    pub fn is_unique_among(&self, count: usize) -> bool {
        is_ours(&self.allocation) && self.allocation.owners() == count
    }

    /// Returns whether other references to the allocation exist.
    #[doc(hidden)]
    pub fn is_shared(&mut self) -> bool {
        self.sole_owner().is_none()
    }

    /// Records that other code may use the address for an unlimited time. From then on, the bytes are never written in
    /// place and never spilled. If the bytes are spilled, the call brings them back; see
    /// [`SpillManager`](crate::SpillManager).
    ///
    /// # Errors
    /// Errors of bringing spilled bytes back: [`OutOfMemory`](MemoryError::OutOfMemory),
    /// [`Spill`](MemoryError::Spill), and driver errors. The buffer is then not exposed.
    pub fn expose(&self) -> Result<()> {
        let mut uses = self.allocation.uses();
        if let Some(spill) = self.allocation.stop_spilling(&mut uses)? {
            spill.count_exposure(self.allocated_bytes());
            // The guard `uses` locks the allocation. Until the guard is dropped, no other thread can make the
            // allocation spillable again.
            spill.leave();
            self.allocation.unwatch();
        }
        self.allocation.set_exposed();
        Ok(())
    }

    /// Brings spilled bytes back. From now on, no [`SpillManager`](crate::SpillManager) moves the bytes, until one
    /// watches the buffer again. In contrast to [`expose`](Self::expose), the bytes can still be written in place. If
    /// another thread is spilling the bytes, the function waits for that thread.
    ///
    /// # Errors
    /// The errors of [`expose`](Self::expose).
    pub fn keep_resident(&self) -> Result<()> {
        let mut uses = self.allocation.uses();
        let Some(spill) = self.allocation.stop_spilling(&mut uses)? else { return Ok(()) };
        spill.leave();
        self.allocation.unwatch();
        drop(uses);
        // A thread that is copying the bytes is an owner of the allocation. The thread may need the lock on `uses`
        // before it lets go.
        spill.leave_if(&|| true);
        Ok(())
    }

    /// Returns whether other code may know the address; see [`expose`](Self::expose).
    pub fn is_exposed(&self) -> bool {
        self.allocation.is_exposed()
    }

    /// Returns the number of live accesses to the allocation on all streams. An access of [`read_on`](Self::read_on) or
    /// [`write_on`](Self::write_on) is live until the access is dropped.
    ///
    /// Spilling uses this number. If the number is above 0, the owner of an access may still enqueue work with the
    /// address, so the memory must not be moved. A slice of [`AccessMut::into_mut_slice`] is not counted, because a
    /// buffer that is written is not spillable.
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

    /// Returns the address of the first byte. In contrast to an access, the function orders no stream.
    ///
    /// # Safety
    /// The caller must order each use of the address after the work of the writer, and before the last reference is
    /// dropped. If a [`SpillManager`](crate::SpillManager) may move the bytes, the address is only valid while an
    /// access is live or after [`expose`](Self::expose).
    pub unsafe fn danger_address(&self) -> u64 {
        self.allocation.ptr().as_ptr().wrapping_add(self.offset).expose_provenance() as u64
    }
}
