//! New blocks are moved to the GPU (RMM's `prefetch_resource_adaptor`).

use std::ptr::NonNull;

use gdf_driver::{Stream, memory};

use super::around::{Around, Request, adaptor};
use crate::{Resource, Result};

/// Moves every block to the stream's GPU when it is handed out, for managed memory; other memory stays as it is.
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
    /// Moves blocks of `upstream`.
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
        // Without a stream there is no order to move it in.
        if let Some(stream) = request.stream.filter(|stream| request.bytes > 0 && stream.device().is_cuda()) {
            let address = ptr.as_ptr().expose_provenance() as u64;
            // SAFETY: the block was allocated just above and is given back in the order of its streams.
            if let Err(error) = unsafe { memory::prefetch(address, request.bytes, stream) } {
                // SAFETY: allocated just above with the same size and alignment; nothing uses it.
                unsafe { self.upstream.deallocate(ptr, request.bytes, request.align, stream) };
                return Err(error.into());
            }
        }
        Ok(ptr)
    }

    fn on_deallocate(&self, _ptr: NonNull<u8>, _bytes: usize, _stream: Option<&Stream>) {}
}

adaptor!(PrefetchResource);
