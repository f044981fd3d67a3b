//! The engine of the pools: a heap per lane over common ground over an upstream.
//!
//! What a stream gives back on its own lane is handed out there again without touching anything that lanes share. Only
//! when a heap has nothing that fits, the others are looked at; the order is in [`Engine::search`].
//!
//! No lock is held while the driver or an upstream is called, nor while another is taken, except the registry's.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use gdf_driver::{Device, Stream};

use super::blocks::UNIT;
use super::ground::{Ground, NOBODY, Region, Span};
use super::heap::{Heap, Pending};
use super::lanes::{Lanes, key};
use super::map::Map;
use super::space::Space;
use super::{Keeper, PoolOptions};
use crate::allocation::release_on;
use crate::resources::MOST_BYTES;
use crate::{FreeMemory, MemoryError, MemoryResource, Resource, Result};

/// A heap takes a part of what it has at once, so that it asks seldom.
const HEAP_GROWTH: usize = 4;
/// The most that a heap takes at once, unless one block needs more.
const MOST_AT_ONCE: usize = 256 << 20;
#[derive(Debug)]
pub(super) struct Engine {
    pub(super) name: &'static str,
    pub(super) upstream: Resource,
    /// Addresses of the pool's own, for a virtual-memory pool; then the upstream serves large alignments only.
    pub(super) space: Option<Space>,
    pub(super) options: PoolOptions,
    /// Where the map is written when memory is out.
    pub(super) dump: Option<PathBuf>,
    lanes: Lanes,
    /// All heaps by number; the first is that of streams that others own.
    pub(super) heaps: RwLock<Vec<Arc<Heap>>>,
    shared: Arc<Heap>,
    pub(super) ground: Mutex<Ground>,
    pub(super) regions: RwLock<BTreeMap<usize, Arc<Region>>>,
    pub(super) reserved: AtomicUsize,
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What these locks guard is whole after every statement.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engine {
    pub(super) fn new(name: &'static str, upstream: Resource, options: PoolOptions) -> Self {
        let shared = Arc::new(Heap::new(0, &Stream::cpu()));
        Self {
            name,
            upstream,
            space: None,
            options,
            dump: None,
            lanes: Lanes::new(),
            heaps: RwLock::new(vec![Arc::clone(&shared)]),
            shared,
            ground: Mutex::default(),
            regions: RwLock::default(),
            reserved: AtomicUsize::new(0),
        }
    }

    /// An engine over addresses of its own.
    pub(super) fn over_space(name: &'static str, upstream: Resource, options: PoolOptions, space: Space) -> Self {
        let region = Region::new(space.range.start, space.range.len(), options.granule);
        let mut engine = Self::new(name, upstream, options);
        engine.regions.get_mut().unwrap_or_else(PoisonError::into_inner).insert(space.range.start, Arc::new(region));
        engine.space = Some(space);
        engine
    }

    pub(super) fn all_heaps(&self) -> Vec<Arc<Heap>> {
        self.heaps.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn region_of(&self, address: usize) -> Option<Arc<Region>> {
        let regions = self.regions.read().unwrap_or_else(PoisonError::into_inner);
        let (_, region) = regions.range(..=address).next_back()?;
        region.range.contains(&address).then(|| Arc::clone(region))
    }

    /// Bytes taken from the upstream and not given back.
    pub(super) fn reserved(&self) -> usize {
        self.reserved.load(Ordering::Relaxed)
    }

    #[inline]
    fn heap_of(&self, stream: &Stream) -> &Heap {
        let Some(key) = key(stream) else { return &self.shared };
        match self.lanes.get(key) {
            Some(heap) => heap,
            None => self.make_heap(key, stream),
        }
    }

    #[cold]
    fn make_heap(&self, key: u64, stream: &Stream) -> &Heap {
        let mut heaps = self.heaps.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(heap) = self.lanes.get(key) {
            return heap;
        }
        let heap = Arc::new(Heap::new(heaps.len() as u16, stream));
        match self.lanes.add(key, heaps.len(), &heap) {
            Some(kept) => {
                heaps.push(heap);
                kept
            }
            None => &self.shared,
        }
    }

    /// The heaps that a set stands for.
    pub(super) fn heaps_in(&self, set: u64) -> Vec<Arc<Heap>> {
        self.all_heaps().into_iter().filter(|heap| heap.bit() & set != 0).collect()
    }

    /// Makes `stream`, of the lane of `heap`, run after the work of all heaps in `set` until now.
    fn order(&self, heap: &Heap, stream: &Stream, set: u64) -> Result<()> {
        self.heaps_in(set).iter().try_for_each(|other| heap.order_after(other, stream))
    }

    /// Of a set, the heaps whose lanes have work to do.
    pub(super) fn busy(&self, set: u64) -> u64 {
        self.heaps_in(set).iter().filter(|heap| !heap.is_idle()).fold(0, |busy, heap| busy | heap.bit())
    }

    pub(super) fn allocate(&self, bytes: usize, stream: &Stream) -> Result<NonNull<u8>> {
        let size = bytes.checked_next_multiple_of(UNIT).filter(|&size| size <= MOST_BYTES);
        let size = size.ok_or_else(|| self.out_of_memory(bytes, None))?;
        let heap = self.heap_of(stream);
        let found = take(heap, size);
        match found {
            Some(address) => Ok(pointer(address)),
            None => self.search(size, heap, stream).map(pointer),
        }
    }

    /// As [`allocate`](Self::allocate), and sets `keeper` to what the lane's buffers keep.
    #[inline]
    pub(super) fn allocate_kept(
        self: &Arc<Self>,
        bytes: usize,
        stream: &Stream,
        keeper: &mut Option<Arc<dyn MemoryResource>>,
    ) -> Result<NonNull<u8>> {
        let size = bytes.checked_next_multiple_of(UNIT).filter(|&size| size <= MOST_BYTES);
        let size = size.ok_or_else(|| self.out_of_memory(bytes, None))?;
        let heap = self.heap_of(stream);
        let found = {
            let mut state = heap.lock();
            *keeper = Some(Arc::clone(state.keeper.get_or_insert_with(|| Arc::new(Keeper(Arc::clone(self))))));
            let found = state.blocks.take(size);
            state.used += found.map_or(0, |_| size);
            found
        };
        match found {
            Some(address) => Ok(pointer(address)),
            None => self.search(size, heap, stream).map(pointer),
        }
    }

    /// Ends the heaps' part in what buffers keep, so that the engine ends with the last buffer.
    pub(super) fn let_keepers_go(&self) {
        for heap in self.all_heaps() {
            let keeper = heap.lock().keeper.take();
            drop(keeper);
        }
    }

    /// A block for a request that the heap has none for. In this order: what others gave back of it and is done with; the
    /// same after waiting, where that holds up no thread; free granules; free granules of other heaps; more memory of
    /// the upstream; the blocks that others gave back, waiting for them; free blocks of other heaps, in the order of
    /// their work; and on addresses of the pool's own, free granules from all over, mapped side by side.
    #[cold]
    fn search(&self, size: usize, heap: &Heap, stream: &Stream) -> Result<usize> {
        self.adopt(heap, stream, heap.waits_alone())?;
        if let Some(address) = take(heap, size) {
            return Ok(address);
        }
        if let Some(address) = self.take_granules(size, heap, stream)? {
            return Ok(address);
        }
        if self.gather(heap) > 0
            && let Some(address) = self.take_granules(size, heap, stream)?
        {
            return Ok(address);
        }
        let refusal = match self.grow(size) {
            Ok(()) => None,
            Err(error) if error.is_out_of_memory() => Some(error),
            Err(error) => return Err(error),
        };
        // Another thread may have taken it; then there is still what others have.
        if let Some(address) = self.take_granules(size, heap, stream)? {
            return Ok(address);
        }
        self.adopt(heap, stream, true)?;
        if let Some(address) = take(heap, size) {
            return Ok(address);
        }
        for other in self.all_heaps().iter().filter(|other| other.number != heap.number) {
            if let Some(address) = self.take_elsewhere(size, other, heap, stream)? {
                return Ok(address);
            }
        }
        // All of them, this heap's too: next to those of others they may be enough.
        if self.all_heaps().iter().map(|any| self.gather_from(any)).sum::<usize>() > 0
            && let Some(address) = self.take_granules(size, heap, stream)?
        {
            return Ok(address);
        }
        if self.compact(size)?
            && let Some(address) = self.take_granules(size, heap, stream)?
        {
            return Ok(address);
        }
        // What is whole goes back, in case one larger piece can be had for it.
        if self.trim() + self.upstream.trim() > 0 {
            match self.grow(size) {
                Err(error) if !error.is_out_of_memory() => return Err(error),
                _ => {}
            }
            if let Some(address) = self.take_granules(size, heap, stream)? {
                return Ok(address);
            }
        }
        let error = self.out_of_memory(size, refusal);
        tracing::debug!(%error, reserved = self.reserved(), "pool: no block");
        self.write_dump();
        Err(error)
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
        let busy = if all { self.order(heap, stream, set).map(|()| 0) } else { Ok(self.busy(set)) };
        let mut state = heap.lock();
        let keep = busy.as_ref().copied().unwrap_or(u64::MAX);
        taken.retain(|block| block.after & keep != 0 || !state.blocks.give(block.address));
        state.pending.append(&mut taken);
        busy.map(|_| ())
    }

    /// Moves granules from the ground to the heap and takes a block of them.
    fn take_granules(&self, size: usize, heap: &Heap, stream: &Stream) -> Result<Option<usize>> {
        let granule = self.options.granule;
        let least = size.next_multiple_of(granule);
        let has = heap.lock().blocks.total();
        let wanted = (has / HEAP_GROWTH).min(MOST_AT_ONCE).next_multiple_of(granule).max(least);
        let Some(span) = locked(&self.ground).take(least, wanted) else { return Ok(None) };
        let Some(region) = self.region_of(span.address) else { return Ok(None) };
        if let Err(error) = self.order(heap, stream, span.after) {
            locked(&self.ground).put(span, &region.range);
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

    /// Moves the free granules of all heaps but one to the ground; returns how many bytes those are.
    pub(super) fn gather(&self, except: &Heap) -> usize {
        let mut gathered = 0;
        for heap in self.all_heaps().iter().filter(|heap| !std::ptr::eq(&raw const ***heap, except)) {
            gathered += self.gather_from(heap);
        }
        gathered
    }

    pub(super) fn gather_from(&self, heap: &Heap) -> usize {
        let (mut gathered, mut state) = (0, heap.lock());
        if state.blocks.free() < self.options.granule {
            return 0;
        }
        let granules = |address, size| self.region_of(address)?.granules(address, size);
        let found = state.blocks.reclaim(granules);
        // Ownership ends before the lock does.
        for &(address, size) in &found {
            if let Some(region) = self.region_of(address) {
                region.set_owner(address, size, NOBODY);
            }
        }
        drop(state);
        let after = if heap.waits_alone() { heap.bit() } else { 0 };
        for (address, size) in found {
            if let Some(region) = self.region_of(address) {
                gathered += size;
                locked(&self.ground).put(Span { address, size, after }, &region.range);
            }
        }
        gathered
    }

    pub(super) fn deallocate(self: &Arc<Self>, ptr: NonNull<u8>, bytes: usize, stream: &Stream) {
        let (address, size) = (ptr.as_ptr().expose_provenance(), bytes.next_multiple_of(UNIT));
        let heap = self.heap_of(stream);
        if heap.number == self.shared.number {
            // Nothing is known later of a stream without a heap of its own, so the end of its work is waited for.
            let engine = Arc::clone(self);
            return release_on(stream, move || engine.give_elsewhere(address, size, 0));
        }
        if !give(heap, address, size) {
            self.give_elsewhere(address, size, if heap.waits_alone() { heap.bit() } else { 0 });
        }
    }

    /// Gives a block back to the heap that it is of, after the work of another one.
    #[cold]
    fn give_elsewhere(&self, address: usize, size: usize, after: u64) {
        let owner = self.region_of(address).map_or(NOBODY, |region| region.owner(address));
        let heap = self.heaps.read().unwrap_or_else(PoisonError::into_inner).get(owner as usize).cloned();
        let Some(heap) = heap else {
            tracing::error!(address, size, "a block was given back that is not of this pool, or was before");
            return;
        };
        if after == 0 {
            give(&heap, address, size);
            return;
        }
        let mut state = heap.lock();
        state.used = state.used.saturating_sub(size);
        state.pending.push(Pending { address, after });
    }

    pub(super) fn device(&self) -> Device {
        self.upstream.device()
    }

    /// Free bytes and the largest free block.
    pub(super) fn free(&self) -> FreeMemory {
        let (mut bytes, mut largest) = {
            let ground = locked(&self.ground);
            (ground.free(), ground.largest())
        };
        for heap in self.all_heaps() {
            let mut state = heap.lock();
            bytes += state.blocks.free();
            largest = largest.max(state.blocks.largest());
        }
        FreeMemory { bytes: bytes as u64, largest_block: Some(largest as u64) }
    }

    /// Bytes handed out, in multiples of the unit.
    pub(super) fn used(&self) -> usize {
        self.all_heaps().iter().map(|heap| heap.lock().used).sum()
    }

    pub(super) fn out_of_memory(&self, requested: usize, refusal: Option<MemoryError>) -> MemoryError {
        let below = match refusal {
            Some(MemoryError::OutOfMemory { free: Some(free), .. }) => free.bytes,
            _ => 0,
        };
        let own = self.free();
        let free = FreeMemory { bytes: own.bytes + below, ..own };
        MemoryError::OutOfMemory { requested, free: Some(free), resource: self.name }
    }
}

pub(super) fn pointer(address: usize) -> NonNull<u8> {
    // Blocks lie in memory of the upstream, which is not at 0.
    NonNull::new(std::ptr::with_exposed_provenance_mut(address)).unwrap_or(NonNull::dangling())
}

#[inline]
fn take(heap: &Heap, size: usize) -> Option<usize> {
    let mut state = heap.lock();
    let found = state.blocks.take(size)?;
    state.used += size;
    Some(found)
}

#[inline]
fn give(heap: &Heap, address: usize, size: usize) -> bool {
    let mut state = heap.lock();
    let given = state.blocks.give(address);
    if given {
        state.used = state.used.saturating_sub(size);
    }
    given
}
