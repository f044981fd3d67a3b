//! An adaptor that increases the alignment of blocks (RMM's `aligned_resource_adaptor`).

use std::any::Any;
use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gdf_driver::Stream;

use super::around::{Content, Request};
use crate::{BUFFER_ALIGNMENT, MemoryError, MemoryResource, Resource, Result};

/// Gives blocks of at least `threshold` bytes a larger alignment than the upstream does. For such a block, the adaptor
/// allocates a larger block from the upstream, and returns the aligned part of that block. Requests for smaller blocks
/// are passed to the upstream unchanged, unless the request itself has an alignment above 256. Clones share one table
/// of blocks.
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
    moved: Arc<Mutex<HashMap<usize, (usize, usize)>>>,
}

impl AlignedResource {
    /// Makes an adaptor that aligns blocks of at least `threshold` bytes to `align`.
    ///
    /// # Errors
    /// [`BadAlignment`](MemoryError::BadAlignment) for an alignment that is not a power of two, or that is below 256.
    pub fn new(upstream: Resource, align: usize, threshold: usize) -> Result<Self> {
        if !align.is_power_of_two() || align < BUFFER_ALIGNMENT {
            return Err(MemoryError::BadAlignment { align });
        }
        Ok(Self { upstream, align, threshold, moved: Arc::default() })
    }

    /// Returns the resource that the adaptor allocates from.
    pub fn upstream(&self) -> &Resource {
        &self.upstream
    }

    fn moved(&self) -> MutexGuard<'_, HashMap<usize, (usize, usize)>> {
        self.moved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn requested(&self, bytes: usize, align: usize) -> usize {
        if bytes >= self.threshold && bytes > 0 { align.max(self.align) } else { align }
    }

    /// Returns whether the request is passed to the upstream unchanged. Every upstream supports alignments up to 256,
    /// so only larger alignments need the adaptor.
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
        // Blocks of the upstream are already aligned to 256. The aligned address is therefore at most `align - 256`
        // bytes away.
        let whole = request.bytes.checked_add(align - BUFFER_ALIGNMENT);
        let refusal = MemoryError::OutOfMemory { requested: request.bytes, free: None, resource: self.name() };
        let whole = whole.filter(|&whole| whole <= isize::MAX as usize).ok_or(refusal)?;
        let base = Request { bytes: whole, align: BUFFER_ALIGNMENT, ..request }.ask(&self.upstream);
        let base = base.map_err(|error| error.asked(request.bytes))?;
        let distance = base.as_ptr().addr().next_multiple_of(align) - base.as_ptr().addr();
        // SAFETY: `base` and `align` are multiples of 256, so `distance` is at most `align - 256`. The upstream's
        // block has `bytes + align - 256` bytes, so `bytes` bytes fit after `ptr`.
        let ptr = unsafe { base.add(distance) };
        self.moved().insert(ptr.as_ptr().addr(), (base.as_ptr().expose_provenance(), whole));
        Ok(ptr)
    }

    /// Finds the block of the upstream that contains the block at `ptr`, and removes the entry from the table. Returns
    /// the address, the size and the alignment of the block of the upstream.
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
            tracing::error!(?ptr, bytes, "freed a block that is not allocated; the block is leaked");
        }
        base
    }
}

// SAFETY: every block is a part of a separate block of the upstream, and is aligned as requested. The block of the
// upstream is freed on the same stream, with the size and the alignment of its allocation.
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
            // SAFETY: `ask` allocated this block of the upstream with this size and alignment. `base` removed the
            // entry of the block, so the block is freed once. The caller upholds the other preconditions.
            unsafe { self.upstream.deallocate(base, bytes, align, stream) }
        }
    }

    fn allocate_sync(&self, bytes: usize, align: usize) -> Result<NonNull<u8>> {
        self.ask(Request { bytes, align, content: Content::Anything, stream: None })
    }

    unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, align: usize) {
        if let Some((base, bytes, align)) = self.base(ptr, bytes, align) {
            // SAFETY: `ask` allocated this block of the upstream with this size and alignment. `base` removed the
            // entry of the block, so the block is freed once. The caller upholds the other preconditions.
            unsafe { self.upstream.deallocate_sync(base, bytes, align) }
        }
    }

    crate::delegate!(upstream: trim, properties, device);

    fn spilling(self: Arc<Self>) -> Option<Arc<dyn Any + Send + Sync>> {
        self.upstream.to_arc().spilling()
    }

    fn name(&self) -> &'static str {
        "aligned"
    }
}
