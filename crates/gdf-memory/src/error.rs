//! Errors of memory operations. Errors that require different reactions of the caller are different variants.

use std::time::Duration;

use gdf_driver::{Device, DriverError};

/// Result of a memory operation.
pub type Result<T, E = MemoryError> = std::result::Result<T, E>;

/// The free memory at the time when a resource refused a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FreeMemory {
    /// The number of free bytes in the resource, plus the number of free bytes in the upstream of the resource.
    pub bytes: u64,
    /// The size in bytes of the largest block that the resource could have allocated without growing. The value is
    /// `None` if the resource does not know the size. If the value is far below `bytes`, the free memory is fragmented.
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

/// An error of a memory operation.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// The resource has no memory for the request. The resource allocated nothing. The caller may free memory and
    /// retry.
    #[error(
        "{resource} cannot allocate {requested} bytes{}; drop other data, or process fewer rows at once",
        known(.free)
    )]
    OutOfMemory {
        /// The requested number of bytes.
        requested: usize,
        /// The free memory, if the resource knows the amount.
        free: Option<FreeMemory>,
        /// The name of the resource that refused the request.
        resource: &'static str,
    },
    /// A reservation would exceed the limit of its budget even if nothing else were reserved.
    #[error(
        "{requested} bytes cannot be reserved, because the limit is {limit} bytes; raise the limit, or divide the work"
    )]
    ReservationTooLarge {
        /// The requested number of bytes, including the bytes that the reservation already has.
        requested: usize,
        /// The limit of the budget.
        limit: usize,
    },
    /// The request for a reservation was not served in time. The caller may try again.
    #[error(
        "{requested} bytes could not be reserved in {waited:?}: {reserved} of {limit} bytes are reserved, and earlier \
         requests are served first; wait longer, or let other work end first"
    )]
    ReservationTimeout {
        /// The requested number of bytes.
        requested: usize,
        /// The sum of all reservations.
        reserved: usize,
        /// The limit of the budget.
        limit: usize,
        /// The time for which the request waited.
        waited: Duration,
    },
    /// A reservation cannot wait to grow, because another reservation waits to grow. Two reservations that wait to grow
    /// could wait for each other forever.
    #[error(
        "a reservation of {held} bytes cannot wait for {requested} more, because another reservation waits to grow; \
         go on with less memory, or drop the reservation and make a new one"
    )]
    ReservationContended {
        /// The requested number of further bytes.
        requested: usize,
        /// The number of bytes of the reservation.
        held: usize,
    },
    /// The driver refused a call.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// The buffer is shared, but a write needs the only reference. See [`Buffer::make_mut`](crate::Buffer::make_mut).
    #[error(
        "a shared buffer cannot be written; drop its other clones, slices and arrays first, or write to a deep copy"
    )]
    Shared,
    /// A range lies outside of the buffer.
    #[error("{len} bytes from byte {offset} on are out of bounds for a buffer of {size} bytes")]
    OutOfRange {
        /// The offset of the first byte of the range.
        offset: usize,
        /// The number of bytes of the range.
        len: usize,
        /// The size of the buffer in bytes.
        size: usize,
    },
    /// The bytes cannot be used as values of the requested type. The address or the length does not fit the type.
    #[error(
        "the buffer cannot be read as values of {width} bytes: its address must be a multiple of {align} bytes, and \
         its length a multiple of {width} bytes"
    )]
    Misaligned {
        /// The alignment of the type in bytes.
        align: usize,
        /// The size of the type in bytes.
        width: usize,
    },
    /// The alignment is not a power of two, or is too large for the resource.
    #[error(
        "the alignment or granule of {align} bytes is not supported; use a power of two within the limits of the \
         resource"
    )]
    BadAlignment {
        /// The requested alignment.
        align: usize,
    },
    /// The CPU cannot access the memory.
    #[error(
        "the CPU cannot access this memory of {device}; copy the bytes to the CPU, or use pinned memory with a CPU \
         stream"
    )]
    NotHostAccessible {
        /// The device of the memory.
        device: Device,
    },
    /// Bytes cannot be spilled to a file, or cannot be read back. Bytes that cannot be spilled stay in memory. Bytes
    /// that cannot be read back stay in the file, and the next access reads them again.
    #[error(
        "cannot {action} in the directory {directory}: {reason}; free space there, or pass another directory to \
         `SpillOptions::with_directory`"
    )]
    Spill {
        /// The part of spilling that failed.
        action: &'static str,
        /// The directory of the file.
        directory: String,
        /// The error of the system.
        reason: String,
    },
    /// An environment variable has a value that is not allowed.
    #[error("the environment variable {name} is `{found}`; set {name} to {allowed}")]
    InvalidVariable {
        /// The name of the variable.
        name: &'static str,
        /// The value of the variable.
        found: String,
        /// The allowed values.
        allowed: &'static str,
    },
    /// An invariant of this crate does not hold. This is a defect of the crate; please report it.
    #[error("internal error of gdf-memory, please report it: {0}")]
    Internal(&'static str),
    /// A stream, a buffer or a resource belongs to another device.
    #[error("expected a stream, buffer or resource of device {expected}, found device {found}")]
    DeviceMismatch {
        /// The required device.
        expected: Device,
        /// The device that was found.
        found: Device,
    },
}

impl MemoryError {
    /// Sets `requested` of an `OutOfMemory` error to `bytes`, the size that the caller requested. The error may come
    /// from the upstream, and the resource may have requested more bytes from the upstream.
    #[must_use]
    pub(crate) fn asked(mut self, bytes: usize) -> Self {
        if let Self::OutOfMemory { requested, .. } = &mut self {
            *requested = bytes;
        }
        self
    }

    pub(crate) fn spill(action: &'static str, directory: &std::path::Path, error: &std::io::Error) -> Self {
        Self::Spill { action, directory: directory.display().to_string(), reason: error.to_string() }
    }

    pub(crate) fn invalid_variable(name: &'static str, found: &str, allowed: &'static str) -> Self {
        Self::InvalidVariable { name, found: found.to_owned(), allowed }
    }

    /// Returns whether memory ran out. If so, the caller can free memory and retry.
    pub fn is_out_of_memory(&self) -> bool {
        match self {
            Self::OutOfMemory { .. } => true,
            Self::Driver(DriverError::Call { status, .. }) => status.is_out_of_memory(),
            _ => false,
        }
    }
}
