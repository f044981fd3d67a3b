//! A pool of whole blocks: what is given back is kept, by size, and handed out again.
//!
//! Fresh pages are the dear part of a large allocation: the system clears each one when it is first touched, which takes
//! several times as long as an operation takes to fill it. RMM's pool carves one region up and joins neighbors again;
//! here the unit stays the block, since the system's address space is not scarce and nothing fragments across sizes.

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

/// Alignment of every block that is kept; requests for more go to the upstream.
const BLOCK_ALIGN: usize = BUFFER_ALIGNMENT;
/// The smallest block.
const MIN_BLOCK: usize = 256;
/// What is held at most is so many times the most that was in use: operations ask for different sizes one after the
/// other, and what one of them is done with does not fit the next.
const MAX_HELD: usize = 2;

/// Keeps blocks that are given back to it, and hands them out again for requests of about the same size.
///
/// * *Sizes*: requests are rounded up to a power of two or to one, two or three quarters on the way to the next, so a
///   block fits requests up to a fifth smaller than itself.
/// * *Bound*: what is in use and what is kept make up at most twice the most that was ever in use at once; above that
///   the blocks that were given back longest ago go to the upstream. [`trim`](MemoryResource::trim) gives back all that
///   is kept, at once or as soon as its stream's work is done, and starts to measure anew. When the upstream is out of
///   memory, the pool trims itself and asks again before it says so; the last time it waits for what streams still use.
/// * *Order*: a block is handed out at once on the stream that gave it back, on others as soon as that stream's work
///   until then is done. No stream waits for another because of the pool, and no thread before memory is out.
/// * *Content*: memory that the CPU can access holds zeros, or what this process wrote there before.
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
    /// For those who give blocks back to the upstream: until then a block is neither here nor there.
    search_lock: SearchLock,
    /// Blocks that went back so far.
    returned: AtomicUsize,
}

#[derive(Default)]
struct State {
    /// Blocks to be handed out, by size, those given back last at the back.
    free: BTreeMap<usize, VecDeque<Free>>,
    in_use: usize,
    kept: usize,
    /// The most that was in use at once.
    peak: usize,
    /// Blocks given back so far.
    count: u64,
}

/// A block of the upstream that nobody uses.
struct Free {
    ptr: NonNull<u8>,
    /// Larger for blocks given back later.
    number: u64,
    /// The stream in whose order it is free, and the end of its work, while others have to wait.
    only_on: Option<(u64, Option<Event>)>,
}

// SAFETY: the block is owned memory; whoever takes it out of the list is its only user.
unsafe impl Send for Free {}

/// The size of block for a request; `None` where that is no size.
fn block_size(bytes: usize) -> Option<usize> {
    let min = bytes.max(MIN_BLOCK);
    let step = min.checked_next_power_of_two()? / 8;
    min.checked_next_multiple_of(step)
}

impl CachingResource {
    /// An empty pool over `upstream`. Nothing is reserved up front.
    pub fn new(upstream: Resource) -> Self {
        let (state, search_lock, returned) = (Mutex::default(), SearchLock::default(), AtomicUsize::new(0));
        Self(Arc::new(Pool { upstream, state, search_lock, returned }))
    }

    /// Where the memory comes from.
    pub fn upstream(&self) -> &Resource {
        &self.0.upstream
    }

    /// Bytes of blocks that wait for their next use.
    pub fn kept_bytes(&self) -> usize {
        self.0.state().kept
    }

    /// Bytes of blocks that are in use.
    pub fn used_bytes(&self) -> usize {
        self.0.state().in_use
    }

    /// Whether the pool keeps blocks for such requests.
    fn is_pooled(bytes: usize, align: usize) -> Option<usize> {
        block_size(bytes).filter(|_| align <= BLOCK_ALIGN)
    }
}

impl Pool {
    fn state(&self) -> MutexGuard<'_, State> {
        // No code of others runs while it is held, and the numbers are whole after every statement.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new block. Memory that the CPU can access is initialized, as every block of the pool is.
    fn ask(&self, size: usize, zeroed: bool, stream: &Stream) -> Result<NonNull<u8>> {
        if zeroed {
            self.upstream.allocate_zeroed(size, BLOCK_ALIGN, stream)
        } else if self.upstream.properties().host_accessible {
            self.upstream.allocate_initialized(size, BLOCK_ALIGN, stream)
        } else {
            self.upstream.allocate(size, BLOCK_ALIGN, stream)
        }
    }

