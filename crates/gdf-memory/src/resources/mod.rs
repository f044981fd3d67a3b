//! Resources that allocate from the system or from the driver, and a resource that caches freed blocks.

mod caching;
mod cuda;
mod cuda_async;
mod host;
mod managed;
mod pinned;

pub use caching::CachingResource;
pub use cuda::CudaResource;
pub use cuda_async::{CudaAsyncOptions, CudaAsyncResource, ExportHandle};
pub use host::HostResource;
pub use managed::ManagedResource;
pub use pinned::PinnedResource;

use gdf_driver::{Device, DriverError};

use crate::{FreeMemory, MemoryError, reaper};

/// Calls `ask`, which allocates from the driver. If memory ran out, the function waits for the reaper thread to free
/// memory that is no longer in use, and calls `ask` again.
fn ask_driver<T>(
    ask: impl Fn() -> gdf_driver::Result<T>,
    requested: usize,
    device: Device,
    resource: &'static str,
) -> crate::Result<T> {
    reaper::ask_again(ask, DriverError::is_out_of_memory)
        .map_err(|error| out_of_memory(error, requested, device, resource))
}

/// Converts an out-of-memory error of the driver to `MemoryError::OutOfMemory`.
pub(crate) fn out_of_memory(
    error: DriverError,
    requested: usize,
    device: Device,
    resource: &'static str,
) -> MemoryError {
    match error {
        DriverError::Call { status, .. } if status.is_out_of_memory() => refused(requested, device, resource),
        other => other.into(),
    }
}

fn refused(requested: usize, device: Device, resource: &'static str) -> MemoryError {
    let info = device.memory_info().ok().filter(|info| info.total > 0);
    let free = info.map(|info| FreeMemory { bytes: info.free, largest_block: None });
    MemoryError::OutOfMemory { requested, free, resource }
}

/// The maximum size of a request in bytes. Larger sizes are refused without a call of the driver. For sizes near the
/// maximum of the integer type, the driver's rounding overflows.
pub(crate) const MAX_BYTES: usize = 1 << 46;

fn check_size(bytes: usize, device: Device, resource: &'static str) -> crate::Result<()> {
    if bytes <= MAX_BYTES { Ok(()) } else { Err(refused(bytes, device, resource)) }
}

pub(crate) fn check_alignment(align: usize, most: usize) -> crate::Result<()> {
    if align.is_power_of_two() && align <= most { Ok(()) } else { Err(MemoryError::BadAlignment { align }) }
}

/// Returns an aligned pointer for a block of zero bytes. The pointer must never be dereferenced.
pub(crate) fn dangling(align: usize) -> std::ptr::NonNull<u8> {
    std::ptr::NonNull::without_provenance(std::num::NonZero::new(align).unwrap_or(std::num::NonZero::<usize>::MIN))
}
