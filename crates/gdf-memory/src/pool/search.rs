//! The search for a block if the heap of the stream has no sufficiently large block.

use gdf_driver::Stream;

use super::engine::{Engine, give, locked, take};
use super::heap::{Heap, Pending};
use super::map::Map;
use crate::{MemoryError, Result, reaper};

/// A heap grows by its current size divided by `HEAP_GROWTH`, so that a heap grows rarely.
const HEAP_GROWTH: usize = 4;
/// The maximum growth of a heap in bytes. If a single request needs more, the heap grows by the size of the request.
const MAX_AT_ONCE: usize = 256 << 20;

impl Engine {
    /// Searches for a block of `size` bytes, for a request of `asked` bytes that `heap` cannot serve.
    ///
    /// During the first search, other threads may move blocks, so that the search misses these blocks. If the first
    /// search fails, the thread therefore searches again with the exclusive lock. Before the request is refused, the
    /// thread also waits for work that still uses free memory.
    #[cold]
    pub(super) fn search(&self, asked: usize, size: usize, heap: &Heap, stream: &Stream) -> Result<usize> {
        let (granule, mut refusal) = (self.options.granule, None);
        if self.options.maximum.is_none_or(|most| size <= most / granule * granule) {
            {
                let _guard = self.search_lock.shared();
                if let Some(address) = self.look(size, heap, stream, &mut refusal)? {
                    return Ok(address);
                }
            }
            let _guard = self.search_lock.exclusive();
            if let Some(address) = self.look(size, heap, stream, &mut refusal)? {
                return Ok(address);
            }
            if let Some(address) = self.look_hard(size, heap, stream, &mut refusal)? {
                return Ok(address);
            }
        }
        let error = self.out_of_memory(asked, refusal);
        tracing::debug!(%error, reserved = self.reserved(), "pool: no block");
        self.write_dump();
        Err(error)
    }

    /// Searches in this order:
    ///
    /// * blocks of the heap that were freed on other lanes. If streams of the lane can wait on the device, `stream`
    ///   waits for the other lanes. Otherwise the search uses only blocks whose work has completed.
    /// * the shared free granules of the pool
    /// * the free granules of other heaps
    /// * new memory from the upstream
    /// * all blocks of the heap that were freed on other lanes, after a wait for the other lanes
    /// * free blocks of other heaps, after a wait for the work of these heaps
    fn look(
        &self,
        size: usize,
        heap: &Heap,
        stream: &Stream,
        refusal: &mut Option<MemoryError>,
    ) -> Result<Option<usize>> {
        self.adopt(heap, stream, heap.waits_alone())?;
        if let Some(address) = take(heap, size) {
            return Ok(Some(address));
        }
        if let Some(address) = self.take_granules(size, heap, stream)? {
            return Ok(Some(address));
        }
        if self.gather(heap) > 0
            && let Some(address) = self.take_granules(size, heap, stream)?
        {
            return Ok(Some(address));
        }
        // Threads that find no block at the same time grow the pool one after the other. What one of them adds is
        // usually enough for all.
        let before = self.reserved();
        let growing = self.growth_lock.exclusive();
        if self.reserved() > before
            && let Some(address) = self.take_granules(size, heap, stream)?
        {
            return Ok(Some(address));
        }
        self.try_to_grow(size, refusal)?;
        drop(growing);
        // Another thread may have taken the new memory. In that case the search continues with the memory of other
        // heaps.
        if let Some(address) = self.take_granules(size, heap, stream)? {
            return Ok(Some(address));
        }
        self.adopt(heap, stream, true)?;
        if let Some(address) = take(heap, size) {
            return Ok(Some(address));
        }
        for other in self.all_heaps().iter().filter(|other| other.number != heap.number) {
            if let Some(address) = self.take_elsewhere(size, other, heap, stream)? {
                return Ok(Some(address));
            }
        }
        Ok(None)
    }

    /// Searches in this order:
    ///
    /// * the free granules of all heaps. Free granules of different heaps may be adjacent.
    /// * in a pool with its own address space: free granules, which are remapped to adjacent addresses
    /// * memory of the upstream, after all unused memory was freed to the upstream
    fn look_hard(
        &self,
        size: usize,
        heap: &Heap,
        stream: &Stream,
        refusal: &mut Option<MemoryError>,
    ) -> Result<Option<usize>> {
        // The own heap is included, because its free granules may be adjacent to free granules of another heap.
        if self.all_heaps().iter().map(|any| self.gather_from(any)).sum::<usize>() > 0
            && let Some(address) = self.take_granules(size, heap, stream)?
        {
            return Ok(Some(address));
        }
        if self.compact(size)?
            && let Some(address) = self.take_granules(size, heap, stream)?
        {
            return Ok(Some(address));
        }
        // The pool frees unused regions to the upstream, because the upstream may combine the regions into a larger
        // region.
        let trimmed = self.trim_now(true) + self.upstream.trim();
        if reaper::flush() || trimmed > 0 || self.space.is_some() {
            self.try_to_grow(size, refusal)?;
        }
        self.take_granules(size, heap, stream)
    }

