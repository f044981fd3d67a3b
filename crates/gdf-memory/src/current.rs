//! The current resource of each device: the default of every resource parameter.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use gdf_driver::Device;

use crate::{CachingResource, CudaResource, HostResource, MemoryError, PoolResource, Resource, Result};

static CURRENT: RwLock<Option<HashMap<Device, Resource>>> = RwLock::new(None);

fn initial(device: Device) -> Result<Resource> {
    Ok(match device {
        Device::Cpu => Resource::new(CachingResource::new(Resource::new(HostResource::new()))),
        Device::Cuda(_) => Resource::new(PoolResource::new(Resource::new(CudaResource::new(device)?))),
    })
}

/// The current resource of `device`: at first blocks of host memory that are kept for their next use on the CPU, and a
/// pool for a GPU, which takes memory as it is needed.
///
/// # Errors
/// Those of opening `device`.
pub fn current_resource(device: Device) -> Result<Resource> {
    let found =
        CURRENT.read().unwrap_or_else(PoisonError::into_inner).as_ref().and_then(|map| map.get(&device).cloned());
    if let Some(resource) = found {
        return Ok(resource);
    }
    let made = initial(device)?;
    let mut current = CURRENT.write().unwrap_or_else(PoisonError::into_inner);
    Ok(current.get_or_insert_default().entry(device).or_insert(made).clone())
}

/// Makes `resource` the current one of `device` and returns the one before.
///
/// Memory that was allocated before goes back to where it came from.
///
/// # Errors
/// [`DeviceMismatch`](MemoryError::DeviceMismatch) when `resource` belongs to another device; those of opening `device`.
pub fn set_current_resource(device: Device, resource: Resource) -> Result<Resource> {
    if resource.device() != device {
        return Err(MemoryError::DeviceMismatch { expected: device, found: resource.device() });
    }
    let known = current_resource(device)?;
    // What it replaces leaves the lock with its last handle in hand: resources of others run code when they are dropped.
    let before =
        CURRENT.write().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().insert(device, resource);
    Ok(before.unwrap_or(known))
}

/// Goes back to the initial resource of `device`.
///
/// # Errors
/// Those of opening `device`.
pub fn reset_current_resource(device: Device) -> Result<Resource> {
    set_current_resource(device, initial(device)?)
}
