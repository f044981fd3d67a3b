//! A larger alignment (RMM's `aligned_resource_adaptor`).

use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gdf_driver::Stream;

use super::around::{Content, Request};
use crate::{BUFFER_ALIGNMENT, MemoryError, MemoryResource, Resource, Result};

/// Aligns blocks from a size on more than its upstream does, by asking for more and handing out the aligned part. Blocks
/// below the size pass through. Clones share one table of blocks.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use gdf::Stream;
/// use gdf::memory::{AlignedResource, HostResource, MemoryResource, Resource};
///
/// let aligned = AlignedResource::new(Resource::new(HostResource::new()), 4096, 1000)?;
/// let (stream, bytes) = (Stream::cpu(), 2000);
/// let block = aligned.allocate(bytes, 256, &stream)?;
/// assert_eq!(block.as_ptr().addr() % 4096, 0);
/// // SAFETY: allocated above with this size and alignment.
/// unsafe { aligned.deallocate(block, bytes, 256, &stream) };
/// # Ok::<(), gdf_memory::MemoryError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AlignedResource {
    upstream: Resource,
    align: usize,
    threshold: usize,
    /// The upstream's address and size of each block whose address was moved, by the address handed out.
    moved: Arc<Mutex<HashMap<usize, (usize, usize)>>>,
}

impl AlignedResource {
    /// Aligns blocks of at least `threshold` bytes to `align`.
    ///
    /// # Errors
    /// [`BadAlignment`](MemoryError::BadAlignment) for an alignment that is no power of two or below 256.
    pub fn new(upstream: Resource, align: usize, threshold: usize) -> Result<Self> {
        if !align.is_power_of_two() || align < BUFFER_ALIGNMENT {
            return Err(MemoryError::BadAlignment { align });
        }
        Ok(Self { upstream, align, threshold, moved: Arc::default() })
    }

    /// Where the memory comes from.
    pub fn upstream(&self) -> &Resource {
        &self.upstream
    }

    fn moved(&self) -> MutexGuard<'_, HashMap<usize, (usize, usize)>> {
        self.moved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The alignment that a block is to have.
    fn requested(&self, bytes: usize, align: usize) -> usize {
        if bytes >= self.threshold && bytes > 0 { align.max(self.align) } else { align }
    }

    /// Whether the upstream aligns so much itself.
    fn is_passed_on(bytes: usize, requested: usize) -> bool {
        requested <= BUFFER_ALIGNMENT || bytes == 0
    }

    fn ask(&self, request: Request<'_>) -> Result<NonNull<u8>> {
        if !request.align.is_power_of_two() || request.align > isize::MAX as usize / 2 {
            return Err(MemoryError::BadAlignment { align: request.align });
        }
        let align = self.requested(request.bytes, request.align);
        if Self::is_passed_on(request.bytes, align) {
            return Request { align, ..request }.ask(&self.upstream);
        }
        // The upstream's blocks are aligned to 256 already.
        let whole = request.bytes.checked_add(align - BUFFER_ALIGNMENT);
        let refusal = MemoryError::OutOfMemory { requested: request.bytes, free: None, resource: self.name() };
        let whole = whole.filter(|&whole| whole <= isize::MAX as usize).ok_or(refusal)?;
        let base = Request { bytes: whole, align: BUFFER_ALIGNMENT, ..request }.ask(&self.upstream);
        let base = base.map_err(|error| error.asked(request.bytes))?;
        let distance = base.as_ptr().addr().next_multiple_of(align) - base.as_ptr().addr();
        // SAFETY: the distance is a multiple of 256 of at most `align - 256`, so `bytes` fit behind it.
        let ptr = unsafe { base.add(distance) };
        self.moved().insert(ptr.as_ptr().addr(), (base.as_ptr().expose_provenance(), whole));
        Ok(ptr)
    }

    /// The upstream's block behind one of ours: address, size and alignment.
    fn base(&self, ptr: NonNull<u8>, bytes: usize, align: usize) -> Option<(NonNull<u8>, usize, usize)> {
        let requested = self.requested(bytes, align);
        if Self::is_passed_on(bytes, requested) {
            return Some((ptr, bytes, requested));
        }
        let found = self.moved().remove(&ptr.as_ptr().addr());
        let base = found.and_then(|(base, whole)| {
            Some((NonNull::new(std::ptr::with_exposed_provenance_mut(base))?, whole, BUFFER_ALIGNMENT))
        });
        if base.is_none() {
            tracing::error!(?ptr, bytes, "given back, but not outstanding; leaked");
        }
        base
    }
}

// SAFETY: every block is a part of a block of the upstream that is handed out to nobody else, aligned as asked; that
// block is given back as it was asked for, on the same stream.
unsafe impl MemoryResource for AlignedResource {
    fn allocate(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        self.ask(Request { bytes, align, content: Content::Anything, stream: Some(stream) })
    }

    fn allocate_zeroed(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        self.ask(Request { bytes, align, content: Content::Zeros, stream: Some(stream) })
    }

    fn allocate_initialized(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        self.ask(Request { bytes, align, content: Content::Initialized, stream: Some(stream) })
    }

    unsafe fn deallocate(&self, ptr: NonNull<u8>, bytes: usize, align: usize, stream: &Stream) {
        if let Some((base, bytes, align)) = self.base(ptr, bytes, align) {
            // SAFETY: `ask` took this block with this size and alignment; it is given back once, since the entry is gone.
            unsafe { self.upstream.deallocate(base, bytes, align, stream) }
        }
    }

    fn allocate_sync(&self, bytes: usize, align: usize) -> Result<NonNull<u8>> {
        self.ask(Request { bytes, align, content: Content::Anything, stream: None })
    }

    unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, align: usize) {
        if let Some((base, bytes, align)) = self.base(ptr, bytes, align) {
            // SAFETY: as in `deallocate`.
            unsafe { self.upstream.deallocate_sync(base, bytes, align) }
        }
    }

    crate::delegate!(upstream: trim, properties, device);

    fn name(&self) -> &'static str {
        "aligned"
    }
}
