//! Selects a device for callers without a preference, and checks that an input is on the stream's device.

use gdf_core::Error;
use gdf_driver::{Device, Result, Stream};
use gdf_memory::Mailbox;

/// Checks that operations can run on `device`. The CPU always passes. A GPU passes if the driver opens it and the
/// library contains kernels for it.
///
/// # Errors
/// * The errors of opening the device, and [`KernelsNotBuilt`](gdf_driver::DriverError::KernelsNotBuilt).
pub fn usable(device: Device) -> Result<()> {
    match device {
        Device::Cpu => Ok(()),
        Device::Cuda(_) => device.health().and_then(|()| gdf_kernels::available(device)),
    }
}

/// Loads all kernels on a CUDA device, and allocates the pinned memory through which kernels report sizes. For the CPU,
/// the function does nothing.
///
/// # Errors
/// * The errors of opening the device, [`KernelsNotBuilt`](gdf_driver::DriverError::KernelsNotBuilt), and
///   [`KernelsOutdated`](gdf_driver::DriverError::KernelsOutdated).
/// * The driver has no pinned memory left.
pub fn warm_up(device: Device) -> gdf_core::Result<()> {
    if device.is_cpu() {
        return Ok(());
    }
    device.health()?;
    gdf_kernels::load_all(device)?;
    Mailbox::cleared(&Stream::new(device)?, 1)?;
    Ok(())
}

/// Returns the first CUDA device that is [`usable`], or the CPU if no CUDA device is usable.
pub fn best() -> Device {
    let count = Device::cuda_count().unwrap_or(0);
    (0..count).map(Device::Cuda).find(|device| usable(*device).is_ok()).unwrap_or(Device::Cpu)
}

pub(crate) fn on_device(device: Device, stream: &Stream) -> gdf_core::Result<()> {
    if device == stream.device() { Ok(()) } else { Err(Error::device_mismatch(stream.device(), device)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_device_warms_up_twice() {
        let device = best();
        warm_up(device).unwrap();
        warm_up(device).unwrap();
        assert!(warm_up(Device::Cuda(u32::MAX)).is_err());
        if !device.is_cpu() {
            assert_eq!(gdf_kernels::load_all(device), Ok(gdf_kernels::all().len()));
        }
    }

    #[test]
    fn the_best_device_is_usable() {
        usable(best()).unwrap();
        assert!(usable(Device::Cuda(u32::MAX)).is_err());
        if Device::cuda_count().is_err() {
            assert_eq!(best(), Device::Cpu);
        }
    }
}
