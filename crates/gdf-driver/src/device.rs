//! Devices: the CPU, and the CUDA devices by ordinal.

use std::fmt;

/// A device: the CPU or a CUDA device. Memory belongs to a device, and work runs on a device.
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
    /// The CUDA device with this ordinal.
    Cuda(u32),
}

/// The properties of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceProperties {
    /// The name of the product. For the CPU, the name is `cpu`.
    pub name: String,
    /// The major and the minor number of the compute capability. Both are zero for the CPU.
    pub compute_capability: (u32, u32),
    /// The number of multiprocessors. For the CPU, the number of threads that can run at the same time.
    pub multiprocessors: u32,
    /// The size of the L2 cache in bytes. The size is zero for the CPU.
    pub l2_bytes: u64,
    /// The largest number of bytes of shared memory that a block can have, after a call of
    /// [`Function::set_max_dynamic_shared`].
    ///
    /// [`Function::set_max_dynamic_shared`]: crate::Function::set_max_dynamic_shared
    pub shared_bytes_per_block: u64,
    /// The size of the shared memory of a multiprocessor in bytes.
    pub shared_bytes_per_multiprocessor: u64,
    /// The largest number of threads that can be resident on a multiprocessor. For the CPU, the number is one.
    pub threads_per_multiprocessor: u32,
    /// The size of the memory in bytes. For the CPU, the size is zero if the operating system does not report the size.
    pub total_bytes: u64,
    /// The version of the driver, as `1000 * major + 10 * minor`. The version is zero for the CPU.
    pub driver_version: u32,
}

/// The amount of memory of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    /// The number of bytes that can be allocated.
    pub free: u64,
    /// The total number of bytes.
    pub total: u64,
}

impl Device {
    /// Returns whether the device is the CPU.
    #[inline]
    pub fn is_cpu(self) -> bool {
        self == Device::Cpu
    }

    /// Returns whether the device is a CUDA device.
    #[inline]
    pub fn is_cuda(self) -> bool {
        !self.is_cpu()
    }
}

impl MemoryInfo {
    /// Returns `percent` percent of the free memory, in bytes, for example as the size of a pool (RMM's
    /// `percent_of_free_device_memory`).
    ///
    /// The result is rounded down to a multiple of 256 bytes. If `percent` is above 100, the function uses 100.
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
