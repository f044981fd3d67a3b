//! Blocks of one size (RMM's `fixed_size_memory_resource`).

use std::ptr::NonNull;

use gdf_driver::Stream;

use crate::resources::{check_alignment, dangling};
use crate::{BUFFER_ALIGNMENT, FreeMemory, MemoryError, MemoryResource, PoolOptions, PoolResource, Resource, Result};

/// The size of blocks unless another is asked for.
const BLOCK: usize = 1 << 20;
/// So many small blocks are taken from the upstream at once; of large ones 32 MiB.
const AT_ONCE: usize = 128;

/// Hands out blocks of one size and refuses larger requests. Nothing scatters, and every block fits every request. Clones
/// share the blocks.
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
    /// Blocks of `block` bytes of `upstream`, rounded up to 256; with 0, of 1 MiB. None are taken up front.
    ///
    /// # Errors
    /// [`OutOfMemory`](MemoryError::OutOfMemory) for a size beyond the address space.
    pub fn new(upstream: Resource, block: usize) -> Result<Self> {
        let block = if block == 0 { BLOCK } else { block };
        let refused = MemoryError::OutOfMemory { requested: block, free: None, resource: "fixed_size" };
        let block = block.checked_next_multiple_of(BUFFER_ALIGNMENT).filter(|&block| block < isize::MAX as usize / 2);
        let block = block.ok_or(refused)?;
        // 16 granules are taken at once.
        let granule = (block.saturating_mul(AT_ONCE) / 16).clamp(4096, 2 << 20).next_power_of_two();
        let pool = PoolResource::with_options(upstream, PoolOptions::new().granule(granule))?;
        Ok(Self { pool, block })
    }

    /// The size of all blocks.
    pub fn block_size(&self) -> usize {
        self.block
    }

    /// Where the memory comes from.
    pub fn upstream(&self) -> &Resource {
        self.pool.upstream()
    }

    /// The pool's refusal of a block, as one of this request.
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

// SAFETY: every block is one of the pool, at least as large as asked, asked for and given back with the same size.
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
            // SAFETY: the block was asked for with the size of all blocks and this alignment.
            unsafe { self.pool.deallocate(ptr, self.block, align, stream) }
        }
    }

    unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, align: usize) {
        if bytes > 0 {
            // SAFETY: as in `deallocate`.
            unsafe { self.pool.deallocate_sync(ptr, self.block, align) }
        }
    }

    crate::delegate!(pool: trim, properties, device);

    fn name(&self) -> &'static str {
        "fixed_size"
    }
}
