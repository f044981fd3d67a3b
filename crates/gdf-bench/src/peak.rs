//! A memory resource that remembers the most bytes that were outstanding at once.
//!
//! It is current only for one call of a case, before the timed ones, so that watching costs the figures nothing.

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gdf::Stream;
use gdf::memory::{MemoryResource, Resource, Result};

/// Passes everything on to another resource and counts.
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

    /// The most bytes that were outstanding at once.
    pub(crate) fn peak(&self) -> usize {
        self.count.peak.load(Ordering::Relaxed)
    }

    fn take(&self, bytes: usize) {
        let now = self.count.outstanding.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.count.peak.fetch_max(now, Ordering::Relaxed);
    }
}

// SAFETY: every block is the upstream's, asked for and given back with unchanged arguments.
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
        // SAFETY: the caller's promise, passed on unchanged; the block is the upstream's.
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
