//! Which device tests run on.

use gdf_driver::{Device, Stream};

pub use gdf_driver::test_hooks::{DEVICE_VARIABLE, cuda_device, skip, test_device};

/// A stream of `device` that is not its default one.
///
/// # Errors
/// - the device cannot be opened.
pub fn new_stream(device: Device) -> gdf_driver::Result<Stream> {
    match device {
        Device::Cpu => Ok(Stream::cpu()),
        Device::Cuda(_) => Stream::new(device),
    }
}