    /// A block of this size, and whether it was used before; if not, it is zero where asked for.
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

    /// As [`take`](Self::take) where the upstream has refused, with `before` blocks returned to it: what other threads are
    /// giving back is waited for, then all that is kept goes back, at last what streams still use.
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

    /// Takes a block in, which may make too many. Returns its number.
    fn take_in(&self, ptr: NonNull<u8>, size: usize, only_on: Option<(u64, Option<Event>)>) -> u64 {
        let mut state = self.state();
        let number = state.give(ptr, size, only_on);
        if state.is_over() {
            drop(state);
            self.shed();
        }
        number
    }

    /// Gives the blocks back that are too many, unless a thread is at work that gives all back.
    fn shed(&self) {
        let Some(_guard) = self.search_lock.try_shared() else { return };
        let over = self.state().surplus();
        self.return_all(over);
    }

    /// Waits for the streams that blocks wait for; `false` where none does.
    fn wait(&self) -> bool {
        let waiting: Vec<(usize, u64, Event)> = self.state().waiting();
        let mut any = false;
        for (size, number, event) in waiting {
            // An event that cannot be waited for is of a lost device, on which nothing runs any more.
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

    /// Gives blocks back that no stream uses any more. The thread has held the search lock since they left the lists.
    fn return_all(&self, blocks: Vec<(usize, Free)>) {
        for (size, block) in blocks {
            // SAFETY: the block came from the upstream with this size and alignment, has left the lists, and the work of
            // the stream that gave it back is done.
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
        // What was given back last is the likeliest to be in a cache.
        let block = blocks.iter().rposition(usable).and_then(|at| blocks.remove(at))?;
        self.kept -= size;
        self.begin(size);
        Some(block.ptr)
    }

    /// Takes a block in. Returns its number.
    fn give(&mut self, ptr: NonNull<u8>, size: usize, only_on: Option<(u64, Option<Event>)>) -> u64 {
        self.count += 1;
        let number = self.count;
        self.in_use = self.in_use.saturating_sub(size);
        self.kept += size;
        self.free.entry(size).or_default().push_back(Free { ptr, number, only_on });
        number
    }

    /// The work before a block was given back is done. It may be in use again, or be there under another number.
    fn settle(&mut self, size: usize, number: u64) {
        let blocks = self.free.get_mut(&size).map(|blocks| blocks.iter_mut());
        if let Some(block) = blocks.into_iter().flatten().find(|block| block.number == number) {
            block.only_on = None;
        }
    }

    /// Whether more is held than the bound allows.
    fn is_over(&self) -> bool {
        self.in_use + self.kept > self.peak.saturating_mul(MAX_HELD)
    }

    /// Takes the oldest blocks out until the bound is kept; those that wait for a stream stay.
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

    /// The blocks that wait for a stream: size, number and end of its work.
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

    /// Takes all blocks out that wait for no stream.
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
        // A block still waits for a stream only where that stream refused to tell; then it is leaked.
        self.trim();
    }
}

// SAFETY: blocks are the upstream's, as large and aligned as asked, and leave the lists before they are handed out, so
// none is handed out twice. A block in the lists is handed out on the stream that gave it back, in whose order its uses
// precede, or elsewhere once that stream's work was done when the block was given back (`give`) or since (`settle`).
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
            // SAFETY: the block is at least `bytes` long and usable on `stream`, whose work reaches it (checked above).
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
            // SAFETY: passed on unchanged; `allocate` took such a block from the upstream.
            None => unsafe { self.0.upstream.deallocate(ptr, bytes, align, stream) },
        }
    }

    unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, align: usize) {
        if bytes == 0 {
            return;
        }
        match Self::is_pooled(bytes, align) {
            Some(size) => _ = self.0.take_in(ptr, size, None),
            // SAFETY: passed on unchanged; `allocate` took such a block from the upstream.
            None => unsafe { self.0.upstream.deallocate_sync(ptr, bytes, align) },
        }
    }

    fn trim(&self) -> usize {
        // What is given to the upstream and given back by that, too, counts once.
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
