//! The registry of the allocations that a manager may spill.

use std::collections::{HashMap, HashSet};
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use gdf_driver::Stream;

use super::blocks::Block;
use super::file::Extent;
use crate::allocation::{Allocation, Memory, Spill};
use crate::shared::{Shared, Watcher};
use crate::{Buffer, MemoryError, Result};

/// A counter of the uses of spillable buffers.
static CLOCK: AtomicU64 = AtomicU64::new(0);

pub(super) trait Manager: Send + Sync + Debug {
    fn registry(&self) -> &Registry;

    fn load(&self, copy: &SpilledCopy, bytes: usize, stream: &Stream) -> Result<Buffer>;

    fn give_host_bytes(&self, bytes: usize);

    fn count_exposure(&self, bytes: usize);
}

#[derive(Debug)]
pub(super) enum SpilledCopy {
    Host(HostCopy),
    Disk(Extent),
    Blocks(Vec<Block>),
}

/// Pinned memory of the CPU. Dropping the value subtracts its size from the size of all such copies.
#[derive(Debug)]
pub(super) struct HostCopy {
    pub(super) buffer: Buffer,
    pub(super) bytes: usize,
    pub(super) manager: Arc<dyn Manager>,
}

impl Drop for HostCopy {
    fn drop(&mut self) {
        self.manager.give_host_bytes(self.bytes);
    }
}

#[derive(Debug)]
pub(super) struct Entry {
    manager: Arc<dyn Manager>,
    id: u64,
    bytes: usize,
    last_use: AtomicU64,
    /// Whether the bytes are in memory of the device.
    resident: AtomicBool,
    /// A copy of the bytes. If the allocation has no memory, only this copy holds the bytes.
    copy: Mutex<Option<SpilledCopy>>,
    allocation: Watcher<Allocation>,
}

impl Entry {
    pub(super) fn new(manager: Arc<dyn Manager>, id: u64, allocation: &Shared<Allocation>) -> Self {
        Self {
            manager,
            id,
            bytes: allocation.bytes(),
            last_use: AtomicU64::new(CLOCK.fetch_add(1, Ordering::Relaxed)),
            resident: AtomicBool::new(true),
            copy: Mutex::new(None),
            allocation: allocation.watch(),
        }
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn is_resident(&self) -> bool {
        self.resident.load(Ordering::Relaxed)
    }

    fn copy(&self) -> MutexGuard<'_, Option<SpilledCopy>> {
        self.copy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn has_copy(&self) -> bool {
        self.copy().is_some()
    }

    pub(super) fn keep(&self, copy: SpilledCopy) {
        *self.copy() = Some(copy);
    }

    /// Takes a copy in pinned memory. The bytes must be in memory of the device, too.
    fn take_host_copy(&self) -> Option<SpilledCopy> {
        self.copy().take_if(|copy| matches!(copy, SpilledCopy::Host(_)))
    }
}

impl Spill for Entry {
    fn touch(&self) {
        self.last_use.store(CLOCK.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
    }

    fn set_resident(&self, resident: bool) {
        self.resident.store(resident, Ordering::Relaxed);
    }

    fn load(&self, bytes: usize, stream: &Stream) -> Result<Memory> {
        let copy = self.copy();
        let copy_of = copy.as_ref().ok_or(MemoryError::Internal("the copy of spilled bytes is missing"))?;
        // The copy is kept. The bytes never change, so they can be spilled again without a transfer.
        let loaded = self.manager.load(copy_of, bytes, stream)?;
        loaded.into_memory().ok_or(MemoryError::Internal("the memory of a new buffer does not come from a resource"))
    }

    fn leave(&self) {
        self.manager.registry().remove(self);
    }

    fn leave_if(&self, is_only: &dyn Fn() -> bool) -> bool {
        self.manager.registry().remove_if(self, is_only)
    }

    fn enter(self: Arc<Self>) {
        let manager = self.manager.clone();
        manager.registry().add(self);
    }

    fn count_exposure(&self, bytes: usize) {
        self.manager.count_exposure(bytes);
    }

    fn manager(&self) -> *const () {
        Arc::as_ptr(&self.manager).cast()
    }
}

#[derive(Debug, Default)]
struct State {
    next_id: u64,
    entries: HashMap<u64, Arc<Entry>>,
    /// The allocations that a thread is spilling now. The thread is one of the owners of such an allocation.
    busy: HashSet<u64>,
}

#[derive(Debug, Default)]
pub(super) struct Registry {
    state: Mutex<State>,
    /// The condition variable that is notified when an allocation is no longer busy.
    finished: Condvar,
}

/// An allocation that this thread may copy.
pub(super) struct Candidate<'r> {
    registry: &'r Registry,
    entry: Arc<Entry>,
    /// The allocation.
    allocation: Option<Shared<Allocation>>,
}

impl Candidate<'_> {
    pub(super) fn allocation(&self) -> Option<&Shared<Allocation>> {
        self.allocation.as_ref()
    }

