//! The pool (RMM's `pool_memory_resource`). The pool splits memory of an upstream into blocks, and coalesces freed
//! blocks with their free neighbors. A freed block is reused in the order of streams.
//!
//! In this pool, a lane uses only its own heap as long as that heap has a sufficiently large block.

mod arena;
mod binning;
mod blocks;
mod classes;
mod engine;
mod fixed_size;
mod free_granules;
mod growth;
mod heap;
mod index;
mod lanes;
mod lock;
mod map;
mod search;
mod space;
#[cfg(target_os = "linux")]
mod space_host;
mod virtual_pool;

use std::ptr::NonNull;
use std::sync::Arc;

use gdf_driver::{Device, Stream};

use crate::resources::{check_alignment, dangling};
use crate::{FreeMemory, MemoryError, MemoryResource, Properties, Resource, Result};

pub use arena::ArenaResource;
pub use binning::BinningResource;
pub use fixed_size::FixedSizeResource;
pub use virtual_pool::VirtualPoolResource;

/// The largest allowed granule in bytes.
const MAX_GRANULE: usize = 1 << 40;

use blocks::UNIT;
use engine::Engine;

/// The initial size, the maximum size and the granule of a pool.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use gdf::memory::{HostResource, PoolOptions, PoolResource, Resource};
/// let options = PoolOptions::new().initial(64 << 20).maximum(1 << 30);
/// let pool = PoolResource::with_options(Resource::new(HostResource::new()), options)?;
/// assert_eq!(pool.reserved_bytes(), 64 << 20);
/// # Ok::<(), gdf_memory::MemoryError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolOptions {
    initial: usize,
    maximum: Option<usize>,
    granule: usize,
}

impl Default for PoolOptions {
    fn default() -> Self {
        Self { initial: 0, maximum: None, granule: 2 << 20 }
    }
}

impl PoolOptions {
    /// Makes options with an initial size of 0, no maximum and granules of 2 MiB.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of bytes that a new pool allocates from the upstream. The pool rounds the number up to whole
    /// granules.
    pub fn initial(self, bytes: usize) -> Self {
        Self { initial: bytes, ..self }
    }

    /// Sets the maximum number of bytes that the pool may hold from the upstream. The pool rounds the number down to
    /// whole granules.
    pub fn maximum(self, bytes: usize) -> Self {
        Self { maximum: Some(bytes), ..self }
    }

    /// Sets the granule in bytes. The granule is the unit in which the heaps of streams take memory from the shared
    /// memory of the pool. The granule must be a power of two from 4096 to 2^40.
    pub fn granule(self, bytes: usize) -> Self {
        Self { granule: bytes, ..self }
    }
}

/// A pool that allocates large regions from the upstream, splits the regions into blocks, and coalesces freed blocks.
///
/// * *Order*: a freed block can be used at once on the streams of the same [lane](gdf_driver::Lane). This reuse needs
///   no event, no shared lock and no driver call. A stream of another lane can get the block if its own lane has no
///   suitable memory. That stream first waits, on the device, for the work that used the block. The CPU waits only if
///   no other memory is left, and only in three cases: for a CPU stream, for a stream of other code, and for regions
///   that must be freed to the upstream.
/// * *Fit*: the pool picks the smallest free block that fits. The choice is exact to 1/32 of the size. Free neighbors
///   are coalesced, except that the last freed block of a size first waits for a request of the same size. Sizes are
///   rounded up to 256 bytes. Requests with an alignment above 256 go to the upstream.
/// * *Sizes*: see [`PoolOptions`]. The pool grows by half of its size. If the upstream refuses, the pool grows by less.
///   [`trim`](MemoryResource::trim) frees the regions that contain no block in use to the upstream.
/// * *Out of memory*: the pool reports an error only if three conditions hold. First, no stream has a free block that
///   fits. Second, no block fits into the free granules of all streams together. Third, the maximum or the upstream
///   prevents growth, even after trimming. While a thread makes these checks, no other thread moves memory. Therefore a
///   request may wait until another thread's call of the upstream returns.
/// * *Content*: memory that the CPU can access holds zeros or bytes that this process wrote earlier.
///
/// Clones share one pool. `format!("{pool:#?}")` prints a map of the pool.
///
/// ```
/// # mod gdf { pub use gdf_driver::{self as driver, Device, Stream}; pub mod memory { pub use gdf_memory::*; } }
/// use gdf::Stream;
/// use gdf::memory::{Buffer, HostResource, PoolResource, Resource};
///
/// let (pool, stream) = (PoolResource::new(Resource::new(HostResource::new())), Stream::cpu());
/// let resource = Resource::new(pool.clone());
/// let buffer = Buffer::zeroed(1000, &stream, resource.as_ref())?;
/// assert_eq!(pool.used_bytes(), 1024);
/// drop(buffer);
/// assert_eq!(pool.used_bytes(), 0);
/// # Ok::<(), gdf_memory::MemoryError>(())
/// ```
#[derive(Clone)]
pub struct PoolResource(Arc<Handle>);

