//! A pool of whole blocks. The pool keeps freed blocks by size, and reuses them for later requests.
//!
//! The system clears each page of new memory at the first access. A block that is used again avoids this cost.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gdf_driver::{Device, Event, Stream};

use super::{check_alignment, dangling};
use crate::allocation::release_on;
use crate::resource::check_reach;
use crate::search_lock::SearchLock;
use crate::{BUFFER_ALIGNMENT, MemoryError, MemoryResource, Properties, Resource, Result};

/// The alignment, in bytes, of every block of the pool. Requests with a larger alignment go to the upstream.
const BLOCK_ALIGN: usize = BUFFER_ALIGNMENT;
/// The size of the smallest block in bytes.
const MIN_BLOCK: usize = 256;
/// The pool holds at most this many times the peak of the bytes in use. The factor is above 1, because a block that one
/// operation freed may not fit the next operation.
const MAX_HELD: usize = 2;

/// Keeps freed blocks and hands them out again for requests of about the same size.
///
/// * *Sizes*: the pool rounds a request up to a power of two or to 1.25, 1.5 or 1.75 times a power of two. A block thus
///   serves requests that are up to a fifth smaller than the block.
/// * *Bound*: the bytes in use and the kept bytes together are at most twice the peak of the bytes in use. If the pool
///   exceeds the bound, it frees the blocks that have been free for the longest time to the upstream. Blocks that a
///   stream still uses are freed later. [`trim`](MemoryResource::trim) frees all kept blocks that no stream uses to the
///   upstream, and sets the peak to the bytes that are in use at that time. If the upstream is out of memory, the pool
///   trims itself and retries. Before the last retry, the pool waits for the streams that still use kept blocks.
/// * *Order*: the stream that freed a block can get the block at once. Another stream can get the block when the work
///   that used the block is done. The pool never makes one stream wait for another stream. The pool blocks a thread
///   only if memory has run out.
/// * *Content*: memory that the CPU can access holds zeros or bytes that this process wrote earlier.
///
/// Clones share one pool.
#[derive(Clone)]
pub struct CachingResource(Arc<Pool>);

impl fmt::Debug for CachingResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (used, kept) = (self.used_bytes(), self.kept_bytes());
        let mut text = f.debug_struct("CachingResource");
        text.field("upstream", self.upstream()).field("used_bytes", &used).field("kept_bytes", &kept).finish()
    }
}

struct Pool {
    upstream: Resource,
    state: Mutex<State>,
    /// A thread holds this lock while it frees blocks to the upstream. During that time, a block is neither in the
    /// lists of the pool nor free in the upstream.
    search_lock: SearchLock,
    /// The number of blocks that the pool has freed to the upstream.
    returned: AtomicUsize,
}

#[derive(Default)]
struct State {
    /// The free blocks, by size.
    free: BTreeMap<usize, VecDeque<Free>>,
    in_use: usize,
    kept: usize,
    /// The maximum of `in_use` since the last trim, in bytes.
    peak: usize,
    count: u64,
}

struct Free {
    ptr: NonNull<u8>,
    /// The sequence number of the free operation.
    number: u64,
    /// If only one stream may take the block: the id of that stream, and an event after its work. The stream is the one
    /// that freed the block. `None` means that any stream may take the block.
    only_on: Option<(u64, Option<Event>)>,
}

// SAFETY: the list owns the block, and a thread that takes the block out of the list is its only user.
unsafe impl Send for Free {}

/// Returns the block size for a request of `bytes`, or `None` when the size overflows `usize`.
fn block_size(bytes: usize) -> Option<usize> {
    let min = bytes.max(MIN_BLOCK);
    let step = min.checked_next_power_of_two()? / 8;
    min.checked_next_multiple_of(step)
}

impl CachingResource {
    /// Makes an empty pool over `upstream`. The pool allocates nothing up front.
    pub fn new(upstream: Resource) -> Self {
        let (state, search_lock, returned) = (Mutex::default(), SearchLock::default(), AtomicUsize::new(0));
        Self(Arc::new(Pool { upstream, state, search_lock, returned }))
    }

