//! A resource that delegates each request to another resource, which depends on the size (RMM's
//! `binning_memory_resource`).

use std::ptr::NonNull;

use gdf_driver::Stream;

use crate::{BUFFER_ALIGNMENT, FixedSizeResource, MemoryError, MemoryResource, Resource, Result};

/// Serves each request from the bin with the smallest sufficient block size. If no bin has sufficiently large blocks,
/// the request goes to the upstream. Requests with an alignment above 256 also go to the upstream. Clones share the
/// bins.
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
    bins: Vec<(usize, Resource)>,
}

impl BinningResource {
    /// Makes a resource without bins.
    pub fn new(upstream: Resource) -> Self {
        Self { upstream, bins: Vec::new() }
    }

    /// Makes a resource with one bin for each power of two from 2^`min` to 2^`max`. The bins allocate fixed-size blocks
    /// of these sizes from `upstream`.
    ///
    /// # Errors
    /// The errors of [`FixedSizeResource::new`].
    pub fn with_exponents(upstream: Resource, min: u32, max: u32) -> Result<Self> {
        let refused = || MemoryError::OutOfMemory { requested: usize::MAX, free: None, resource: "binning" };
        (min..=max).try_fold(Self::new(upstream), |bins, exponent| {
            bins.add_bin(1_usize.checked_shl(exponent).ok_or_else(refused)?)
        })
    }

    /// Adds a bin with blocks of `bytes` bytes. The blocks are allocated from the upstream (RMM's `add_bin` without a
    /// resource).
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
    /// The errors of [`FixedSizeResource::new`].
    pub fn add_bin(self, bytes: usize) -> Result<Self> {
        let bin = FixedSizeResource::new(self.upstream.clone(), bytes)?;
        let size = bin.block_size();
        self.bin(size, Resource::new(bin))
    }

    /// Adds a bin. A request goes to `resource` if the request has at most `bytes` bytes and no smaller bin can serve
    /// the request.
    ///
    /// # Errors
    /// [`DeviceMismatch`](MemoryError::DeviceMismatch) when `resource` belongs to another device. The error also occurs
    /// when the CPU can access the memory of the upstream but not the memory of `resource`. The error also occurs when
    /// the device can access the memory of the upstream but not the memory of `resource`.
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

    /// Returns the resource for requests that fit no bin.
    pub fn upstream(&self) -> &Resource {
        &self.upstream
    }

    fn of(&self, bytes: usize, align: usize) -> &Resource {
        // All blocks of a bin have the alignment `BUFFER_ALIGNMENT`.
        let fits = |bin: &&(usize, Resource)| bytes <= bin.0 && align <= BUFFER_ALIGNMENT;
        self.bins.iter().find(fits).map_or(&self.upstream, |bin| &bin.1)
    }
}

// SAFETY: size and alignment alone select the resource for a request. That resource allocates and frees the block
// with unchanged arguments and upholds the rules.
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
        // SAFETY: the arguments are passed on unchanged. Size and alignment select the same resource as in
        // `allocate`. The caller upholds the other preconditions.
        unsafe { self.of(bytes, align).deallocate(ptr, bytes, align, stream) }
    }

    fn allocate_sync(&self, bytes: usize, align: usize) -> Result<NonNull<u8>> {
        self.of(bytes, align).allocate_sync(bytes, align)
    }

    unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, align: usize) {
        // SAFETY: the arguments are passed on unchanged. Size and alignment select the same resource as in
        // `allocate`. The caller upholds the other preconditions.
        unsafe { self.of(bytes, align).deallocate_sync(ptr, bytes, align) }
    }

    fn trim(&self) -> usize {
        // A bin may allocate from the upstream. In that case, both the bin and the upstream report the memory that the
        // bin frees. The sum would count this memory twice. The maximum counts it once.
        self.bins.iter().map(|bin| bin.1.trim()).sum::<usize>().max(self.upstream.trim())
    }

    crate::delegate!(upstream: properties, device);

    fn name(&self) -> &'static str {
        "binning"
    }
}
