//! Pools of the driver's stream-ordered allocator (RMM's `cuda_async_memory_resource` and `cuda_async_view_…`).

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use gdf_driver::{Device, Stream, memory};

use super::cuda::{DEVICE_ONLY, MAX_ALIGN, free, free_on, open, pointer};
use super::{ask_driver, check_alignment, check_size, dangling};
use crate::allocation::usable_here;
use crate::{MemoryError, MemoryResource, Properties, Result};

/// Options of a pool of the driver: its sizes, and whether other processes can share the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CudaAsyncOptions {
    initial: usize,
    keep: u64,
    export: ExportHandle,
}

/// The type of the handle with which other processes can share a pool of the driver. A program exports the pool with
/// [`pool_handle`](CudaAsyncResource::pool_handle) and the driver's export functions. If the system does not support
/// the handle type, the pool cannot be made.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExportHandle {
    /// The pool cannot be shared.
    #[default]
    None,
    /// A file descriptor (Linux).
    PosixFileDescriptor,
    /// An NT handle (Windows).
    Win32,
    /// A D3DKMT handle (Windows).
    Win32Kmt,
    /// A fabric handle, which is valid on other machines of the fabric.
    Fabric,
}

impl ExportHandle {
    /// Returns the value of this type in the driver's `CUmemAllocationHandleType`.
    fn code(self) -> i32 {
        match self {
            Self::None => 0,
            Self::PosixFileDescriptor => 1,
            Self::Win32 => 2,
            Self::Win32Kmt => 4,
            Self::Fabric => 8,
        }
    }
}

impl Default for CudaAsyncOptions {
    fn default() -> Self {
        Self { initial: 0, keep: u64::MAX, export: ExportHandle::None }
    }
}

impl CudaAsyncOptions {
    /// Makes options with an initial size of 0. The pool keeps all freed memory, and other processes cannot share the
    /// pool.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of bytes that a new pool allocates from the system.
    pub fn initial(self, bytes: usize) -> Self {
        Self { initial: bytes, ..self }
    }

    /// Sets the maximum number of unused bytes that the pool keeps. When a stream or an event is synchronized, the
    /// driver returns the unused bytes above this number to the system.
    pub fn release_threshold(self, bytes: u64) -> Self {
        Self { keep: bytes, ..self }
    }

    /// Sets the handle type by which other processes can share the pool.
    pub fn export_handle(self, export: ExportHandle) -> Self {
        Self { export, ..self }
    }
}

/// A pool of the driver's stream-ordered allocator. By default, the pool reserves no memory at first, and keeps all
/// freed memory. After the pool has grown to the needed size, allocations do not call the operating system.
///
/// A thread must not end while work on its [`Stream::per_thread`] uses memory of such a pool. Otherwise the driver
/// hangs while the thread ends (observed with driver R580). Other streams and the memory of other resources do not have
/// this restriction.
#[derive(Clone, Debug)]
pub struct CudaAsyncResource {
    device: Device,
    pool: Arc<memory::RawPool>,
}

impl CudaAsyncResource {
    /// Makes a pool on `device` with the default options.
    ///
    /// # Errors
    /// [`DeviceMismatch`](MemoryError::DeviceMismatch) for the CPU; the errors of opening `device`.
    pub fn new(device: Device) -> Result<Self> {
        Self::with_options(device, CudaAsyncOptions::new())
    }

    /// Makes a pool on `device` with `options`.
    ///
    /// # Errors
    /// * The errors of [`new`](Self::new).
    /// * [`OutOfMemory`](MemoryError::OutOfMemory) when the driver refuses the initial size.
    /// * A driver error for an [`ExportHandle`] that the system does not support.
    pub fn with_options(device: Device, options: CudaAsyncOptions) -> Result<Self> {
        open(device)?;
        let resource = Self { device, pool: Arc::new(memory::pool_create(device, options.export.code())?) };
        memory::pool_keep(&resource.pool, options.keep)?;
        if options.initial > 0 {
            let stream = Stream::default_for(device)?;
            let block = resource.allocate(options.initial, MAX_ALIGN, &stream)?;
            // SAFETY: `allocate` returned the block above with the same size and alignment, and nothing uses the
            // block.
            unsafe { resource.deallocate(block, options.initial, MAX_ALIGN, &stream) };
        }
        Ok(resource)
    }

