//! One resource per range of sizes (RMM's `binning_memory_resource`).

use std::ptr::NonNull;

use gdf_driver::Stream;

use crate::{BUFFER_ALIGNMENT, FixedSizeResource, MemoryError, MemoryResource, Resource, Result};

/// Sends each request to the bin of the smallest size that it fits, and what fits none to the upstream: small blocks of few
/// sizes then never scatter large ones. Alignments above 256 go to the upstream, too. Clones share the bins.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use gdf::Stream;
/// use gdf::memory::{BinningResource, Buffer, HostResource, PoolResource, Resource};
///
/// let pool = Resource::new(PoolResource::new(Resource::new(HostResource::new())));
/// // Bins of 4 KiB, 8 KiB and 16 KiB.
/// let binning = BinningResource::with_exponents(pool, 12, 14)?;
/// let (stream, resource) = (Stream::cpu(), Resource::new(binning));
/// assert_eq!(Buffer::zeroed(5000, &stream, resource.as_ref())?.len(), 5000);
/// # Ok::<(), gdf_memory::MemoryError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BinningResource {
    upstream: Resource,
    /// By rising size.
    bins: Vec<(usize, Resource)>,
}

impl BinningResource {
    /// No bins yet.
    pub fn new(upstream: Resource) -> Self {
        Self { upstream, bins: Vec::new() }
    }

    /// Bins of fixed-size blocks of `upstream`, of two to the power of `min` up to `max` bytes.
    ///
    /// # Errors
    /// As [`FixedSizeResource::new`].
    pub fn with_exponents(upstream: Resource, min: u32, max: u32) -> Result<Self> {
        let refused = || MemoryError::OutOfMemory { requested: usize::MAX, free: None, resource: "binning" };
        (min..=max).try_fold(Self::new(upstream), |bins, exponent| {
            bins.add_bin(1_usize.checked_shl(exponent).ok_or_else(refused)?)
        })
    }

    /// Adds a bin of blocks of `bytes`, taken from the upstream (RMM's `add_bin` without a resource).
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
    /// use gdf::Stream;
    /// use gdf::memory::{BinningResource, Buffer, HostResource, Resource};
    ///
    /// let binning = BinningResource::new(Resource::new(HostResource::new())).add_bin(10_000)?.add_bin(500)?;
    /// let (stream, resource) = (Stream::cpu(), Resource::new(binning));
    /// assert_eq!(Buffer::zeroed(5000, &stream, resource.as_ref())?.len(), 5000);
    /// # Ok::<(), gdf_memory::MemoryError>(())
    /// ```
    ///
    /// # Errors
    /// As [`FixedSizeResource::new`].
    pub fn add_bin(self, bytes: usize) -> Result<Self> {
        let bin = FixedSizeResource::new(self.upstream.clone(), bytes)?;
        let size = bin.block_size();
        self.bin(size, Resource::new(bin))
    }

    /// Adds a bin: requests of at most `bytes`, for which no smaller bin is large enough, go to `resource`.
    ///
    /// # Errors
    /// [`DeviceMismatch`](MemoryError::DeviceMismatch) when `resource` is of another device or is not accessible to all
    /// that the upstream is.
    pub fn bin(mut self, bytes: usize, resource: Resource) -> Result<Self> {
        let (has, needs) = (resource.properties(), self.upstream.properties());
        let lacks = needs.host_accessible && !has.host_accessible || needs.device_accessible && !has.device_accessible;
        if resource.device() != self.upstream.device() || lacks {
            return Err(MemoryError::DeviceMismatch { expected: self.upstream.device(), found: resource.device() });
        }
        let at = self.bins.partition_point(|bin| bin.0 < bytes);
        match self.bins.get_mut(at) {
            Some(bin) if bin.0 == bytes => bin.1 = resource,
            _ => self.bins.insert(at, (bytes, resource)),
        }
        Ok(self)
    }

    /// Where requests go that fit no bin.
    pub fn upstream(&self) -> &Resource {
        &self.upstream
    }

    fn of(&self, bytes: usize, align: usize) -> &Resource {
        // Bins are blocks of one alignment.
        let fits = |bin: &&(usize, Resource)| bytes <= bin.0 && align <= BUFFER_ALIGNMENT;
        self.bins.iter().find(fits).map_or(&self.upstream, |bin| &bin.1)
    }
}

// SAFETY: every block is one of the resource that its size and alignment belong to, asked for and given back there unchanged.
unsafe impl MemoryResource for BinningResource {
    fn allocate(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        self.of(bytes, align).allocate(bytes, align, stream)
    }

    fn allocate_zeroed(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        self.of(bytes, align).allocate_zeroed(bytes, align, stream)
    }

    fn allocate_initialized(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
        self.of(bytes, align).allocate_initialized(bytes, align, stream)
    }

    unsafe fn deallocate(&self, ptr: NonNull<u8>, bytes: usize, align: usize, stream: &Stream) {
        // SAFETY: passed on unchanged; size and alignment decide as they did when the block was asked for.
        unsafe { self.of(bytes, align).deallocate(ptr, bytes, align, stream) }
    }

    fn allocate_sync(&self, bytes: usize, align: usize) -> Result<NonNull<u8>> {
        self.of(bytes, align).allocate_sync(bytes, align)
    }

    unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, align: usize) {
        // SAFETY: as in `deallocate`.
        unsafe { self.of(bytes, align).deallocate_sync(ptr, bytes, align) }
    }

    fn trim(&self) -> usize {
        // Bins that stand on the upstream give to it what it then gives back; that counts once.
        self.bins.iter().map(|bin| bin.1.trim()).sum::<usize>().max(self.upstream.trim())
    }

    crate::delegate!(upstream: properties, device);

    fn name(&self) -> &'static str {
        "binning"
    }
}
