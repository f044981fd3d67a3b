//! The memory resources that tests pass to operations, and the resource that counts allocations from each device's
//! current resource.

use std::cell::Cell;
use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use gdf_driver::{Device, Stream};
use gdf_memory::{MemoryError, MemoryResource, Resource, delegate};

pub use gdf_memory::testing::{FailingResource, SpillFaults, SpyingResource};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// The environment variable that selects the memory of the catalog. If the value is `plain`, each block is one
/// allocation of the driver, without guards and poison. With such blocks, sanitizers detect every access outside of a
/// block. In a pool, sanitizers would miss some of these accesses. Sanitizers also detect every read of uninitialized
/// memory, because no poison initializes the memory.
pub const RESOURCE_VARIABLE: &str = "GDF_TEST_RESOURCE";

static UPSTREAMS: Mutex<Option<HashMap<Device, Resource>>> = Mutex::new(None);

/// A resource that counts, for each thread, the allocations from a device's current resource.
#[derive(Debug)]
struct Watched(Resource);

impl Watched {
    fn note() {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
    }
}

// SAFETY: the resource forwards every call to the upstream resource. Therefore every block is a block of the upstream
// resource, which fulfills the contract of the trait.
unsafe impl MemoryResource for Watched {
    fn allocate(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>, MemoryError> {
        Watched::note();
        self.0.allocate(bytes, align, stream)
    }

    fn allocate_zeroed(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>, MemoryError> {
        Watched::note();
        self.0.allocate_zeroed(bytes, align, stream)
    }

    fn allocate_initialized(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>, MemoryError> {
        Watched::note();
        self.0.allocate_initialized(bytes, align, stream)
    }

    delegate!(0: deallocate, deallocate_sync, trim, properties, device);

    fn name(&self) -> &'static str {
        "watched"
    }
}

/// Makes the counting resource the current resource of `device`, once per process.
///
/// # Errors
/// - the device cannot be opened.
pub(crate) fn watch_current(device: Device) -> Result<Resource, MemoryError> {
    let mut upstreams = UPSTREAMS.lock().unwrap_or_else(PoisonError::into_inner);
    let upstreams = upstreams.get_or_insert_default();
    if let Some(upstream) = upstreams.get(&device) {
        return Ok(upstream.clone());
    }
    let upstream = if is_plain() && device.is_cuda() {
        Resource::new(gdf_memory::CudaResource::new(device)?)
    } else {
        gdf_memory::current_resource(device)?
    };
    gdf_memory::set_current_resource(device, Resource::new(Watched(upstream.clone())))?;
    upstreams.insert(device, upstream.clone());
    Ok(upstream)
}

fn is_plain() -> bool {
    std::env::var(RESOURCE_VARIABLE).as_deref() == Ok("plain")
}

/// Returns a spying resource, which records allocations.
pub(crate) fn spy(upstream: &Resource) -> SpyingResource {
    if is_plain() { SpyingResource::new(upstream.clone()) } else { SpyingResource::guarded(upstream.clone()) }
}

/// The bytes of the blocks of several resources that are not freed.
#[derive(Clone, Debug, Default)]
pub(crate) struct LiveBytes(Arc<[AtomicUsize; 2]>);

impl LiveBytes {
    /// Wraps a resource. The wrapper counts the bytes of its blocks in this counter.
    pub(crate) fn of(&self, upstream: SpyingResource) -> Resource {
        Resource::new(Metered { upstream: Resource::new(upstream), live: self.clone() })
    }

    /// Returns the peak: the largest number of bytes that were allocated at the same time.
    pub(crate) fn peak(&self) -> usize {
        self.0[1].load(Ordering::SeqCst)
    }

    fn add<T>(&self, bytes: usize, block: Result<T, MemoryError>) -> Result<T, MemoryError> {
        if block.is_ok() {
            let now = self.0[0].fetch_add(bytes, Ordering::SeqCst) + bytes;
            self.0[1].fetch_max(now, Ordering::SeqCst);
        }
        block
    }

    fn subtract(&self, bytes: usize) {
        self.0[0].fetch_sub(bytes, Ordering::SeqCst);
    }
}

/// A resource that counts the bytes of its blocks.
#[derive(Debug)]
struct Metered {
    upstream: Resource,
    live: LiveBytes,
}

// SAFETY: the resource forwards every call to the upstream resource. Therefore every block is a block of the upstream
// resource, which fulfills the contract of the trait.
unsafe impl MemoryResource for Metered {
    fn allocate(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>, MemoryError> {
        self.live.add(bytes, self.upstream.allocate(bytes, align, stream))
    }

    fn allocate_zeroed(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>, MemoryError> {
        self.live.add(bytes, self.upstream.allocate_zeroed(bytes, align, stream))
    }

    fn allocate_initialized(&self, bytes: usize, align: usize, stream: &Stream) -> Result<NonNull<u8>, MemoryError> {
        self.live.add(bytes, self.upstream.allocate_initialized(bytes, align, stream))
    }

    fn allocate_sync(&self, bytes: usize, align: usize) -> Result<NonNull<u8>, MemoryError> {
        self.live.add(bytes, self.upstream.allocate_sync(bytes, align))
    }

    unsafe fn deallocate(&self, ptr: NonNull<u8>, bytes: usize, align: usize, stream: &Stream) {
        self.live.subtract(bytes);
        // SAFETY: the arguments are passed on unchanged, and the upstream allocated the block. The caller upholds the
        // other preconditions.
        unsafe { self.upstream.deallocate(ptr, bytes, align, stream) }
    }

    unsafe fn deallocate_sync(&self, ptr: NonNull<u8>, bytes: usize, align: usize) {
        self.live.subtract(bytes);
        // SAFETY: the arguments are passed on unchanged, and the upstream allocated the block. The caller upholds the
        // other preconditions.
        unsafe { self.upstream.deallocate_sync(ptr, bytes, align) }
    }

    delegate!(upstream: trim, properties, device);

    fn name(&self) -> &'static str {
        "metered"
    }
}

/// Writes one byte at the distance `at` from the start of a CPU buffer.
#[cfg(test)]
pub(crate) fn write_outside(buffer: &mut gdf_memory::Buffer, at: isize, stream: &Stream) {
    let guard = gdf_memory::testing::GUARD_BYTES as isize;
    assert!((-guard..buffer.allocated_bytes() as isize + guard).contains(&at) && !is_plain());
    let address = buffer.write_on(stream).unwrap().address() as usize;
    let byte = std::ptr::with_exposed_provenance_mut::<u8>(address.wrapping_add_signed(at));
    // SAFETY: the assertion above holds, so the byte is within the block or within one of its guards. The block and its
    // guards belong to one allocation, which is writable.
    unsafe { byte.write(1) };
}

pub(crate) fn current_allocations() -> u64 {
    ALLOCATIONS.with(Cell::get)
}
