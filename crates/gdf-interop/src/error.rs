//! What can go wrong when data are exchanged with others.

use std::fmt;

use gdf_core::DataType;
use gdf_driver::DriverError;
use gdf_memory::MemoryError;

use crate::DeviceType;

/// The result of an exchange.
pub type Result<T, E = InteropError> = std::result::Result<T, E>;

/// What went wrong when data were exchanged with others.
///
/// The texts are for people and may change; match on variants and fields. `{:?}` gives the text, too.
#[non_exhaustive]
#[derive(thiserror::Error)]
pub enum InteropError {
    /// The data do not make a column, or memory or the driver failed; see the error within.
    #[error(transparent)]
    Core(#[from] gdf_core::Error),
    /// The struct was released, or moved, before.
    #[error("{what} was released before")]
    Released {
        /// Which struct.
        what: &'static str,
    },
    /// The struct contradicts itself or the interface's rules.
    #[error("malformed struct: {what}")]
    Malformed {
        /// The rule that was broken.
        what: &'static str,
    },
    /// A buffer that the rows need is a null pointer.
    #[error("buffer `{buffer}` of {data_type} is null")]
    NullBuffer {
        /// Which buffer.
        buffer: &'static str,
        /// The type of the column.
        data_type: DataType,
    },
    /// The format string names no type that columns can have.
    #[error("no column has format {format:?}")]
    UnknownFormat {
        /// The format string.
        format: String,
    },
    /// The memory is of a kind, or on a device, that cannot be used here.
    #[error("memory of device type {} with id {device_id} cannot be used here", device_type.0)]
    UnsupportedDevice {
        /// The kind of device.
        device_type: DeviceType,
        /// Which device of its kind.
        device_id: i64,
    },
    /// A struct array with null rows cannot become a table, whose rows are never null; import it as a column.
    #[error("{count} rows of the struct array are null, which rows of a table cannot be")]
    TopLevelNulls {
        /// The number of null rows.
        count: usize,
    },
    /// The matrix has more columns than a table is made of; it may have no rows and claim any number.
    #[error("a matrix of {found} columns, of which a table is made of at most {most}")]
    TooManyColumns {
        /// The number of columns.
        found: usize,
        /// The number that is accepted.
        most: usize,
    },
    /// Something made of a borrowed array shares its memory and would outlive the borrow.
    #[error("a result shares memory that was only lent")]
    Escaped,
    /// The producer of a stream failed.
    #[error("the producer of the stream failed with code {code}: {message}")]
    Producer {
        /// Its `errno`.
        code: i32,
        /// What it says of it.
        message: String,
    },
}

/// The text, and the texts of what caused it.
impl fmt::Debug for InteropError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        gdf_core::fmt_with_causes(self, f)
    }
}

impl InteropError {
    /// Whether less memory, or more of it, would have helped.
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

/// An [`InteropError::Malformed`].
pub(crate) fn malformed(what: &'static str) -> InteropError {
    InteropError::Malformed { what }
}
