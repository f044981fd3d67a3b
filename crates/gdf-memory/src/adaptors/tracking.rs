//! An adaptor that records the allocated blocks and their origin (RMM's `tracking_resource_adaptor`).

use std::backtrace::Backtrace;
use std::collections::HashMap;
use std::fmt;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

use gdf_driver::Stream;

use super::around::{Around, Request, adaptor};
use crate::{Resource, Result};

/// A block that is not yet freed.
#[derive(Clone, Debug)]
pub struct Outstanding {
    /// The address of the block.
    pub address: usize,
    /// The requested size in bytes.
    pub bytes: usize,
    /// The id of the stream of the allocation. The id is 0 for a block that was allocated without a stream.
    pub stream: u64,
    /// The thread that allocated the block.
    pub thread: ThreadId,
    /// The number of blocks that were allocated earlier.
    pub number: u64,
    /// The backtrace of the allocation, if the adaptor records backtraces.
    pub backtrace: Option<Arc<Backtrace>>,
}

impl fmt::Display for Outstanding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { address, bytes, stream, number, .. } = self;
        write!(f, "block {number} at {address:#x}, {bytes} bytes, stream {stream}, {:?}", self.thread)?;
        self.backtrace.as_ref().map_or(Ok(()), |backtrace| write!(f, "\n{backtrace}"))
    }
}

#[derive(Debug, Default)]
struct Seen {
    live: HashMap<usize, Outstanding>,
    count: u64,
    faults: u64,
}

/// Records every block until the block is freed. When the last clone is dropped, the adaptor logs the blocks that have
/// not been freed. Clones share the records.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use gdf::Stream;
/// use gdf::memory::{Buffer, HostResource, Resource, TrackingResource};
///
/// let (stream, tracking) = (Stream::cpu(), TrackingResource::new(Resource::new(HostResource::new()), false));
/// let resource = Resource::new(tracking.clone());
/// let buffer = Buffer::zeroed(100, &stream, resource.as_ref())?;
/// assert_eq!(tracking.outstanding().len(), 1);
/// assert_eq!(tracking.outstanding_bytes(), 128);
/// # drop(buffer);
/// # Ok::<(), gdf_memory::MemoryError>(())
/// ```
#[derive(Clone)]
pub struct TrackingResource {
    upstream: Resource,
    backtraces: bool,
    seen: Arc<Tracked>,
}

#[derive(Debug, Default)]
struct Tracked(Mutex<Seen>);

impl Drop for Tracked {
    fn drop(&mut self) {
        for block in self.0.get_mut().unwrap_or_else(PoisonError::into_inner).live.values() {
            tracing::warn!(%block, "a block was never freed");
        }
    }
}

impl TrackingResource {
    /// Makes an adaptor over `upstream`. If `backtraces` is true, the adaptor also records the backtrace of each
    /// allocation. Recording a backtrace takes microseconds.
    pub fn new(upstream: Resource, backtraces: bool) -> Self {
        Self { upstream, backtraces, seen: Arc::default() }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the blocks that are not freed, in the order of their allocation.
    pub fn outstanding(&self) -> Vec<Outstanding> {
        let mut all: Vec<_> = self.seen().live.values().cloned().collect();
        all.sort_unstable_by_key(|block| block.number);
        all
    }

    /// Returns the sum of the requested sizes of the blocks that are not freed.
    pub fn outstanding_bytes(&self) -> usize {
        self.seen().live.values().map(|block| block.bytes).sum()
    }

    /// Returns the number of invalid frees: frees of an address that was not allocated, and frees with a wrong size.
    pub fn faults(&self) -> u64 {
        self.seen().faults
    }
}

impl fmt::Debug for TrackingResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blocks = self.seen().live.len();
        let bytes = self.outstanding_bytes();
        write!(f, "TrackingResource {{ outstanding: {blocks} blocks, {bytes} bytes, upstream: {:?} }}", self.upstream)
    }
}

impl Around for TrackingResource {
    const NAME: &'static str = "tracking";

    fn upstream(&self) -> &Resource {
        &self.upstream
    }

    fn on_allocate(&self, request: Request<'_>) -> Result<NonNull<u8>> {
        let ptr = request.ask(&self.upstream)?;
        if request.bytes > 0 {
            let backtrace = self.backtraces.then(|| Arc::new(Backtrace::force_capture()));
            let (address, thread) = (ptr.as_ptr().addr(), std::thread::current().id());
            let mut seen = self.seen();
            let number = seen.count;
            seen.count += 1;
            let stream = request.stream.map_or(0, Stream::id);
            seen.live.insert(address, Outstanding { address, bytes: request.bytes, stream, thread, number, backtrace });
        }
        Ok(ptr)
    }

    fn before_deallocate(&self, ptr: NonNull<u8>, bytes: usize, stream: Option<&Stream>) {
        if bytes == 0 {
            return;
        }
        let mut seen = self.seen();
        let found = seen.live.remove(&ptr.as_ptr().addr());
        if found.as_ref().is_none_or(|block| block.bytes != bytes) {
            seen.faults += 1;
            drop(seen);
            tracing::error!(
                ?ptr,
                bytes,
                stream = stream.map_or(0, Stream::id),
                ?found,
                "freed a block that is not allocated, or freed a block with a wrong size"
            );
        }
    }
}

adaptor!(pub TrackingResource);
