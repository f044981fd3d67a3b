//! Buffers of memory that belongs to other libraries. gdf asks the driver for the device and the kind of memory at an
//! address.

use std::num::NonZero;
use std::ptr::NonNull;
use std::sync::Arc;

use gdf_core::{Counted, Error, enter_span};
use gdf_driver::{Device, DriverError, MemoryKind, PointerInfo, Stream};
use gdf_memory::{BUFFER_ALIGNMENT, Buffer, Owner};

use crate::Result;
use crate::error::malformed;

/// Returns the device that owns the memory at `address`, according to the driver. For device memory, pinned memory and
/// managed memory, the result is a CUDA device. For all other memory, the result is the CPU. If no driver is installed,
/// or the driver is too old, the result is always the CPU.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// let value = 5;
/// assert_eq!(gdf::interop::device_of((&raw const value).addr() as u64)?, gdf::Device::Cpu);
/// # Ok::<(), gdf_interop::InteropError>(())
/// ```
///
/// # Errors
/// - Driver errors. A missing driver, or a driver that is too old, is not an error.
pub fn device_of(address: u64) -> Result<Device> {
    Ok(ask(address)?.map_or(Device::Cpu, |info| info.device))
}

/// Asks the driver about an address.
pub(crate) fn ask(address: u64) -> Result<Option<PointerInfo>> {
    match PointerInfo::of(address) {
        Err(DriverError::NoDriver { .. } | DriverError::DriverTooOld { .. }) => Ok(None),
        answer => Ok(answer?),
    }
}

/// Makes a buffer of `len` bytes at `address`, on the device of `stream`. `owner` owns the memory, and gdf drops
/// `owner` after the last use of the memory. The function neither copies data nor waits. gdf never writes to the
/// memory.
///
/// Every device can access pinned and managed memory. Therefore a buffer of such memory belongs to the device of
/// `stream`.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// use std::sync::Arc;
/// use gdf::Stream;
///
/// let (stream, values) = (Stream::cpu(), Arc::new(vec![1u8, 2, 3]));
/// let address = values.as_ptr().expose_provenance() as u64;
/// // SAFETY: the vector has three bytes, which the owner keeps, and which nobody writes.
/// let buffer = unsafe { gdf::interop::buffer_from_address(address, 3, values, &stream)? };
/// assert_eq!(buffer.to_host(&stream)?, [1, 2, 3]);
/// # Ok::<(), gdf_interop::InteropError>(())
/// ```
///
/// # Safety
/// - `len` bytes at `address` are valid for reads until `owner` is dropped, and nobody writes to those bytes before
///   then.
/// - On the CPU, the bytes are initialized and the provenance of `address` was exposed.
/// - All writes to the bytes precede all work that is enqueued on `stream` from now on.
///
/// # Errors
/// - [`Error::DeviceMismatch`]: according to the driver, the memory belongs to a different device than `stream`.
/// - [`Error::OutOfBounds`]: the allocation at `address` has fewer than `len` bytes left.
/// - Driver errors.
pub unsafe fn buffer_from_address(address: u64, len: usize, owner: Arc<dyn Owner>, stream: &Stream) -> Result<Buffer> {
    let _span = enter_span("buffer_from_address", stream.device());
    let pointer = std::ptr::with_exposed_provenance_mut(address as usize);
    // SAFETY: the caller fulfills the same conditions.
    unsafe { wrap(pointer, len, owner, stream, true) }
}

/// Does the work of [`buffer_from_address`].
///
/// # Safety
/// The conditions of [`buffer_from_address`].
pub(crate) unsafe fn wrap(
    pointer: *mut u8,
    len: usize,
    owner: Arc<dyn Owner>,
    stream: &Stream,
    ask_for_cpu: bool,
) -> Result<Buffer> {
    let device = stream.device();
    let mut pointer = pointer;
    if len > 0 && (device.is_cuda() || ask_for_cpu) {
        let address = pointer.addr() as u64;
        match ask(address)? {
            Some(info) if device.is_cuda() => pointer = place(&info, device, address, len)?,
            Some(PointerInfo { kind: MemoryKind::Device, device: found, .. }) => {
                return Err(Error::device_mismatch(device, found).into());
            }
            None if device.is_cuda() => {
                return Err(Error::device_mismatch(device, Device::Cpu).into());
            }
            _ => {}
        }
    }
    let pointer = match NonNull::new(pointer) {
        Some(pointer) => pointer,
        None if len == 0 => dangling(),
        None => return Err(malformed("the address is null, but the length of the memory is not 0")),
    };
    // SAFETY: the caller promises that the memory is valid and not written until `owner` is dropped, and that all
    // earlier writes are ordered before work on `stream`. The memory belongs to the stream's device, by the driver's
    // answer or the caller's promise. An empty buffer accesses no memory.
    Ok(unsafe { Buffer::from_foreign(device, pointer, len, owner, stream) })
}

/// Returns an aligned, non-null address for a buffer without bytes.
fn dangling() -> NonNull<u8> {
    const ALIGNMENT: NonZero<usize> = NonZero::new(BUFFER_ALIGNMENT).expect("not zero");
    NonNull::without_provenance(ALIGNMENT)
}

/// Checks the device and the length, and returns the address at which `device` accesses the memory.
fn place(info: &PointerInfo, device: Device, address: u64, len: usize) -> Result<*mut u8> {
    let here = match info.kind {
        // Every device can access pinned and managed memory.
        MemoryKind::PinnedHost | MemoryKind::Managed if info.device_address != 0 => info.device_address,
        _ if info.device != device => return Err(Error::device_mismatch(device, info.device).into()),
        _ => address,
    };
    if info.bytes_from(address).is_some_and(|bytes| bytes < len) {
        let offset = (address - info.range_start) as usize;
        return Err(Error::range_out_of_bounds(Counted::Bytes, offset, len, info.range_bytes).into());
    }
    Ok(std::ptr::with_exposed_provenance_mut(here as usize))
}
