//! Where a pool looks for a block when the stream's own heap has none.

use gdf_driver::Stream;

use super::engine::{Engine, give, locked, take};
use super::heap::{Heap, Pending};
use super::map::Map;
use crate::{MemoryError, Result, reaper};

/// A heap takes a part of what it has at once, so that it asks seldom.
const HEAP_GROWTH: usize = 4;
/// The most that a heap takes at once, unless one block needs more.
const MAX_AT_ONCE: usize = 256 << 20;

impl Engine {
    /// A block of `size` for a request of `asked` bytes that the heap has none for. First beside others who search; what
    /// they are moving just then is missed, so that a request is refused only after looking again, alone, and then with
    /// the calling thread waiting for what is not done yet.
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

    /// In this order: what others gave back of it and is done with; the same after waiting, where that holds up no thread;
    /// free granules; free granules of other heaps; more memory of the upstream; what others gave back, waiting for it; and
    /// free blocks of other heaps, in the order of their work.
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
        self.try_to_grow(size, refusal)?;
        // Another thread may have taken it; then there is still what others have.
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

    /// What is left: free granules of all heaps next to each other; on addresses of the pool's own, free granules from all
    /// over, mapped side by side; and memory of the upstream, when all that is not in use went back to it.
    fn look_hard(
        &self,
        size: usize,
        heap: &Heap,
        stream: &Stream,
        refusal: &mut Option<MemoryError>,
    ) -> Result<Option<usize>> {
        // This heap's, too: next to those of others they may be enough.
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
        // What is whole goes back, in case one larger piece can be had for it, and what others are done with.
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
            tracing::warn!(%error, path = %path.display(), "the map of a pool cannot be written");
        }
    }

    /// Takes in what others gave back of the heap: all, with `stream` waiting for them, or what is done with.
    pub(super) fn adopt(&self, heap: &Heap, stream: &Stream, all: bool) -> Result<()> {
        // Only what is known of now: what is found of the lanes says nothing of what is given back later.
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

    /// Makes `stream`, of the lane of `heap`, run after all that blocks wait for.
    fn order_all(&self, heap: &Heap, stream: &Stream, set: u64, blocks: &[Pending]) -> Result<()> {
        self.order(heap, stream, set)?;
        blocks.iter().filter_map(|block| block.event.as_ref()).try_for_each(|event| heap.follow(event, stream))
    }

    /// Moves free granules to the heap and takes a block of them.
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

    /// Takes a block of another heap, in the order of its work.
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

/// Forgets the events that have completed. Those of one stream complete in order, so none is asked after one that has not.
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
