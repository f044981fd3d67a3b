//! The error type of every operation on columns.
//!
//! Errors that require different reactions of the caller are different variants. Details are stored in fields, so that
//! programs need not parse texts.

use std::fmt;

use arrow_schema::{ArrowError, DataType};
use gdf_driver::{Device, DriverError};
use gdf_memory::MemoryError;

mod add_context;
mod constructors;
mod context;
mod data_rule;
mod memory;
mod names;
mod text;

pub use self::context::{Context, Counted, ExpectedType, Position};
pub use self::data_rule::DataRule;
use self::data_rule::Place;
pub use self::text::fmt_with_causes;
use self::text::{Bounds, Counts, Limit, Mismatch, Names, Numbers, Offset, Refused, WithCauses};

/// The result of an operation on columns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of an operation on columns.
///
/// The texts are for people and may change. Programs should match on variants and fields. `{:?}` prints the text
/// of `{}`, followed by the texts of the causes, because Rust prints an error that `main` returns with `{:?}`.
///
/// ```
/// # mod gdf { pub use gdf_core::*; pub mod core { pub use gdf_core::*; } }
/// use gdf::Error;
///
/// let error = Error::invalid_number("rows", -1).in_operation("slice");
/// assert_eq!(format!("{error:?}"), error.to_string());
/// ```
#[non_exhaustive]
#[derive(thiserror::Error)]
pub enum Error {
    /// The driver refused a call, or there is no usable driver.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// A resource has no memory left for the operation.
    #[error("{context}{refusal}{}", context.end())]
    OutOfMemory {
        /// The error of the resource that refused the allocation, with the number of bytes requested:
        /// [`MemoryError::OutOfMemory`].
        refusal: MemoryError,
        /// The call that failed.
        context: Context,
    },
    /// The driver refused an allocation, or a buffer was used in a way that the buffer does not allow.
    #[error(transparent)]
    Memory(MemoryError),
    /// The operation does not exist for this type.
    #[error("{}{}", Refused { operation, data_type, other, to, context }, context.end())]
    Unsupported {
        /// The name of the operation, or of the part of the operation that does not support the type.
        operation: &'static str,
        /// The type for which the operation was called.
        data_type: DataType,
        /// The type of the second operand, if the operation does not exist for this pair of types.
        other: Option<DataType>,
        /// The type of the result, if the operation cannot produce this type from `data_type`.
        to: Option<DataType>,
        /// The call, the argument and the row that caused the error.
        context: Context,
    },
    /// A value does not have the type that the operation requires, or its type does not match the type of another
    /// input.
    #[error("{context}{}{}", Mismatch(expected, found), context.end())]
    TypeMismatch {
        /// The type, or the class of types, that the operation requires.
        expected: ExpectedType,
        /// The type that was given.
        found: DataType,
        /// The call, the argument and the row that caused the error.
        context: Context,
    },
    /// Two lengths that must be equal differ.
    #[error("{context}expected {}, found {found}{}", Counts(*expected, "row"), context.end())]
    LengthMismatch {
        /// The length that the operation requires.
        expected: usize,
        /// The length that was given.
        found: usize,
        /// The call, the argument and the row that caused the error.
        context: Context,
    },
    /// An input is on a different device than the other inputs.
    #[error("{context}expected data on {expected}, found data on {found}{}", context.end())]
    DeviceMismatch {
        /// The device of the operation.
        expected: Device,
        /// The device of the offending input.
        found: Device,
        /// The call, the argument and the row that caused the error.
        context: Context,
    },
    /// An index or a range lies outside the rows, columns or bytes that it refers to.
    #[error("{}{}", Bounds { index: *index, offset: *offset, len: *len, of: *of, context }, context.end())]
    OutOfBounds {
        /// The index, or the end of the range.
        index: i128,
        /// The number of existing rows, columns or other items.
        len: usize,
        /// The beginning of the range. `None` if the caller passed an index instead of a range.
        offset: Option<usize>,
        /// The kind of items that the index counts.
        of: Counted,
        /// The call, the argument and the row that caused the error.
        context: Context,
    },
    /// The result does not fit 32-bit offsets; cast the input to its `Large` type.
    #[error(
        "{context}{needed} elements or bytes exceed 32-bit offsets; cast the input to its `Large` type{}",
        context.end()
    )]
    OffsetOverflow {
        /// The number of bytes or elements that the result would have.
        needed: u64,
        /// The call, the argument and the row that caused the error.
        context: Context,
    },
    /// An argument is invalid, independently of the data.
    #[error("{context}{}{}", Limit { what, value: *value, limit: *limit }, context.end())]
    InvalidArgument {
        /// If `limit` is `None`, the rule that was broken. Otherwise, the name of the value that breaks the limit.
        what: &'static str,
        /// The value that the caller passed, if the value is a number.
        value: Option<i128>,
        /// The limit that the value breaks. If the value is greater, the limit is an upper limit. If the value is less,
        /// the limit is a lower limit.
        limit: Option<i128>,
        /// The call, the argument and the row that caused the error.
        context: Context,
    },
    /// The operation has no result for a value, although the value is valid for its type.
    ///
    /// Examples are a zero divisor, a null in a partition map, and a local time that occurs twice because of daylight
    /// saving. The variant is also used for bytes that do not form a column, such as invalid metadata of a packed
    /// table, or offsets outside of their buffer. If the validation of a whole column finds an invalid value, the error
    /// is [`Error::BrokenData`] instead.
    #[error("{context}invalid data: {what}{}", context.end())]
    InvalidData {
        /// The rule that was broken.
        what: &'static str,
        /// The call, the argument and the row that caused the error.
        context: Context,
    },
    /// The data of a column, or of a child of the column, break a rule of their type.
    ///
    /// Validation returns this error before the column is first used. Validation reads the whole column, so the error
    /// contains the rule, the row and the path of the child. In contrast, [`Error::InvalidData`] is about values that
    /// follow the rules of their type.
    #[error("{context}{data_type}: {rule}{}{}", Place(*.row, .path), context.end())]
    BrokenData {
        /// The type of the invalid column or child.
        data_type: DataType,
        /// The rule that was broken.
        rule: DataRule,
        /// The first row that breaks the rule, counted from the first row of the column or child. `None` if the rule
        /// does not concern single rows.
        row: Option<usize>,
        /// The path to the invalid child: one position for each level, from the outermost level inward. For a table,
        /// the first position is the position of the column. Each further position is the position of a child within
        /// its parent.
        path: Vec<usize>,
        /// The call, the argument and the row that caused the error.
        context: Context,
    },
    /// Two tables, or a table and its description, differ in their number of columns.
    #[error("{context}{}{}", Numbers((*expected, counted.0), (*found, counted.1)), context.end())]
    ColumnCount {
        /// The number that is required.
        expected: usize,
        /// The number that was given.
        found: usize,
        /// The nouns for the counted items, in the singular, first for `expected` and then for `found`. For example,
        /// `("sort key", "order")`.
        counted: (&'static str, &'static str),
        /// The call, the argument and the row that caused the error.
        context: Context,
    },
    /// A column of this type needs another number of buffers.
    #[error("{context}a {data_type} column needs {}, found {found}{}", Counts(*expected, "buffer"), context.end())]
    BufferCount {
        /// The type of the column.
        data_type: DataType,
        /// The number of buffers of the type. If this number can vary, the smallest number.
        expected: usize,
        /// The number that was given.
        found: usize,
        /// The call, the argument and the row that caused the error.
        context: Context,
    },
    /// A buffer has fewer bytes than the rows of the column need.
    #[error(
        "{context}the buffer `{buffer}` must have at least {}, found {found}{}",
        Counts(*needed, "byte"), context.end()
    )]
    BufferTooSmall {
        /// Name of the buffer.
        buffer: &'static str,
        /// The number of bytes that the rows need.
        needed: usize,
        /// The number of bytes that the buffer has.
        found: usize,
        /// The call, the argument and the row that caused the error.
        context: Context,
    },
    /// The address of a buffer is not aligned to the width of its elements.
    #[error("{context}the address of the buffer `{buffer}` must be a multiple of {needed} bytes{}", context.end())]
    BufferMisaligned {
        /// Name of the buffer.
        buffer: &'static str,
        /// The alignment that the elements need, in bytes.
        needed: usize,
        /// The call, the argument and the row that caused the error.
        context: Context,
    },
    /// A column of this type needs another number of children.
    #[error(
        "{context}a {data_type} column needs {expected} {}, found {found}{}",
        Counted::Children.word(*expected), context.end()
    )]
    ChildCount {
        /// The type of the column.
        data_type: DataType,
        /// The number of children that the type has.
        expected: usize,
        /// The number that was given.
        found: usize,
        /// The call, the argument and the row that caused the error.
        context: Context,
    },
    /// A child has fewer rows than its parent needs.
    #[error("{context}child {child} must have at least {}, found {found}{}", Counts(*needed, "row"), context.end())]
    ChildTooShort {
        /// Position of the child.
        child: usize,
        /// The number of rows that the parent needs.
        needed: usize,
        /// The number of rows that the child has.
        found: usize,
        /// The call, the argument and the row that caused the error.
        context: Context,
    },
    /// A pattern, such as a regular expression, breaks a rule of its syntax, or is too large.
    #[error("{context}invalid pattern `{pattern}`{}: {what}{}", Offset(*.offset), context.end())]
    InvalidPattern {
        /// The invalid pattern.
        pattern: Box<str>,
        /// The position in the pattern, in bytes, at which the faulty part begins. `None` if the pattern as a whole is
        /// at fault.
        offset: Option<usize>,
        /// The rule that was broken.
        what: Box<str>,
        /// The call and the argument that caused the error.
        context: Context,
    },
    /// A text cannot be converted to a value of the requested type.
    #[error("{context}`{text}` is not a valid {data_type}{}", context.end())]
    InvalidText {
        /// The text that cannot be converted. If the text is long, only its beginning.
        text: Box<str>,
        /// The requested type.
        data_type: DataType,
        /// The call, the argument and the row that caused the error.
        context: Context,
    },
    /// No column has the name.
    #[error("{context}no column has the name `{name}`{}{}", Names { nearest, names }, context.end())]
    NameNotFound {
        /// The name that was looked for.
        name: Box<str>,
        /// The column name that is most similar to `name`, if there is a similar name.
        nearest: Option<Box<str>>,
        /// The names of all columns.
        names: Box<[Box<str>]>,
        /// The call that caused the error.
        context: Context,
    },
    /// Several columns would have the same name.
    #[error("{context}several columns have the name `{name}`; give each column a name of its own{}", context.end())]
    DuplicateName {
        /// The name that several columns would have.
        name: Box<str>,
        /// The call that caused the error.
        context: Context,
    },
    /// A source of rows cannot be read, for example because a file is damaged.
    #[error("{context}{}{}", WithCauses(&**error), context.end())]
    Source {
        /// The error of the reader.
        error: Box<dyn std::error::Error + Send + Sync>,
        /// The call that caused the error.
        context: Context,
    },
    /// An invariant of gdf does not hold.
    ///
    /// This is a defect of the library. Neither the data nor the arguments are at fault. Please report the defect at
    /// <https://github.com/gdf-rs/gdf/issues>, with the text of the error and the call.
    #[error("{context}a defect of gdf: {what}; please report it{}", context.end())]
    Internal {
        /// A description of the situation that should not occur.
        what: &'static str,
        /// The call that failed.
        context: Context,
    },
    /// Arrow refused data. The variant holds the error of Arrow.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
}

/// The text of the error, followed by the texts of its causes.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt_with_causes(self, f)
    }
}
