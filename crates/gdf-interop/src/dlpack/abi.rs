//! The C structs of `dlpack.h` 1.1, with the names that the header uses.

use std::ffi::c_void;

use gdf_core::DataType;

use crate::DeviceType;

/// The bit of [`DLManagedTensorVersioned::flags`] that forbids writes of the consumer to the memory.
pub const DLPACK_FLAG_BITMASK_READ_ONLY: u64 = 1;
/// The bit of [`DLManagedTensorVersioned::flags`] that marks memory as a copy made for the consumer.
pub const DLPACK_FLAG_BITMASK_IS_COPIED: u64 = 2;

/// The version of DLPack's struct layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct DLPackVersion {
    /// The major version. Versions with different major numbers have incompatible layouts.
    pub major: u32,
    /// The minor version. A version with a larger minor number has more values of enumerations, but no more fields.
    pub minor: u32,
}

pub(super) const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 1 };

/// The device that holds a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct DLDevice {
    /// The kind of device, with the same numbers as in Arrow.
    pub device_type: DeviceType,
    /// The index of the device among the devices of its kind. The CPU has index 0.
    pub device_id: i32,
}

/// The type of a tensor's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct DLDataType {
    /// The kind of number: 0 is a signed integer, 1 an unsigned integer, 2 a float and 6 a boolean. gdf has no
    /// columns for other kinds.
    pub code: u8,
    /// The number of bits of a value.
    pub bits: u8,
    /// The number of SIMD lanes of a value. Columns have 1 lane.
    pub lanes: u16,
}

/// A tensor that does not own its memory.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DLTensor {
    /// The base address of the memory. The first value is `byte_offset` bytes after this address.
    pub data: *mut c_void,
    /// The device that holds the memory.
    pub device: DLDevice,
    /// The number of dimensions.
    pub ndim: i32,
    /// The type of the values.
    pub dtype: DLDataType,
    /// A pointer to `ndim` extents, in values.
    pub shape: *mut i64,
    /// A pointer to `ndim` strides, in values. A null pointer means row-major order without gaps.
    pub strides: *mut i64,
    /// The distance from `data` to the first value, in bytes.
    pub byte_offset: u64,
}

/// A tensor with its owner, in the layout that DLPack used before version 1.
#[derive(Debug)]
#[repr(C)]
pub struct DLManagedTensor {
    /// The tensor.
    pub dl_tensor: DLTensor,
    /// A pointer for the producer's own use.
    pub manager_ctx: *mut c_void,
    /// The function that frees the tensor, including this struct. A null pointer means that nothing needs to be
    /// freed.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// A tensor with its owner, in the layout since version 1. In Python, such a tensor is in a capsule named
/// `dltensor_versioned`.
#[derive(Debug)]
#[repr(C)]
pub struct DLManagedTensorVersioned {
    /// The version of the layout. The version determines the fields after `deleter`.
    pub version: DLPackVersion,
    /// A pointer for the producer's own use.
    pub manager_ctx: *mut c_void,
    /// The function that frees the tensor, including this struct. A null pointer means that nothing needs to be
    /// freed.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    /// Flags that the consumer must respect, such as [`DLPACK_FLAG_BITMASK_READ_ONLY`].
    pub flags: u64,
    /// The tensor.
    pub dl_tensor: DLTensor,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(
    size_of::<DLTensor>() == 48 && size_of::<DLManagedTensor>() == 64 && size_of::<DLManagedTensorVersioned>() == 80
);

const INT: u8 = 0;
const UINT: u8 = 1;
const FLOAT: u8 = 2;
const BOOL: u8 = 6;

impl DLDataType {
    /// The type of booleans.
    pub(super) const BOOL: DLDataType = DLDataType { code: BOOL, bits: 8, lanes: 1 };

    /// Returns DLPack's type for the values of an integer, float or boolean column. Returns `None` for other types.
    pub fn of(data_type: &DataType) -> Option<DLDataType> {
        let (code, bits) = match data_type {
            DataType::Int8 => (INT, 8),
            DataType::Int16 => (INT, 16),
            DataType::Int32 => (INT, 32),
            DataType::Int64 => (INT, 64),
            DataType::UInt8 => (UINT, 8),
            DataType::UInt16 => (UINT, 16),
            DataType::UInt32 => (UINT, 32),
            DataType::UInt64 => (UINT, 64),
            DataType::Float16 => (FLOAT, 16),
            DataType::Float32 => (FLOAT, 32),
            DataType::Float64 => (FLOAT, 64),
            DataType::Boolean => return Some(Self::BOOL),
            _ => return None,
        };
        Some(DLDataType { code, bits, lanes: 1 })
    }

    /// Returns the type of a column with these values. Returns `None` if gdf has no such type.
    pub fn data_type(self) -> Option<DataType> {
        Some(match (self.code, self.bits, self.lanes) {
            (INT, 8, 1) => DataType::Int8,
            (INT, 16, 1) => DataType::Int16,
            (INT, 32, 1) => DataType::Int32,
            (INT, 64, 1) => DataType::Int64,
            (UINT, 8, 1) => DataType::UInt8,
            (UINT, 16, 1) => DataType::UInt16,
            (UINT, 32, 1) => DataType::UInt32,
            (UINT, 64, 1) => DataType::UInt64,
            (FLOAT, 16, 1) => DataType::Float16,
            (FLOAT, 32, 1) => DataType::Float32,
            (FLOAT, 64, 1) => DataType::Float64,
            (BOOL, 8, 1) => DataType::Boolean,
            _ => return None,
        })
    }
}
