//! The spill manager.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::registry::Manager;
use super::{SpillOptions, SpillStatistics, SpillingResource};
use crate::{Buffer, MemoryBudget, MemoryReservation, MemoryResource, Resource, Result};

/// Moves the bytes of buffers out of a device's memory when the memory is exhausted, and moves the bytes back when a
/// buffer is used.
///
/// The [resource](Self::resource) of the manager spills buffers when a request fails, or when the allocated bytes
/// exceed a limit. The manager may spill the buffers that were passed to [`watch`](Self::watch). The least recently
/// used buffer is spilled first. Bytes of a GPU are spilled to pinned memory of the CPU. If the pinned memory is full,
/// they are spilled to a file. Bytes of the CPU are always spilled to a file. The next access to the buffer brings the
/// bytes back, and may spill other buffers for that. The spilled copy is kept until its memory is needed. As long as
/// the copy is kept, the bytes can be spilled again without a transfer.
///
/// Buffers that are in use are not moved, nor are buffers whose address other code knows (see [`Buffer::expose`]). A
/// buffer that is written in place is no longer watched. Clones of a manager share its state. Buffers may be used on
/// all threads while the manager spills.
///
/// The type corresponds to `SpillManager` in cuDF. Buffers that are watched correspond to `SpillableBuffer`.
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

    /// Returns the budget that reserves bytes up to the limit of the manager.
    pub fn budget(&self) -> &MemoryBudget {
        self.0.budget()
    }

    /// Reserves bytes of the [budget](Self::budget). Waits at most for the time that
    /// [`SpillOptions::with_reservation_timeout`] sets.
    ///
    /// # Errors
    /// * The errors of [`MemoryBudget::reserve_within`].
    pub fn reserve(&self, bytes: usize) -> Result<MemoryReservation> {
        match self.options().reservation_timeout {
            None => self.budget().reserve(bytes),
            Some(timeout) => self.budget().reserve_within(bytes, timeout),
        }
    }

    /// Makes a buffer spillable, with all its clones and slices. Returns `false` if the buffer already is spillable, or
    /// if the manager cannot move the bytes. Bytes of another device or of foreign memory cannot be moved. Memory of a
    /// GPU that the CPU can access, memory whose address is exposed, and allocations of less than 4,096 bytes are not
    /// moved.
    pub fn watch(&self, buffer: &Buffer) -> bool {
        self.0.watch(buffer.allocation(), false)
    }

    /// Does the same as [`watch`](Self::watch), but only for memory that the manager's resource has allocated. Other
    /// memory does not count toward the limit, and may be in use long after the manager.
    pub fn watch_own(&self, buffer: &Buffer) -> bool {
        self.0.watch(buffer.allocation(), true)
    }

    /// Spills watched buffers until `bytes` bytes are freed or no other buffer can be spilled. The least recently used
    /// buffer is spilled first. Returns the number of freed bytes. If the file cannot be written any more after some
    /// bytes were freed, the function ends early.
    ///
    /// # Errors
    /// [`Spill`](crate::MemoryError::Spill) when the file cannot be written and no bytes were freed; driver errors. No
    /// bytes are lost.
    pub fn spill(&self, bytes: usize) -> Result<usize> {
        self.0.spill(bytes)
    }

    /// Returns the number of release events so far. A release event occurs when an allocation of the resource is freed
    /// or spilled.
    pub fn releases(&self) -> u64 {
        self.0.releases().count()
    }

    /// Waits for a release event after the call of [`releases`](Self::releases) that returned `seen`. Waits at most for
    /// `timeout`. Returns whether there was an event.
    ///
    /// A thread that ran out of memory waits for other threads in this way, because it would fail again if nothing had
    /// been freed.
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
    /// use std::time::Duration;
    /// use gdf::Stream;
    /// use gdf::memory::{Buffer, HostResource, Resource, SpillManager, SpillOptions};
    ///
    /// let manager = SpillManager::new(Resource::new(HostResource::new()), SpillOptions::new());
    /// let buffer = Buffer::zeroed(100, &Stream::cpu(), manager.resource().as_ref())?;
    /// let seen = manager.releases();
    /// assert!(!manager.wait_for_release(seen, Duration::from_millis(1)));
    /// drop(buffer);
    /// assert!(manager.wait_for_release(seen, Duration::MAX));
    /// # Ok::<(), gdf_memory::MemoryError>(())
    /// ```
    pub fn wait_for_release(&self, seen: u64, timeout: Duration) -> bool {
        self.0.releases().wait(seen, timeout)
    }

    /// Returns the number of allocated bytes of the resource. The size of each block is rounded up to 256 bytes.
    pub fn allocated_bytes(&self) -> usize {
        self.0.allocated_bytes()
    }

    /// Returns the largest value of [`allocated_bytes`](Self::allocated_bytes) so far.
    pub fn peak_bytes(&self) -> usize {
        self.0.peak_bytes()
    }

    /// Sets [`peak_bytes`](Self::peak_bytes) to the current value of [`allocated_bytes`](Self::allocated_bytes).
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

    /// Returns the statistics that the manager has collected so far.
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
