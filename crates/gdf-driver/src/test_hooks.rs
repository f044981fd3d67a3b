//! Functions that the tests of all crates share: the device of the test run, counted skips, and simulated faults.
#![doc(hidden)]

use std::fs::OpenOptions;
use std::io::Write;

use crate::{Device, Status, poison};

/// The environment variable that names the device of a test run: `cpu` (the default), `cuda` or `cuda:1`.
pub const DEVICE_VARIABLE: &str = "GDF_TEST_DEVICE";

/// The environment variable that names a file. Each skipped test writes a line to the file. `cargo xtask test` counts
/// the lines.
pub const SKIPPED_VARIABLE: &str = "GDF_TEST_SKIPPED";

/// Returns the device of this test run.
///
/// # Panics
/// - the variable does not name a device, or names a device that cannot be opened. If a test run requests a GPU that
///   does not exist, its tests fail and are not skipped.
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

/// Returns the GPU of this test run. If the test run uses the CPU, records that the test was skipped, and returns
/// `None`.
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

/// Records that a test was skipped, with the reason.
///
/// The reason is written to the output of the test, and to the file that [`SKIPPED_VARIABLE`] names. The test runner
/// shows the output only for tests that fail.
pub fn skip(reason: &str) {
    println!("skipped: {reason}");
    let Some(path) = std::env::var_os(SKIPPED_VARIABLE) else { return };
    // A single call writes the line, so that lines of several threads and programs do not mix.
    let written = OpenOptions::new().append(true).create(true).open(&path);
    let written = written.and_then(|mut file| file.write_all(format!("{reason}\n").as_bytes()));
    if let Err(error) = written {
        println!("the skip cannot be recorded in {}: {error}", path.display());
    }
}

/// Makes `device` unusable for the rest of the process, as if a driver call had returned `status`. For the CPU, the
/// function does nothing.
///
/// # Safety
/// No work may be enqueued on `device`, now or later. Code that waits for work of the device would stop waiting at
/// once. Such code would then free memory and drop owners that kernels and copies still use.
pub unsafe fn poison(device: Device, status: Status) {
    poison::set(device, status);
}
