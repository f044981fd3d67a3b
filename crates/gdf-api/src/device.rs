//! Methods that choose a device.

use gdf_core::Result;
use gdf_detail as detail;
use gdf_driver::Device;

/// Additional methods of [`Device`] that need the operations of gdf. The trait is in the prelude of `gdf`.
pub trait DeviceExt: Sized {
    /// Returns the first CUDA device that opens and has kernels, or the CPU if there is no such device.
    ///
    /// Operations still run on the device of their inputs, and new data are made on the [current
    /// device](crate::scope::current_device). [`usable`](DeviceExt::usable) says why a GPU is not chosen. The first
    /// call opens the devices, which takes a moment; nothing is computed on the devices.
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

    /// Returns `Ok` if operations can run on this device. The CPU can always run operations.
    ///
    /// # Errors
    /// * The reason why operations cannot run: the errors of opening the device, and
    ///   [`KernelsNotBuilt`](gdf_driver::DriverError::KernelsNotBuilt).
    fn usable(self) -> Result<()>;

    /// Loads all kernels on a CUDA device, and allocates the pinned memory through which kernels report sizes. For the
    /// CPU, the method does nothing.
    ///
    /// Without this call, kernels are loaded when an operation first uses them, and the first operations of a process
    /// take some milliseconds longer. A service calls the method once at its start. The call takes about 0.15 seconds
    /// on an H200. A second call loads nothing. The method opens the device, and computes nothing.
    ///
    /// ```
    /// use gdf::prelude::*;
    ///
    /// Device::best().warm_up()?;
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// * The errors of [`usable`](DeviceExt::usable).
    /// * [`KernelsOutdated`](gdf_driver::DriverError::KernelsOutdated) if the images do not belong to this version.
    /// * The driver has no pinned memory left.
    fn warm_up(self) -> Result<()>;
}

impl DeviceExt for Device {
    fn best() -> Self {
        detail::device::best()
    }

    fn usable(self) -> Result<()> {
        Ok(detail::device::usable(self)?)
    }

    fn warm_up(self) -> Result<()> {
        detail::device::warm_up(self)
    }
}
