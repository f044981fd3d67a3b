//! Reusable blocks of pinned memory. All blocks of a pool have the same size. After an operation has returned a block,
//! the block becomes free when the event of the operation has completed.

use std::collections::VecDeque;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gdf_driver::{Device, Event, Stream, memory};

use crate::Result;

/// A block of pinned memory with the size `slot_bytes` of its [`SlotPool`]. The pool keeps the block for reuse and
/// never frees the block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot(NonNull<u8>);

// SAFETY: a slot is plain memory. The pool hands a slot to only one holder at a time, so the holder has exclusive use.
unsafe impl Send for Slot {}
// SAFETY: `&Slot` gives access only to the pointer, not to the memory.
unsafe impl Sync for Slot {}

impl Slot {
    #[cfg(test)]
    pub(crate) fn of(block: &mut u64) -> Self {
        Self(NonNull::from(block).cast())
    }

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

impl State {
    /// Takes a free slot.
    fn take_free(&mut self) -> Option<Slot> {
        if self.free.is_empty() {
            // Events of a stream complete in order. If an event of a stream has not completed, the later events of the
            // stream are therefore not queried.
            let mut late: Vec<u64> = Vec::new();
            let free = &mut self.free;
            self.busy.retain(|(event, slot)| {
                let stream = event.stream_id();
                let is_late = late.contains(&stream) || !event.is_over();
                if !is_late {
                    free.push(*slot);
                } else if !late.contains(&stream) {
                    late.push(stream);
                }
                is_late
            });
        }
        self.free.pop()
    }
}

#[derive(Debug)]
pub(crate) struct SlotPool {
    device: Device,
    slot_bytes: usize,
    /// The number of slots that one driver allocation provides.
    slots_per_block: usize,
    /// If the pool has at least this many slots, a stream that still uses slots waits for its oldest slot, and the pool
    /// does not allocate.
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

    fn state(&self) -> MutexGuard<'_, State> {
        // A poisoned lock is sound to use, because the lists are consistent after every statement.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an unused slot for work on `stream`. The call never waits for work of another stream. The other stream
    /// could itself be waiting for later work of `stream`, so that neither would ever continue.
    pub(crate) fn take(&self, stream: &Stream) -> Result<Slot> {
        let mut state = self.state();
        loop {
            if let Some(slot) = state.take_free() {
                return Ok(slot);
            }
            let own = state.busy.iter().find(|(event, _)| event.stream_id() == stream.id());
            let Some((event, _)) = own.filter(|_| state.made >= self.limit) else { break };
            let event = event.clone();
            drop(state);
            event.synchronize()?;
            state = self.state();
        }
        let block = memory::host_alloc(self.device, self.slot_bytes * self.slots_per_block)?;
        for index in 1..self.slots_per_block {
            // SAFETY: the block holds `slots_per_block` slots.
            state.free.push(Slot(unsafe { block.add(index * self.slot_bytes) }));
        }
        state.made += self.slots_per_block;
        Ok(Slot(block))
    }

    /// Returns a slot to the pool.
    pub(crate) fn give_back_after(&self, slot: Slot, event: Event) {
        self.state().busy.push_back((event, slot));
    }

    pub(crate) fn give_back(&self, slot: Slot) {
        self.state().free.push(slot);
    }
}

/// One value per device.
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

#[cfg(test)]
mod tests {
    use super::*;
    use gdf_driver::deferred::DeferredCpu;

    /// Makes a pool that has reached its limit of slots and has no free slot.
    fn exhausted(blocks: &mut [u64]) -> (SlotPool, Vec<Slot>) {
        let pool = SlotPool::new(Device::Cpu, 8, 1, blocks.len());
        pool.state().made = blocks.len();
        (pool, blocks.iter_mut().map(Slot::of).collect())
    }

    fn late(stream: &Stream) -> Event {
        stream.enqueue(|| ()).unwrap();
        stream.record().unwrap()
    }

    #[test]
    fn a_slot_that_is_late_holds_up_no_other_one() {
        let (slow, fast) = (DeferredCpu::new(1), DeferredCpu::new(2));
        let ((one, other), mut blocks) = ((slow.stream(), fast.stream()), [0; 3]);
        let (pool, slots) = exhausted(&mut blocks);
        let first = late(&one);
        pool.give_back_after(slots[0], first.clone());
        pool.give_back_after(slots[1], late(&other));
        pool.give_back_after(slots[2], late(&one));
        // A stream that uses no slots gets a newly allocated slot. The allocation fails in this test, because the
        // device is the CPU.
        assert!(pool.take(&Stream::cpu()).is_err() && !first.is_over());
        fast.run_all();
        assert_eq!(pool.take(&one).unwrap().ptr(), slots[1].ptr());
        assert!(!first.is_over(), "the request waited for the first slot");
        let own = pool.take(&one).unwrap().ptr();
        assert!(first.is_over() && (own == slots[0].ptr() || own == slots[2].ptr()));
        slow.run_all();
    }

    #[test]
    fn a_slot_that_cannot_be_waited_for_is_not_lost() {
        let (executor, mut blocks) = (DeferredCpu::new(1), [0; 1]);
        let stream = executor.stream();
        let (pool, slots) = exhausted(&mut blocks);
        pool.give_back_after(slots[0], late(&stream));
        executor.set_mute(true);
        assert!(pool.take(&stream).is_err());
        executor.set_mute(false);
        assert_eq!(pool.take(&stream).unwrap().ptr(), slots[0].ptr());
    }
}
