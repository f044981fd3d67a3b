//! The device that tests run on.

use gdf_driver::{Device, Stream};

pub use gdf_driver::test_hooks::{DEVICE_VARIABLE, cuda_device, skip, test_device};

/// Returns a new stream of `device`. On CUDA, the stream is not the default stream.
///
/// # Errors
/// - the device cannot be opened.
pub fn new_stream(device: Device) -> gdf_driver::Result<Stream> {
    match device {
        Device::Cpu => Ok(Stream::cpu()),
        Device::Cuda(_) => Stream::new(device),
    }
}
