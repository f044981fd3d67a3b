//! Memory that both the CPU and a GPU can access. The driver moves pages between them (RMM's
//! `managed_memory_resource`).

use std::ptr::NonNull;

use gdf_driver::{Device, Stream, memory};

use super::cuda::{free, free_on, open, pointer};
use super::{ask_driver, check_alignment, check_size, dangling};
use crate::{MemoryResource, Properties, Result};

/// Managed memory. The total size may exceed the memory of the GPU, because the driver moves each page to the device
/// that uses the page. Each allocation is a driver call. To save calls, put a [`PoolResource`](crate::PoolResource)
/// over this resource. To move blocks to the GPU before a kernel uses them, use a
/// [`PrefetchResource`](crate::PrefetchResource).
#[derive(Clone, Debug)]
pub struct ManagedResource {
    device: Device,
}

impl ManagedResource {
    /// Makes a resource for managed memory of `device`, which the CPU can also access.
    ///
    /// # Errors
    /// [`DeviceMismatch`](crate::MemoryError::DeviceMismatch) for the CPU; the errors of opening `device`.
    pub fn new(device: Device) -> Result<Self> {
        open(device)?;
        Ok(Self { device })
    }
}

// SAFETY: the driver returns disjoint blocks that are aligned to 256. `free_on` frees a block only after the earlier
// work of the stream.
unsafe impl MemoryResource for ManagedResource {
    fn allocate(&self, bytes: usize, align: usize, _stream: &Stream) -> Result<NonNull<u8>> {
        self.allocate_sync(bytes, align)
    }

    fn allocate_sync(&self, bytes: usize, align: usize) -> Result<NonNull<u8>> {
        check_alignment(align, 256)?;
        if bytes == 0 {
            return Ok(dangling(align));
        }
        check_size(bytes, self.device, self.name())?;
        let address = ask_driver(|| memory::managed_alloc(self.device, bytes), bytes, self.device, self.name())?;
        pointer(address, bytes, self.name())
    }

    unsafe fn deallocate(&self, ptr: NonNull<u8>, bytes: usize, _align: usize, stream: &Stream) {
        if bytes > 0 {
            // SAFETY: `managed_alloc` returned the block on this device. The caller frees the block once, and every
            // use of the block precedes the free in the order of `stream`.
            unsafe { free_on(self.device, ptr, stream) };
        }
    }

    unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, _align: usize) {
        if bytes > 0 {
            // SAFETY: `managed_alloc` returned the block on this device.
            unsafe { free(self.device, ptr.as_ptr().expose_provenance() as u64) };
        }
    }

    fn properties(&self) -> Properties {
        Properties { device_accessible: true, host_accessible: true }
    }

    fn device(&self) -> Device {
        self.device
    }

    fn is_equal(&self, other: &dyn MemoryResource) -> bool {
        other.name() == self.name() && other.device() == self.device
    }

    fn name(&self) -> &'static str {
        "managed"
    }
}
