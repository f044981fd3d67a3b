//! The types and constants of the driver that this crate uses. The definitions are those of cuda.h 13.0.

use std::ffi::{c_int, c_uchar, c_ushort, c_void};

/// An opaque driver object (context, stream, event, module, function, pool).
pub(crate) type Pointer = *mut c_void;

/// An opaque driver object that may be stored in structures that threads share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handle(pub(crate) Pointer);

// SAFETY: a handle is only an identifier. This crate never dereferences a handle, and the driver accepts handles from
// any thread.
unsafe impl Send for Handle {}
// SAFETY: this crate never dereferences a handle. The driver's functions that take handles are documented to be
// thread-safe.
unsafe impl Sync for Handle {}

pub(crate) const STREAM_LEGACY: usize = 1;
pub(crate) const STREAM_PER_THREAD: usize = 2;
pub(crate) const STREAM_DEFAULT: u32 = 0;
pub(crate) const STREAM_NON_BLOCKING: u32 = 1;
pub(crate) const EVENT_DISABLE_TIMING: u32 = 2;
pub(crate) const EVENT_INTERPROCESS: u32 = 4;
pub(crate) const IPC_ENABLE_PEER_ACCESS: u32 = 1;

#[cfg(test)]
pub(crate) const CAPTURE_MODE_GLOBAL: c_int = 0;
pub(crate) const CAPTURE_MODE_RELAXED: c_int = 2;

pub(crate) const POINTER_MEMORY_TYPE: c_int = 2;
pub(crate) const POINTER_DEVICE_POINTER: c_int = 3;
pub(crate) const POINTER_HOST_POINTER: c_int = 4;
pub(crate) const POINTER_IS_MANAGED: c_int = 8;
pub(crate) const POINTER_DEVICE_ORDINAL: c_int = 9;
pub(crate) const POINTER_IS_IPC_CAPABLE: c_int = 10;
pub(crate) const POINTER_RANGE_START: c_int = 11;
pub(crate) const POINTER_RANGE_SIZE: c_int = 12;
pub(crate) const POINTER_MEMPOOL_HANDLE: c_int = 17;
pub(crate) const MEMORY_TYPE_HOST: u64 = 1;
pub(crate) const MEMORY_TYPE_DEVICE: u64 = 2;

pub(crate) const HOST_ALLOC_PORTABLE: u32 = 1;
pub(crate) const HOST_ALLOC_DEVICE_MAP: u32 = 2;

pub(crate) const ATTRIBUTE_MULTIPROCESSOR_COUNT: c_int = 16;
pub(crate) const ATTRIBUTE_L2_CACHE_SIZE: c_int = 38;
pub(crate) const ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: c_int = 39;
pub(crate) const ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: c_int = 75;
pub(crate) const ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: c_int = 76;
pub(crate) const ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: c_int = 81;
pub(crate) const ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: c_int = 97;

pub(crate) const FUNCTION_MAX_THREADS_PER_BLOCK: c_int = 0;
pub(crate) const FUNCTION_SHARED_SIZE_BYTES: c_int = 1;
pub(crate) const FUNCTION_LOCAL_SIZE_BYTES: c_int = 3;
pub(crate) const FUNCTION_NUM_REGS: c_int = 4;
pub(crate) const FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES: c_int = 8;

pub(crate) const POOL_RELEASE_THRESHOLD: c_int = 4;
pub(crate) const POOL_RESERVED_CURRENT: c_int = 5;
pub(crate) const POOL_USED_CURRENT: c_int = 7;
pub(crate) const POOL_USED_HIGH: c_int = 8;

const ALLOCATION_TYPE_PINNED: c_int = 1;
const LOCATION_TYPE_DEVICE: c_int = 1;

pub(crate) const ATTACH_GLOBAL: u32 = 1;
pub(crate) const GRANULARITY_RECOMMENDED: c_int = 1;
const ACCESS_READ_WRITE: c_int = 3;

/// `CUipcMemHandle` and `CUipcEventHandle`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IpcHandle(pub(crate) [u8; 64]);

/// `CUmemLocation`: the place of memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Location {
    kind: c_int,
    id: c_int,
}

impl Location {
    pub(crate) fn device(ordinal: c_int) -> Location {
        Location { kind: LOCATION_TYPE_DEVICE, id: ordinal }
    }
}

/// `CUmemAllocationProp`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct AllocationProperties {
    allocation_type: c_int,
    handle_types: c_int,
    location: Location,
    win32_metadata: Pointer,
    flags: [c_uchar; 8],
}

impl AllocationProperties {
    /// Returns the properties of physical memory of device `ordinal` that cannot be shared between processes.
    pub(crate) fn on_device(ordinal: c_int) -> AllocationProperties {
        AllocationProperties {
            allocation_type: ALLOCATION_TYPE_PINNED,
            handle_types: 0,
            location: Location::device(ordinal),
            win32_metadata: std::ptr::null_mut(),
            flags: [0; 8],
        }
    }
}

/// `CUmemAccessDesc`.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct AccessDescription {
    location: Location,
    flags: c_int,
}

impl AccessDescription {
    /// Returns a description that lets device `ordinal` read and write.
    pub(crate) fn all_of(ordinal: c_int) -> AccessDescription {
        AccessDescription { location: Location::device(ordinal), flags: ACCESS_READ_WRITE }
    }
}

/// `CUmemPoolProps`.
#[repr(C)]
pub(crate) struct PoolProperties {
    allocation_type: c_int,
    handle_types: c_int,
    location_type: c_int,
    location_id: c_int,
    security_attributes: Pointer,
    max_size: usize,
    usage: c_ushort,
    reserved: [c_uchar; 54],
}

impl PoolProperties {
    /// Returns the properties of a pool without a size limit in the memory of device `ordinal`. Processes can share the
    /// pool through handles of the types `handle_types`.
    pub(crate) fn on_device(ordinal: c_int, handle_types: c_int) -> PoolProperties {
        PoolProperties {
            allocation_type: ALLOCATION_TYPE_PINNED,
            handle_types,
            location_type: LOCATION_TYPE_DEVICE,
            location_id: ordinal,
            security_attributes: std::ptr::null_mut(),
            max_size: 0,
            usage: 0,
            reserved: [0; 54],
        }
    }
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(
    size_of::<PoolProperties>() == 88
        && size_of::<AllocationProperties>() == 32
        && size_of::<AccessDescription>() == 12
);
