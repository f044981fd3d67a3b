//! A pool of one fixed piece of memory (RMM's `arena_memory_resource`).

use std::path::PathBuf;
use std::sync::Arc;

use super::engine::Engine;
use super::{Handle, PoolOptions};
use crate::{Resource, Result};

/// A pool that takes one piece of memory when it is made and never more, with an arena per stream on it.
///
/// RMM's arenas, which threads and streams have for themselves, are what the heaps of every pool here are; this is
/// [`PoolResource`](crate::PoolResource) with RMM's arguments. Where memory must not be taken up front, use that one.
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
    /// Takes `bytes` of `upstream`, or half of what its device has free. When memory is out, the arena's map is written to
    /// the file `dump`, if one is named.
    ///
    /// # Errors
    /// [`OutOfMemory`](crate::MemoryError::OutOfMemory) when the upstream refuses; those of asking the device.
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
