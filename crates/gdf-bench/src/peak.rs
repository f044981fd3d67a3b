//! A memory resource that records the largest number of bytes that were allocated at once.
//!
//! The resource is the current resource only during the warm-up calls of a case, because counting would slow the timed
//! calls.

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gdf::Stream;
use gdf::memory::{MemoryResource, Resource, Result};

/// Forwards all calls to another resource and counts the bytes.
#[derive(Clone, Debug)]
pub(crate) struct PeakResource {
    upstream: Resource,
    count: Arc<Count>,
}

#[derive(Debug, Default)]
struct Count {
    outstanding: AtomicUsize,
    peak: AtomicUsize,
}

impl PeakResource {
    pub(crate) fn new(upstream: Resource) -> Self {
        Self { upstream, count: Arc::default() }
    }

    /// Returns the largest number of bytes that were allocated at once.
    pub(crate) fn peak(&self) -> usize {
        self.count.peak.load(Ordering::Relaxed)
    }

    fn take(&self, bytes: usize) {
        let now = self.count.outstanding.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.count.peak.fetch_max(now, Ordering::Relaxed);
    }
}

// SAFETY: every block is a block of the upstream resource, which fulfills the contract of the trait. The resource
// passes the arguments of each allocation and deallocation to the upstream resource without changes.
unsafe impl MemoryResource for PeakResource {
    fn allocate(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        let block = self.upstream.allocate(bytes, align, stream)?;
        self.take(bytes);
        Ok(block)
    }

    fn allocate_zeroed(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        let block = self.upstream.allocate_zeroed(bytes, align, stream)?;
        self.take(bytes);
        Ok(block)
    }

    fn allocate_initialized(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        let block = self.upstream.allocate_initialized(bytes, align, stream)?;
        self.take(bytes);
        Ok(block)
    }

    unsafe fn deallocate(&self, ptr: NonNull<u8>, bytes: usize, align: usize, stream: &Stream) {
        self.count.outstanding.fetch_sub(bytes, Ordering::Relaxed);
        // SAFETY: the caller fulfills the contract of `deallocate`, and the arguments are passed on without changes.
        // The upstream resource allocated the block, because `PeakResource` has no blocks of its own.
        unsafe { self.upstream.deallocate(ptr, bytes, align, stream) }
    }

    gdf::memory::delegate!(upstream: trim, properties, device);

    fn name(&self) -> &'static str {
        "peak"
    }
}

#[cfg(test)]
mod tests {
    use gdf::memory::{Buffer, HostResource};

    use super::*;

    #[test]
    fn the_peak_outlives_the_blocks() {
        let stream = Stream::cpu();
        let watched = PeakResource::new(Resource::new(HostResource::new()));
        let resource = Resource::new(watched.clone());
        let first = Buffer::zeroed(128, &stream, resource.as_ref()).unwrap();
        let second = Buffer::uninitialized(64, &stream, resource.as_ref()).unwrap();
        drop((first, second));
        drop(Buffer::zeroed(128, &stream, resource.as_ref()).unwrap());
        assert_eq!(watched.peak(), 192);
    }
}
