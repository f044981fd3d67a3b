//! A pool of one fixed piece of memory (RMM's `arena_memory_resource`).

use std::path::PathBuf;
use std::sync::Arc;

use super::engine::Engine;
use super::{Handle, PoolOptions};
use crate::{Resource, Result};

/// A pool that allocates one piece of memory when the pool is made, and never grows. Each lane has a separate heap in
/// the memory.
///
/// RMM's arenas are separate memory areas for threads and streams. The heaps of every pool of this crate serve the
/// same purpose. The resource is a [`PoolResource`](crate::PoolResource) with the constructor arguments of RMM. Use
/// [`PoolResource`](crate::PoolResource) if the memory need not be allocated up front.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use gdf::Stream;
/// use gdf::memory::{ArenaResource, Buffer, HostResource, Resource};
///
/// let arena = ArenaResource::new(Resource::new(HostResource::new()), Some(64 << 20), None)?;
/// let (stream, resource) = (Stream::cpu(), Resource::new(arena.clone()));
/// let buffer = Buffer::zeroed(1000, &stream, resource.as_ref())?;
/// assert_eq!((arena.reserved_bytes(), arena.used_bytes()), (64 << 20, 1024));
/// # drop(buffer);
/// # Ok::<(), gdf_memory::MemoryError>(())
/// ```
#[derive(Clone)]
pub struct ArenaResource(pub(super) Arc<Handle>);

impl ArenaResource {
    /// Allocates `bytes` bytes from `upstream`, or half of the free memory of the device if `bytes` is `None`. When a
    /// request finds no memory, the map of the arena is written to the file `dump`, if `dump` is not `None`.
    ///
    /// # Errors
    /// [`OutOfMemory`](crate::MemoryError::OutOfMemory) when the upstream refuses the memory; the errors of querying
    /// the free memory of the device.
    pub fn new(upstream: Resource, bytes: Option<usize>, dump: Option<PathBuf>) -> Result<Self> {
        let granule = PoolOptions::new().granule;
        let bytes = match bytes {
            Some(bytes) => bytes,
            None => upstream.device().memory_info()?.free as usize / 2,
        };
        let bytes = bytes.max(1).checked_next_multiple_of(granule).unwrap_or(bytes / granule * granule);
        let mut engine = Engine::new("arena", upstream, PoolOptions::new().initial(bytes).maximum(bytes));
        engine.dump = dump;
        engine.reserve_at_once(bytes)?;
        Ok(Self::of(engine))
    }
}
