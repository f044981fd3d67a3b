//! The numbers that Arrow and DLPack assign to kinds of devices.

use gdf_driver::Device;

/// `ArrowDeviceType`: a kind of device, numbered as in DLPack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct DeviceType(pub i32);

impl DeviceType {
    /// The CPU.
    pub const CPU: Self = Self(1);
    /// Memory of a CUDA device.
    pub const CUDA: Self = Self(2);
    /// Pinned (page-locked) memory of the CPU, allocated by CUDA.
    pub const CUDA_HOST: Self = Self(3);
    /// CUDA managed memory.
    pub const CUDA_MANAGED: Self = Self(13);

    /// Returns the kind and the id of a gdf device in the interfaces. The CPU has no id, so its id is -1.
    pub fn of(device: Device) -> (Self, i64) {
        match device {
            Device::Cpu => (Self::CPU, -1),
            Device::Cuda(ordinal) => (Self::CUDA, i64::from(ordinal)),
        }
    }

    /// Returns the gdf device for memory of this kind and id. Returns `None` if the kind is unknown or the id is
    /// invalid.
    pub fn device(self, id: i64) -> Option<Device> {
        match self {
            Self::CPU => Some(Device::Cpu),
            Self::CUDA | Self::CUDA_HOST | Self::CUDA_MANAGED => u32::try_from(id).ok().map(Device::Cuda),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_numbered_as_the_specification_says() {
        for device in [Device::Cpu, Device::Cuda(0), Device::Cuda(7)] {
            let (kind, id) = DeviceType::of(device);
            assert_eq!(kind.device(id), Some(device));
        }
        assert_eq!(DeviceType(2), DeviceType::CUDA);
        assert_eq!(DeviceType::CUDA.device(-1), None);
        assert_eq!(DeviceType(99).device(0), None);
    }
}
