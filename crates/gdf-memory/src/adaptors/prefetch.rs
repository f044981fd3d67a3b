//! An adaptor that moves new blocks to the GPU (RMM's `prefetch_resource_adaptor`).

use std::ptr::NonNull;

use gdf_driver::memory;

use super::around::{Around, Request, adaptor};
use crate::{Resource, Result};

/// Moves every new block of managed memory to the GPU of the stream. Blocks of other memory are not moved.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use gdf::Stream;
/// use gdf::memory::{Buffer, HostResource, PrefetchResource, Resource};
///
/// let resource = Resource::new(PrefetchResource::new(Resource::new(HostResource::new())));
/// assert!(Buffer::zeroed(10, &Stream::cpu(), resource.as_ref()).is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct PrefetchResource {
    upstream: Resource,
}

impl PrefetchResource {
    /// Makes an adaptor that moves the blocks of `upstream`.
    pub fn new(upstream: Resource) -> Self {
        Self { upstream }
    }
}

impl Around for PrefetchResource {
    const NAME: &'static str = "prefetch";

    fn upstream(&self) -> &Resource {
        &self.upstream
    }

    fn on_allocate(&self, request: Request<'_>) -> Result<NonNull<u8>> {
        let ptr = request.ask(&self.upstream)?;
        // The stream must order the move. A request without a stream is therefore not prefetched.
        if let Some(stream) = request.stream.filter(|stream| request.bytes > 0 && stream.device().is_cuda()) {
            let address = ptr.as_ptr().expose_provenance() as u64;
            // SAFETY: the upstream allocated the block of `request.bytes` bytes. The block is freed in the order of
            // `stream` or of a stream that waits for `stream`, so the block stays allocated until the prefetch has
            // run.
            if let Err(error) = unsafe { memory::prefetch(address, request.bytes, stream) } {
                // SAFETY: the upstream allocated the block above with the same size and alignment. Only work on
                // `stream` uses the block.
                unsafe { self.upstream.deallocate(ptr, request.bytes, request.align, stream) };
                return Err(error.into());
            }
        }
        Ok(ptr)
    }
}

adaptor!(pub PrefetchResource);
