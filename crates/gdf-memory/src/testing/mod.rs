//! Helpers for tests: resources that fail, resources that record requests, and a switch that turns the lifetime rule
//! off.

mod guards;
pub mod replay;
pub mod traces;

use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gdf_driver::Stream;

pub use guards::{GUARD_BYTES, Overrun};

pub use crate::spill::SpillFaults;

use crate::allocation::TRACKING;
use crate::{Buffer, MemoryError, MemoryResource, Resource, Result, delegate};
use guards::Guards;

/// Turns the lifetime rule on or off for this thread. Tests turn the rule off to show that they detect violations.
///
/// # Safety
/// While the rule is off, memory may be freed or overwritten while work still uses it. The caller must ensure that such
/// accesses remain valid.
#[doc(hidden)]
pub unsafe fn set_tracking(on: bool) {
    TRACKING.with(|tracking| tracking.set(on));
}

/// Returns whether the padding of a buffer on the CPU is zero. The call waits for `stream`, a CPU stream. For buffers
/// on other devices, and for slices that end before the padding, the result is `true`.
///
/// # Errors
/// Driver errors.
pub fn is_padding_zero(buffer: &Buffer, stream: &Stream) -> Result<bool> {
    let padding = buffer.allocated_bytes().saturating_sub(buffer.offset() + buffer.len());
    if !buffer.device().is_cpu() || padding == 0 || padding >= crate::BUFFER_PADDING {
        return Ok(true);
    }
    let access = buffer.read_on(stream)?;
    // The call of `as_slice` runs the work that is enqueued on the stream.
    access.as_slice::<u8>()?;
    let behind = std::ptr::with_exposed_provenance::<u8>(access.address() as usize + access.len());
    // SAFETY: the padding follows the bytes in the same block, and `read_on` exposed the address of the block. The
    // padding is initialized and zeroed by `Buffer::allocate`, and nothing writes the padding during the life of the
    // access.
    let padding = unsafe { std::slice::from_raw_parts(behind, padding) };
    Ok(padding.iter().all(|&byte| byte == 0))
}

/// Refuses one allocation, and passes all other allocations to the upstream.
#[derive(Clone, Debug)]
pub struct FailingResource {
    upstream: Resource,
    fail_at: usize,
    seen: Arc<AtomicUsize>,
}

impl FailingResource {
    /// Makes an adaptor that refuses allocation number `fail_at`. The first allocation has the number 1. If `fail_at`
    /// is 0, the adaptor refuses no allocation.
    pub fn new(upstream: Resource, fail_at: usize) -> Self {
        Self { upstream, fail_at, seen: Arc::default() }
    }

    /// Returns the number of requested allocations so far.
    pub fn seen(&self) -> usize {
        self.seen.load(Ordering::SeqCst)
    }

    /// Returns whether the allocation with the number `fail_at` was requested.
    pub fn has_failed(&self) -> bool {
        self.fail_at > 0 && self.seen() >= self.fail_at
    }

    fn admit(&self, bytes: usize) -> Result<()> {
        if self.seen.fetch_add(1, Ordering::SeqCst) + 1 == self.fail_at {
            return Err(MemoryError::OutOfMemory { requested: bytes, free: None, resource: "failing" });
        }
        Ok(())
    }
}

// SAFETY: the upstream allocates and frees every block and upholds the rules.
unsafe impl MemoryResource for FailingResource {
    fn allocate(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        self.admit(bytes)?;
        self.upstream.allocate(bytes, align, stream)
    }

    fn allocate_zeroed(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        self.admit(bytes)?;
        self.upstream.allocate_zeroed(bytes, align, stream)
    }

    fn allocate_initialized(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        self.admit(bytes)?;
        self.upstream.allocate_initialized(bytes, align, stream)
    }

    fn allocate_sync(&self, bytes: usize, align: usize) -> Result<NonNull<u8>> {
        self.admit(bytes)?;
        self.upstream.allocate_sync(bytes, align)
    }

    delegate!(upstream: deallocate, deallocate_sync, trim, properties, device);

    fn name(&self) -> &'static str {
        "failing"
    }
}

#[derive(Debug, Default)]
struct Seen {
    allocations: usize,
    live: HashMap<usize, usize>,
    streams: Vec<u64>,
    faults: Vec<String>,
}

/// Records the number of allocations, the blocks that have not been freed, and the ids of the streams. New memory of
/// `allocate_initialized` on the CPU is filled with nonzero bytes.
#[derive(Clone, Debug)]
pub struct SpyingResource {
    upstream: Resource,
    seen: Arc<Mutex<Seen>>,
    guards: Option<Arc<Guards>>,
}

impl SpyingResource {
    /// Makes an adaptor that records the calls to `upstream`.
    pub fn new(upstream: Resource) -> Self {
        Self { upstream, seen: Arc::default(), guards: None }
    }

    /// Makes an adaptor that records the calls to `upstream`, and that adds at least [`GUARD_BYTES`] guard bytes before
    /// and after every block. On every device, new memory is filled with a pattern, unless the caller requests zeroed
    /// memory. Freed blocks are kept until [`overruns`](Self::overruns) is called or the last clone is dropped.
    pub fn guarded(upstream: Resource) -> Self {
        Self { guards: Some(Arc::new(Guards::new(upstream.clone()))), ..Self::new(upstream) }
    }

    /// Returns the writes outside of blocks, for all blocks that were freed since the last call. The call waits for the
    /// streams on which the blocks were freed.
    ///
    /// # Errors
    /// Driver errors.
    pub fn overruns(&self) -> Result<Vec<Overrun>> {
        self.guards.as_ref().map_or(Ok(Vec::new()), |guards| guards.overruns())
    }

