//! The driver's allocation functions, for gdf-memory. The functions return plain addresses, which have no lifetimes.
#![doc(hidden)]

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

use crate::context::{self, DeviceState};
use crate::raw::{self, Handle, Pointer, PoolProperties};
use crate::{Device, DriverError, Result, Status, Stream, poison, table};

/// Allocates `bytes` of device memory, aligned to at least 256 bytes. The call may wait for the device.
///
/// Any stream can use the memory immediately.
///
/// # Errors
/// - there is not enough memory, or `bytes` is zero; the device cannot be opened or is poisoned
pub fn alloc(device: Device, bytes: usize) -> Result<u64> {
    let state = context::open(device)?;
    let _entered = state.enter()?;
    let mut address = 0u64;
    // SAFETY: `address` is writable and the device's context is current.
    unsafe { table::cuMemAlloc_v2(&mut address, bytes) }?.on(device)?;
    Ok(address)
}

/// Frees memory of [`alloc`], [`managed_alloc`] or [`pool_alloc`]. The call may wait for the device.
///
/// # Safety
/// - `address` came from one of these functions on `device`, is freed once, and no work uses the memory any more
///
/// # Errors
/// - the driver refuses the call; the device is poisoned
pub unsafe fn free(device: Device, address: u64) -> Result<()> {
    let state = context::open(device)?;
    let _entered = state.enter()?;
    // SAFETY: the caller promises an address of `alloc`, `managed_alloc` or `pool_alloc` that is freed once. This
    // driver function frees memory of all three.
    unsafe { table::cuMemFree_v2(address) }?.on(device)
}

/// Allocates `bytes` of managed memory. Both the host and the device can access the memory. The caller frees the memory
/// with [`free`].
///
/// When the host or the device accesses a page, the driver moves the page there.
///
/// # Errors
/// - there is not enough memory, or `bytes` is zero; the device cannot be opened or is poisoned
pub fn managed_alloc(device: Device, bytes: usize) -> Result<u64> {
    let state = context::open(device)?;
    let _entered = state.enter()?;
    let mut address = 0u64;
    // SAFETY: `address` is writable and the device's context is current.
    unsafe { table::cuMemAllocManaged(&mut address, bytes, raw::ATTACH_GLOBAL) }?.on(device)?;
    Ok(address)
}

/// Moves managed memory to the stream's device, in the order of the stream.
///
/// If the memory is not managed, nothing is moved and the result is `false`.
///
/// # Safety
/// - `address` is the start of `bytes` of memory, which stays allocated until the enqueued prefetch has run
///
/// # Errors
/// - the stream is not a CUDA stream; the driver refuses the call; the device is poisoned
pub unsafe fn prefetch(address: u64, bytes: usize, stream: &Stream) -> Result<bool> {
    let device = stream.device();
    if device.is_cpu() {
        return Err(DriverError::DeviceMismatch { expected: Device::Cuda(0), found: device });
    }
    let cuda = stream.as_cuda(device)?;
    let _entered = cuda.enter()?;
    let location = raw::Location::device(cuda.state.ordinal);
    // SAFETY: the caller promises allocated memory. The stream and the device are alive.
    let outcome = unsafe { table::cuMemPrefetchAsync_v2(address, bytes, location, 0, cuda.raw.0) }?;
    if outcome.status == Status::INVALID_VALUE {
        return Ok(false);
    }
    outcome.on(device)?;
    Ok(true)
}

/// A stream-ordered memory pool of the driver.
///
/// If this crate created the pool, dropping the value destroys the pool. Memory that is still allocated from the pool
/// stays valid.
pub struct RawPool {
    state: &'static DeviceState,
    raw: Handle,
    owned: bool,
}

impl std::fmt::Debug for RawPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RawPool({}, {:?})", self.state.device, self.raw.0)
    }
}

impl RawPool {
    /// Returns the device of the pool's memory.
    pub fn device(&self) -> Device {
        self.state.device
    }

    /// Returns the driver's handle, a `CUmemoryPool`. The handle is valid as long as this `RawPool` lives.
    pub fn raw(&self) -> *mut c_void {
        self.raw.0
    }

