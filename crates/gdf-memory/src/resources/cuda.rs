//! Memory of a GPU that comes directly from the driver.

use std::ptr::NonNull;

use gdf_driver::{Device, Stream, memory};

use super::{ask_driver, check_alignment, check_size, dangling};
use crate::allocation::release_on;
use crate::{MemoryError, MemoryResource, Properties, Result};

/// The alignment of device memory from the driver.
pub(super) const MAX_ALIGN: usize = 256;
pub(super) const DEVICE_ONLY: Properties = Properties { device_accessible: true, host_accessible: false };

pub(super) fn open(device: Device) -> Result<()> {
    if device.is_cpu() {
        return Err(MemoryError::DeviceMismatch { expected: Device::Cuda(0), found: device });
    }
    Ok(device.open()?)
}

pub(super) fn pointer(address: u64, bytes: usize, resource: &'static str) -> Result<NonNull<u8>> {
    NonNull::new(std::ptr::with_exposed_provenance_mut(address as usize)).ok_or(MemoryError::OutOfMemory {
        requested: bytes,
        free: None,
        resource,
    })
}

/// Frees a block of the driver after all work that is already enqueued on `stream`.
///
/// # Safety
/// The driver allocated the block on `device`. The block is freed once, and every use of the block precedes the call in
/// the order of `stream`.
pub(super) unsafe fn free_on(device: Device, ptr: NonNull<u8>, stream: &Stream) {
    let address = ptr.as_ptr().expose_provenance() as u64;
    // SAFETY: the caller guarantees the origin of the block and that the block is freed once. `release_on` runs the
    // closure after the last use.
    release_on(stream, move || unsafe { free(device, address) });
}

/// Frees a block of the driver at once.
///
/// # Safety
/// The driver allocated the block at `address` on `device`. The block is freed once, and no work uses the block any
/// more.
pub(super) unsafe fn free(device: Device, address: u64) {
    // SAFETY: the caller guarantees the preconditions. `cuMemFree`, which `memory::free` calls, accepts every block
    // that the driver allocated: plain, managed and pool memory.
    if let Err(error) = unsafe { memory::free(device, address) } {
        tracing::warn!(%error, "device memory is leaked");
    }
}

/// Device memory that comes directly from the driver, with one driver call per block. Allocation is slow. The driver
/// knows the exact size of each block, so sanitizers detect accesses outside of a block.
#[derive(Clone, Debug)]
pub struct CudaResource {
    device: Device,
}

impl CudaResource {
    /// Makes a resource for memory of `device`.
    ///
    /// # Errors
    /// [`DeviceMismatch`](MemoryError::DeviceMismatch) for the CPU; the errors of opening `device`.
    pub fn new(device: Device) -> Result<Self> {
        open(device)?;
        Ok(Self { device })
    }
}

// SAFETY: the driver returns disjoint blocks that are aligned to 256. `free_on` frees a block only after the earlier
// work of the stream.
unsafe impl MemoryResource for CudaResource {
    fn allocate(&self, bytes: usize, align: usize, _stream: &Stream) -> Result<NonNull<u8>> {
        self.allocate_sync(bytes, align)
    }

    fn allocate_sync(&self, bytes: usize, align: usize) -> Result<NonNull<u8>> {
        check_alignment(align, MAX_ALIGN)?;
        if bytes == 0 {
            return Ok(dangling(align));
        }
        check_size(bytes, self.device, self.name())?;
        let address = ask_driver(|| memory::alloc(self.device, bytes), bytes, self.device, self.name())?;
        pointer(address, bytes, self.name())
    }

    unsafe fn deallocate(&self, ptr: NonNull<u8>, bytes: usize, _align: usize, stream: &Stream) {
        if bytes == 0 {
            return;
        }
        // SAFETY: `memory::alloc` returned the block on this device. The caller frees the block once, and every use
        // of the block precedes the free in the order of `stream`.
        unsafe { free_on(self.device, ptr, stream) };
    }

    unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, _align: usize) {
        if bytes > 0 {
            // SAFETY: `memory::alloc` returned the block on this device. The caller frees the block once, and no work
            // uses the block any more.
            unsafe { free(self.device, ptr.as_ptr().expose_provenance() as u64) };
        }
    }

    fn properties(&self) -> Properties {
        DEVICE_ONLY
    }

    fn device(&self) -> Device {
        self.device
    }

    fn is_equal(&self, other: &dyn MemoryResource) -> bool {
        other.name() == self.name() && other.device() == self.device
    }

    fn name(&self) -> &'static str {
        "cuda"
    }
}