    /// Returns the resource that the pool allocates from.
    pub fn upstream(&self) -> &Resource {
        &self.0.upstream
    }

    /// Returns the number of bytes of the free blocks that the pool keeps.
    pub fn kept_bytes(&self) -> usize {
        self.0.state().kept
    }

    /// Returns the number of bytes of the blocks in use.
    pub fn used_bytes(&self) -> usize {
        self.0.state().in_use
    }

    /// Returns the size of the block for a request, or `None` if the upstream serves the request.
    fn is_pooled(bytes: usize, align: usize) -> Option<usize> {
        block_size(bytes).filter(|_| align <= BLOCK_ALIGN)
    }
}

impl Pool {
    fn state(&self) -> MutexGuard<'_, State> {
        // A poisoned lock is sound to use. No user code runs while the lock is held, and the counts are consistent
        // after every statement.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates a new block from the upstream.
    fn ask(&self, size: usize, zeroed: bool, stream: &Stream) -> Result<NonNull<u8>> {
        if zeroed {
            self.upstream.allocate_zeroed(size, BLOCK_ALIGN, stream)
        } else if self.upstream.properties().host_accessible {
            self.upstream.allocate_initialized(size, BLOCK_ALIGN, stream)
        } else {
            self.upstream.allocate(size, BLOCK_ALIGN, stream)
        }
    }

    /// Takes a block of `size` bytes. Returns the block, and whether the block was used before.
    fn take(&self, size: usize, zeroed: bool, stream: &Stream) -> Result<(NonNull<u8>, bool)> {
        let found = self.state().take(size, stream);
        if let Some(ptr) = found {
            return Ok((ptr, true));
        }
        let before = self.returned.load(Ordering::Relaxed);
        let ptr = match self.ask(size, zeroed, stream) {
            Err(refusal) if refusal.is_out_of_memory() => {
                return self.take_alone(size, zeroed, stream, before, refusal);
            }
            outcome => outcome?,
        };
        self.state().begin(size);
        Ok((ptr, false))
    }

    /// Continues [`take`](Self::take) after the upstream has refused a request.
    #[cold]
    fn take_alone(
        &self,
        size: usize,
        zeroed: bool,
        stream: &Stream,
        mut before: usize,
        mut refusal: MemoryError,
    ) -> Result<(NonNull<u8>, bool)> {
        let _guard = self.search_lock.exclusive();
        for waits in [false, true] {
            let waited = waits && self.wait();
            let found = self.state().take(size, stream);
            if let Some(ptr) = found {
                return Ok((ptr, true));
            }
            self.trim();
            let returned = self.returned.load(Ordering::Relaxed);
            if returned == before && !waited {
                continue;
            }
            before = returned;
            match self.ask(size, zeroed, stream) {
                Err(error) if error.is_out_of_memory() => refusal = error,
                outcome => {
                    let ptr = outcome?;
                    self.state().begin(size);
                    return Ok((ptr, false));
                }
            }
        }
        Err(refusal)
    }

    fn give(self: &Arc<Self>, ptr: NonNull<u8>, size: usize, stream: &Stream) {
        if matches!(stream.is_idle(), Ok(true)) {
            self.take_in(ptr, size, None);
            return;
        }
        let event = stream.record_from_anywhere().ok();
        let number = self.take_in(ptr, size, Some((stream.id(), event)));
        let pool = Arc::clone(self);
        release_on(stream, move || {
            pool.state().settle(size, number);
            pool.shed();
        });
    }

    /// Adds a freed block to the pool.
    fn take_in(&self, ptr: NonNull<u8>, size: usize, only_on: Option<(u64, Option<Event>)>) -> u64 {
        let mut state = self.state();
        let number = state.give(ptr, size, only_on);
        if state.is_over() {
            drop(state);
            self.shed();
        }
        number
    }

