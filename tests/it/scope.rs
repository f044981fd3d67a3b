//! Tests that a scope refuses two resources of different devices, and that the refusal changes nothing.

use std::ptr::NonNull;

use gdf_api::scope;
use gdf_core::Error;
use gdf_driver::Device;
use gdf_memory::{CallbackResource, HostResource, MemoryError, Properties, Resource};

/// Returns a resource for memory of a GPU.
fn of_a_gpu() -> Resource {
    let properties = Properties { device_accessible: true, host_accessible: false };
    let refuse = |_, _, _: &_| -> Result<NonNull<u8>, MemoryError> { Err(MemoryError::Shared) };
    // SAFETY: the resource refuses every allocation, so no returned memory has to be valid, and no memory is
    // deallocated.
    Resource::new(unsafe { CallbackResource::new(Device::Cuda(7), properties, refuse, |_, _, _, _| ()) })
}

#[test]
fn resources_of_two_devices_are_refused() {
    let (here, there) = (Resource::new(HostResource::new()), of_a_gpu());
    let refused = scope::enter_resources(&here, &there).unwrap_err();
    assert!(
        matches!(refused, Error::DeviceMismatch { expected: Device::Cpu, found: Device::Cuda(7), .. }),
        "{refused:?}"
    );
    let mut has_run = false;
    let refused = scope::with_resources(&there, &here, || has_run = true).unwrap_err();
    assert!(
        matches!(refused, Error::DeviceMismatch { expected: Device::Cuda(7), found: Device::Cpu, .. }),
        "{refused:?}"
    );
    assert!(!has_run);
    scope::with_resource(&there, || has_run = true);
    assert!(has_run);
}
