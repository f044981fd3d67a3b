//! From lanes to heaps, without a lock and without a shared word that is written.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use gdf_driver::{Lane, Stream};

use super::heap::Heap;

/// Lanes with a heap of their own; further ones share a heap.
const SLOTS: usize = 512;
/// Above this many, searches would become long.
const MOST: usize = SLOTS / 2;
/// Threads whose work runs at once spread over so many heaps.
const SHARDS: usize = 16;
/// Set in the key of such a heap; lanes' numbers are ids and addresses, which do not have it.
const SHARD: u64 = 1 << 63;

/// The key of the lane's heap; `None` for the shared one.
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
    /// 0 while empty; written last and once.
    key: AtomicU64,
    heap: OnceLock<Arc<Heap>>,
}

/// Heaps by key; entries are added and never removed.
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

    /// The heap of a key.
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

    /// Adds a heap, of which there are `before` already; `None` when there is no room. One thread at a time.
    pub(super) fn add(&self, key: u64, before: usize, heap: &Arc<Heap>) -> Option<&Arc<Heap>> {
        let slot = self.walk(key).find(|slot| slot.key.load(Ordering::Relaxed) == 0).filter(|_| before < MOST)?;
        let heap = slot.heap.get_or_init(|| Arc::clone(heap));
        slot.key.store(key, Ordering::Release);
        Some(heap)
    }
}