    fn get(&self, attribute: c_int) -> Result<u64> {
        poison::check(self.device())?;
        let _entered = self.state.enter()?;
        let mut value = 0u64;
        // SAFETY: the pool is alive. All attributes that this file reads have 64 bits, and `value` has 64 bits.
        let outcome = unsafe { table::cuMemPoolGetAttribute(self.raw.0, attribute, (&raw mut value).cast::<c_void>()) };
        outcome?.on(self.device())?;
        Ok(value)
    }
}

impl Drop for RawPool {
    fn drop(&mut self) {
        if !self.owned {
            return;
        }
        let destroyed = poison::check(self.device()).and_then(|()| {
            // SAFETY: the pool is alive and is not used again. The driver keeps the pool until all allocations of the
            // pool are freed.
            unsafe { table::cuMemPoolDestroy(self.raw.0) }?.on(self.device())
        });
        if let Err(error) = destroyed {
            tracing::warn!(device = %self.device(), %error, "a memory pool is leaked");
        }
    }
}

/// Creates a pool that keeps freed memory. The pool reserves no memory when it is created.
///
/// `handle_types` is a `CUmemAllocationHandleType`. The type determines how the pool can be shared with other
/// processes. If `handle_types` is 0, the pool cannot be shared.
///
/// # Errors
/// - the device does not support pools, or does not support pools that are shared in this way; the device cannot be
///   opened or is poisoned
pub fn pool_create(device: Device, handle_types: c_int) -> Result<RawPool> {
    let state = context::open(device)?;
    let _entered = state.enter()?;
    let properties = PoolProperties::on_device(state.ordinal, handle_types);
    let mut raw: Pointer = std::ptr::null_mut();
    // SAFETY: `raw` is writable and the properties are those of a device pool.
    unsafe { table::cuMemPoolCreate(&mut raw, &properties) }?.on(device)?;
    let pool = RawPool { state, raw: Handle(raw), owned: true };
    pool_keep(&pool, u64::MAX)?;
    Ok(pool)
}

/// Sets how many unused bytes the pool keeps when a thread waits for a stream or an event.
///
/// # Errors
/// - the device is poisoned
pub fn pool_keep(pool: &RawPool, mut bytes: u64) -> Result<()> {
    poison::check(pool.device())?;
    let _entered = pool.state.enter()?;
    let value = (&raw mut bytes).cast::<c_void>();
    // SAFETY: the pool is alive, and the attribute is a 64-bit number.
    unsafe { table::cuMemPoolSetAttribute(pool.raw.0, raw::POOL_RELEASE_THRESHOLD, value) }?.on(pool.device())
}

/// Returns the driver's default pool of the device. Other libraries of the process may use this pool, too.
///
/// # Errors
/// - the device does not support pools, cannot be opened or is poisoned
pub fn pool_default(device: Device) -> Result<RawPool> {
    let state = context::open(device)?;
    let _entered = state.enter()?;
    let mut raw: Pointer = std::ptr::null_mut();
    // SAFETY: `raw` is writable, and the ordinal names an opened device.
    unsafe { table::cuDeviceGetDefaultMemPool(&mut raw, state.ordinal) }?.on(device)?;
    Ok(RawPool { state, raw: Handle(raw), owned: false })
}

/// Wraps a pool that other code created and will destroy.
///
/// # Safety
/// - `raw` is a pool in the memory of `device`, and outlives the result
///
/// # Errors
/// - the device cannot be opened or is poisoned
pub unsafe fn pool_from_raw(device: Device, raw: *mut c_void) -> Result<RawPool> {
    Ok(RawPool { state: context::open(device)?, raw: Handle(raw), owned: false })
}

/// Allocates `bytes` from `pool`. The memory can be used on `stream`, and on streams that wait for `stream` after this
/// call.
///
/// # Errors
/// - there is not enough memory, or `bytes` is zero; the stream belongs to another device, or the device is poisoned
pub fn pool_alloc(pool: &RawPool, bytes: usize, stream: &Stream) -> Result<u64> {
    let cuda = stream.as_cuda(pool.device())?;
    let _entered = cuda.enter()?;
    let mut address = 0u64;
    // SAFETY: the pool and the stream are alive and belong to one device. `enter` made sure that the current context
    // fits the call.
    unsafe { table::cuMemAllocFromPoolAsync(&mut address, bytes, pool.raw.0, cuda.raw.0) }?.on(pool.device())?;
    Ok(address)
}

