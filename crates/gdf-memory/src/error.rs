//! What can go wrong with memory, by what the caller can do about it.

use gdf_driver::{Device, DriverError};

/// Result of a memory operation.
pub type Result<T, E = MemoryError> = std::result::Result<T, E>;

/// How much memory there was when a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreeMemory {
    /// Free bytes, of the resource and of what it takes memory from.
    pub bytes: u64,
    /// The largest block that the resource could have handed out without taking more, where it knows. Far less than
    /// `bytes` means that free memory is in pieces.
    pub largest_block: Option<u64>,
}

impl std::fmt::Display for FreeMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes are free", self.bytes)?;
        self.largest_block.map_or(Ok(()), |largest| write!(f, ", {largest} of them in one block"))
    }
}

fn known(free: &Option<FreeMemory>) -> String {
    free.map(|free| format!(": {free}")).unwrap_or_default()
}

/// What can go wrong with memory.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// The resource has no memory for the request. Nothing was allocated; freeing memory and retrying is sound.
    #[error("{resource} cannot allocate {requested} bytes{}", known(.free))]
    OutOfMemory {
        /// Bytes that the caller asked for.
        requested: usize,
        /// What was free, where it is known.
        free: Option<FreeMemory>,
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
    /// The same, about a request of `bytes`, where more was asked for on its behalf.
    #[must_use]
    pub(crate) fn asked(mut self, bytes: usize) -> Self {
        if let Self::OutOfMemory { requested, .. } = &mut self {
            *requested = bytes;
        }
        self
    }

    /// Whether memory ran out, so that freeing some and trying again may succeed.
    pub fn is_out_of_memory(&self) -> bool {
        match self {
            Self::OutOfMemory { .. } => true,
            Self::Driver(DriverError::Call { status, .. }) => status.is_out_of_memory(),
            _ => false,
        }
    }
}
