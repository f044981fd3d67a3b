//! The table that maps lanes to heaps.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use gdf_driver::{Lane, Stream};

use super::heap::Heap;

const SLOTS: usize = 512;
/// The maximum number of lanes that have a heap of their own.
const MOST: usize = SLOTS / 2;
/// The number of heaps for [`Lane::AtOnce`], the lane of work that runs immediately on the calling thread.
const SHARDS: usize = 16;
/// The bit that is set in the key of a heap for [`Lane::AtOnce`].
const SHARD: u64 = 1 << 63;

/// Returns the key of the heap for the lane of `stream`. For [`Lane::AtOnce`], the key depends on the calling thread.
/// Returns `None` for [`Lane::Foreign`], because foreign streams have no heap of their own.
pub(super) fn key(stream: &Stream) -> Option<u64> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static OWN: usize = NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS;
    }
    match stream.lane() {
        Lane::Queue(number) => Some(number),
        Lane::AtOnce => Some(SHARD | OWN.try_with(|own| *own).unwrap_or(0) as u64),
        Lane::Foreign => None,
    }
}

#[derive(Debug, Default)]
struct Slot {
    /// The key, or 0 while the slot is empty.
    key: AtomicU64,
    heap: OnceLock<Arc<Heap>>,
}

/// The heaps by key.
#[derive(Debug)]
pub(super) struct Lanes {
    slots: Box<[Slot]>,
}

impl Lanes {
    pub(super) fn new() -> Self {
        Self { slots: (0..SLOTS).map(|_| Slot::default()).collect() }
    }

    fn walk(&self, key: u64) -> impl Iterator<Item = &Slot> {
        let home = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - SLOTS.trailing_zeros())) as usize;
        (0..SLOTS).map(move |step| &self.slots[(home + step) % SLOTS])
    }

    pub(super) fn get(&self, key: u64) -> Option<&Arc<Heap>> {
        for slot in self.walk(key) {
            match slot.key.load(Ordering::Acquire) {
                0 => return None,
                found if found == key => return slot.heap.get(),
                _ => {}
            }
        }
        None
    }

    /// Adds a heap.
    pub(super) fn add(&self, key: u64, before: usize, heap: &Arc<Heap>) -> Option<&Arc<Heap>> {
        let slot = self.walk(key).find(|slot| slot.key.load(Ordering::Relaxed) == 0).filter(|_| before < MOST)?;
        let heap = slot.heap.get_or_init(|| Arc::clone(heap));
        slot.key.store(key, Ordering::Release);
        Some(heap)
    }
}
