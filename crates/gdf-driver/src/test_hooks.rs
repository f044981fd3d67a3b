//! Functions that the tests of all crates share: the device of the test run, counted skips, and simulated faults.
#![doc(hidden)]

use std::fs::OpenOptions;
use std::io::Write;

use crate::{Device, Status, poison};

/// The variable that names the device of a test run: `cpu` (the default), `cuda`, `cuda:1`.
pub const DEVICE_VARIABLE: &str = "GDF_TEST_DEVICE";

/// The variable that names a file. Each skipped test writes a line to the file, and `cargo xtask test` counts the
/// lines.
pub const SKIPPED_VARIABLE: &str = "GDF_TEST_SKIPPED";

/// Returns the device of this test run.
///
/// # Panics
/// - the variable does not name a device, or names a device that cannot be opened. If the variable requests a GPU that
///   does not exist, the test fails and is not skipped.
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

/// Returns the GPU of this test run. Without a GPU, the function records that the test is skipped and returns `None`.
///
/// # Panics
/// - the conditions of [`test_device`].
pub fn cuda_device(test: &str) -> Option<Device> {
    let device = test_device();
    if device.is_cpu() {
        skip(&format!("{test}: needs a GPU, set {DEVICE_VARIABLE}=cuda"));
        return None;
    }
    Some(device)
}

/// Records that a test is skipped, and the reason.
///
/// The record goes to the output of the test, which is shown only for failures, and to the file that
/// [`SKIPPED_VARIABLE`] names.
pub fn skip(reason: &str) {
    println!("skipped: {reason}");
    let Some(path) = std::env::var_os(SKIPPED_VARIABLE) else { return };
    // The line is written by one call, so that lines of several threads and programs do not mix.
    let written = OpenOptions::new().append(true).create(true).open(&path);
    let written = written.and_then(|mut file| file.write_all(format!("{reason}\n").as_bytes()));
    if let Err(error) = written {
        println!("the skip cannot be recorded in {}: {error}", path.display());
    }
}

/// Makes `device` unusable for the rest of the process, as if `status` had come from the driver. The CPU stays usable.
///
/// # Safety
/// No work is enqueued on `device` now or later. Code that waits for work of the device stops waiting at once, and
/// then frees memory and drops owners that kernels and copies would still use.
pub unsafe fn poison(device: Device, status: Status) {
    poison::set(device, status);
}
