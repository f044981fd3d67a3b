//! The registry of the allocations that a manager may spill.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::allocation::Allocation;
use crate::shared::{Shared, Watcher};

/// A clock that counts uses of spillable buffers. The buffer with the smallest time of its last use is spilled first.
static CLOCK: AtomicU64 = AtomicU64::new(0);

/// An allocation of the registry.
#[derive(Debug)]
pub(crate) struct Entry {
    id: u64,
    bytes: usize,
    last_use: AtomicU64,
    /// Whether the bytes are in memory of the device.
    resident: AtomicBool,
    allocation: Watcher<Allocation>,
}

impl Entry {
    pub(super) fn touch(&self) {
        self.last_use.store(CLOCK.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
    }

    pub(super) fn set_resident(&self, resident: bool) {
        self.resident.store(resident, Ordering::Relaxed);
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    fn is_resident(&self) -> bool {
        self.resident.load(Ordering::Relaxed)
    }
}

#[derive(Debug, Default)]
struct State {
    next_id: u64,
    entries: HashMap<u64, Arc<Entry>>,
    /// The allocations that a thread is spilling now. The thread is one of the owners of such an allocation.
    busy: HashSet<u64>,
}

/// All allocations that a manager may spill.
#[derive(Debug, Default)]
pub(super) struct Registry {
    state: Mutex<State>,
    /// Notified when an allocation is no longer busy.
    finished: Condvar,
}

/// An allocation that this thread may copy. Dropping the value ends the ownership of the allocation.
pub(super) struct Candidate<'r> {
    registry: &'r Registry,
    id: u64,
    /// `None` only while the value is dropped.
    allocation: Option<Shared<Allocation>>,
}

impl Candidate<'_> {
    pub(super) fn allocation(&self) -> Option<&Shared<Allocation>> {
        self.allocation.as_ref()
    }

    pub(super) fn id(&self) -> u64 {
        self.id
    }
}

impl Drop for Candidate<'_> {
    fn drop(&mut self) {
        // The last owner of an allocation takes the lock, so the ownership ends before the lock is taken.
        drop(self.allocation.take());
        self.registry.state().busy.remove(&self.id);
        self.registry.finished.notify_all();
    }
}

impl Registry {
    fn state(&self) -> MutexGuard<'_, State> {
        // Every statement leaves the state consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an allocation. The caller owns the allocation, and stores the entry in the allocation.
    pub(super) fn add(&self, allocation: &Shared<Allocation>) -> Arc<Entry> {
        let mut state = self.state();
        let id = state.next_id;
        state.next_id += 1;
        let entry = Arc::new(Entry {
            id,
            bytes: allocation.bytes(),
            last_use: AtomicU64::new(CLOCK.fetch_add(1, Ordering::Relaxed)),
            resident: AtomicBool::new(true),
            allocation: allocation.watch(),
        });
        state.entries.insert(id, entry.clone());
        entry
    }

    /// Removes an allocation that is being dropped. When the function returns, no thread uses the entry's watcher.
    pub(super) fn remove(&self, entry: &Entry) {
        self.state().entries.remove(&entry.id);
    }

    /// Removes an allocation if `owner` is its only owner, and returns whether that is so. The function waits until no
    /// thread spills the allocation.
    pub(super) fn release(&self, entry: &Entry, owner: &Shared<Allocation>) -> bool {
        let mut state = self.state();
        while state.busy.contains(&entry.id) {
            state = self.finished.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if owner.owners() != 1 {
            return false;
        }
        state.entries.remove(&entry.id);
        owner.unwatch();
        true
    }

    /// Returns the resident allocation whose last use is the oldest, except those in `skipped` and those that other
    /// threads spill.
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
                return Some(Candidate { registry: self, id: entry.id, allocation: Some(allocation) });
            }
            // The last owner is gone, and its drop waits for the lock.
            state.entries.remove(&entry.id);
        }
    }

    /// Returns the number of watched allocations, the number of their bytes, and how many of the bytes are in memory of
    /// the device.
    pub(super) fn totals(&self) -> (usize, usize, usize) {
        let state = self.state();
        let bytes = |resident: bool| {
            state.entries.values().filter(|entry| !resident || entry.is_resident()).map(|entry| entry.bytes()).sum()
        };
        (state.entries.len(), bytes(false), bytes(true))
    }
}
