//! The error of every operation on columns: typed by what the caller can do, with fields instead of prose.

use arrow_schema::{ArrowError, DataType};
use gdf_driver::{Device, DriverError};
use gdf_memory::MemoryError;

use crate::data_rule::{DataRule, Place};

/// The result of an operation on columns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong in an operation on columns.
///
/// The texts are for people and may change; match on variants and fields.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The driver refused a call, or there is no usable driver.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// Memory could not be had, or a buffer was used in a way it does not allow.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The operation does not exist for this type.
    #[error("{operation} does not support {data_type}")]
    Unsupported {
        /// Name of the operation.
        operation: &'static str,
        /// The type it was asked for.
        data_type: DataType,
    },
    /// A value has another type than the operation asks for.
    #[error("expected {expected}, found {found}")]
    TypeMismatch {
        /// The type, or class of types, that was asked for.
        expected: String,
        /// The type that was given.
        found: DataType,
    },
    /// Two lengths that must agree do not.
    #[error("expected {expected} rows, found {found}")]
    LengthMismatch {
        /// The length that was asked for.
        expected: usize,
        /// The length that was given.
        found: usize,
    },
    /// An input lives on another device than the others.
    #[error("expected an input on {expected}, found one on {found}")]
    DeviceMismatch {
        /// The device of the operation.
        expected: Device,
        /// The device of the offending input.
        found: Device,
    },
    /// An index or range lies outside of what it indexes.
    #[error("{index} is out of bounds for length {len}")]
    OutOfBounds {
        /// The index, or the end of the range.
        index: i128,
        /// The length of what was indexed.
        len: usize,
    },
    /// The result does not fit 32-bit offsets; cast the input to its `Large` type.
    #[error("{needed} elements do not fit 32-bit offsets")]
    OffsetOverflow {
        /// How many bytes or elements the result would have.
        needed: u64,
    },
    /// An argument makes no sense, whatever the data.
    #[error("invalid argument: {what}")]
    InvalidArgument {
        /// The rule that was broken.
        what: &'static str,
    },
    /// The data break a rule of their type.
    #[error("invalid data: {what}")]
    InvalidData {
        /// The rule that was broken.
        what: &'static str,
    },
    /// The data of a column, or of a child of it, break a rule of their type.
    #[error("{data_type}: {rule}{}", Place(*.row, .path))]
    BrokenData {
        /// The type of the column or child whose data they are.
        data_type: DataType,
        /// The rule that was broken.
        rule: DataRule,
        /// The first row at fault, counted from the first row of the column or child; none where the rule is about all rows.
        row: Option<usize>,
        /// The way there: in a table the position of the column, then of the child, of its child, and so on.
        path: Vec<usize>,
    },
    /// Two tables, or a table and its description, differ in their number of columns.
    #[error("expected {expected} columns, found {found}")]
    ColumnCount {
        /// The number that was asked for.
        expected: usize,
        /// The number that was given.
        found: usize,
    },
    /// A column of this type needs another number of buffers.
    #[error("{data_type} has {expected} buffers, found {found}")]
    BufferCount {
        /// The type of the column.
        data_type: DataType,
        /// The number (or the least number) of its buffers.
        expected: usize,
        /// The number that was given.
        found: usize,
    },
    /// A buffer is shorter than the rows ask for.
    #[error("buffer `{buffer}` needs {needed} bytes, has {found}")]
    BufferTooSmall {
        /// Which buffer.
        buffer: &'static str,
        /// How many bytes the rows ask for.
        needed: usize,
        /// How many it has.
        found: usize,
    },
    /// A buffer's address does not suit the width of its elements.
    #[error("buffer `{buffer}` must be aligned to {needed} bytes")]
    BufferMisaligned {
        /// Which buffer.
        buffer: &'static str,
        /// The alignment that the elements ask for.
        needed: usize,
    },
    /// A column of this type needs another number of children.
    #[error("{data_type} has {expected} children, found {found}")]
    ChildCount {
        /// The type of the column.
        data_type: DataType,
        /// The number of its children.
        expected: usize,
        /// The number that was given.
        found: usize,
    },
    /// A child has fewer rows than its parent asks for.
    #[error("child {child} needs {needed} rows, has {found}")]
    ChildTooShort {
        /// Position of the child.
        child: usize,
        /// How many rows the parent asks for.
        needed: usize,
        /// How many it has.
        found: usize,
    },
    /// Arrow refused data; it carries arrow's own error.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
}

impl gdf_memory::RanOut for Error {
    fn ran_out(&self) -> Option<usize> {
        match self {
            Error::Memory(error) => error.ran_out(),
            _ => self.is_out_of_memory().then_some(0),
        }
    }
}

impl Error {
    /// A [`Error::TypeMismatch`] from anything that can be shown.
    pub fn type_mismatch(expected: impl std::fmt::Display, found: &DataType) -> Error {
        Error::TypeMismatch { expected: expected.to_string(), found: found.clone() }
    }

    /// A [`Error::Unsupported`] that clones the type.
    pub fn unsupported(operation: &'static str, data_type: &DataType) -> Error {
        Error::Unsupported { operation, data_type: data_type.clone() }
    }

    /// A [`Error::OutOfBounds`] from a position.
    pub fn out_of_bounds(index: usize, len: usize) -> Error {
        Error::OutOfBounds { index: index as i128, len }
    }

    /// Whether less memory, or more of it, would have helped.
    pub fn is_out_of_memory(&self) -> bool {
        match self {
            Error::Memory(MemoryError::OutOfMemory { .. }) => true,
            Error::Memory(MemoryError::Driver(DriverError::Call { status, .. }))
            | Error::Driver(DriverError::Call { status, .. }) => status.is_out_of_memory(),
            _ => false,
        }
    }
}