/// Frees memory of [`pool_alloc`] after the work that is enqueued on `stream` so far.
///
/// # Safety
/// - `address` came from [`pool_alloc`], is freed once, and every use of the memory is ordered before this call on
///   `stream`
///
/// # Errors
/// - the stream is not a CUDA stream; the driver refuses the call; the device is poisoned
pub unsafe fn free_async(address: u64, stream: &Stream) -> Result<()> {
    let device = stream.device();
    if device.is_cpu() {
        return Err(DriverError::DeviceMismatch { expected: Device::Cuda(0), found: device });
    }
    let cuda = stream.as_cuda(device)?;
    let _entered = cuda.enter()?;
    // SAFETY: the caller promises that the address came from a pool and is freed once, and that every use of the memory
    // precedes this call in the order of the stream.
    unsafe { table::cuMemFreeAsync(address, cuda.raw.0) }?.on(device)
}

/// Returns unused memory of the pool to the system. The pool keeps at least `keep_bytes` bytes.
///
/// # Errors
/// - the device is poisoned
pub fn pool_trim(pool: &RawPool, keep_bytes: usize) -> Result<()> {
    poison::check(pool.device())?;
    let _entered = pool.state.enter()?;
    // SAFETY: the pool is alive.
    unsafe { table::cuMemPoolTrimTo(pool.raw.0, keep_bytes) }?.on(pool.device())
}

/// Returns the number of bytes that are currently allocated from the pool.
///
/// # Errors
/// - the device is poisoned
pub fn pool_used(pool: &RawPool) -> Result<u64> {
    pool.get(raw::POOL_USED_CURRENT)
}

/// Returns the largest number of bytes that were allocated from the pool at the same time.
///
/// # Errors
/// - the device is poisoned
pub fn pool_used_high(pool: &RawPool) -> Result<u64> {
    pool.get(raw::POOL_USED_HIGH)
}

/// Returns the number of bytes that the pool holds. Allocated and unused bytes are both counted.
///
/// # Errors
/// - the device is poisoned
pub fn pool_reserved(pool: &RawPool) -> Result<u64> {
    pool.get(raw::POOL_RESERVED_CURRENT)
}

/// Allocates `bytes` of pinned host memory that every CUDA device can access.
///
/// # Errors
/// - there is not enough memory, or `bytes` is zero; the device cannot be opened or is poisoned
pub fn host_alloc(device: Device, bytes: usize) -> Result<NonNull<u8>> {
    const CALL: &str = "cuMemHostAlloc";
    let state = context::open(device)?;
    if bytes == 0 {
        return Err(DriverError::Call { call: CALL, status: Status::INVALID_VALUE, device: Some(device) });
    }
    let _entered = state.enter()?;
    let mut host: *mut c_void = std::ptr::null_mut();
    let flags = raw::HOST_ALLOC_PORTABLE | raw::HOST_ALLOC_DEVICE_MAP;
    // SAFETY: `host` is writable and the device's context is current.
    unsafe { table::cuMemHostAlloc(&mut host, bytes, flags) }?.on(device)?;
    NonNull::new(host.cast::<u8>()).ok_or(DriverError::Call {
        call: CALL,
        status: Status::OUT_OF_MEMORY,
        device: Some(device),
    })
}

/// Frees memory of [`host_alloc`]. The call may wait for the device.
///
/// # Safety
/// - `host` came from [`host_alloc`] on `device`, is freed once, and neither the host nor a device uses the memory
///   any more
///
/// # Errors
/// - the driver refuses the call; the device is poisoned
pub unsafe fn host_free(device: Device, host: NonNull<u8>) -> Result<()> {
    let state = context::open(device)?;
    let _entered = state.enter()?;
    // SAFETY: the caller promises an address of `host_alloc` that is freed once.
    unsafe { table::cuMemFreeHost(host.as_ptr().cast::<c_void>()) }?.on(device)
}

/// Returns the address by which kernels of `device` access the pinned memory at `host`.
///
/// # Errors
/// - `host` is not pinned memory; the device cannot be opened or is poisoned
pub fn host_device_pointer(device: Device, host: NonNull<u8>) -> Result<u64> {
    let state = context::open(device)?;
    let _entered = state.enter()?;
    let mut address = 0u64;
    // SAFETY: `address` is writable. The driver looks `host` up among its own allocations and does not read memory at
    // `host`.
    unsafe { table::cuMemHostGetDevicePointer_v2(&mut address, host.as_ptr().cast::<c_void>(), 0) }?.on(device)?;
    Ok(address)
}