    pub(super) fn entry(&self) -> &Entry {
        &self.entry
    }

    pub(super) fn id(&self) -> u64 {
        self.entry.id
    }
}

impl Drop for Candidate<'_> {
    fn drop(&mut self) {
        // The candidate may be the last owner of the allocation, and the drop of the allocation takes the lock.
        // Therefore the owner is dropped before this function takes the lock.
        drop(self.allocation.take());
        self.registry.state().busy.remove(&self.entry.id);
        self.registry.finished.notify_all();
    }
}

impl Registry {
    fn state(&self) -> MutexGuard<'_, State> {
        // A poisoned lock is sound to use, because the state is consistent after every statement.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn next_id(&self) -> u64 {
        let mut state = self.state();
        state.next_id += 1;
        state.next_id
    }

    /// Adds the entry of an allocation. The caller must be an owner of the allocation. The allocation must be marked as
    /// watched, and must refer to the entry.
    fn add(&self, entry: Arc<Entry>) {
        self.state().entries.insert(entry.id, entry);
    }

    /// Removes an allocation.
    fn remove(&self, entry: &Entry) {
        let removed = self.state().entries.remove(&entry.id);
        // The lock is released before the entry is dropped, which may free memory.
        drop(removed);
    }

    /// Waits until no thread spills the allocation, and removes the allocation if `is_only` returns `true`.
    fn remove_if(&self, entry: &Entry, is_only: &dyn Fn() -> bool) -> bool {
        let mut state = self.state();
        while state.busy.contains(&entry.id) {
            state = self.finished.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if !is_only() {
            return false;
        }
        let removed = state.entries.remove(&entry.id);
        drop(state);
        drop(removed);
        true
    }

    /// Returns the least recently used allocation that is in memory of the device. Allocations in `skipped`, and
    /// allocations that a thread is spilling, are ignored.
    pub(super) fn oldest(&self, skipped: &HashSet<u64>) -> Option<Candidate<'_>> {
        let mut state = self.state();
        loop {
            let is_free = |entry: &&Arc<Entry>| {
                entry.is_resident() && !skipped.contains(&entry.id) && !state.busy.contains(&entry.id)
            };
            let entries = state.entries.values().filter(is_free);
            let entry = entries.min_by_key(|entry| entry.last_use.load(Ordering::Relaxed))?.clone();
            // SAFETY: the drop of an allocation removes the entry, which takes the lock that this thread holds. The
            // entry is still there, so the block of the allocation is not freed during the call. The mark of a watched
            // value is only removed together with the entry.
            if let Some(allocation) = unsafe { entry.allocation.upgrade() } {
                state.busy.insert(entry.id);
                return Some(Candidate { registry: self, entry, allocation: Some(allocation) });
            }
            // The last owner is being dropped. Its drop waits for the lock that this thread holds.
            state.entries.remove(&entry.id);
        }
    }

    /// Drops copies in pinned memory until `bytes` bytes of pinned memory are free. Only copies of allocations that are
    /// also in memory of the device are dropped. Returns the number of freed bytes.
    pub(super) fn drop_host_copies(&self, bytes: usize) -> usize {
        let (mut freed, mut dropped) = (0, Vec::new());
        let state = self.state();
        for entry in state.entries.values() {
            if freed >= bytes {
                break;
            }
            // The memory of a busy allocation may be freed at any time, so its copy must stay. While this thread holds
            // the lock, no allocation becomes busy.
            if entry.is_resident()
                && !state.busy.contains(&entry.id)
                && let Some(copy) = entry.take_host_copy()
            {
                freed += entry.bytes();
                dropped.push(copy);
            }
        }
        // The lock is released before the copies are dropped, which frees memory.
        drop(state);
        freed
    }

    /// Returns the number of watched allocations, the number of their bytes, and the number of those bytes that are in
    /// memory of the device.
    pub(super) fn totals(&self) -> (usize, usize, usize) {
        let state = self.state();
        let bytes = |resident: bool| {
            state.entries.values().filter(|entry| !resident || entry.is_resident()).map(|entry| entry.bytes()).sum()
        };
        (state.entries.len(), bytes(false), bytes(true))
    }
}
