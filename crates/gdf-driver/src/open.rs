//! The functions of devices: opening a device, querying it, and parsing its name.

use std::str::FromStr;
use std::sync::OnceLock;

use crate::{Device, DeviceProperties, DriverError, MemoryInfo, Result, context, poison};

impl Device {
    /// Returns the number of CUDA devices of this process.
    ///
    /// # Errors
    /// - there is no driver, or the driver is too old
    pub fn cuda_count() -> Result<u32> {
        Ok(context::driver()?.devices)
    }

    /// Returns the CUDA device whose context is current on this thread. `None` if no context is current.
    ///
    /// This library ignores the current context. Each of its calls names a device, and leaves the current context
    /// unchanged. This function is for programs that also use other CUDA libraries.
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{Device, DriverError, Stream}; pub mod driver { pub use gdf_driver::*; } }
    /// use gdf::{Device, DriverError};
    /// match Device::current() {
    ///     Ok(current) => assert_eq!(current, None),
    ///     Err(error) => assert!(matches!(error, DriverError::NoDriver { .. })),
    /// }
    /// ```
    ///
    /// # Errors
    /// - there is no driver, or the driver is too old
    pub fn current() -> Result<Option<Device>> {
        context::current()
    }

    /// Calls `work` while the device's primary context is current on this thread. After that, the context that was
    /// current before becomes current again. The function is for calls of libraries that use the current context. For a
    /// CUDA device, the function opens the device. For the CPU, the function only calls `work`.
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{Device, DriverError, Stream}; pub mod driver { pub use gdf_driver::*; } }
    /// use gdf::Device;
    /// assert_eq!(Device::Cpu.with_current(|| 5)?, 5);
    /// # Ok::<(), gdf_driver::DriverError>(())
    /// ```
    ///
    /// # Errors
    /// - the errors of [`Device::open`]; the driver refuses to make the context current. After an error, `work` has not
    ///   been called
    pub fn with_current<R>(self, work: impl FnOnce() -> R) -> Result<R> {
        if self.is_cpu() {
            return Ok(work());
        }
        let _entered = context::open(self)?.enter()?;
        Ok(work())
    }

    /// Returns the driver's primary context of the device. The context stays retained for the life of the process.
    /// Opens the device.
    ///
    /// # Errors
    /// - the errors of [`Device::open`]; [`DriverError::DeviceMismatch`] for the CPU
    pub fn raw_context(self) -> Result<*mut std::ffi::c_void> {
        Ok(context::open(self)?.raw_context())
    }

    /// Opens the device. The function checks the version of the driver, and retains the device's primary context. Later
    /// calls use the context that is already retained.
    ///
    /// # Errors
    /// - there is no driver, or the driver is too old; there is no device with this ordinal; the device is poisoned
    pub fn open(self) -> Result<()> {
        match self {
            Device::Cpu => Ok(()),
            Device::Cuda(_) => context::open(self).map(|_| ()),
        }
    }

    /// Returns the properties of the device. Opens the device.
    ///
    /// # Errors
    /// - the errors of [`Device::open`]
    pub fn properties(self) -> Result<&'static DeviceProperties> {
        match self {
            Device::Cpu => Ok(cpu_properties()),
            Device::Cuda(_) => Ok(&context::open(self)?.properties),
        }
    }

    /// Returns an error if a fatal error has made the device unusable. The function does not open the device.
    ///
    /// # Errors
    /// - [`DriverError::Poisoned`] after a fatal error
    pub fn health(self) -> Result<()> {
        poison::check(self)
    }

    /// Returns the total memory and the free memory of the device.
    ///
    /// For the CPU, the numbers come from the operating system. If the system does not report a number, the number is
    /// zero.
    ///
    /// # Errors
    /// - the errors of [`Device::open`]
    pub fn memory_info(self) -> Result<MemoryInfo> {
        match self {
            Device::Cpu => Ok(cpu_memory()),
            Device::Cuda(_) => context::open(self)?.memory_info(),
        }
    }
}

impl FromStr for Device {
    type Err = DriverError;

    fn from_str(text: &str) -> Result<Device> {
        let malformed = || DriverError::ParseDevice(text.to_owned());
        match text {
            "cpu" => Ok(Device::Cpu),
            "cuda" => Ok(Device::Cuda(0)),
            _ => {
                let ordinal = text.strip_prefix("cuda:").ok_or_else(malformed)?;
                // `u32::from_str` accepts a leading plus sign.
                if !ordinal.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Err(malformed());
                }
                ordinal.parse().map(Device::Cuda).map_err(|_| malformed())
            }
        }
    }
}

fn cpu_properties() -> &'static DeviceProperties {
    static PROPERTIES: OnceLock<DeviceProperties> = OnceLock::new();
    PROPERTIES.get_or_init(|| {
        let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
        DeviceProperties {
            name: "cpu".to_owned(),
            compute_capability: (0, 0),
            multiprocessors: u32::try_from(threads).unwrap_or(u32::MAX),
            l2_bytes: 0,
            shared_bytes_per_block: 0,
            shared_bytes_per_multiprocessor: 0,
            threads_per_multiprocessor: 1,
            total_bytes: cpu_memory().total,
            driver_version: 0,
        }
    })
}

fn cpu_memory() -> MemoryInfo {
    let text = if cfg!(target_os = "linux") { std::fs::read_to_string("/proc/meminfo").ok() } else { None };
    let field = |name: &str| {
        let line = text.as_deref()?.lines().find_map(|line| line.strip_prefix(name))?;
        let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
        kilobytes.checked_mul(1024)
    };
    MemoryInfo { free: field("MemAvailable:").unwrap_or(0), total: field("MemTotal:").unwrap_or(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trip() {
        for device in [Device::Cpu, Device::Cuda(0), Device::Cuda(7), Device::Cuda(u32::MAX)] {
            assert_eq!(device.to_string().parse::<Device>(), Ok(device));
        }
        assert_eq!("cuda".parse::<Device>(), Ok(Device::Cuda(0)));
        for text in ["", "CPU", "gpu", "cuda:", "cuda:+1", "cuda:-1", "cuda:1 ", "cuda:4294967296", "cuda1"] {
            assert_eq!(text.parse::<Device>(), Err(DriverError::ParseDevice(text.to_owned())));
        }
    }

    #[test]
    fn the_cpu_is_always_there() {
        Device::Cpu.open().unwrap();
        Device::Cpu.health().unwrap();
        assert!(Device::Cpu.properties().unwrap().multiprocessors >= 1);
        let info = Device::Cpu.memory_info().unwrap();
        assert!(info.free <= info.total);
    }
}
