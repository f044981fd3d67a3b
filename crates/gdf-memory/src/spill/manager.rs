//! The spill manager.

use std::fmt;
use std::sync::Arc;

use super::registry::Manager;
use super::{SpillOptions, SpillStatistics, SpillingResource};
use crate::{Buffer, MemoryResource, Resource, Result};

/// The smallest allocation that is spilled. Smaller ones free too little memory for the work of a transfer.
pub(super) const MIN_BYTES: usize = 4096;

/// Moves the bytes of buffers out of a device's memory while that memory is short, and back when they are used.
///
/// The [resource](Self::resource) of the manager spills when a request fails, or when the allocated bytes exceed a limit.
/// [`watch`](Self::watch) says which buffers the manager may spill. The buffer that was not used for the longest time goes
/// first: from a GPU to pinned memory of the CPU, and from there on, or from the CPU, to a file. The next access to the buffer
/// brings the bytes back, and may spill other buffers for that. The copy stays while there is room for it, so that the bytes
/// can be spilled again without a transfer.
///
/// Buffers that are in use, and buffers whose address other code knows (see [`Buffer::expose`]), stay where they are. A
/// buffer that is written in place is no longer watched. Clones of a manager are the same manager. Buffers may be used on
/// all threads while the manager spills.
///
/// cuDF has `SpillManager` and `SpillableBuffer`.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use gdf::Stream;
/// use gdf::memory::{Buffer, HostResource, Resource, SpillManager, SpillOptions};
///
/// let manager = SpillManager::new(Resource::new(HostResource::new()), SpillOptions::new().with_hard_limit(20_000));
/// let (stream, resource) = (Stream::cpu(), manager.resource());
/// let first = Buffer::from_host(&[1; 10_000], &stream, resource.as_ref())?;
/// manager.watch(&first);
/// // The limit has no room for both: the first buffer is spilled to a file.
/// let second = Buffer::from_host(&[2; 12_000], &stream, resource.as_ref())?;
/// assert!(manager.allocated_bytes() <= 20_000 && manager.disk_bytes() >= 10_000);
/// drop(second);
/// assert_eq!(first.to_host(&stream)?, [1; 10_000]);
/// # Ok::<(), gdf_memory::MemoryError>(())
/// ```
#[derive(Clone)]
pub struct SpillManager(Arc<SpillingResource>);

impl SpillManager {
    /// Makes a manager over `upstream`.
    pub fn new(upstream: Resource, options: SpillOptions) -> Self {
        Self(SpillingResource::new(upstream, options))
    }

    /// Returns the manager whose resource is `resource`, or is below `resource` under adaptors.
    pub fn of(resource: &Resource) -> Option<Self> {
        resource.to_arc().spilling()?.downcast::<SpillingResource>().ok().map(Self)
    }

    /// Returns the resource. Memory of other resources can be watched too, but does not count toward the limit.
    pub fn resource(&self) -> Resource {
        Resource::from(self.0.clone() as Arc<dyn MemoryResource>)
    }

    /// Returns the options.
    pub fn options(&self) -> &SpillOptions {
        self.0.options()
    }

    /// Makes a buffer spillable, with all its clones and slices. Returns `false` if the buffer already is, and if the
    /// manager cannot move the bytes: they belong to another device or to foreign memory, the address is exposed, the CPU
    /// can access memory of a GPU, or there are fewer than 4,096 bytes.
    pub fn watch(&self, buffer: &Buffer) -> bool {
        self.0.watch(buffer.allocation())
    }

    /// Spills watched buffers, those of the oldest uses first, until `bytes` bytes are freed or no other buffer can be
    /// spilled. Returns the number of freed bytes.
    ///
    /// # Errors
    /// [`Spill`](crate::MemoryError::Spill) when the file cannot be written; driver errors. No bytes are lost.
    pub fn spill(&self, bytes: usize) -> Result<usize> {
        self.0.spill(bytes)
    }

    /// Returns the number of allocated bytes of the resource, each block rounded up to 256 bytes.
    pub fn allocated_bytes(&self) -> usize {
        self.0.allocated_bytes()
    }

    /// Returns the largest value of [`allocated_bytes`](Self::allocated_bytes) so far.
    pub fn peak_bytes(&self) -> usize {
        self.0.peak_bytes()
    }

    /// Makes the present value of [`allocated_bytes`](Self::allocated_bytes) the largest one.
    pub fn reset_peak(&self) {
        self.0.reset_peak();
    }

    /// Returns the number of bytes of spilled buffers in pinned memory of the CPU.
    pub fn host_bytes(&self) -> usize {
        self.0.host_bytes()
    }

    /// Returns the number of bytes of the file that are in use.
    pub fn disk_bytes(&self) -> u64 {
        self.0.disk_bytes()
    }

    /// Returns the number of bytes of watched buffers that are in memory of the device.
    pub fn watched_bytes(&self) -> usize {
        self.0.registry().totals().2
    }

    /// Returns what the manager has counted.
    pub fn statistics(&self) -> SpillStatistics {
        self.0.statistics()
    }
}

impl PartialEq for SpillManager {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for SpillManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (buffers, bytes, resident) = self.0.registry().totals();
        f.debug_struct("SpillManager")
            .field("options", self.options())
            .field("buffers", &buffers)
            .field("bytes", &bytes)
            .field("resident", &resident)
            .finish_non_exhaustive()
    }
}
