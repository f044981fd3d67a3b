//! Checks the CUDA driver.

use std::fs;
use std::path::Path;

use gdf::Device;
use gdf::driver::{DriverError, NEEDED_DRIVER_VERSION};

use super::{Finding, counted};

/// The remedy for a missing driver or an old driver.
pub(super) const INSTALL: &str =
    "install NVIDIA's driver R580 or newer (https://www.nvidia.com/drivers, or your distribution's package)";

/// The remedy for a build of this command without support for GPUs.
const REBUILD: &str = "cargo install gdf-cli --features cuda";

/// Returns the finding about the driver, and the number of its devices.
pub(super) fn check() -> (Finding, u32) {
    let found = Device::cuda_count();
    let count = *found.as_ref().unwrap_or(&0);
    let variable = std::env::var("CUDA_VISIBLE_DEVICES").ok();
    (judge(found, cfg!(feature = "cuda"), has_nvidia_gpu(), variable.as_deref()), count)
}

fn judge(found: Result<u32, DriverError>, is_built: bool, has_gpu: bool, visible: Option<&str>) -> Finding {
    match found {
        _ if !is_built && has_gpu => Finding::note(
            "driver",
            "not checked: this gdf was built without the feature cuda, but there is an NVIDIA GPU",
        )
        .remedy(REBUILD),
        _ if !is_built => Finding::note("driver", "not checked: this gdf was built without the feature cuda"),
        Ok(0) => {
            let finding = Finding::note("driver", "found, but the driver has no devices");
            match visible {
                Some(value) => finding.remedy(format!(
                    "CUDA_VISIBLE_DEVICES is {value:?}; unset this environment variable to use all devices"
                )),
                None => finding,
            }
        }
        Ok(count) => Finding::ok("driver", format!("found, with {}", counted(count as usize, "device"))),
        Err(DriverError::NoDriver { reason }) if has_gpu => {
            Finding::problem("driver", format!("there is an NVIDIA GPU, but no CUDA driver: {reason}")).remedy(format!(
                "{INSTALL}; in a container, give the container access to the GPUs (docker run --gpus all)"
            ))
        }
        Err(DriverError::NoDriver { .. }) => {
            Finding::note("driver", "not installed, and no NVIDIA GPU was found; all work runs on the CPU")
        }
        Err(DriverError::DriverTooOld { found, .. }) => {
            let text = format!(
                "the driver is too old: the driver supports CUDA {}, but gdf needs CUDA {}",
                version(found),
                version(NEEDED_DRIVER_VERSION)
            );
            Finding::problem("driver", text).remedy(INSTALL)
        }
        Err(error) => {
            let finding = Finding::problem("driver", error.to_string());
            match super::remedy(&error) {
                Some(remedy) => finding.remedy(remedy),
                None => finding.remedy(INSTALL),
            }
        }
    }
}

/// Formats a version of CUDA as text: 13000 becomes `13.0`.
pub(super) fn version(number: u32) -> String {
    format!("{}.{}", number / 1000, number % 1000 / 10)
}

/// Returns whether Linux shows a GPU of NVIDIA: a display controller on the PCI bus, or a loaded kernel module. GPUs
/// without a display are display controllers, too.
fn has_nvidia_gpu() -> bool {
    let read = |path: &Path, file: &str| fs::read_to_string(path.join(file)).unwrap_or_default();
    let is_gpu = |path: &Path| read(path, "vendor").trim() == "0x10de" && read(path, "class").starts_with("0x03");
    let devices = fs::read_dir("/sys/bus/pci/devices").into_iter().flatten().filter_map(Result::ok);
    devices.into_iter().any(|device| is_gpu(&device.path())) || Path::new("/proc/driver/nvidia/version").exists()
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::*;

    #[test]
    fn every_state_of_the_driver_has_a_line() {
        let none = || Err(DriverError::NoDriver { reason: "libcuda.so.1: not found".to_owned() });
        let old = || Err(DriverError::DriverTooOld { found: 12_040, needed: 13_000 });
        let cases = [
            (judge(Ok(2), true, true, None), Status::Ok, "found, with 2 devices", None),
            (judge(Ok(0), true, true, Some("")), Status::Note, "no devices", Some("CUDA_VISIBLE_DEVICES")),
            (judge(Ok(0), true, true, None), Status::Note, "no devices", None),
            (judge(none(), true, true, None), Status::Problem, "libcuda.so.1: not found", Some("R580")),
            (judge(none(), true, false, None), Status::Note, "all work runs on the CPU", None),
            (judge(none(), false, false, None), Status::Note, "without the feature cuda", None),
            (judge(none(), false, true, None), Status::Note, "there is an NVIDIA GPU", Some("--features cuda")),
            (judge(old(), true, true, None), Status::Problem, "CUDA 12.4, but gdf needs CUDA 13.0", Some("R580")),
            (
                judge(Err(DriverError::SymbolMissing("cuInit")), true, true, None),
                Status::Problem,
                "cuInit",
                Some("R580"),
            ),
        ];
        for (finding, status, text, remedy) in cases {
            assert_eq!(finding.status, status, "{finding:?}");
            assert!(finding.text.contains(text), "{finding:?}");
            match remedy {
                Some(remedy) => assert!(finding.remedy.as_ref().unwrap().contains(remedy), "{finding:?}"),
                None => assert_eq!(finding.remedy, None),
            }
        }
    }
}
