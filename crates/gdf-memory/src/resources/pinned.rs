//! Page-locked memory of the CPU that a GPU can access.

use std::ptr::NonNull;

use gdf_driver::{Device, Stream, memory};

use super::{ask_driver, check_alignment, check_size, dangling};
use crate::allocation::release_on;
use crate::{MemoryResource, Properties, Result};

/// Pinned memory that comes directly from the driver. An allocation is slow. Therefore use the resource only for a few
/// blocks that live long.
#[derive(Clone, Debug)]
pub struct PinnedResource {
    device: Device,
}

impl PinnedResource {
    /// Makes a resource for pinned memory that kernels of `device` can access.
    ///
    /// # Errors
    /// [`DeviceMismatch`](crate::MemoryError::DeviceMismatch) for the CPU; the errors of opening `device`.
    pub fn new(device: Device) -> Result<Self> {
        super::cuda::open(device)?;
        Ok(Self { device })
    }
}

/// Frees a block of pinned memory.
///
/// # Safety
/// `host_alloc` returned the block at `address` on `device`. The block is freed once, and no work uses the block any
/// more.
unsafe fn free(device: Device, address: usize) {
    let Some(ptr) = NonNull::new(std::ptr::with_exposed_provenance_mut(address)) else { return };
    // SAFETY: the caller guarantees the preconditions, which are the same.
    if let Err(error) = unsafe { memory::host_free(device, ptr) } {
        tracing::warn!(%error, "pinned memory is leaked");
    }
}

/// The driver aligns pinned blocks to pages.
const MAX_ALIGN: usize = 4096;

// SAFETY: the driver returns disjoint, page-aligned blocks. `release_on` frees a block only after the earlier work of
// the stream.
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
        // SAFETY: `host_alloc` returned the block on this device, and the caller frees the block once. `release_on`
        // runs the closure after the earlier work of `stream`, which includes the last use.
        release_on(stream, move || unsafe { free(device, address) });
    }

    unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, _align: usize) {
        if bytes > 0 {
            // SAFETY: `host_alloc` returned the block on this device. The caller frees the block once, and no work
            // uses the block any more.
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
