//! Which device tests run on.

use gdf_driver::{Device, Stream};

/// Names the device of a test run: `cpu` (the default), `cuda`, `cuda:1`.
pub const DEVICE_VARIABLE: &str = "GDF_TEST_DEVICE";

/// The device of this test run.
///
/// # Panics
/// - the variable names no device, or one that cannot be opened: a GPU that was asked for and is not
///   there is a failure, not a skip.
pub fn test_device() -> Device {
    let Ok(name) = std::env::var(DEVICE_VARIABLE) else {
        return Device::Cpu;
    };
    let device: Device = match name.parse() {
        Ok(device) => device,
        Err(error) => panic!("{DEVICE_VARIABLE}={name}: {error}"),
    };
    if let Err(error) = device.open() {
        panic!("{DEVICE_VARIABLE}={name}: {error}");
    }
    device
}

/// The GPU of this test run; without one prints the skip and returns `None`.
///
/// # Panics
/// - as [`test_device`].
pub fn cuda_device(test: &str) -> Option<Device> {
    let device = test_device();
    if device.is_cpu() {
        skip(&format!("{test}: needs a GPU, set {DEVICE_VARIABLE}=cuda"));
        return None;
    }
    Some(device)
}

/// Prints that a test does not run, and why.
pub fn skip(reason: &str) {
    println!("skipped: {reason}");
}

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
