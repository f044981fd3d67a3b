//! Devices: the CPU, and the CUDA devices by ordinal.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use crate::{DriverError, Result, context, poison};

/// Where memory lives and work runs.
///
/// ```
/// # mod gdf { pub use gdf_driver::{Device, DriverError, Stream}; pub mod driver { pub use gdf_driver::*; } }
/// use gdf::Device;
/// assert_eq!("cuda:1".parse::<Device>()?, Device::Cuda(1));
/// assert_eq!("cuda".parse::<Device>()?, Device::Cuda(0));
/// assert_eq!(Device::Cpu.to_string(), "cpu");
/// # Ok::<(), gdf_driver::DriverError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Device {
    /// The processor that this process runs on.
    Cpu,
    /// The CUDA device of this ordinal.
    Cuda(u32),
}

/// What a device is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceProperties {
    /// The product's name; `cpu` for the CPU.
    pub name: String,
    /// Major and minor compute capability; zero for the CPU.
    pub compute_capability: (u32, u32),
    /// Multiprocessors; for the CPU the threads that run at once.
    pub multiprocessors: u32,
    /// Bytes of second-level cache; zero for the CPU.
    pub l2_bytes: u64,
    /// The most shared memory that a block can ask for (through [`Function::set_max_dynamic_shared`]).
    ///
    /// [`Function::set_max_dynamic_shared`]: crate::Function::set_max_dynamic_shared
    pub shared_bytes_per_block: u64,
    /// Shared memory of a multiprocessor.
    pub shared_bytes_per_multiprocessor: u64,
    /// The most threads resident on a multiprocessor; one for the CPU.
    pub threads_per_multiprocessor: u32,
    /// Bytes of memory; zero for the CPU where the system does not tell.
    pub total_bytes: u64,
    /// The driver's version as `1000 * major + 10 * minor`; zero for the CPU.
    pub driver_version: u32,
}

/// How much memory a device has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    /// Bytes that can be allocated.
    pub free: u64,
    /// Bytes in all.
    pub total: u64,
}

impl Device {
    /// Whether this is the CPU.
    #[inline]
    pub fn is_cpu(self) -> bool {
        self == Device::Cpu
    }

    /// Whether this is a CUDA device.
    #[inline]
    pub fn is_cuda(self) -> bool {
        !self.is_cpu()
    }

    /// The number of CUDA devices of this process.
    ///
    /// # Errors
    /// - no driver, or one that is too old
    pub fn cuda_count() -> Result<u32> {
        Ok(context::driver()?.devices)
    }

    /// The CUDA device whose context is current on this thread; `None` where none is. It plays no part here: every call
    /// names its device, and leaves the current context as it was. For programs that use other CUDA libraries, too.
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
    /// - no driver, or one that is too old
    pub fn current() -> Result<Option<Device>> {
        context::current()
    }

    /// Calls `work` with the device's primary context current on this thread, and then makes the context current again that
    /// was before. For libraries that look at the current context. Opens the device; for the CPU only calls.
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{Device, DriverError, Stream}; pub mod driver { pub use gdf_driver::*; } }
    /// use gdf::Device;
    /// assert_eq!(Device::Cpu.with_current(|| 5)?, 5);
    /// # Ok::<(), gdf_driver::DriverError>(())
    /// ```
    ///
    /// # Errors
    /// - as [`Device::open`]; the driver refuses. `work` was not called then
    pub fn with_current<R>(self, work: impl FnOnce() -> R) -> Result<R> {
        if self.is_cpu() {
            return Ok(work());
        }
        let _entered = context::open(self)?.enter()?;
        Ok(work())
    }

    /// The driver's primary context of the device, which stays retained for the life of the process. Opens the device.
    ///
    /// # Errors
    /// - as [`Device::open`]; [`DriverError::DeviceMismatch`] for the CPU
    pub fn raw_context(self) -> Result<*mut std::ffi::c_void> {
        Ok(context::open(self)?.raw_context())
    }

    /// Makes the device ready: checks the driver's version and retains the device's primary context. Cached.
    ///
    /// # Errors
    /// - no driver, one that is too old, no such device, or a poisoned one
    pub fn open(self) -> Result<()> {
        match self {
            Device::Cpu => Ok(()),
            Device::Cuda(_) => context::open(self).map(|_| ()),
        }
    }

    /// What the device is. Opens it.
    ///
    /// # Errors
    /// - as [`Device::open`]
    pub fn properties(self) -> Result<&'static DeviceProperties> {
        match self {
            Device::Cpu => Ok(cpu_properties()),
            Device::Cuda(_) => Ok(&context::open(self)?.properties),
        }
    }

    /// `Ok` until a fatal error made the device unusable. Does not open it.
    ///
    /// # Errors
    /// - [`DriverError::Poisoned`] after a fatal error
    pub fn health(self) -> Result<()> {
        poison::check(self)
    }

    /// How much memory the device has now. For the CPU what the system reports, zero where it reports nothing.
    ///
    /// # Errors
    /// - as [`Device::open`]
    pub fn memory_info(self) -> Result<MemoryInfo> {
        match self {
            Device::Cpu => Ok(cpu_memory()),
            Device::Cuda(_) => context::open(self)?.memory_info(),
        }
    }
}

impl MemoryInfo {
    /// A share of what can be allocated, as the size of a pool: rounded down to 256 bytes; `percent` above 100 counts as
    /// 100 (RMM's `percent_of_free_device_memory`).
    ///
    /// ```
    /// # mod gdf { pub use gdf_driver::{Device, DriverError, Stream}; pub mod driver { pub use gdf_driver::*; } }
    /// use gdf::driver::MemoryInfo;
    /// assert_eq!(MemoryInfo { free: 10_000, total: 20_000 }.percent_of_free(50), 4864);
    /// ```
    pub fn percent_of_free(self, percent: u32) -> usize {
        let bytes = u128::from(self.free) * u128::from(percent.min(100)) / 100;
        usize::try_from(bytes).unwrap_or(usize::MAX) / 256 * 256
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Device::Cpu => f.write_str("cpu"),
            Device::Cuda(ordinal) => write!(f, "cuda:{ordinal}"),
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
