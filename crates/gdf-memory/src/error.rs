//! What can go wrong with memory, by what the caller can do about it.

use gdf_driver::{Device, DriverError};

/// Result of a memory operation.
pub type Result<T, E = MemoryError> = std::result::Result<T, E>;

/// What can go wrong with memory.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// The resource has no memory for the request. Nothing was allocated; freeing memory and retrying is sound.
    #[error("{resource} cannot allocate {requested} bytes")]
    OutOfMemory {
        /// Bytes asked for.
        requested: usize,
        /// Bytes that the device reports as free, where it is known.
        free: Option<u64>,
        /// Name of the resource that refused.
        resource: &'static str,
    },
    /// The driver refused a call.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// Writing needs sole ownership and the buffer is shared; see [`Buffer::make_mut`](crate::Buffer::make_mut).
    #[error("the buffer is shared and cannot be written")]
    Shared,
    /// A range lies outside of the buffer.
    #[error("{len} bytes at offset {offset} lie outside of {size} bytes")]
    OutOfRange {
        /// First byte.
        offset: usize,
        /// Number of bytes.
        len: usize,
        /// Size of the buffer.
        size: usize,
    },
    /// The bytes cannot be seen as the asked-for type.
    #[error("address is not a multiple of {align}, or the length not one of {width}")]
    Misaligned {
        /// Alignment that the type needs.
        align: usize,
        /// Width of the type.
        width: usize,
    },
    /// An alignment that is no power of two, or too large for the resource.
    #[error("alignment {align} is not supported")]
    BadAlignment {
        /// The alignment asked for.
        align: usize,
    },
    /// The memory cannot be read by the CPU.
    #[error("memory of {device} cannot be accessed by the CPU")]
    NotHostAccessible {
        /// Where the memory is.
        device: Device,
    },
    /// A stream, a buffer or a resource belongs to another device.
    #[error("expected memory or stream of {expected}, found {found}")]
    DeviceMismatch {
        /// The device that was expected.
        expected: Device,
        /// The device that was found.
        found: Device,
    },
}

impl MemoryError {
    /// Whether memory ran out, so that freeing some and trying again may succeed.
    pub fn is_out_of_memory(&self) -> bool {
        match self {
            Self::OutOfMemory { .. } => true,
            Self::Driver(DriverError::Call { status, .. }) => status.is_out_of_memory(),
            _ => false,
        }
    }
}