    /// Returns the guards for a block of `bytes` bytes.
    fn guards(&self, bytes: usize) -> Option<&Guards> {
        self.guards.as_deref().filter(|_| bytes > 0)
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of allocations so far.
    pub fn allocations(&self) -> usize {
        self.seen().allocations
    }

    /// Returns the number of blocks that are not freed.
    pub fn outstanding(&self) -> usize {
        self.seen().live.len()
    }

    /// Returns the number of bytes that have not been freed, including padding.
    pub fn outstanding_bytes(&self) -> usize {
        self.seen().live.values().sum()
    }

    /// Returns the ids of the streams that allocated or freed blocks, in the order of their first use.
    pub fn streams(&self) -> Vec<u64> {
        self.seen().streams.clone()
    }

    /// Returns a description of each invalid free: a free of an address that was not allocated, or a free with a wrong
    /// size.
    pub fn faults(&self) -> Vec<String> {
        self.seen().faults.clone()
    }

    fn note(&self, ptr: NonNull<u8>, bytes: usize, stream: Option<&Stream>) {
        let mut seen = self.seen();
        seen.allocations += 1;
        seen.live.insert(ptr.as_ptr() as usize, bytes);
        seen.name(stream);
    }

    fn forget(&self, ptr: NonNull<u8>, bytes: usize, stream: Option<&Stream>) {
        let mut seen = self.seen();
        seen.name(stream);
        match seen.live.remove(&(ptr.as_ptr() as usize)) {
            Some(size) if size == bytes => {}
            Some(size) => {
                seen.faults.push(format!("a block of {size} bytes was freed with a size of {bytes} bytes"));
            }
            None => seen.faults.push(format!("{bytes} bytes were freed that are not an allocated block")),
        }
    }
}

impl Seen {
    fn name(&mut self, stream: Option<&Stream>) {
        if let Some(stream) = stream.map(Stream::id).filter(|id| !self.streams.contains(id)) {
            self.streams.push(stream);
        }
    }
}

struct Block(NonNull<u8>);

// SAFETY: `Block` is only the address of a new block, which no other thread uses until the fill has run.
unsafe impl Send for Block {}

impl Block {
    /// Fills the block with `0xA5`.
    ///
    /// # Safety
    /// The block has `bytes` bytes that the CPU can access, and nothing else uses the block yet.
    unsafe fn fill(self, bytes: usize) {
        // SAFETY: the caller guarantees that the block is valid for writes of `bytes` bytes.
        unsafe { self.0.write_bytes(0xA5, bytes) };
    }
}

// SAFETY: every block is a block of the upstream, or the part of a block between its guards. The upstream upholds the
// rules.
unsafe impl MemoryResource for SpyingResource {
    fn allocate(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        let ptr = match self.guards(bytes) {
            Some(guards) => guards.allocate(bytes, align, false, stream)?,
            None => self.upstream.allocate(bytes, align, stream)?,
        };
        self.note(ptr, bytes, Some(stream));
        Ok(ptr)
    }

    fn allocate_zeroed(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        let ptr = match self.guards(bytes) {
            Some(guards) => guards.allocate(bytes, align, true, stream)?,
            None => self.upstream.allocate_zeroed(bytes, align, stream)?,
        };
        self.note(ptr, bytes, Some(stream));
        Ok(ptr)
    }

    /// Fills new memory with a nonzero pattern, so that tests detect code that reads the memory before writing it.
    fn allocate_initialized(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        if self.guards(bytes).is_some() {
            return self.allocate(bytes, align, stream);
        }
        let ptr = self.upstream.allocate_initialized(bytes, align, stream)?;
        self.note(ptr, bytes, Some(stream));
        if self.device().is_cpu() {
            let block = Block(ptr);
            // SAFETY: the upstream allocated the block of `bytes` bytes. Later work on `stream` runs after the fill,
            // so nothing else uses the block yet.
            stream.enqueue(move || unsafe { block.fill(bytes) })?;
        }
        Ok(ptr)
    }

    unsafe fn deallocate(&self, ptr: NonNull<u8>, bytes: usize, align: usize, stream: &Stream) {
        self.forget(ptr, bytes, Some(stream));
        if let Some(guards) = self.guards(bytes) {
            return guards.keep(ptr, bytes, align, Some(stream));
        }
        // SAFETY: the arguments are passed on unchanged, and the upstream allocated the block. The caller upholds the
        // other preconditions.
        unsafe { self.upstream.deallocate(ptr, bytes, align, stream) }
    }

    fn allocate_sync(&self, bytes: usize, align: usize) -> Result<NonNull<u8>> {
        let ptr = match self.guards(bytes) {
            Some(guards) => guards.allocate_sync(bytes, align)?,
            None => self.upstream.allocate_sync(bytes, align)?,
        };
        self.note(ptr, bytes, None);
        Ok(ptr)
    }

    unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, align: usize) {
        self.forget(ptr, bytes, None);
        if let Some(guards) = self.guards(bytes) {
            return guards.keep(ptr, bytes, align, None);
        }
        // SAFETY: the arguments are passed on unchanged, and the upstream allocated the block. The caller upholds the
        // other preconditions.
        unsafe { self.upstream.deallocate_sync(ptr, bytes, align) }
    }

    delegate!(upstream: trim, properties, device);

    fn name(&self) -> &'static str {
        "spying"
    }
}
