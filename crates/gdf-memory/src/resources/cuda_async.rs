//! Pools of the driver's own stream-ordered allocator (RMM's `cuda_async_memory_resource` and `cuda_async_view_…`).

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

use gdf_driver::{Device, Stream, memory};

use super::cuda::{DEVICE_ONLY, MAX_ALIGN, free, free_on, open, pointer};
use super::{ask_driver, check_alignment, check_size, dangling};
use crate::allocation::usable_here;
use crate::{MemoryError, MemoryResource, Properties, Result};

/// Sizes of a pool of the driver, and whether it can be shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CudaAsyncOptions {
    initial: usize,
    keep: u64,
    export: ExportHandle,
}

/// How a pool of the driver can be shared with other processes, through
/// [`pool_handle`](CudaAsyncResource::pool_handle) and the driver's functions for that. What a system does not have is refused
/// when the pool is made.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExportHandle {
    /// Not at all.
    #[default]
    None,
    /// By a file descriptor, on Linux.
    PosixFileDescriptor,
    /// By an NT handle, on Windows.
    Win32,
    /// By a D3DKMT handle, on Windows.
    Win32Kmt,
    /// By a handle of the fabric between machines.
    Fabric,
}

impl ExportHandle {
    /// As the driver's `CUmemAllocationHandleType`.
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
    /// Nothing up front; what is given back stays in the pool.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes so many bytes from the system when the pool is made.
    pub fn initial(self, bytes: usize) -> Self {
        Self { initial: bytes, ..self }
    }

    /// Keeps at most so many bytes that nothing uses when a stream or an event is waited for.
    pub fn release_threshold(self, bytes: u64) -> Self {
        Self { keep: bytes, ..self }
    }

    /// Makes a pool that can be shared with other processes.
    pub fn export_handle(self, export: ExportHandle) -> Self {
        Self { export, ..self }
    }
}

/// A pool of the driver's own stream-ordered allocator. Unless told otherwise it keeps what is given back, so that
/// allocation in steady state does not reach the operating system, and reserves nothing up front.
///
/// A thread must not end while its [`Stream::per_thread`] is at work on memory of such a pool: the driver does not return from
/// the end of that thread (seen with R580). Other streams, and memory of other resources, have no such bounds.
#[derive(Clone, Debug)]
pub struct CudaAsyncResource {
    device: Device,
    pool: Arc<memory::RawPool>,
}

impl CudaAsyncResource {
    /// A new pool on `device`.
    ///
    /// # Errors
    /// Those of opening `device`; [`DeviceMismatch`](MemoryError::DeviceMismatch) for the CPU.
    pub fn new(device: Device) -> Result<Self> {
        Self::with_options(device, CudaAsyncOptions::new())
    }

    /// A new pool on `device` with the given sizes.
    ///
    /// # Errors
    /// As [`new`](Self::new); [`OutOfMemory`](MemoryError::OutOfMemory) for the initial size; the driver's for an
    /// [`ExportHandle`] that the system does not have.
    pub fn with_options(device: Device, options: CudaAsyncOptions) -> Result<Self> {
        open(device)?;
        let resource = Self { device, pool: Arc::new(memory::pool_create(device, options.export.code())?) };
        memory::pool_keep(&resource.pool, options.keep)?;
        if options.initial > 0 {
            let stream = Stream::default_for(device)?;
            let block = resource.allocate(options.initial, MAX_ALIGN, &stream)?;
            // SAFETY: allocated just above with the same size and alignment; nothing uses it.
            unsafe { resource.deallocate(block, options.initial, MAX_ALIGN, &stream) };
        }
        Ok(resource)
    }

    /// The driver's own pool of `device`, which other libraries of the process may use too. Its settings are left as they
    /// are, and it lives on when this goes.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn default_pool(device: Device) -> Result<Self> {
        open(device)?;
        Ok(Self { device, pool: Arc::new(memory::pool_default(device)?) })
    }

    /// A pool that somebody else created on `device` and destroys (RMM's `cuda_async_view_memory_resource`). Its settings are
    /// left as they are.
    ///
    /// # Safety
    /// `pool` is a `CUmemoryPool` of `device` and outlives all clones of the result and all memory of it.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub unsafe fn view(device: Device, pool: *mut c_void) -> Result<Self> {
        open(device)?;
        // SAFETY: the caller's promise.
        Ok(Self { device, pool: Arc::new(unsafe { memory::pool_from_raw(device, pool)? }) })
    }

    /// The driver's handle of the pool, a `CUmemoryPool`, valid as long as a clone of this lives.
    pub fn pool_handle(&self) -> *mut c_void {
        self.pool.raw()
    }

    /// Bytes that the pool holds, in use or not.
    ///
    /// # Errors
    /// Driver errors.
    pub fn reserved_bytes(&self) -> Result<u64> {
        Ok(memory::pool_reserved(&self.pool)?)
    }

    /// Bytes in use.
    ///
    /// # Errors
    /// Driver errors.
    pub fn used_bytes(&self) -> Result<u64> {
        Ok(memory::pool_used(&self.pool)?)
    }
}

// SAFETY: blocks come from the driver's stream-ordered pool, which keeps exactly this contract.
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
            // The pool takes blocks back on its own device's streams only: a CPU stream may have been the last to write.
            // SAFETY: the block came from this pool and is given back once; its uses precede on the stream.
            return unsafe { free_on(self.device, ptr, stream) };
        }
        let freed = usable_here(stream).and_then(|stream| {
            // SAFETY: the block came from this pool and is given back once; its uses precede on the stream.
            unsafe { memory::free_async(ptr.as_ptr().expose_provenance() as u64, &stream) }
        });
        if let Err(error) = freed {
            tracing::warn!(%error, "device memory is leaked");
        }
    }

    unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, _align: usize) {
        if bytes > 0 {
            // SAFETY: the block came from this pool and is given back once; its uses are over. The driver takes blocks of
            // its pools here, too, and then waits for nothing.
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
