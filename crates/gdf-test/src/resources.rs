//! The resources that tests put under operations, and the watch on each device's current resource.

use std::cell::Cell;
use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

use gdf_driver::{Device, Stream};
use gdf_memory::{MemoryError, MemoryResource, Resource, delegate};

pub use gdf_memory::testing::{FailingResource, SpyingResource};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Set to `plain` to run the catalog on the driver's plain allocations, one call per block, without guards and poison:
/// sanitizers then see every overrun, which a pool hides, and what is not initialized.
pub const RESOURCE_VARIABLE: &str = "GDF_TEST_RESOURCE";

static UPSTREAMS: Mutex<Option<HashMap<Device, Resource>>> = Mutex::new(None);

/// Counts, per thread, what is taken from a device's current resource, and passes everything on.
#[derive(Debug)]
struct Watched(Resource);

impl Watched {
    fn note() {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
    }
}

// SAFETY: every block is the upstream's.
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

/// Puts the watch on `device`'s current resource, once per process, and returns what was there.
/// Operations given explicit resources must not reach for the current one.
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

/// Whether the catalog runs for a sanitizer.
fn is_plain() -> bool {
    std::env::var(RESOURCE_VARIABLE).as_deref() == Ok("plain")
}

/// A spy with guards and poison. Not for sanitizers: they would see an overrun later, and nothing uninitialized.
pub(crate) fn spy(upstream: &Resource) -> SpyingResource {
    if is_plain() { SpyingResource::new(upstream.clone()) } else { SpyingResource::guarded(upstream.clone()) }
}

/// Writes one byte so far from the start of a buffer of the CPU that a spy gave out, at most a guard away from it.
#[cfg(test)]
pub(crate) fn write_outside(buffer: &mut gdf_memory::Buffer, at: isize, stream: &Stream) {
    let guard = gdf_memory::testing::GUARD_BYTES as isize;
    assert!((-guard..buffer.allocated_bytes() as isize + guard).contains(&at) && !is_plain());
    let address = buffer.write_on(stream).unwrap().address() as usize;
    let byte = std::ptr::with_exposed_provenance_mut::<u8>(address.wrapping_add_signed(at));
    // SAFETY: the byte is the block's or one of its guards'.
    unsafe { byte.write(1) };
}

/// Allocations that this thread made from watched current resources so far.
pub(crate) fn current_allocations() -> u64 {
    ALLOCATIONS.with(Cell::get)
}