    /// Frees blocks to the upstream until the pool is within its bound.
    fn shed(&self) {
        let Some(_guard) = self.search_lock.try_shared() else { return };
        let over = self.state().surplus();
        self.return_all(over);
    }

    /// Waits for the streams that still use kept blocks. Returns whether any block has become available to all streams.
    fn wait(&self) -> bool {
        let waiting: Vec<(usize, u64, Event)> = self.state().waiting();
        let mut any = false;
        for (size, number, event) in waiting {
            // A fatal error means that the device is lost. No work runs on a lost device, so the block is free.
            if event.synchronize().map_or_else(|error| error.is_fatal(), |()| true) {
                any = true;
                self.state().settle(size, number);
            }
        }
        any
    }

    fn trim(&self) -> usize {
        let _guard = self.search_lock.exclusive();
        let all = self.state().drain();
        let bytes = all.iter().map(|(size, _)| size).sum();
        self.return_all(all);
        bytes
    }

    /// Frees `blocks` to the upstream. No stream may use the blocks. The caller must hold the search lock, and must
    /// have held the lock when the blocks left the lists.
    fn return_all(&self, blocks: Vec<(usize, Free)>) {
        for (size, block) in blocks {
            // SAFETY: the block came from the upstream with this size and alignment, and has left the lists. The work
            // of the stream that freed the block is done.
            unsafe { self.upstream.deallocate_sync(block.ptr, size, BLOCK_ALIGN) };
            self.returned.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl State {
    fn begin(&mut self, size: usize) {
        self.in_use += size;
        self.peak = self.peak.max(self.in_use);
    }

    fn take(&mut self, size: usize, stream: &Stream) -> Option<NonNull<u8>> {
        let blocks = self.free.get_mut(&size)?;
        let usable = |block: &Free| block.only_on.as_ref().is_none_or(|(id, _)| *id == stream.id());
        // The block that was freed last is the most likely to be in a CPU cache.
        let block = blocks.iter().rposition(usable).and_then(|at| blocks.remove(at))?;
        self.kept -= size;
        self.begin(size);
        Some(block.ptr)
    }

    /// Adds a freed block to the lists.
    fn give(&mut self, ptr: NonNull<u8>, size: usize, only_on: Option<(u64, Option<Event>)>) -> u64 {
        self.count += 1;
        let number = self.count;
        self.in_use = self.in_use.saturating_sub(size);
        self.kept += size;
        self.free.entry(size).or_default().push_back(Free { ptr, number, only_on });
        number
    }

    /// Makes the block with the sequence number `number` available to all streams, because the work that used the block
    /// is done.
    fn settle(&mut self, size: usize, number: u64) {
        let blocks = self.free.get_mut(&size).map(|blocks| blocks.iter_mut());
        if let Some(block) = blocks.into_iter().flatten().find(|block| block.number == number) {
            block.only_on = None;
        }
    }

    fn is_over(&self) -> bool {
        self.in_use + self.kept > self.peak.saturating_mul(MAX_HELD)
    }

    /// Removes blocks from the lists, until the pool is within its bound. Blocks that a stream still uses stay in the
    /// lists. Blocks with smaller sequence numbers are removed first.
    fn surplus(&mut self) -> Vec<(usize, Free)> {
        let mut over = Vec::new();
        while self.is_over() {
            let oldest = self.free.iter().filter_map(|(size, blocks)| {
                let at = blocks.iter().position(|block| block.only_on.is_none())?;
                Some((blocks[at].number, *size, at))
            });
            let Some((_, size, at)) = oldest.min() else { break };
            over.extend(self.remove(size, at));
        }
        over
    }

    fn waiting(&self) -> Vec<(usize, u64, Event)> {
        let event = |block: &Free| block.only_on.as_ref().and_then(|(_, event)| event.clone());
        let all = self.free.iter().flat_map(|(size, blocks)| blocks.iter().map(move |block| (size, block)));
        all.filter_map(|(size, block)| Some((*size, block.number, event(block)?))).collect()
    }

    fn remove(&mut self, size: usize, at: usize) -> Option<(usize, Free)> {
        let block = self.free.get_mut(&size)?.remove(at)?;
        self.kept -= size;
        Some((size, block))
    }

    fn drain(&mut self) -> Vec<(usize, Free)> {
        let mut all = Vec::new();
        for (size, blocks) in &mut self.free {
            let (waiting, done) = std::mem::take(blocks).into_iter().partition(|block| block.only_on.is_some());
            *blocks = waiting;
            all.extend(VecDeque::into_iter(done).map(|block| (*size, block)));
        }
        self.free.retain(|_, blocks| !blocks.is_empty());
        self.kept -= all.iter().map(|(size, _)| size).sum::<usize>();
        self.peak = self.in_use;
        all
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // After the trim, the only blocks left are those whose stream has refused the closure of `give`. Such a block
        // is leaked.
        self.trim();
    }
}

// SAFETY: the upstream allocated every block with at least the requested size and alignment. A block leaves the lists
// before the block is handed out, so no block is handed out twice. A block in the lists is handed out in one of two
// cases. In the first case, the requesting stream is the stream that freed the block, and the earlier uses precede in
// the order of the stream. In the second case, the work of the stream that freed the block is done. `give` or `settle`
// has found out that the work is done.
unsafe impl MemoryResource for CachingResource {
    fn allocate(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        self.allocate_initialized(bytes, align, stream)
    }

    fn allocate_initialized(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        check_alignment(align, usize::MAX)?;
        if bytes == 0 {
            return Ok(dangling(align));
        }
        match Self::is_pooled(bytes, align) {
            Some(size) => Ok(self.0.take(size, false, stream).map_err(|error| error.asked(bytes))?.0),
            None => self.0.upstream.allocate_initialized(bytes, align, stream),
        }
    }

    fn allocate_zeroed(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        check_alignment(align, usize::MAX)?;
        if bytes == 0 {
            return Ok(dangling(align));
        }
        check_reach(self.device(), self.properties().host_accessible, stream)?;
        let Some(size) = Self::is_pooled(bytes, align) else {
            return self.0.upstream.allocate_zeroed(bytes, align, stream);
        };
        let (ptr, used) = self.0.take(size, true, stream).map_err(|error| error.asked(bytes))?;
        if used {
            // SAFETY: the block is at least `bytes` long and usable on `stream`. `check_reach` has checked that work on
            // `stream` can access the block.
            let filled = unsafe { stream.fill(ptr.as_ptr().expose_provenance() as u64, 0, bytes) };
            if let Err(error) = filled {
                self.0.give(ptr, size, stream);
                return Err(error.into());
            }
        }
        Ok(ptr)
    }

    unsafe fn deallocate(&self, ptr: NonNull<u8>, bytes: usize, align: usize, stream: &Stream) {
        if bytes == 0 {
            return;
        }
        match Self::is_pooled(bytes, align) {
            Some(size) => self.0.give(ptr, size, stream),
            // SAFETY: the arguments are passed on unchanged, and `allocate` took a block of this size and alignment
            // from the upstream.
            None => unsafe { self.0.upstream.deallocate(ptr, bytes, align, stream) },
        }
    }

    unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, align: usize) {
        if bytes == 0 {
            return;
        }
        match Self::is_pooled(bytes, align) {
            Some(size) => _ = self.0.take_in(ptr, size, None),
            // SAFETY: the arguments are passed on unchanged, and `allocate` took a block of this size and alignment
            // from the upstream.
            None => unsafe { self.0.upstream.deallocate_sync(ptr, bytes, align) },
        }
    }

    fn trim(&self) -> usize {
        // The upstream may free the same memory that the pool has freed to the upstream. The maximum counts such memory
        // once.
        self.0.trim().max(self.0.upstream.trim())
    }

    fn properties(&self) -> Properties {
        self.0.upstream.properties()
    }

    fn device(&self) -> Device {
        self.0.upstream.device()
    }

    fn name(&self) -> &'static str {
        "caching"
    }
}
