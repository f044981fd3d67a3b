//! Page-locked memory of the CPU that a GPU can access.

use std::ptr::NonNull;

use gdf_driver::{Device, Stream, memory};

use super::{ask_driver, check_alignment, check_size, dangling};
use crate::allocation::release_on;
use crate::{MemoryResource, Properties, Result};

/// Pinned memory, straight from the driver. Slow to allocate; meant for few and long-lived blocks.
#[derive(Clone, Debug)]
pub struct PinnedResource {
    device: Device,
}

impl PinnedResource {
    /// Pinned memory that kernels of `device` can access.
    ///
    /// # Errors
    /// Those of opening `device`; [`DeviceMismatch`](crate::MemoryError::DeviceMismatch) for the CPU.
    pub fn new(device: Device) -> Result<Self> {
        super::cuda::open(device)?;
        Ok(Self { device })
    }
}

/// # Safety
/// A block of `host_alloc` begins at `address`; it is freed once, and nothing uses it any more.
unsafe fn free(device: Device, address: usize) {
    let Some(ptr) = NonNull::new(std::ptr::with_exposed_provenance_mut(address)) else { return };
    // SAFETY: the caller's promise.
    if let Err(error) = unsafe { memory::host_free(device, ptr) } {
        tracing::warn!(%error, "pinned memory is leaked");
    }
}

/// Blocks are aligned to pages by the driver.
const MAX_ALIGN: usize = 4096;

// SAFETY: blocks come from the driver, disjoint and page-aligned; they go back once the stream's work until then is done.
unsafe impl MemoryResource for PinnedResource {
    fn allocate(&self, bytes: usize, align: usize, _stream: &Stream) -> Result<NonNull<u8>> {
        self.allocate_sync(bytes, align)
    }

    fn allocate_sync(&self, bytes: usize, align: usize) -> Result<NonNull<u8>> {
        check_alignment(align, MAX_ALIGN)?;
        if bytes == 0 {
            return Ok(dangling(align));
        }
        check_size(bytes, self.device, self.name())?;
        ask_driver(|| memory::host_alloc(self.device, bytes), bytes, self.device, self.name())
    }

    unsafe fn deallocate(&self, ptr: NonNull<u8>, bytes: usize, _align: usize, stream: &Stream) {
        if bytes == 0 {
            return;
        }
        let (device, address) = (self.device, ptr.as_ptr().expose_provenance());
        // SAFETY: the block came from `host_alloc` and is given back once, after its last use.
        release_on(stream, move || unsafe { free(device, address) });
    }

    unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, _align: usize) {
        if bytes > 0 {
            // SAFETY: the block came from `host_alloc` and is given back once; its uses are over.
            unsafe { free(self.device, ptr.as_ptr().expose_provenance()) };
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
        "pinned"
    }
}
