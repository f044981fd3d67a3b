//! Moves memory between the free granules and the upstream: the growth, the trimming and the end of a pool.

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

/// A pool grows by its current size divided by `POOL_GROWTH`.
const POOL_GROWTH: usize = 2;
/// The minimum and the maximum growth in granules.
const MIN_REGION: usize = 16;
const MAX_REGION: usize = 1024;

impl Engine {
    /// Allocates memory for at least one block of `size` bytes from the upstream, and adds the memory to the free
    /// granules.
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

    /// Allocates `bytes` bytes, rounded up to whole granules, as one block of the upstream.
    pub(super) fn reserve_at_once(&self, bytes: usize) -> Result<()> {
        let bytes = bytes.checked_next_multiple_of(self.options.granule);
        let bytes = bytes.ok_or_else(|| self.out_of_memory(usize::MAX, None))?;
        let base = self.take_reserved(bytes, self.reserve(bytes)?)?;
        self.lay(base, bytes);
        Ok(())
    }

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

    /// Adds `bytes` to `reserved`.
    fn reserve(&self, bytes: usize) -> Result<Reservation<'_>> {
        let most = self.options.maximum.unwrap_or(usize::MAX);
        let refused = MemoryError::OutOfMemory { requested: bytes, free: None, resource: self.name };
        Reservation::new(&self.reserved, bytes, most).ok_or(refused)
    }

    /// Allocates `bytes` bytes, which `reservation` has already added to `reserved`.
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

    /// Remaps scattered free granules to adjacent addresses, so that a block of `size` bytes fits. Only a pool with its
    /// own address space can remap granules. The calling thread waits for the work that used the granules. Returns
    /// `false` in other pools, and if too little memory is free even after the pool has grown.
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
        // SAFETY: the spans are free granules, so the spans are mapped and contain no block in use. `settle` has
        // waited for the work of every lane that used the spans.
        let (outcome, lost) = unsafe { space.remap(&spans, min) };
        self.reserved.fetch_sub(lost, Ordering::Relaxed);
        let address = match outcome {
            Ok(address) => address,
            // The unmapped memory is no longer reserved, so the pool may later grow by the same amount.
            Err(error) if error.is_out_of_memory() => return Ok(false),
            Err(error) => return Err(error),
        };
        tracing::debug!(pool = self.name, bytes = min, pieces = spans.len(), "pool: remapped");
        locked(&self.free_granules).put(Span { address, size: min, after: 0 }, &space.range);
        Ok(true)
    }

    /// Allocates memory that every stream can use when the call returns. If the CPU can access the memory, the memory
    /// is initialized.
    fn ask_upstream(&self, bytes: usize) -> Result<NonNull<u8>> {
        if !self.upstream.properties().host_accessible {
            return self.upstream.allocate_sync(bytes, UNIT);
        }
        // The wait must not include the work of the caller's default stream. Therefore a new stream is used. On a GPU,
        // the device fills managed memory. A fill by the device is faster than a fill by the CPU, and leaves the pages
        // on the device.
        let stream = Stream::new(self.upstream.device())?;
        let ptr = self.upstream.allocate_initialized(bytes, UNIT, &stream)?;
        if let Err(error) = stream.synchronize() {
            // SAFETY: `allocate_initialized` returned the block above with the same size and alignment. Nothing but
            // the fill on `stream` used the block.
            unsafe { self.upstream.deallocate(ptr, bytes, UNIT, &stream) };
            return Err(error.into());
        }
        Ok(ptr)
    }

    /// Frees the regions that contain no block in use, and that no work uses any more, to the upstream. A pool with its
    /// own address space frees single granules instead. Returns the number of freed bytes.
    pub(super) fn trim(&self) -> usize {
        let _guard = self.search_lock.exclusive();
        self.trim_now(false)
    }

    /// Does the work of [`trim`](Self::trim). If `wait` is true, the thread also waits for work that still uses free
    /// memory, so that more memory can be freed.
    pub(super) fn trim_now(&self, wait: bool) -> usize {
        for heap in self.all_heaps() {
            let alias = heap.alias().cloned().unwrap_or_else(Stream::cpu);
            if let Err(error) = self.adopt(&heap, &alias, wait) {
                tracing::warn!(%error, "pool: a stream cannot be queried");
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

    /// Returns whether all work of the heaps in `set` has completed. If `wait` is true, the function first waits for
    /// that work.
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
            // SAFETY: the upstream allocated the region with this size and alignment. `take_whole` found the whole
            // region free and removed the region from the free granules, so the region is freed once. `is_done` has
            // checked that the work of every lane that used the region has completed.
            unsafe { self.upstream.deallocate_sync(pointer(span.address), span.size, UNIT) };
            // The bytes are subtracted only after the free, so that the pool never exceeds its maximum.
            self.reserved.fetch_sub(span.size, Ordering::Relaxed);
        }
        trimmed
    }

    /// Unmaps the free granules that no work uses any more. Returns the number of unmapped bytes.
    fn trim_space(&self, space: &Space, wait: bool) -> usize {
        // The pool tries again to unmap the granules that the driver refused to unmap earlier.
        let mut trimmed = space.retry();
        let spans = locked(&self.free_granules).take_all();
        for span in spans {
            if !self.is_done(span.after, wait) {
                locked(&self.free_granules).put(span, &space.range);
                continue;
            }
            // SAFETY: the span consists of free granules, so the span is mapped and contains no block in use.
            // `is_done` has checked that the work of every lane that used the span has completed.
            trimmed += unsafe { space.shrink(span) };
        }
        self.reserved.fetch_sub(trimmed, Ordering::Relaxed);
        trimmed
    }
}

impl Drop for Engine {
    /// Frees all memory of the pool to the upstream.
    fn drop(&mut self) {
        let heaps = self.all_heaps();
        let mut events = Vec::new();
        for heap in &heaps {
            let mut state = heap.lock();
            // Blocks that were freed on other lanes count as free, because the code below waits for all lanes and
            // events.
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
                // SAFETY: the upstream allocated the region with this size and alignment. No block of the region is
                // in use, and each region is freed once. The stream `last` has waited for all lanes with work and for
                // all events, so every use of the region precedes the free.
                unsafe { self.upstream.deallocate(pointer(range.start), range.len(), UNIT, &last) };
            }
            return;
        }
        let upstream = self.upstream.clone();
        reaper::when_complete(events, move || {
            for range in regions {
                // SAFETY: the upstream allocated the region with this size and alignment. No block of the region is
                // in use, and each region is freed once. All lanes are idle, and the events have completed, so no
                // work uses the region.
                unsafe { upstream.deallocate_sync(pointer(range.start), range.len(), UNIT) };
            }
        });
    }
}
