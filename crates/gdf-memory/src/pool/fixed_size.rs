//! A resource with blocks of one size (RMM's `fixed_size_memory_resource`).

use std::ptr::NonNull;

use gdf_driver::Stream;

use crate::resources::{check_alignment, dangling};
use crate::{BUFFER_ALIGNMENT, FreeMemory, MemoryError, MemoryResource, PoolOptions, PoolResource, Resource, Result};

/// The default block size in bytes.
const BLOCK: usize = 1 << 20;
/// The number of blocks that the pool allocates from the upstream at once, if the blocks are small.
const AT_ONCE: usize = 128;

/// Allocates blocks of one size and refuses larger requests. The memory does not fragment, because every free block
/// fits every request. Clones share the blocks.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use gdf::Stream;
/// use gdf::memory::{Buffer, FixedSizeResource, HostResource, Resource};
///
/// let fixed = FixedSizeResource::new(Resource::new(HostResource::new()), 64 << 10)?;
/// let (stream, resource) = (Stream::cpu(), Resource::new(fixed));
/// assert!(Buffer::zeroed(60_000, &stream, resource.as_ref()).is_ok());
/// assert!(Buffer::zeroed(70_000, &stream, resource.as_ref()).unwrap_err().is_out_of_memory());
/// # Ok::<(), gdf_memory::MemoryError>(())
/// ```
#[derive(Clone, Debug)]
pub struct FixedSizeResource {
    pool: PoolResource,
    block: usize,
}

impl FixedSizeResource {
    /// Makes a resource with blocks of `block` bytes from `upstream`. The size is rounded up to a multiple of 256. If
    /// `block` is 0, the size is 1 MiB. The call allocates no memory.
    ///
    /// # Errors
    /// [`OutOfMemory`](MemoryError::OutOfMemory) when the size exceeds the address space.
    pub fn new(upstream: Resource, block: usize) -> Result<Self> {
        let block = if block == 0 { BLOCK } else { block };
        let refused = MemoryError::OutOfMemory { requested: block, free: None, resource: "fixed_size" };
        let block = block.checked_next_multiple_of(BUFFER_ALIGNMENT).filter(|&block| block < isize::MAX as usize / 2);
        let block = block.ok_or(refused)?;
        // The pool grows by at least 16 granules at once, so the granule is a sixteenth of the growth.
        let granule = (block.saturating_mul(AT_ONCE) / 16).clamp(4096, 2 << 20).next_power_of_two();
        let pool = PoolResource::with_options(upstream, PoolOptions::new().granule(granule))?;
        Ok(Self { pool, block })
    }

    /// Returns the size of a block in bytes.
    pub fn block_size(&self) -> usize {
        self.block
    }

    /// Returns the resource from which the blocks are allocated.
    pub fn upstream(&self) -> &Resource {
        self.pool.upstream()
    }

    /// Converts an out-of-memory error of the pool to an out-of-memory error of this resource.
    fn refused(&self, error: MemoryError, bytes: usize) -> MemoryError {
        match error {
            MemoryError::OutOfMemory { free, .. } => {
                MemoryError::OutOfMemory { requested: bytes, free, resource: self.name() }
            }
            other => other,
        }
    }

    fn check(&self, bytes: usize, align: usize) -> Result<()> {
        check_alignment(align, BUFFER_ALIGNMENT)?;
        if bytes > self.block {
            let free = FreeMemory { bytes: self.pool.free().bytes, largest_block: Some(self.block as u64) };
            return Err(MemoryError::OutOfMemory { requested: bytes, free: Some(free), resource: self.name() });
        }
        Ok(())
    }
}

// SAFETY: the pool allocates and frees every block with the size `self.block`, which is at least the requested size.
// All other rules hold because the pool upholds the rules.
unsafe impl MemoryResource for FixedSizeResource {
    fn allocate(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        self.check(bytes, align)?;
        match bytes {
            0 => Ok(dangling(align)),
            _ => self.pool.allocate(self.block, align, stream).map_err(|error| self.refused(error, bytes)),
        }
    }

    fn allocate_initialized(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        self.check(bytes, align)?;
        match bytes {
            0 => Ok(dangling(align)),
            _ => self.pool.allocate_initialized(self.block, align, stream).map_err(|error| self.refused(error, bytes)),
        }
    }

    fn allocate_sync(&self, bytes: usize, align: usize) -> Result<NonNull<u8>> {
        self.check(bytes, align)?;
        match bytes {
            0 => Ok(dangling(align)),
            _ => self.pool.allocate_sync(self.block, align).map_err(|error| self.refused(error, bytes)),
        }
    }

    unsafe fn deallocate(&self, ptr: NonNull<u8>, bytes: usize, align: usize, stream: &Stream) {
        if bytes > 0 {
            // SAFETY: `allocate` requested the block from the pool with the size `self.block` and this alignment. The
            // caller upholds the other preconditions.
            unsafe { self.pool.deallocate(ptr, self.block, align, stream) }
        }
    }

    unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, align: usize) {
        if bytes > 0 {
            // SAFETY: the block came from the pool with the size `self.block` and this alignment. The caller upholds
            // the other preconditions.
            unsafe { self.pool.deallocate_sync(ptr, self.block, align) }
        }
    }

    crate::delegate!(pool: trim, properties, device);

    fn name(&self) -> &'static str {
        "fixed_size"
    }
}
