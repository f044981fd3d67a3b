//! The structs of Arrow's C data and C device interfaces, as their specification lays them out.

use std::ffi::c_void;

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
    /// Pinned memory of the CPU, made by CUDA.
    pub const CUDA_HOST: Self = Self(3);
    /// CUDA managed memory.
    pub const CUDA_MANAGED: Self = Self(13);

    /// The kind and id of a device of ours; the CPU has no id and gives -1.
    pub fn of(device: Device) -> (Self, i64) {
        match device {
            Device::Cpu => (Self::CPU, -1),
            Device::Cuda(ordinal) => (Self::CUDA, i64::from(ordinal)),
        }
    }

    /// The device of ours that can read memory of this kind and id; none for kinds that we do not know.
    pub fn device(self, id: i64) -> Option<Device> {
        match self {
            Self::CPU => Some(Device::Cpu),
            Self::CUDA | Self::CUDA_HOST | Self::CUDA_MANAGED => u32::try_from(id).ok().map(Device::Cuda),
            _ => None,
        }
    }
}

/// `struct ArrowArray` of Arrow's C data interface.
#[derive(Debug)]
#[repr(C)]
pub struct ArrowArray {
    /// Number of rows.
    pub length: i64,
    /// Number of nulls, -1 when unknown.
    pub null_count: i64,
    /// First row within the buffers.
    pub offset: i64,
    /// Number of buffers.
    pub n_buffers: i64,
    /// Number of children.
    pub n_children: i64,
    /// The buffers' addresses.
    pub buffers: *mut *const c_void,
    /// The children.
    pub children: *mut *mut ArrowArray,
    /// The dictionary's values.
    pub dictionary: *mut ArrowArray,
    /// The producer's callback; null once released.
    pub release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    /// The producer's own.
    pub private_data: *mut c_void,
}

/// `struct ArrowDeviceArray` of Arrow's C device interface.
#[derive(Debug)]
#[repr(C)]
pub struct ArrowDeviceArray {
    /// The data.
    pub array: ArrowArray,
    /// Which device of its kind.
    pub device_id: i64,
    /// Which kind of device.
    pub device_type: DeviceType,
    /// Pointer to the event (for CUDA a `CUevent`) after which the data may be read; null when it may be at once.
    pub sync_event: *mut c_void,
    /// Zero, for later versions.
    pub reserved: [i64; 3],
}

const _: () = assert!(size_of::<ArrowArray>() == 80);
const _: () = assert!(size_of::<ArrowDeviceArray>() == 128);

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
        assert_eq!(std::mem::offset_of!(ArrowDeviceArray, device_id), 80);
        assert_eq!(std::mem::offset_of!(ArrowDeviceArray, sync_event), 96);
    }
}
