//! A resource of each device, which is made on first use and can be replaced.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use gdf_driver::Device;

use crate::{MemoryError, Resource, Result};

/// The current resources of one kind, by device.
pub(crate) struct Current {
    resources: RwLock<Option<HashMap<Device, Resource>>>,
    initial: fn(Device) -> Result<Resource>,
}

impl Current {
    pub(crate) const fn new(initial: fn(Device) -> Result<Resource>) -> Self {
        Self { resources: RwLock::new(None), initial }
    }

    pub(crate) fn get(&self, device: Device) -> Result<Resource> {
        let known = self.resources.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(resource) = known.as_ref().and_then(|map| map.get(&device)) {
            return Ok(resource.clone());
        }
        drop(known);
        let made = (self.initial)(device)?;
        let mut current = self.resources.write().unwrap_or_else(PoisonError::into_inner);
        Ok(current.get_or_insert_default().entry(device).or_insert(made).clone())
    }

    pub(crate) fn set(&self, device: Device, resource: Resource) -> Result<Resource> {
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
