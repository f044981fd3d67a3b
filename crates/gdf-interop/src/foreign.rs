//! Memory of other libraries as buffers: the driver is asked which device and kind of memory is behind an address.

use std::num::NonZero;
use std::ptr::NonNull;
use std::sync::Arc;

use gdf_core::{Counted, Error, enter_span};
use gdf_driver::{Device, DriverError, MemoryKind, PointerInfo, Stream};
use gdf_memory::{BUFFER_ALIGNMENT, Buffer, Owner};

use crate::Result;
use crate::error::malformed;

/// The device that memory at `address` belongs to, as the driver says: a CUDA device for memory of a device, pinned and
/// managed memory, else the CPU. Without a driver every address is one of the CPU.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod interop { pub use gdf_interop::*; } }
/// let value = 5;
/// assert_eq!(gdf::interop::device_of((&raw const value).addr() as u64)?, gdf::Device::Cpu);
/// # Ok::<(), gdf_interop::InteropError>(())
/// ```
///
/// # Errors
/// - Driver errors, other than that there is none.
pub fn device_of(address: u64) -> Result<Device> {
    Ok(ask(address)?.map_or(Device::Cpu, |info| info.device))
}

/// What the driver says of an address; nothing where there is no driver.
pub(crate) fn ask(address: u64) -> Result<Option<PointerInfo>> {
    match PointerInfo::of(address) {
        Err(DriverError::NoDriver { .. } | DriverError::DriverTooOld { .. }) => Ok(None),
        answer => Ok(answer?),
    }
}

/// `len` bytes at `address`, which somebody else owns, as a buffer on the device of `stream`. Nothing is copied, and nobody
/// waits. The owner is dropped when nothing of ours uses the memory any more; the memory is never written by us.
///
/// Pinned and managed memory is a buffer of whichever device `stream` names.
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
/// - `len` bytes at `address` are valid for reading, and nobody writes there, until `owner` is dropped.
/// - On the CPU they are initialized, and the provenance of `address` was exposed.
/// - Everything that wrote them precedes what is enqueued on `stream` from now on.
///
/// # Errors
/// - [`Error::DeviceMismatch`]: the driver says that the memory is another device's than the stream.
/// - [`Error::OutOfBounds`]: the driver's allocation ends before `len` bytes.
/// - Driver errors.
pub unsafe fn buffer_from_address(address: u64, len: usize, owner: Arc<dyn Owner>, stream: &Stream) -> Result<Buffer> {
    let _span = enter_span("buffer_from_address", stream.device());
    let pointer = std::ptr::with_exposed_provenance_mut(address as usize);
    // SAFETY: the caller's promises.
    unsafe { wrap(pointer, len, owner, stream, true) }
}

/// As [`buffer_from_address`]; on the CPU the driver is only asked where `ask_for_cpu`.
///
/// # Safety
/// As [`buffer_from_address`].
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
        None => return Err(malformed("a null address for memory that is not empty")),
    };
    // SAFETY: the caller promises memory that is valid, unwritten and ordered on `stream`; its device is the stream's, as
    // the driver said or the caller promised.
    Ok(unsafe { Buffer::from_foreign(device, pointer, len, owner, stream) })
}

/// An aligned address of nothing.
fn dangling() -> NonNull<u8> {
    const ALIGNMENT: NonZero<usize> = NonZero::new(BUFFER_ALIGNMENT).expect("not zero");
    NonNull::without_provenance(ALIGNMENT)
}

/// The address at which `device` reaches the memory.
fn place(info: &PointerInfo, device: Device, address: u64, len: usize) -> Result<*mut u8> {
    let here = match info.kind {
        // Any device reaches pinned and managed memory.
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
