//! A pool over one block of memory of fixed size (RMM's `arena_memory_resource`).

use std::path::PathBuf;
use std::sync::Arc;

use super::engine::Engine;
use super::{Handle, PoolOptions};
use crate::{Resource, Result};

/// A pool that allocates one large block when the pool is made, and never grows. Each [lane](gdf_driver::Lane) has its
/// own heap in the block.
///
/// `ArenaResource` is a [`PoolResource`](crate::PoolResource) with the constructor arguments of RMM. If the memory need
/// not be allocated in advance, use [`PoolResource`](crate::PoolResource).
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
    /// Allocates `bytes` bytes from `upstream`. If `bytes` is `None`, the arena allocates half of the free memory of
    /// the device. If `dump` names a file, the arena writes a map of its blocks to the file whenever a request finds no
    /// memory.
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