    /// Returns the driver's default pool of `device`, which other libraries of the process may also use. The settings
    /// of the pool stay unchanged. The pool is not destroyed when the resource is dropped.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn default_pool(device: Device) -> Result<Self> {
        open(device)?;
        Ok(Self { device, pool: Arc::new(memory::pool_default(device)?) })
    }

    /// Makes a resource over a pool that other code created on `device` and will destroy (RMM's
    /// `cuda_async_view_memory_resource`). The settings of the pool stay unchanged.
    ///
    /// # Safety
    /// `pool` is a `CUmemoryPool` of `device`. The pool outlives all clones of the result and all memory that the
    /// result allocated.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub unsafe fn view(device: Device, pool: *mut c_void) -> Result<Self> {
        open(device)?;
        // SAFETY: the caller guarantees the preconditions of `pool_from_raw`: `pool` is a pool of `device` and
        // outlives the result.
        Ok(Self { device, pool: Arc::new(unsafe { memory::pool_from_raw(device, pool)? }) })
    }

    /// Returns the driver's handle of the pool, a `CUmemoryPool`. The handle is valid while a clone of this resource
    /// exists.
    pub fn pool_handle(&self) -> *mut c_void {
        self.pool.raw()
    }

    /// Returns the number of bytes that the pool holds. The number includes used and unused bytes.
    ///
    /// # Errors
    /// Driver errors.
    pub fn reserved_bytes(&self) -> Result<u64> {
        Ok(memory::pool_reserved(&self.pool)?)
    }

    /// Returns the number of bytes in use.
    ///
    /// # Errors
    /// Driver errors.
    pub fn used_bytes(&self) -> Result<u64> {
        Ok(memory::pool_used(&self.pool)?)
    }
}

// SAFETY: the blocks come from the driver's stream-ordered allocator, which guarantees disjoint blocks, an alignment
// of 256, and the order of allocation and free in the order of the stream.
unsafe impl MemoryResource for CudaAsyncResource {
    fn allocate(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        check_alignment(align, MAX_ALIGN)?;
        if bytes == 0 {
            return Ok(dangling(align));
        }
        check_size(bytes, self.device, self.name())?;
        if stream.device() != self.device {
            return Err(MemoryError::DeviceMismatch { expected: self.device, found: stream.device() });
        }
        let ask = || memory::pool_alloc(&self.pool, bytes, stream);
        let address = ask_driver(ask, bytes, self.device, self.name())?;
        pointer(address, bytes, self.name())
    }

    unsafe fn deallocate(&self, ptr: NonNull<u8>, bytes: usize, _align: usize, stream: &Stream) {
        if bytes == 0 {
            return;
        }
        if stream.device() != self.device {
            // A CPU stream may have used the block last. `free_async` accepts only streams of the pool's device.
            // SAFETY: the driver allocated the block from this pool on this device. The caller frees the block once,
            // and every use of the block precedes the free in the order of `stream`.
            return unsafe { free_on(self.device, ptr, stream) };
        }
        let freed = usable_here(stream).and_then(|stream| {
            // SAFETY: `pool_alloc` returned the block. The caller frees the block once. Every use of the block
            // precedes the free, because `usable_here` returns a stream that runs after the earlier work of the
            // caller's stream.
            unsafe { memory::free_async(ptr.as_ptr().expose_provenance() as u64, &stream) }
        });
        if let Err(error) = freed {
            tracing::warn!(%error, "device memory is leaked");
        }
    }

    unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, _align: usize) {
        if bytes > 0 {
            // SAFETY: the driver allocated the block from this pool. The caller frees the block once, and no work
            // uses the block any more. `cuMemFree` also accepts blocks of a pool, and does not wait in that case.
            unsafe { free(self.device, ptr.as_ptr().expose_provenance() as u64) };
        }
    }

    fn trim(&self) -> usize {
        let held = || memory::pool_reserved(&self.pool).unwrap_or(0);
        let before = held();
        if let Err(error) = memory::pool_trim(&self.pool, 0) {
            tracing::warn!(%error, "the driver's pool cannot be trimmed");
        }
        before.saturating_sub(held()) as usize
    }

    fn properties(&self) -> Properties {
        DEVICE_ONLY
    }

    fn device(&self) -> Device {
        self.device
    }

    fn name(&self) -> &'static str {
        "cuda_async"
    }
}
