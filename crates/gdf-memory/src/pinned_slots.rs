//! Reusable blocks of pinned memory in one size, free again once their recorded event has completed.

use std::collections::VecDeque;
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

use gdf_driver::{Device, Event, memory};

use crate::Result;

/// A block of pinned memory, `bytes` of its [`SlotPool`] long. Freed never: the pool keeps it for reuse.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot(NonNull<u8>);

// SAFETY: a slot is plain memory; whoever holds it has exclusive use, by way of the pool.
unsafe impl Send for Slot {}
// SAFETY: as above; `&Slot` only gives the pointer away.
unsafe impl Sync for Slot {}

impl Slot {
    pub(crate) fn ptr(self) -> NonNull<u8> {
        self.0
    }

    pub(crate) fn address(self) -> u64 {
        self.0.as_ptr().expose_provenance() as u64
    }
}

#[derive(Debug, Default)]
struct State {
    free: Vec<Slot>,
    busy: VecDeque<(Event, Slot)>,
    made: usize,
}

/// Slots of one size for one device.
#[derive(Debug)]
pub(crate) struct SlotPool {
    device: Device,
    slot_bytes: usize,
    /// Slots that one driver allocation is cut into.
    slots_per_block: usize,
    /// Above this many slots, taking one waits for the oldest busy one.
    limit: usize,
    state: Mutex<State>,
}

impl SlotPool {
    pub(crate) fn new(device: Device, slot_bytes: usize, slots_per_block: usize, limit: usize) -> Self {
        Self { device, slot_bytes, slots_per_block, limit, state: Mutex::default() }
    }

    pub(crate) fn slot_bytes(&self) -> usize {
        self.slot_bytes
    }

    /// A slot that nothing uses.
    pub(crate) fn take(&self) -> Result<Slot> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((event, slot)) = state.busy.front() {
            if !event.is_complete()? {
                break;
            }
            let slot = *slot;
            state.busy.pop_front();
            state.free.push(slot);
        }
        if let Some(slot) = state.free.pop() {
            return Ok(slot);
        }
        if state.made >= self.limit
            && let Some((event, slot)) = state.busy.pop_front()
        {
            drop(state);
            event.synchronize()?;
            return Ok(slot);
        }
        let block = memory::host_alloc(self.device, self.slot_bytes * self.slots_per_block)?;
        for index in 1..self.slots_per_block {
            // SAFETY: the block holds `slots_per_block` slots.
            state.free.push(Slot(unsafe { block.add(index * self.slot_bytes) }));
        }
        state.made += self.slots_per_block;
        Ok(Slot(block))
    }

    /// Gives a slot back that is in use until `event` completes.
    pub(crate) fn give_back_after(&self, slot: Slot, event: Event) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).busy.push_back((event, slot));
    }

    /// Gives a slot back that nothing uses.
    pub(crate) fn give_back(&self, slot: Slot) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).free.push(slot);
    }
}

/// One value per device, made on first use and kept for the life of the process.
#[derive(Debug)]
pub(crate) struct PerDevice<T: 'static>(Mutex<Vec<(Device, &'static T)>>);

impl<T> PerDevice<T> {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    pub(crate) fn get(&self, device: Device, make: impl FnOnce() -> T) -> &'static T {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, value)) = all.iter().find(|(known, _)| *known == device) {
            return value;
        }
        let value = Box::leak(Box::new(make()));
        all.push((device, value));
        value
    }
}
