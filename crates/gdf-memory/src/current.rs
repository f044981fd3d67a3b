//! The current resource of each device.
//!
//! A function that has no resource parameter, or whose caller passes no resource, allocates from the current resource.

use gdf_driver::Device;

use crate::current_slot::Current;
use crate::{CachingResource, CudaResource, HostResource, PoolResource, Resource, Result, SpillManager, SpillOptions};

static CURRENT: Current = Current::new(initial);

fn initial(device: Device) -> Result<Resource> {
    let resource = match device {
        Device::Cpu => Resource::new(CachingResource::new(Resource::new(HostResource::new()))),
        Device::Cuda(_) => Resource::new(PoolResource::new(Resource::new(CudaResource::new(device)?))),
    };
    Ok(match SpillOptions::from_env()? {
        Some(options) => SpillManager::new(resource, options).resource(),
        None => resource,
    })
}

/// Returns the current resource of `device`.
///
/// The initial resource of the CPU is a [`CachingResource`] over host memory, which keeps freed blocks for reuse. The
/// initial resource of a GPU is a [`PoolResource`], which grows on demand. If the environment variable `GDF_SPILL` is
/// `on`, the resource of a [`SpillManager`] allocates from this resource and is the current resource; see
/// [`SpillOptions::from_env`].
///
/// # Errors
/// The errors of opening `device`, and of [`SpillOptions::from_env`].
pub fn current_resource(device: Device) -> Result<Resource> {
    CURRENT.get(device)
}

/// Makes `resource` the current resource of `device` and returns the previous current resource.
///
/// Memory that is already allocated is later freed through the resource that allocated the memory.
///
/// # Errors
/// [`DeviceMismatch`](crate::MemoryError::DeviceMismatch) when `resource` belongs to another device; the errors of
/// opening `device`.
pub fn set_current_resource(device: Device, resource: Resource) -> Result<Resource> {
    CURRENT.set(device, resource)
}

/// Makes a new resource of the initial kind the current resource of `device`. Returns the previous current resource.
///
/// # Errors
/// The errors of opening `device`.
pub fn reset_current_resource(device: Device) -> Result<Resource> {
    set_current_resource(device, initial(device)?)
}
