//! How a pool grows, shrinks and ends: what moves between its free granules and the upstream.

use std::ptr::NonNull;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use gdf_driver::Stream;

use super::blocks::UNIT;
use super::engine::{Engine, locked, pointer};
use super::free_granules::{Region, Span};
use super::space::Space;
use crate::allocation::release_on;
use crate::reservation::Reservation;
use crate::{MemoryError, Result, reaper};

/// The pool takes a part of what it has from the upstream.
const POOL_GROWTH: usize = 2;
/// The smallest and the most that the pool takes at once, in granules, unless one block needs more.
const MIN_REGION: usize = 16;
const MAX_REGION: usize = 1024;

impl Engine {
    /// Takes memory from the upstream to the free granules, enough for a block of `size`.
    pub(super) fn grow(&self, size: usize) -> Result<()> {
        let granule = self.options.granule;
        let min = size.checked_next_multiple_of(granule).ok_or_else(|| self.out_of_memory(size, None))?;
        let usual = (self.reserved() / POOL_GROWTH).clamp(MIN_REGION * granule, MAX_REGION * granule);
        let mut requested = usual.next_multiple_of(granule).max(min);
        let (base, got) = loop {
            let smaller = requested > min;
            match self.reserve(requested).and_then(|reservation| self.take_reserved(requested, reservation)) {
                Ok(base) => break (base, requested),
                Err(error) if error.is_out_of_memory() && smaller => {
                    requested = (requested / 2).next_multiple_of(granule).max(min);
                }
                Err(error) => return Err(error),
            }
        };
        self.lay(base, got);
        Ok(())
    }

    /// Takes so many bytes from the upstream in one piece.
    pub(super) fn reserve_at_once(&self, bytes: usize) -> Result<()> {
        let bytes = bytes.checked_next_multiple_of(self.options.granule);
        let bytes = bytes.ok_or_else(|| self.out_of_memory(usize::MAX, None))?;
        let base = self.take_reserved(bytes, self.reserve(bytes)?)?;
        self.lay(base, bytes);
        Ok(())
    }

    /// Adds memory that was taken to the free granules.
    fn lay(&self, base: usize, bytes: usize) {
        let range = match &self.space {
            Some(space) => space.range.clone(),
            None => {
                let region = Arc::new(Region::new(base, bytes, self.options.granule));
                self.regions.write().unwrap_or_else(PoisonError::into_inner).insert(base, Arc::clone(&region));
                region.range.clone()
            }
        };
        locked(&self.free_granules).put(Span { address: base, size: bytes, after: 0 }, &range);
        tracing::info!(pool = self.name, device = %self.upstream.device(), bytes, reserved = self.reserved(), "pool: grown");
    }

