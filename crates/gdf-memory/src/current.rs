//! The current resource of each device, the default of every resource parameter, and its current pinned one.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use gdf_driver::Device;

use crate::{CachingResource, CudaResource, HostResource, MemoryError, PinnedResource, PoolResource, Resource, Result};

/// What is current of one kind.
struct Current {
    resources: RwLock<Option<HashMap<Device, Resource>>>,
    initial: fn(Device) -> Result<Resource>,
}

static CURRENT: Current = Current { resources: RwLock::new(None), initial };
static PINNED: Current = Current { resources: RwLock::new(None), initial: initial_pinned };

fn initial(device: Device) -> Result<Resource> {
    Ok(match device {
        Device::Cpu => Resource::new(CachingResource::new(Resource::new(HostResource::new()))),
        Device::Cuda(_) => Resource::new(PoolResource::new(Resource::new(CudaResource::new(device)?))),
    })
}

fn initial_pinned(device: Device) -> Result<Resource> {
    Ok(Resource::new(PoolResource::new(Resource::new(PinnedResource::new(device)?))))
}

impl Current {
    fn get(&self, device: Device) -> Result<Resource> {
        let known = self.resources.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(resource) = known.as_ref().and_then(|map| map.get(&device)) {
            return Ok(resource.clone());
        }
        drop(known);
        let made = (self.initial)(device)?;
        let mut current = self.resources.write().unwrap_or_else(PoisonError::into_inner);
        Ok(current.get_or_insert_default().entry(device).or_insert(made).clone())
    }

    fn set(&self, device: Device, resource: Resource) -> Result<Resource> {
        if resource.device() != device {
            return Err(MemoryError::DeviceMismatch { expected: device, found: resource.device() });
        }
        let known = self.get(device)?;
        // What it replaces leaves the lock with its last handle in hand: resources of others run code when they are dropped.
        let mut current = self.resources.write().unwrap_or_else(PoisonError::into_inner);
        let before = current.get_or_insert_default().insert(device, resource);
        drop(current);
        Ok(before.unwrap_or(known))
    }
}

/// The current resource of `device`: at first blocks of host memory that are kept for their next use on the CPU, and a
/// pool for a GPU, which takes memory as it is needed.
///
/// # Errors
/// Those of opening `device`.
pub fn current_resource(device: Device) -> Result<Resource> {
    CURRENT.get(device)
}

/// Makes `resource` the current one of `device` and returns the one before.
///
/// Memory that was allocated before goes back to where it came from.
///
/// # Errors
/// [`DeviceMismatch`](MemoryError::DeviceMismatch) when `resource` belongs to another device; those of opening `device`.
pub fn set_current_resource(device: Device, resource: Resource) -> Result<Resource> {
    CURRENT.set(device, resource)
}

/// Goes back to a resource of `device` like the initial one, a new one, and returns the one before.
///
/// # Errors
/// Those of opening `device`.
pub fn reset_current_resource(device: Device) -> Result<Resource> {
    set_current_resource(device, initial(device)?)
}

/// The current resource for memory of the CPU that `device`, a GPU, reaches: at first a pool of pinned memory, which
/// takes memory as it is needed. Copies that do not wait go there: see [`Buffer::deep_copy`](crate::Buffer::deep_copy).
///
/// # Errors
/// Those of opening `device`; [`DeviceMismatch`](MemoryError::DeviceMismatch) for the CPU.
pub fn current_pinned_resource(device: Device) -> Result<Resource> {
    PINNED.get(device)
}

/// Makes `resource` the current pinned one of `device` and returns the one before.
///
/// # Errors
/// * [`NotHostAccessible`](MemoryError::NotHostAccessible) when the CPU cannot access its memory.
/// * [`DeviceMismatch`](MemoryError::DeviceMismatch) when `resource` belongs to another device; those of opening `device`.
pub fn set_current_pinned_resource(device: Device, resource: Resource) -> Result<Resource> {
    if !resource.properties().host_accessible {
        return Err(MemoryError::NotHostAccessible { device: resource.device() });
    }
    PINNED.set(device, resource)
}
