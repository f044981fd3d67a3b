//! The structs of `dlpack.h` 1.1, under their own names.

use std::ffi::c_void;

use gdf_core::DataType;

use crate::DeviceType;

/// Set in [`DLManagedTensorVersioned::flags`] where the consumer must not write.
pub const DLPACK_FLAG_BITMASK_READ_ONLY: u64 = 1;
/// Set in [`DLManagedTensorVersioned::flags`] where the memory is a copy made for the consumer.
pub const DLPACK_FLAG_BITMASK_IS_COPIED: u64 = 2;

/// The version of the layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct DLPackVersion {
    /// Another one is another layout.
    pub major: u32,
    /// A larger one adds values, not fields.
    pub minor: u32,
}

/// The version of what this crate exports.
pub(super) const VERSION: DLPackVersion = DLPackVersion { major: 1, minor: 1 };

/// Where a tensor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct DLDevice {
    /// The kind of device, numbered as in Arrow.
    pub device_type: DeviceType,
    /// Which of its kind; zero for the CPU.
    pub device_id: i32,
}

/// The type of a tensor's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct DLDataType {
    /// The kind: 0 signed, 1 unsigned, 2 floating, 6 boolean; others have no column here.
    pub code: u8,
    /// Bits of a value.
    pub bits: u8,
    /// Numbers side by side in one value; one for columns.
    pub lanes: u16,
}

/// A tensor, without its owner.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DLTensor {
    /// The address that `byte_offset` counts from.
    pub data: *mut c_void,
    /// Where it is.
    pub device: DLDevice,
    /// Number of dimensions.
    pub ndim: i32,
    /// The type of the values.
    pub dtype: DLDataType,
    /// `ndim` extents.
    pub shape: *mut i64,
    /// `ndim` strides in values; null where the last dimension is contiguous and the others follow.
    pub strides: *mut i64,
    /// Bytes from `data` to the first value.
    pub byte_offset: u64,
}

/// A tensor with its owner, as before version 1.
#[derive(Debug)]
#[repr(C)]
pub struct DLManagedTensor {
    /// The tensor.
    pub dl_tensor: DLTensor,
    /// The producer's own.
    pub manager_ctx: *mut c_void,
    /// Frees everything, this struct too; null where nothing is to be freed.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// A tensor with its owner (`dltensor_versioned` is the name of its capsule in Python).
#[derive(Debug)]
#[repr(C)]
pub struct DLManagedTensorVersioned {
    /// The layout of what follows `deleter`.
    pub version: DLPackVersion,
    /// The producer's own.
    pub manager_ctx: *mut c_void,
    /// Frees everything, this struct too; null where nothing is to be freed.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    /// What the consumer must know, as bits.
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
    /// The type of booleans: a byte each.
    pub(super) const BOOL: DLDataType = DLDataType { code: BOOL, bits: 8, lanes: 1 };

    /// The type of a column's values, for integers, floats and booleans.
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

    /// The type of a column of these values, where there is one.
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
