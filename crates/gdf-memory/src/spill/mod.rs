//! Spilling: buffers whose bytes move to the CPU and to a disk while memory of the device is short.
//!
//! ```text
//!   a request ──► SpillingResource ──► upstream
//!                   │ out of memory, or above the limit
//!                   ▼
//!                 Registry: the buffer whose last use is the oldest
//!                   │ copy                                    ▲ the next access brings the bytes back
//!                   ▼                                         │
//!                 pinned memory of the CPU, up to a limit; then a file without a name
//! ```
//!
//! [`SpillManager::watch`] makes a buffer spillable. Such a buffer is immutable, so its copy stays valid: bytes that are
//! read back from a file keep their place in the file, and are spilled again without a write. A buffer whose address is
//! in use, or known to other code, is never moved.
//!
//! The design follows cuDF's `SpillableBuffer` and `SpillManager`.

mod file;
mod manager;
mod options;
mod registry;
mod resource;
mod statistics;

pub(crate) use self::file::Extent;
pub use self::manager::SpillManager;
pub use self::options::{SpillOptions, SpillStatisticsLevel};
use self::registry::Entry;
pub(crate) use self::resource::SpillingResource;
pub use self::statistics::{SpillStatistics, Transfers};

use std::sync::Arc;

use gdf_driver::Stream;

use crate::allocation::Allocation;
use crate::shared::Shared;
use crate::{Buffer, Result};

/// The place of spilled bytes.
#[derive(Debug)]
pub(crate) enum SpilledCopy {
    /// Pinned memory of the CPU, which counts toward the limit of the manager.
    Host(HostCopy),
    /// A range of the manager's file.
    Disk(Extent),
}

/// Pinned memory of the CPU. Dropping the value subtracts its size from the size of all such copies.
#[derive(Debug)]
pub(crate) struct HostCopy {
    buffer: Buffer,
    bytes: usize,
    manager: Arc<SpillingResource>,
}

impl Drop for HostCopy {
    fn drop(&mut self) {
        self.manager.give_host_bytes(self.bytes);
    }
}

/// What an allocation knows if its bytes can be spilled.
#[derive(Debug)]
pub(crate) struct Spillable {
    manager: Arc<SpillingResource>,
    entry: Arc<Entry>,
    /// A copy of the bytes. If the allocation has no memory, the copy is the only place of the bytes.
    copy: Option<SpilledCopy>,
}

impl Spillable {
    /// Records a use of the bytes.
    pub(crate) fn touch(&self) {
        self.entry.touch();
    }

    pub(crate) fn set_resident(&self, resident: bool) {
        self.entry.set_resident(resident);
    }

    /// Removes the allocation from the manager, before the allocation is freed.
    pub(crate) fn forget(self: Box<Self>) {
        self.manager.registry().remove(&self.entry);
    }

    /// Removes an allocation that stays where it is from the manager. The caller holds the allocation's lock, so that no
    /// other thread makes the allocation spillable again meanwhile.
    pub(crate) fn end(self: Box<Self>, allocation: &Shared<Allocation>) {
        self.manager.registry().remove(&self.entry);
        allocation.unwatch();
    }

    /// Enters an allocation that [`release`] has removed into the registry again.
    fn enter_again(&mut self, allocation: &Shared<Allocation>, resident: bool) {
        self.entry = self.manager.registry().add(allocation);
        self.entry.set_resident(resident);
    }

    pub(crate) fn keep(&mut self, copy: SpilledCopy) {
        self.copy = Some(copy);
    }

    /// Takes the copy that was kept when the bytes were brought back.
    pub(crate) fn take_copy(&mut self) -> Option<SpilledCopy> {
        self.copy.take()
    }

    pub(crate) fn count_exposure(&self, bytes: usize) {
        self.manager.count_exposure(bytes);
    }

    /// Returns a new buffer of `bytes` bytes that has the content of the copy.
    pub(crate) fn load(&mut self, bytes: usize, stream: &Stream) -> Result<Buffer> {
        let loaded = self.manager.load(self.copy.as_ref(), bytes, stream)?;
        // Pinned memory is scarce. A range of a file is kept, so that the bytes can be spilled again without a write.
        if matches!(self.copy, Some(SpilledCopy::Host(_))) {
            self.copy = None;
        }
        Ok(loaded)
    }
}

/// Takes a watched allocation from its manager, if the caller is the only owner of the allocation. Returns whether that
/// is so. The function waits while the manager copies the bytes.
pub(crate) fn release(allocation: &Shared<Allocation>) -> bool {
    let Some((manager, entry)) = watching(allocation) else { return true };
    manager.registry().release(&entry, allocation)
}

fn watching(allocation: &Shared<Allocation>) -> Option<(Arc<SpillingResource>, Arc<Entry>)> {
    let uses = allocation.uses();
    uses.spillable.as_ref().map(|spillable| (spillable.manager.clone(), spillable.entry.clone()))
}
