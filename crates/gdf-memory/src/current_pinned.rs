//! The current pinned resource of each GPU.

use gdf_driver::Device;

use crate::current_slot::Current;
use crate::{MemoryError, PinnedResource, PoolResource, Resource, Result};

static PINNED: Current = Current::new(initial);

fn initial(device: Device) -> Result<Resource> {
    Ok(Resource::new(PoolResource::new(Resource::new(PinnedResource::new(device)?))))
}

/// Returns the current pinned resource of `device`, a GPU. The resource allocates CPU memory that the GPU can access.
///
/// The initial resource is a [`PoolResource`] over pinned memory, which grows on demand. A copy from a GPU to the CPU
/// does not block if its target is pinned memory; see [`Buffer::deep_copy`](crate::Buffer::deep_copy).
///
/// # Errors
/// The errors of opening `device`; [`DeviceMismatch`](MemoryError::DeviceMismatch) for the CPU.
pub fn current_pinned_resource(device: Device) -> Result<Resource> {
    PINNED.get(device)
}

/// Makes `resource` the current pinned resource of `device` and returns the previous pinned resource.
///
/// # Errors
/// * [`NotHostAccessible`](MemoryError::NotHostAccessible) when the CPU cannot access the memory of `resource`.
/// * [`DeviceMismatch`](MemoryError::DeviceMismatch) when `resource` belongs to another device; the errors of opening
///   `device`.
pub fn set_current_pinned_resource(device: Device, resource: Resource) -> Result<Resource> {
    if !resource.properties().host_accessible {
        return Err(MemoryError::NotHostAccessible { device: resource.device() });
    }
    PINNED.set(device, resource)
}