/// The state that the clones of a pool share.
struct Handle(Arc<Engine>);

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.let_keepers_go();
    }
}

/// A handle that keeps the engine alive. The buffers of a lane hold clones of the lane's handle. Each lane has its own
/// reference count, so that threads do not contend for one count.
#[derive(Debug)]
struct Keeper(Arc<Engine>);

impl PoolResource {
    /// Makes an empty pool over `upstream`. The pool grows on demand.
    pub fn new(upstream: Resource) -> Self {
        Self::of(Engine::new("pool", upstream, PoolOptions::new()))
    }

    /// Makes a pool over `upstream` with `options`.
    ///
    /// # Errors
    /// * [`OutOfMemory`](MemoryError::OutOfMemory) when the upstream, or the maximum, refuses the initial size.
    /// * [`BadAlignment`](MemoryError::BadAlignment) for a granule that is not a power of two, below 4096 or above
    ///   2^40.
    pub fn with_options(upstream: Resource, options: PoolOptions) -> Result<Self> {
        if !options.granule.is_power_of_two() || !(4096..=MAX_GRANULE).contains(&options.granule) {
            return Err(MemoryError::BadAlignment { align: options.granule });
        }
        let engine = Engine::new("pool", upstream, options);
        if options.initial > 0 {
            engine.reserve_at_once(options.initial)?;
        }
        Ok(Self::of(engine))
    }

    /// Returns the resource that the pool allocates from.
    pub fn upstream(&self) -> &Resource {
        &self.engine().upstream
    }
}

