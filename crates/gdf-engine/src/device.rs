//! Which device to take where the caller does not care, and whether an input is on the one of a stream.

use gdf_core::Error;
use gdf_driver::{Device, Result, Stream};

/// Whether operations can run on `device`: always on the CPU, on a GPU that opens and has kernels.
///
/// # Errors
/// * Why not: those of opening the device, and [`KernelsNotBuilt`](gdf_driver::DriverError::KernelsNotBuilt).
pub fn usable(device: Device) -> Result<()> {
    match device {
        Device::Cpu => Ok(()),
        Device::Cuda(_) => device.health().and_then(|()| gdf_kernels::available(device)),
    }
}

/// The first CUDA device that is [`usable`], else the CPU.
pub fn best() -> Device {
    let count = Device::cuda_count().unwrap_or(0);
    (0..count).map(Device::Cuda).find(|device| usable(*device).is_ok()).unwrap_or(Device::Cpu)
}

/// The input is on the stream's device.
pub(crate) fn on_device(device: Device, stream: &Stream) -> gdf_core::Result<()> {
    if device == stream.device() { Ok(()) } else { Err(Error::device_mismatch(stream.device(), device)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_device_is_usable() {
        usable(best()).unwrap();
        assert!(usable(Device::Cuda(u32::MAX)).is_err());
        if Device::cuda_count().is_err() {
            assert_eq!(best(), Device::Cpu);
        }
    }
}