    /// Counts memory that is to be taken from the upstream, as far as the maximum allows.
    fn reserve(&self, bytes: usize) -> Result<Reservation<'_>> {
        let most = self.options.maximum.unwrap_or(usize::MAX);
        let refused = MemoryError::OutOfMemory { requested: bytes, free: None, resource: self.name };
        Reservation::new(&self.reserved, bytes, most).ok_or(refused)
    }

    /// Memory of which [`reserve`](Self::reserve) has counted so many bytes: its first address.
    fn take_reserved(&self, bytes: usize, reservation: Reservation<'_>) -> Result<usize> {
        let block = match &self.space {
            Some(space) => space.grow(bytes).map_err(|failure| (failure.error, failure.stuck)),
            None => self.ask_upstream(bytes).map(|ptr| ptr.as_ptr().expose_provenance()).map_err(|error| (error, 0)),
        };
        match block {
            Ok(base) => {
                reservation.commit();
                Ok(base)
            }
            Err((error, held)) => {
                reservation.commit_part(held);
                Err(error)
            }
        }
    }

    /// On addresses of the pool's own: maps free granules side by side that lie apart, until there is room for a block of
    /// `size`. The calling thread waits for the work that used them. False where too little is free.
    pub(super) fn compact(&self, size: usize) -> Result<bool> {
        let Some(space) = &self.space else { return Ok(false) };
        let granule = self.options.granule;
        let min = size.next_multiple_of(granule);
        for heap in self.all_heaps() {
            self.gather_from(&heap);
        }
        self.reserved.fetch_sub(space.retry(), Ordering::Relaxed);
        let missing = min.saturating_sub(locked(&self.free_granules).free());
        if missing > 0
            && let Err(error) = self.grow(missing)
        {
            return if error.is_out_of_memory() { Ok(false) } else { Err(error) };
        }
        let mut spans = Vec::new();
        {
            let (mut free_granules, mut have) = (locked(&self.free_granules), 0);
            while have < min
                && let Some(span) = free_granules.take(granule, min - have)
            {
                have += span.size;
                spans.push(span);
            }
            if have < min {
                spans.drain(..).for_each(|span| free_granules.put(span, &space.range));
                return Ok(false);
            }
        }
        let set = spans.iter().fold(0, |set, span| set | span.after);
        if let Err(error) = self.heaps_in(set).iter().try_for_each(|heap| heap.settle()) {
            spans.drain(..).for_each(|span| locked(&self.free_granules).put(span, &space.range));
            return Err(error);
        }
        // SAFETY: the spans are free, so they are mapped and no block of them is in use; all lanes that used
        // them have been waited for.
        let (outcome, lost) = unsafe { space.remap(&spans, min) };
        self.reserved.fetch_sub(lost, Ordering::Relaxed);
        let address = match outcome {
            Ok(address) => address,
            // What was given up can be had anew.
            Err(error) if error.is_out_of_memory() => return Ok(false),
            Err(error) => return Err(error),
        };
        tracing::debug!(pool = self.name, bytes = min, pieces = spans.len(), "pool: remapped");
        locked(&self.free_granules).put(Span { address, size: min, after: 0 }, &space.range);
        Ok(true)
    }

    /// Memory for every stream at once, initialized where the CPU can look.
    fn ask_upstream(&self, bytes: usize) -> Result<NonNull<u8>> {
        if !self.upstream.properties().host_accessible {
            return self.upstream.allocate_sync(bytes, UNIT);
        }
        // Not the caller's default stream, whose work is not to be waited for. The device fills faster than the CPU, and
        // managed memory then begins there.
        let stream = Stream::new(self.upstream.device())?;
        let ptr = self.upstream.allocate_initialized(bytes, UNIT, &stream)?;
        if let Err(error) = stream.synchronize() {
            // SAFETY: allocated just above with the same size and alignment; nothing used it.
            unsafe { self.upstream.deallocate(ptr, bytes, UNIT, &stream) };
            return Err(error.into());
        }
        Ok(ptr)
    }

    /// Gives whole regions back to the upstream that nobody uses; returns how many bytes those are.
    pub(super) fn trim(&self) -> usize {
        let _guard = self.search_lock.exclusive();
        self.trim_now(false)
    }

    /// As [`trim`](Self::trim), for a thread that holds the search lock, which with `wait` waits for what is free but not done.
    pub(super) fn trim_now(&self, wait: bool) -> usize {
        for heap in self.all_heaps() {
            let alias = heap.alias().cloned().unwrap_or_else(Stream::cpu);
            if let Err(error) = self.adopt(&heap, &alias, wait) {
                tracing::warn!(%error, "pool: a stream cannot be asked");
            }
            self.gather_from(&heap);
        }
        let trimmed = match &self.space {
            Some(space) => self.trim_space(space, wait),
            None => self.trim_regions(wait),
        };
        if trimmed > 0 {
            tracing::debug!(pool = self.name, bytes = trimmed, reserved = self.reserved(), "pool: trimmed");
        }
        trimmed
    }

    /// Whether the work of all heaps in a set is done; with `wait`, after waiting for it.
    fn is_done(&self, set: u64, wait: bool) -> bool {
        let busy = self.busy(set);
        busy == 0 || (wait && self.heaps_in(busy).iter().all(|heap| heap.settle().is_ok()))
    }

    fn trim_regions(&self, wait: bool) -> usize {
        let regions: Vec<_> = self.regions.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        let mut trimmed = 0;
        for region in regions {
            let Some(span) = locked(&self.free_granules).take_whole(&region.range) else { continue };
            if !self.is_done(span.after, wait) {
                locked(&self.free_granules).put(span, &region.range);
                continue;
            }
            self.regions.write().unwrap_or_else(PoisonError::into_inner).remove(&span.address);
            trimmed += span.size;
            // SAFETY: the region came from the upstream with this size and alignment; all of it is free, has left the
            // granules, and the work of every lane that used it is done.
            unsafe { self.upstream.deallocate_sync(pointer(span.address), span.size, UNIT) };
            // Counted until it is given back, so that the pool never has more than its maximum.
            self.reserved.fetch_sub(span.size, Ordering::Relaxed);
        }
        trimmed
    }

    /// Gives free granules back that nobody uses.
    fn trim_space(&self, space: &Space, wait: bool) -> usize {
        // What was refused before may be taken back now.
        let mut trimmed = space.retry();
        let spans = locked(&self.free_granules).take_all();
        for span in spans {
            if !self.is_done(span.after, wait) {
                locked(&self.free_granules).put(span, &space.range);
                continue;
            }
            // SAFETY: the span was free, so it is mapped and no block of it is in use; the work of every lane
            // that used it is done.
            trimmed += unsafe { space.shrink(span) };
        }
        self.reserved.fetch_sub(trimmed, Ordering::Relaxed);
        trimmed
    }
}

