//! The engine of the pools. The engine has three layers: a heap for each lane, the free granules that all heaps share,
//! and the upstream.
//!
//! [`Engine::search`] defines the order of the search.

use std::collections::BTreeMap;
use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use gdf_driver::{Device, Event, Stream};

use super::blocks::UNIT;
use super::free_granules::{FreeGranules, Region, Span, UNOWNED};
use super::heap::{Heap, Pending};
use super::lanes::{Lanes, key};
use super::space::Space;
use super::{Keeper, PoolOptions};
use crate::resources::MAX_BYTES;
use crate::search_lock::SearchLock;
use crate::{FreeMemory, MemoryError, Resource, Result};

#[derive(Debug)]
pub(super) struct Engine {
    pub(super) name: &'static str,
    pub(super) upstream: Resource,
    /// The address space of a virtual-memory pool. Such a pool uses the upstream only for alignments above 256.
    pub(super) space: Option<Space>,
    pub(super) options: PoolOptions,
    /// The file to which a map of the pool is written when a request finds no memory.
    pub(super) dump: Option<PathBuf>,
    /// The lock that a thread holds while it searches for memory outside of its own heap.
    pub(super) search_lock: SearchLock,
    /// A thread holds this lock while the pool grows. It is reentrant, because an upstream may call the pool.
    pub(super) growth_lock: SearchLock,
    lanes: Lanes,
    /// All heaps, by number. Heap 0 is shared by all streams that have no heap of their own.
    pub(super) heaps: RwLock<Vec<Arc<Heap>>>,
    shared: Arc<Heap>,
    pub(super) free_granules: Mutex<FreeGranules>,
    pub(super) regions: RwLock<BTreeMap<usize, Arc<Region>>>,
    pub(super) reserved: AtomicUsize,
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A poisoned lock is sound to use, because the guarded values are consistent after every statement.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engine {
    pub(super) fn new(name: &'static str, upstream: Resource, options: PoolOptions) -> Self {
        tracing::info!(pool = name, device = %upstream.device(), maximum = ?options.maximum, "pool: created");
        let shared = Arc::new(Heap::new(0, &Stream::cpu()));
        Self {
            name,
            upstream,
            space: None,
            options,
            dump: None,
            search_lock: SearchLock::default(),
            growth_lock: SearchLock::default(),
            lanes: Lanes::new(),
            heaps: RwLock::new(vec![Arc::clone(&shared)]),
            shared,
            free_granules: Mutex::default(),
            regions: RwLock::default(),
            reserved: AtomicUsize::new(0),
        }
    }

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

    pub(super) fn heaps_in(&self, set: u64) -> Vec<Arc<Heap>> {
        self.all_heaps().into_iter().filter(|heap| heap.bit() & set != 0).collect()
    }

    /// Makes `stream` wait for all earlier work of the heaps in `set`.
    pub(super) fn order(&self, heap: &Heap, stream: &Stream, set: u64) -> Result<()> {
        self.heaps_in(set).iter().try_for_each(|other| heap.order_after(other, stream))
    }

    /// Returns the bits of the heaps in `set` whose lanes have unfinished work.
    pub(super) fn busy(&self, set: u64) -> u64 {
        self.heaps_in(set).iter().filter(|heap| !heap.is_idle()).fold(0, |busy, heap| busy | heap.bit())
    }

    pub(super) fn allocate(&self, bytes: usize, stream: &Stream) -> Result<NonNull<u8>> {
        let size = bytes.checked_next_multiple_of(UNIT).filter(|&size| size <= MAX_BYTES);
        let size = size.ok_or_else(|| self.out_of_memory(bytes, None))?;
        let heap = self.heap_of(stream);
        let found = take(heap, size);
        match found {
            Some(address) => Ok(pointer(address)),
            None => self.search(bytes, size, heap, stream).map(pointer),
        }
    }

    /// Allocates a block, and sets `keeper` to a handle that keeps the engine alive.
    #[inline]
    pub(super) fn allocate_kept(
        self: &Arc<Self>,
        bytes: usize,
        stream: &Stream,
        keeper: &mut Option<Arc<Keeper>>,
    ) -> Result<NonNull<u8>> {
        let size = bytes.checked_next_multiple_of(UNIT).filter(|&size| size <= MAX_BYTES);
        let size = size.ok_or_else(|| self.out_of_memory(bytes, None))?;
        let heap = self.heap_of(stream);
        let found = {
            let mut state = heap.lock();
            *keeper = Some(state.keepers.take(|| Keeper(Arc::clone(self))));
            let found = state.blocks.take(size);
            state.used += found.map_or(0, |_| size);
            found
        };
        match found {
            Some(address) => Ok(pointer(address)),
            None => self.search(bytes, size, heap, stream).map(pointer),
        }
    }

    pub(super) fn let_keepers_go(&self) {
        for heap in self.all_heaps() {
            let keepers = heap.lock().keepers.end();
            drop(keepers);
        }
    }

    /// Moves the free granules of all heaps except `except` to the shared free granules. Returns the number of moved
    /// bytes.
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
        // The owner of the granules is removed before the lock of the heap is released, so that no other thread frees a
        // block to this heap.
        for &(address, size) in &found {
            if let Some(region) = self.region_of(address) {
                region.set_owner(address, size, UNOWNED);
            }
        }
        drop(state);
        let after = if heap.waits_alone() { heap.bit() } else { 0 };
        for (address, size) in found {
            if let Some(region) = self.region_of(address) {
                gathered += size;
                locked(&self.free_granules).put(Span { address, size, after }, &region.range);
            }
        }
        gathered
    }