    fn try_to_grow(&self, size: usize, refusal: &mut Option<MemoryError>) -> Result<()> {
        match self.grow(size) {
            Err(error) if error.is_out_of_memory() => *refusal = Some(error),
            outcome => outcome?,
        }
        Ok(())
    }

    fn write_dump(&self) {
        let Some(path) = &self.dump else { return };
        if let Err(error) = std::fs::write(path, format!("{:#?}\n", Map(self))) {
            tracing::warn!(%error, path = %path.display(), "the map of a pool cannot be written to the dump file");
        }
    }

    /// Makes blocks available that belong to the heap and were freed on other lanes. If `all` is true, `stream` first
    /// waits for the other lanes. Otherwise only the blocks whose work has completed become available.
    pub(super) fn adopt(&self, heap: &Heap, stream: &Stream, all: bool) -> Result<()> {
        // The list is taken before the lanes are queried. The answer of a query does not cover blocks that are freed
        // after the query.
        let mut taken = {
            let mut state = heap.lock();
            if state.pending.is_empty() {
                return Ok(());
            }
            std::mem::take(&mut state.pending)
        };
        let set = taken.iter().fold(0, |set, block| set | block.after);
        let busy = if all { self.order_all(heap, stream, set, &taken).map(|()| 0) } else { Ok(self.busy(set)) };
        match (&busy, all) {
            (Ok(_), true) => taken.iter_mut().for_each(|block| block.event = None),
            (Ok(_), false) => forget_complete(&mut taken),
            (Err(_), _) => {}
        }
        let mut state = heap.lock();
        let keep = busy.as_ref().copied().unwrap_or(u64::MAX);
        taken.retain(|block| block.event.is_some() || block.after & keep != 0 || !state.blocks.give(block.address));
        state.pending.append(&mut taken);
        drop(state);
        busy.map(|_| ())
    }

    /// Makes `stream` wait for the heaps in `set` and for the events of `blocks`.
    fn order_all(&self, heap: &Heap, stream: &Stream, set: u64, blocks: &[Pending]) -> Result<()> {
        self.order(heap, stream, set)?;
        blocks.iter().filter_map(|block| block.event.as_ref()).try_for_each(|event| heap.follow(event, stream))
    }

    fn take_granules(&self, size: usize, heap: &Heap, stream: &Stream) -> Result<Option<usize>> {
        let granule = self.options.granule;
        let min = size.next_multiple_of(granule);
        let has = heap.lock().blocks.total();
        let requested = (has / HEAP_GROWTH).min(MAX_AT_ONCE).next_multiple_of(granule).max(min);
        let Some(span) = locked(&self.free_granules).take(min, requested) else { return Ok(None) };
        let Some(region) = self.region_of(span.address) else { return Ok(None) };
        if let Err(error) = self.order(heap, stream, span.after) {
            locked(&self.free_granules).put(span, &region.range);
            return Err(error);
        }
        region.set_owner(span.address, span.size, heap.number);
        let mut state = heap.lock();
        state.blocks.add(span.address, span.size, &region.range);
        let found = state.blocks.take(size);
        state.used += found.map_or(0, |_| size);
        Ok(found)
    }

    /// Takes a block of `size` bytes from the heap `other`.
    fn take_elsewhere(&self, size: usize, other: &Heap, heap: &Heap, stream: &Stream) -> Result<Option<usize>> {
        let alias = other.alias().cloned().unwrap_or_else(Stream::cpu);
        self.adopt(other, &alias, true)?;
        let Some(address) = take(other, size) else { return Ok(None) };
        if let Err(error) = heap.order_after(other, stream) {
            give(other, address, size);
            return Err(error);
        }
        Ok(Some(address))
    }
}

/// Removes the events that have completed. Events of a stream complete in order. If an event of a stream has not
/// completed, the later events of the stream are therefore not queried.
fn forget_complete(blocks: &mut [Pending]) {
    let mut late: Vec<u64> = Vec::new();
    for block in blocks {
        let Some(event) = &block.event else { continue };
        let stream = event.stream_id();
        if late.contains(&stream) {
            continue;
        }
        if event.is_over() {
            block.event = None;
        } else {
            late.push(stream);
        }
    }
}
