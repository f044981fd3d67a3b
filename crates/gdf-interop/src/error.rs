//! Errors of exchanging data with other libraries.

use std::borrow::Cow;
use std::fmt;

use gdf_core::DataType;
use gdf_driver::DriverError;
use gdf_memory::MemoryError;

use crate::DeviceType;

/// The result of an exchange.
pub type Result<T, E = InteropError> = std::result::Result<T, E>;

/// An error of exchanging data with other libraries.
///
/// The texts are for people and may change. Programs should match on variants and fields. `{:?}` prints the text
/// of `{}`, followed by the texts of the causes.
#[non_exhaustive]
#[derive(thiserror::Error)]
pub enum InteropError {
    /// The data do not form a valid column, a memory operation failed, or the driver failed. The inner error contains
    /// the details.
    #[error(transparent)]
    Core(#[from] gdf_core::Error),
    /// The struct was already released or moved before the call.
    #[error("the {what} was already released or moved; export the {what} again")]
    Released {
        /// The kind of struct.
        what: &'static str,
    },
    /// The struct contradicts itself or violates a rule of its interface.
    #[error("malformed input: {what}")]
    Malformed {
        /// A description of the violation.
        what: Cow<'static, str>,
    },
    /// A buffer that the rows need is a null pointer.
    #[error("the buffer `{buffer}` of the {data_type} array is a null pointer, but the array needs this buffer")]
    NullBuffer {
        /// The name of the buffer.
        buffer: &'static str,
        /// The type of the column.
        data_type: DataType,
    },
    /// The format string describes no type that a gdf column can have.
    #[error("gdf has no column type for the format {format:?}; convert the data to another type first")]
    UnknownFormat {
        /// The format string that describes no type.
        format: String,
    },
    /// The device type is unknown, or gdf cannot use memory of this device.
    #[error(
        "memory of device type {} with id {device_id} cannot be used by this operation; copy the data to the CPU or \
         to the GPU of the stream first",
        device_type.0
    )]
    UnsupportedDevice {
        /// The kind of device.
        device_type: DeviceType,
        /// The index of the device among the devices of its kind.
        device_id: i64,
    },
    /// The struct array has null rows. Rows of a table are never null, so the array cannot become a table. Import the
    /// array as a column instead.
    #[error(
        "the struct array has null rows ({count}), but rows of a table cannot be null; import the array as a column"
    )]
    TopLevelNulls {
        /// The number of null rows.
        count: usize,
    },
    /// The matrix has more columns than the limit for a table. The limit is necessary because a matrix without rows
    /// occupies no memory, and can therefore claim any number of columns.
    #[error("the matrix has {found} columns, but a table can have at most {most}; split the matrix")]
    TooManyColumns {
        /// The number of columns of the matrix.
        found: usize,
        /// The largest number of columns that is accepted.
        most: usize,
    },
    /// The result shares the memory of a borrowed array, and would outlive the borrow.
    #[error("the result shares the memory of the borrowed array; return a deep copy instead")]
    Escaped,
    /// The producer of a stream failed.
    #[error("the producer of the stream failed with code {code}: {message}")]
    Producer {
        /// The `errno` code that the producer returned.
        code: i32,
        /// The producer's own message.
        message: String,
    },
}

/// Prints the text of the error, followed by the texts of its causes.
impl fmt::Debug for InteropError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        gdf_core::fmt_with_causes(self, f)
    }
}

impl InteropError {
    /// Returns whether the operation failed because memory ran out.
    pub fn is_out_of_memory(&self) -> bool {
        matches!(self, InteropError::Core(error) if error.is_out_of_memory())
    }
}

impl From<DriverError> for InteropError {
    fn from(error: DriverError) -> Self {
        InteropError::Core(error.into())
    }
}

impl From<MemoryError> for InteropError {
    fn from(error: MemoryError) -> Self {
        InteropError::Core(error.into())
    }
}

pub(crate) fn malformed(what: impl Into<Cow<'static, str>>) -> InteropError {
    InteropError::Malformed { what: what.into() }
}
