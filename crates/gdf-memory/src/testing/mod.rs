//! Resources and switches for tests: failing, spying, and lifetime tracking on or off.

mod guards;
pub mod replay;
pub mod traces;

use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gdf_driver::Stream;

pub use guards::{GUARD_BYTES, Overrun};

use crate::allocation::TRACKING;
use crate::{Buffer, MemoryError, MemoryResource, Resource, Result, delegate};
use guards::Guards;

/// Switches the lifetime rule off (or on again) for this thread, to show that tests notice.
///
/// # Safety
/// While it is off, buffers may be freed or overwritten under running work.
#[doc(hidden)]
pub unsafe fn set_tracking(on: bool) {
    TRACKING.with(|tracking| tracking.set(on));
}

/// Whether the bytes between a buffer's end and that of its block are zero, as those of the CPU are from the start. Yes for
/// other buffers, and where more than padding follows. Waits for `stream`, one of the CPU.
///
/// # Errors
/// * Driver errors.
pub fn is_padding_zero(buffer: &Buffer, stream: &Stream) -> Result<bool> {
    let padding = buffer.allocated_bytes().saturating_sub(buffer.offset() + buffer.len());
    if !buffer.device().is_cpu() || padding == 0 || padding >= crate::BUFFER_PADDING {
        return Ok(true);
    }
    let access = buffer.read_on(stream)?;
    // What is enqueued has to have run.
    access.as_slice::<u8>()?;
    let behind = std::ptr::with_exposed_provenance::<u8>(access.address() as usize + access.len());
    // SAFETY: the padding follows the bytes in the same block, is initialized, and nobody writes it while the access lives.
    let padding = unsafe { std::slice::from_raw_parts(behind, padding) };
    Ok(padding.iter().all(|&byte| byte == 0))
}

/// Refuses the n-th allocation (counted from 1) and hands every other one to its upstream.
#[derive(Clone, Debug)]
pub struct FailingResource {
    upstream: Resource,
    fail_at: usize,
    seen: Arc<AtomicUsize>,
}

impl FailingResource {
    /// Refuses allocation number `fail_at`; 0 refuses none.
    pub fn new(upstream: Resource, fail_at: usize) -> Self {
        Self { upstream, fail_at, seen: Arc::default() }
    }

    /// How many allocations were asked for so far.
    pub fn seen(&self) -> usize {
        self.seen.load(Ordering::SeqCst)
    }

    /// Whether the allocation to refuse was reached.
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

// SAFETY: every block is the upstream's.
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

/// Records what passes: how many blocks, how many bytes are outstanding, and which streams were named. Memory of the CPU
/// that is to be written is not zero.
#[derive(Clone, Debug)]
pub struct SpyingResource {
    upstream: Resource,
    seen: Arc<Mutex<Seen>>,
    guards: Option<Arc<Guards>>,
}

impl SpyingResource {
    /// Watches `upstream`.
    pub fn new(upstream: Resource) -> Self {
        Self { upstream, seen: Arc::default(), guards: None }
    }

    /// As [`new`](Self::new), with [`GUARD_BYTES`] before and behind every block and poison in fresh memory of every device.
    /// Blocks that are given back are kept until [`overruns`](Self::overruns), or the last clone of the spy, goes.
    pub fn guarded(upstream: Resource) -> Self {
        Self { guards: Some(Arc::new(Guards::new(upstream.clone()))), ..Self::new(upstream) }
    }

    /// What was written outside of blocks that were given back since the last call. Waits for the streams that gave back.
    ///
    /// # Errors
    /// * Driver errors.
    pub fn overruns(&self) -> Result<Vec<Overrun>> {
        self.guards.as_ref().map_or(Ok(Vec::new()), |guards| guards.overruns())
    }

    /// The guards of a block of `bytes`; there are none around nothing.
    fn guards(&self, bytes: usize) -> Option<&Guards> {
        self.guards.as_deref().filter(|_| bytes > 0)
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocations so far.
    pub fn allocations(&self) -> usize {
        self.seen().allocations
    }

    /// Blocks not given back.
    pub fn outstanding(&self) -> usize {
        self.seen().live.len()
    }

    /// Bytes not given back, padding included.
    pub fn outstanding_bytes(&self) -> usize {
        self.seen().live.values().sum()
    }

    /// Ids of the streams that allocated or gave back, in order of appearance.
    pub fn streams(&self) -> Vec<u64> {
        self.seen().streams.clone()
    }

    /// Blocks given back that were not outstanding, or with another size.
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
            found => seen.faults.push(format!("{bytes} bytes given back, outstanding were {found:?}")),
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

// SAFETY: the block is memory on its way to its user.
unsafe impl Send for Block {}

impl Block {
    /// # Safety
    /// The block is `bytes` long and nobody uses it yet.
    unsafe fn fill(self, bytes: usize) {
        // SAFETY: the caller's promise.
        unsafe { self.0.write_bytes(0xA5, bytes) };
    }
}

// SAFETY: every block is the upstream's, or the middle of one.
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

    /// Bytes that nobody meant: whoever takes them for zeros, or for a result, is found out.
    fn allocate_initialized(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        if self.guards(bytes).is_some() {
            return self.allocate(bytes, align, stream);
        }
        let ptr = self.upstream.allocate_initialized(bytes, align, stream)?;
        self.note(ptr, bytes, Some(stream));
        if self.device().is_cpu() {
            let block = Block(ptr);
            // SAFETY: the block is ours, `bytes` long, until the stream's later work uses it.
            stream.enqueue(move || unsafe { block.fill(bytes) })?;
        }
        Ok(ptr)
    }

    unsafe fn deallocate(&self, ptr: NonNull<u8>, bytes: usize, align: usize, stream: &Stream) {
        self.forget(ptr, bytes, Some(stream));
        if let Some(guards) = self.guards(bytes) {
            return guards.keep(ptr, bytes, align, Some(stream));
        }
        // SAFETY: passed on unchanged; the block is the upstream's.
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
        // SAFETY: passed on unchanged; the block is the upstream's.
        unsafe { self.upstream.deallocate_sync(ptr, bytes, align) }
    }

    delegate!(upstream: trim, properties, device);

    fn name(&self) -> &'static str {
        "spying"
    }
}
