//! The current resource of each device, and the current pinned resource of each GPU.
//!
//! A function that has no resource parameter, or whose caller passes no resource, allocates from the current resource.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use gdf_driver::Device;

use crate::{
    CachingResource, CudaResource, HostResource, MemoryError, PinnedResource, PoolResource, Resource, Result,
    SpillManager, SpillOptions,
};

/// The current resources of one kind, by device. If a device has no resource yet, `initial` makes the resource.
struct Current {
    resources: RwLock<Option<HashMap<Device, Resource>>>,
    initial: fn(Device) -> Result<Resource>,
}

static CURRENT: Current = Current { resources: RwLock::new(None), initial };
static PINNED: Current = Current { resources: RwLock::new(None), initial: initial_pinned };

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
        // The replaced resource is returned, so that it is dropped after the lock is released. Dropping a resource of
        // the user may run code that takes the lock.
        let mut current = self.resources.write().unwrap_or_else(PoisonError::into_inner);
        let before = current.get_or_insert_default().insert(device, resource);
        drop(current);
        Ok(before.unwrap_or(known))
    }
}

/// Returns the current resource of `device`.
///
/// The initial resource of the CPU is a [`CachingResource`] over host memory, which keeps freed blocks for reuse. The
/// initial resource of a GPU is a [`PoolResource`], which grows on demand. If the environment variable `GDF_SPILL` is `on`,
/// the resource of a [`SpillManager`] is above it; see [`SpillOptions::from_env`].
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
/// [`DeviceMismatch`](MemoryError::DeviceMismatch) when `resource` belongs to another device; the errors of opening
/// `device`.
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
