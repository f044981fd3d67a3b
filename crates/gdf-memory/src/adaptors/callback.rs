//! A resource that calls two closures (RMM's `callback_memory_resource`).

use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use gdf_driver::{Device, Stream};

use crate::{MemoryResource, Properties, Result};

type Allocate = dyn Fn(usize, usize, &Stream) -> Result<NonNull<u8>> + Send + Sync;
type Deallocate = dyn Fn(NonNull<u8>, usize, usize, &Stream) + Send + Sync;

/// A resource that calls code of the user: one closure allocates, and the other closure frees. Clones share the
/// closures.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use gdf::{Device, Stream};
/// use gdf::memory::{Buffer, CallbackResource, HostResource, MemoryResource, Resource};
///
/// let (host, other) = (HostResource::new(), HostResource::new());
/// // SAFETY: the closures pass all arguments to a resource, which upholds the rules. Host resources are equal.
/// let callback = unsafe {
///     CallbackResource::new(
///         Device::Cpu,
///         host.properties(),
///         move |bytes, align, stream| host.allocate_zeroed(bytes, align, stream),
///         move |ptr, bytes, align, stream| unsafe { other.deallocate(ptr, bytes, align, stream) },
///     )
/// };
/// let (stream, resource) = (Stream::cpu(), Resource::new(callback));
/// assert_eq!(Buffer::zeroed(5, &stream, resource.as_ref())?.to_host(&stream)?, [0; 5]);
/// # Ok::<(), gdf_memory::MemoryError>(())
/// ```
#[derive(Clone)]
pub struct CallbackResource {
    device: Device,
    properties: Properties,
    allocate: Arc<Allocate>,
    deallocate: Arc<Deallocate>,
}

impl CallbackResource {
    /// Makes a resource for memory of `device`. `properties` states who can access the memory. `allocate` gets the
    /// number of bytes, the alignment and the stream. `deallocate` gets the address of the block and the same three
    /// values.
    ///
    /// # Safety
    /// Together the closures uphold the rules for an implementor of [`MemoryResource`]. `deallocate` does not panic.
    pub unsafe fn new(
        device: Device,
        properties: Properties,
        allocate: impl Fn(usize, usize, &Stream) -> Result<NonNull<u8>> + Send + Sync + 'static,
        deallocate: impl Fn(NonNull<u8>, usize, usize, &Stream) + Send + Sync + 'static,
    ) -> Self {
        Self { device, properties, allocate: Arc::new(allocate), deallocate: Arc::new(deallocate) }
    }
}

impl fmt::Debug for CallbackResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallbackResource").field("device", &self.device).finish_non_exhaustive()
    }
}

// SAFETY: the caller of `new` guaranteed that the closures uphold the rules.
unsafe impl MemoryResource for CallbackResource {
    fn allocate(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        (self.allocate)(bytes, align, stream)
    }

    unsafe fn deallocate(&self, ptr: NonNull<u8>, bytes: usize, align: usize, stream: &Stream) {
        (self.deallocate)(ptr, bytes, align, stream);
    }

    fn properties(&self) -> Properties {
        self.properties
    }

    fn device(&self) -> Device {
        self.device
    }

    fn name(&self) -> &'static str {
        "callback"
    }
}