/// Implements `MemoryResource` for a type that holds an engine. The types differ only in the field that keeps the
/// engine alive.
macro_rules! resource {
    ($name:ident, $($kept:tt)*) => {
        // SAFETY: the pool splits memory of the upstream into disjoint blocks, which are at least as large as
        // requested and aligned to 256. Requests with larger alignments are passed to the upstream unchanged. A lane
        // gets blocks of its own heap in the order of its work. A block from another heap is handed out only after
        // `Heap::order_after` has made the stream wait for the work of that heap. A block that was freed on another
        // lane becomes free only after `Engine::adopt` has waited for that lane. The upstream initialized the memory
        // that the CPU can access.
        unsafe impl MemoryResource for $name {
            fn allocate(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
                check_alignment(align, usize::MAX)?;
                match bytes {
                    0 => Ok(dangling(align)),
                    _ if align > UNIT => self.engine().upstream.allocate(bytes, align, stream),
                    _ => self.engine().allocate(bytes, stream),
                }
            }

            fn allocate_initialized(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>> {
                if align > UNIT && align.is_power_of_two() && bytes > 0 {
                    return self.engine().upstream.allocate_initialized(bytes, align, stream);
                }
                if self.engine().upstream.host_accessible() {
                    self.allocate(bytes, align, stream)
                } else {
                    self.allocate_zeroed(bytes, align, stream)
                }
            }

            fn allocate_sync(&self, bytes: usize, align: usize) -> Result<NonNull<u8>> {
                check_alignment(align, usize::MAX)?;
                match bytes {
                    0 => Ok(dangling(align)),
                    _ if align > UNIT => self.engine().upstream.allocate_sync(bytes, align),
                    // A CPU stream makes the engine wait on this thread for the earlier uses of the block. When the
                    // call returns, every stream can use the block.
                    _ => self.engine().allocate(bytes, &Stream::cpu()),
                }
            }

            $($kept)*

            unsafe fn deallocate(&self, ptr: NonNull<u8>, bytes: usize, align: usize, stream: &Stream) {
                match bytes {
                    0 => {}
                    // SAFETY: the arguments are passed on unchanged. `allocate` gets blocks of this alignment from
                    // the upstream. The caller upholds the other preconditions.
                    _ if align > UNIT => unsafe { self.engine().upstream.deallocate(ptr, bytes, align, stream) },
                    _ => self.engine().deallocate(ptr, bytes, stream),
                }
            }

            unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, align: usize) {
                match bytes {
                    0 => {}
                    // SAFETY: the arguments are passed on unchanged. `allocate` gets blocks of this alignment from
                    // the upstream. The caller upholds the other preconditions.
                    _ if align > UNIT => unsafe { self.engine().upstream.deallocate_sync(ptr, bytes, align) },
                    _ => self.engine().deallocate_sync(ptr, bytes),
                }
            }

            fn trim(&self) -> usize {
                // The pool and its upstream may both report the same memory: memory that the pool frees to the
                // upstream, and that the upstream then frees.
                self.engine().trim().max(self.engine().upstream.trim())
            }

            fn properties(&self) -> Properties {
                self.engine().upstream.properties()
            }

            fn device(&self) -> Device {
                self.engine().device()
            }

            fn name(&self) -> &'static str {
                self.engine().name
            }
        }
    };
}

resource! { Keeper,
    unsafe fn deallocate_kept(self: Arc<Self>, ptr: NonNull<u8>, bytes: usize, align: usize, stream: &Stream) {
        if bytes == 0 || align > UNIT {
            // SAFETY: the caller upholds the preconditions of `deallocate`, which are the same.
            return unsafe { self.deallocate(ptr, bytes, align, stream) };
        }
        Engine::deallocate_kept(self, ptr, bytes, stream);
    }
}

/// Defines the public type of a pool and its common functions.
macro_rules! pool {
    ($name:ident) => {
        resource! { $name,
            fn allocate_kept(
                &self,
                bytes: usize,
                align: usize,
                stream: &Stream,
                keeper: &mut Option<Arc<dyn MemoryResource>>,
            ) -> Result<NonNull<u8>> {
                if bytes == 0 || align > UNIT || !align.is_power_of_two() {
                    return self.allocate_initialized(bytes, align, stream);
                }
                let mut handle = None;
                let block = self.engine().allocate_kept(bytes, stream, &mut handle);
                *keeper = handle.map(|handle| handle as Arc<dyn MemoryResource>);
                block
            }
        }

        impl $name {
            fn of(engine: Engine) -> Self {
                Self(Arc::new(Handle(Arc::new(engine))))
            }

            fn engine(&self) -> &Arc<Engine> {
                &self.0.0
            }

            /// Returns the number of bytes that the pool has allocated from the upstream and not freed (RMM's
            /// `pool_size`).
            pub fn reserved_bytes(&self) -> usize {
                self.engine().reserved()
            }

            /// Returns the number of allocated bytes. The size of each block is rounded up to 256.
            pub fn used_bytes(&self) -> usize {
                self.engine().used()
            }

            /// Returns the number of bytes that the pool can allocate without growing, and the size of the largest free
            /// block.
            pub fn free(&self) -> FreeMemory {
                self.engine().free()
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                map::Map(self.engine()).fmt(f)
            }
        }
    };
}

pool!(PoolResource);
pool!(VirtualPoolResource);
pool!(ArenaResource);

impl Keeper {
    fn engine(&self) -> &Arc<Engine> {
        &self.0
    }
}
