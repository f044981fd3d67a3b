//! Memory of a GPU, straight from the driver.

use std::ptr::NonNull;

use gdf_driver::{Device, Stream, memory};

use super::{ask_driver, check_alignment, check_size, dangling};
use crate::allocation::release_on;
use crate::{MemoryError, MemoryResource, Properties, Result};

/// What the driver aligns device memory to.
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

/// Frees a block of the driver once the work of `stream` until now is done.
///
/// # Safety
/// The block is the driver's on `device`, is freed once, and its uses precede on `stream`.
pub(super) unsafe fn free_on(device: Device, ptr: NonNull<u8>, stream: &Stream) {
    let address = ptr.as_ptr().expose_provenance() as u64;
    // SAFETY: the caller's promise; the last use is over when this runs.
    release_on(stream, move || unsafe { free(device, address) });
}

/// Frees a block of the driver at once.
///
/// # Safety
/// The block at `address` is the driver's on `device`, is freed once, and nothing uses it any more.
pub(super) unsafe fn free(device: Device, address: u64) {
    // SAFETY: the caller's promise.
    if let Err(error) = unsafe { memory::free(device, address) } {
        tracing::warn!(%error, "device memory is leaked");
    }
}

/// Device memory straight from the driver, one call per block. Slow; exact sizes make sanitizers see overruns.
#[derive(Clone, Debug)]
pub struct CudaResource {
    device: Device,
}

impl CudaResource {
    /// Memory of `device`.
    ///
    /// # Errors
    /// Those of opening `device`; [`DeviceMismatch`](MemoryError::DeviceMismatch) for the CPU.
    pub fn new(device: Device) -> Result<Self> {
        open(device)?;
        Ok(Self { device })
    }
}

// SAFETY: blocks come from the driver, disjoint and aligned to 256; they go back once the stream's work is done.
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
        // SAFETY: the block came from the driver on this device and is given back once; its uses precede on `stream`.
        unsafe { free_on(self.device, ptr, stream) };
    }

    unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, _align: usize) {
        if bytes > 0 {
            // SAFETY: the block came from the driver on this device and is given back once; its uses are over.
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