    pub(super) fn deallocate(&self, ptr: NonNull<u8>, bytes: usize, stream: &Stream) {
        let (address, size) = (ptr.as_ptr().expose_provenance(), bytes.next_multiple_of(UNIT));
        let heap = self.heap_of(stream);
        if heap.number == self.shared.number {
            return self.give_after_event(address, size, stream);
        }
        if !give(heap, address, size) {
            self.give_elsewhere(address, size, if heap.waits_alone() { heap.bit() } else { 0 }, None);
        }
    }

    /// Frees a block, and drops `keeper` or stores it for reuse.
    #[inline]
    pub(super) fn deallocate_kept(keeper: Arc<Keeper>, ptr: NonNull<u8>, bytes: usize, stream: &Stream) {
        let keeper = ManuallyDrop::new(keeper);
        let engine: &Self = &keeper.0;
        let (address, size) = (ptr.as_ptr().expose_provenance(), bytes.next_multiple_of(UNIT));
        let heap = engine.heap_of(stream);
        if heap.number != engine.shared.number {
            let mut state = heap.lock();
            if state.blocks.give(address) {
                state.used = state.used.saturating_sub(size);
                if state.keepers.has_capacity(&keeper) {
                    // SAFETY: `keeper` is initialized. The handle moves to the heap, and `ManuallyDrop` prevents a
                    // second drop of `keeper`. The engine stays alive while the lock is held, because
                    // `let_keepers_go` needs the lock to remove the handles of the heap. The release of the lock is
                    // the last access to the engine here.
                    state.keepers.give(unsafe { std::ptr::read(&raw const *keeper) });
                    return;
                }
                drop(state);
                drop(ManuallyDrop::into_inner(keeper));
                return;
            }
        }
        engine.deallocate(ptr, bytes, stream);
        drop(ManuallyDrop::into_inner(keeper));
    }

    pub(super) fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize) {
        self.give_elsewhere(ptr.as_ptr().expose_provenance(), bytes.next_multiple_of(UNIT), 0, None);
    }

    /// Frees a block on a stream without a heap of its own. The block becomes free after the work of the stream.
    #[cold]
    fn give_after_event(&self, address: usize, size: usize, stream: &Stream) {
        let event = match stream.record_from_anywhere() {
            Ok(event) => Some(event).filter(|event| !event.is_over()),
            Err(error) if error.is_fatal() => None,
            Err(error) => {
                tracing::warn!(%error, size, "the end of work cannot be recorded; a block of a pool is leaked");
                return;
            }
        };
        self.give_elsewhere(address, size, 0, event);
    }

    /// Frees a block to the heap that owns the block. The block becomes available after the work of the heaps in
    /// `after`, and after `event`.
    #[cold]
    fn give_elsewhere(&self, address: usize, size: usize, after: u64, event: Option<Event>) {
        let owner = self.region_of(address).map_or(UNOWNED, |region| region.owner(address));
        let heap = self.heaps.read().unwrap_or_else(PoisonError::into_inner).get(owner as usize).cloned();
        let Some(heap) = heap else {
            tracing::error!(address, size, "a freed block does not belong to this pool, or was freed before");
            return;
        };
        if after == 0 && event.is_none() {
            give(&heap, address, size);
            return;
        }
        let mut state = heap.lock();
        state.used = state.used.saturating_sub(size);
        state.pending.push(Pending { address, after, event });
    }

    pub(super) fn device(&self) -> Device {
        self.upstream.device()
    }

    pub(super) fn free(&self) -> FreeMemory {
        let (mut bytes, mut largest) = {
            let free_granules = locked(&self.free_granules);
            (free_granules.free(), free_granules.largest())
        };
        for heap in self.all_heaps() {
            let mut state = heap.lock();
            bytes += state.blocks.free();
            largest = largest.max(state.blocks.largest());
        }
        FreeMemory { bytes: bytes as u64, largest_block: Some(largest as u64) }
    }

    /// Returns the number of allocated bytes. The size of each block is rounded up to [`UNIT`].
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
    NonNull::new(std::ptr::with_exposed_provenance_mut(address)).unwrap_or(NonNull::dangling())
}

#[inline]
pub(super) fn take(heap: &Heap, size: usize) -> Option<usize> {
    let mut state = heap.lock();
    let found = state.blocks.take(size)?;
    state.used += size;
    Some(found)
}

#[inline]
pub(super) fn give(heap: &Heap, address: usize, size: usize) -> bool {
    let mut state = heap.lock();
    let given = state.blocks.give(address);
    if given {
        state.used = state.used.saturating_sub(size);
    }
    given
}
