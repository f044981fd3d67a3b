//! Resources that take memory from the system or from the driver, and one that keeps it for the next use.

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

/// Memory of the driver; what was given back and is done with is had first.
fn ask_driver<T>(
    ask: impl Fn() -> gdf_driver::Result<T>,
    requested: usize,
    device: Device,
    resource: &'static str,
) -> crate::Result<T> {
    reaper::ask_again(ask, DriverError::is_out_of_memory)
        .map_err(|error| out_of_memory(error, requested, device, resource))
}

/// The driver's refusal for lack of memory as the typed error; any other error as it is.
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

/// A refusal with what the device has.
fn refused(requested: usize, device: Device, resource: &'static str) -> MemoryError {
    let info = device.memory_info().ok().filter(|info| info.total > 0);
    let free = info.map(|info| FreeMemory { bytes: info.free, largest_block: None });
    MemoryError::OutOfMemory { requested, free, resource }
}

/// More than any address space has. The driver rounds such sizes up, past the end, and then hands out too little or ends
/// the device, so it is not asked.
pub(crate) const MAX_BYTES: usize = 1 << 46;

fn check_size(bytes: usize, device: Device, resource: &'static str) -> crate::Result<()> {
    if bytes <= MAX_BYTES { Ok(()) } else { Err(refused(bytes, device, resource)) }
}

pub(crate) fn check_alignment(align: usize, most: usize) -> crate::Result<()> {
    if align.is_power_of_two() && align <= most { Ok(()) } else { Err(MemoryError::BadAlignment { align }) }
}

/// A pointer for zero bytes: aligned, never dereferenced.
pub(crate) fn dangling(align: usize) -> std::ptr::NonNull<u8> {
    std::ptr::NonNull::without_provenance(std::num::NonZero::new(align).unwrap_or(std::num::NonZero::<usize>::MIN))
}
