//! An adaptor that limits the allocated bytes (RMM's `limiting_resource_adaptor`).

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::around::{Around, Request, adaptor};
use crate::reservation::Reservation;
use crate::{BUFFER_ALIGNMENT, FreeMemory, MemoryError, Resource, Result};

/// Refuses a request if the request would make the number of allocated bytes exceed a limit. To compute the number, the
/// size of each block is rounded up to 256 bytes. Clones share the number.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use gdf::Stream;
/// use gdf::memory::{Buffer, HostResource, LimitingResource, Resource};
///
/// let (stream, limiting) = (Stream::cpu(), LimitingResource::new(Resource::new(HostResource::new()), 4096));
/// let resource = Resource::new(limiting.clone());
/// let buffer = Buffer::zeroed(3000, &stream, resource.as_ref())?;
/// assert!(Buffer::zeroed(3000, &stream, resource.as_ref()).unwrap_err().is_out_of_memory());
/// assert_eq!(limiting.allocated_bytes(), 3072);
/// # Ok::<(), gdf_memory::MemoryError>(())
/// ```
#[derive(Clone, Debug)]
pub struct LimitingResource {
    upstream: Resource,
    limit: usize,
    allocated: Arc<AtomicUsize>,
}

fn counted(bytes: usize) -> Option<usize> {
    bytes.checked_next_multiple_of(BUFFER_ALIGNMENT)
}

impl LimitingResource {
    /// Makes an adaptor that limits the allocated bytes of `upstream` to `limit`.
    pub fn new(upstream: Resource, limit: usize) -> Self {
        Self { upstream, limit, allocated: Arc::default() }
    }

    /// Returns the number of allocated bytes.
    pub fn allocated_bytes(&self) -> usize {
        self.allocated.load(Ordering::Relaxed)
    }

    /// Returns the limit in bytes.
    pub fn allocation_limit(&self) -> usize {
        self.limit
    }

    fn refusal(&self, requested: usize) -> MemoryError {
        let rest = self.limit.saturating_sub(self.allocated_bytes()) as u64;
        let free = FreeMemory { bytes: rest, largest_block: Some(rest) };
        MemoryError::OutOfMemory { requested, free: Some(free), resource: Self::NAME }
    }
}

impl Around for LimitingResource {
    const NAME: &'static str = "limiting";

    fn upstream(&self) -> &Resource {
        &self.upstream
    }

    fn on_allocate(&self, request: Request<'_>) -> Result<NonNull<u8>> {
        let size = counted(request.bytes).ok_or_else(|| self.refusal(request.bytes))?;
        let reservation =
            Reservation::new(&self.allocated, size, self.limit).ok_or_else(|| self.refusal(request.bytes))?;
        request.ask(&self.upstream).inspect(|_| reservation.commit())
    }

    fn after_deallocate(&self, bytes: usize) {
        self.allocated.fetch_sub(counted(bytes).unwrap_or(0), Ordering::Relaxed);
    }
}

adaptor!(pub LimitingResource);