impl Drop for Engine {
    /// Buffers keep their pool, so nothing is in use that the lifetime rule knows of.
    fn drop(&mut self) {
        let heaps = self.all_heaps();
        let mut events = Vec::new();
        for heap in &heaps {
            let mut state = heap.lock();
            // What was given back elsewhere counts: all lanes and events are waited for below.
            for block in std::mem::take(&mut state.pending) {
                state.blocks.give(block.address);
                events.extend(block.event.filter(|event| !event.is_over()));
            }
            if state.blocks.in_use() > 0 {
                tracing::warn!(blocks = state.blocks.in_use(), "a pool ends with blocks in use; its memory is leaked");
                std::mem::forget(self.space.take());
                return;
            }
        }
        let busy: Vec<_> = heaps.iter().filter(|heap| !heap.is_idle()).collect();
        let ordered = busy.split_first().map(|(last, others)| {
            let alias = last.alias().cloned().unwrap_or_else(Stream::cpu);
            let others = others.iter().try_for_each(|other| last.order_after(other, &alias));
            others.and_then(|()| events.drain(..).try_for_each(|event| last.follow(&event, &alias))).map(|()| alias)
        });
        let last = match ordered.transpose() {
            Ok(last) => last,
            Err(error) => {
                tracing::warn!(%error, "the last users of a pool cannot be waited for; its memory is leaked");
                std::mem::forget(self.space.take());
                return;
            }
        };
        if let Some(space) = self.space.take() {
            match last {
                None => reaper::when_complete(events, move || drop(space)),
                Some(last) => release_on(&last, move || drop(space)),
            }
            return;
        }
        let regions = std::mem::take(self.regions.get_mut().unwrap_or_else(PoisonError::into_inner));
        let regions: Vec<_> = regions.into_values().map(|region| region.range.clone()).collect();
        if let Some(last) = last {
            for range in regions {
                // SAFETY: the region came from the upstream with this size and alignment; nobody has a block of it, and
                // what used it precedes on this stream.
                unsafe { self.upstream.deallocate(pointer(range.start), range.len(), UNIT, &last) };
            }
            return;
        }
        let upstream = self.upstream.clone();
        reaper::when_complete(events, move || {
            for range in regions {
                // SAFETY: as above, except that what used it is done: the lanes are idle, and the events have completed.
                unsafe { upstream.deallocate_sync(pointer(range.start), range.len(), UNIT) };
            }
        });
    }
}
