//! Choosing a device.

use gdf_core::Result;
use gdf_detail as detail;
use gdf_driver::Device;

/// What operations add to [`Device`]; in the prelude of `gdf`.
pub trait DeviceExt: Sized {
    /// The first CUDA device that opens and has kernels, else the CPU. For programs that take whatever there is; it does not
    /// change where anything runs: data are made on the [current device](crate::scope::current_device), and operations run
    /// where their inputs are.
    ///
    /// The GPU is not chosen where its driver is missing or too old, where a fatal error made it unusable, or where no image of
    /// the kernels is found that it could run; [`usable`](DeviceExt::usable) says which of these. The first call opens
    /// devices, which takes a moment; nothing is computed there.
    ///
    /// ```
    /// use gdf::prelude::*;
    ///
    /// let device = Device::best();
    /// let column = scope::with_device(device, || Column::from_slice(&[1, 2, 3]))?;
    /// assert_eq!(column.device(), device);
    /// # Ok::<(), gdf::Error>(())
    /// ```
    fn best() -> Self;

    /// Whether operations can run on this device: always on the CPU.
    ///
    /// # Errors
    /// * Why not: those of opening the device, and [`KernelsNotBuilt`](gdf_driver::DriverError::KernelsNotBuilt).
    fn usable(self) -> Result<()>;
}

impl DeviceExt for Device {
    fn best() -> Self {
        detail::device::best()
    }

    fn usable(self) -> Result<()> {
        Ok(detail::device::usable(self)?)
    }
}
