//! Memory that CPU and GPU share, moved by the driver page by page (RMM's `managed_memory_resource`).

use std::ptr::NonNull;

use gdf_driver::{Device, Stream, memory};

use super::cuda::{free, free_on, open, pointer};
use super::{ask_driver, check_alignment, check_size, dangling};
use crate::{MemoryResource, Properties, Result};

/// Managed memory: more of it can be allocated than the GPU has, and pages move to where they are used. One driver call
/// per block; put a [`PoolResource`](crate::PoolResource) on it, and a [`PrefetchResource`](crate::PrefetchResource) where
/// kernels are to find it at hand.
#[derive(Clone, Debug)]
pub struct ManagedResource {
    device: Device,
}

impl ManagedResource {
    /// Managed memory for use on `device` and the CPU.
    ///
    /// # Errors
    /// Those of opening `device`; [`DeviceMismatch`](crate::MemoryError::DeviceMismatch) for the CPU.
    pub fn new(device: Device) -> Result<Self> {
        open(device)?;
        Ok(Self { device })
    }
}

// SAFETY: blocks come from the driver, disjoint and aligned to 256; they go back once the stream's work is done.
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
            // SAFETY: the block came from the driver on this device and is given back once; its uses precede on `stream`.
            unsafe { free_on(self.device, ptr, stream) };
        }
    }

    unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, _align: usize) {
        if bytes > 0 {
            // SAFETY: the block came from the driver on this device and is given back once; its uses are over.
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
