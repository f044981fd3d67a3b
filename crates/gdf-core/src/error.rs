//! The error of every operation on columns: typed by what the caller can do, with fields instead of prose.

use std::fmt;

use arrow_schema::{ArrowError, DataType};
use gdf_driver::{Device, DriverError};
use gdf_memory::MemoryError;

use crate::data_rule::{DataRule, Place};
use crate::error_context::{Context, Counted, ExpectedType, Position};
use crate::error_text::{Bounds, Counts, Limit, Mismatch, Numbers, Offset, Refused, fmt_with_causes};

/// The result of an operation on columns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong in an operation on columns.
///
/// The texts are for people and may change; match on variants and fields. `{:?}` gives the text, too: it is what Rust prints of an error
/// that `main` returns.
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
        /// Who refused, and how much was asked for: [`MemoryError::OutOfMemory`].
        refusal: MemoryError,
        /// Which call it is about.
        context: Context,
    },
    /// The driver refused memory, or a buffer was used in a way it does not allow.
    #[error(transparent)]
    Memory(MemoryError),
    /// The operation does not exist for this type.
    #[error("{}{}", Refused { operation, data_type, other, to, context }, context.end())]
    Unsupported {
        /// Name of the operation, or of the part of it that refuses.
        operation: &'static str,
        /// The type it was asked for.
        data_type: DataType,
        /// The type of the second operand, if the pair is what does not exist.
        other: Option<DataType>,
        /// The type of the result, if that is what does not exist.
        to: Option<DataType>,
        /// Which call, argument and row it is about.
        context: Context,
    },
    /// A value has another type than the operation asks for, or than goes with its other values.
    #[error("{context}{}{}", Mismatch(expected, found), context.end())]
    TypeMismatch {
        /// The type, or class of types, that was asked for.
        expected: ExpectedType,
        /// The type that was given.
        found: DataType,
        /// Which call, argument and row it is about.
        context: Context,
    },
    /// Two lengths that must agree do not.
    #[error("{context}expected {}, found {found}{}", Counts(*expected, "row"), context.end())]
    LengthMismatch {
        /// The length that was asked for.
        expected: usize,
        /// The length that was given.
        found: usize,
        /// Which call, argument and row it is about.
        context: Context,
    },
    /// An input lives on another device than the others.
    #[error("{context}expected data on {expected}, found data on {found}{}", context.end())]
    DeviceMismatch {
        /// The device of the operation.
        expected: Device,
        /// The device of the offending input.
        found: Device,
        /// Which call, argument and row it is about.
        context: Context,
    },
    /// An index or range lies outside of what it indexes.
    #[error("{}{}", Bounds { index: *index, offset: *offset, len: *len, of: *of, context }, context.end())]
    OutOfBounds {
        /// The index, or the end of the range.
        index: i128,
        /// The length of what was indexed.
        len: usize,
        /// Where the range begins, if it is one.
        offset: Option<usize>,
        /// What was indexed.
        of: Counted,
        /// Which call, argument and row it is about.
        context: Context,
    },
    /// The result does not fit 32-bit offsets; cast the input to its `Large` type.
    #[error("{context}{needed} elements do not fit 32-bit offsets; cast the input to its `Large` type{}", context.end())]
    OffsetOverflow {
        /// How many bytes or elements the result would have.
        needed: u64,
        /// Which call, argument and row it is about.
        context: Context,
    },
    /// An argument makes no sense, whatever the data.
    #[error("{context}{}{}", Limit { what, value: *value, limit: *limit }, context.end())]
    InvalidArgument {
        /// The rule that was broken; with a limit, the name of the value.
        what: &'static str,
        /// The value that was given, where that is a number.
        value: Option<i128>,
        /// What the value must not exceed, or fall below.
        limit: Option<i128>,
        /// Which call, argument and row it is about.
        context: Context,
    },
    /// Values that an operation has no answer for, although they are of their type: a divisor that is zero, a null in a partition
    /// map, a local time that clocks show twice. Also bytes that turn out to be no column while they are read: metadata of a packed
    /// table, offsets out of their buffer. Of a column that was looked at as a whole it is [`Error::BrokenData`].
    #[error("{context}invalid data: {what}{}", context.end())]
    InvalidData {
        /// The rule that was broken.
        what: &'static str,
        /// Which call, argument and row it is about.
        context: Context,
    },
    /// The data of a column, or of a child of it, break a rule of their type. What validation says, which looks at a whole column
    /// before it is first used, with rule, row and path; [`Error::InvalidData`] is about values that the rules allow.
    #[error("{context}{data_type}: {rule}{}{}", Place(*.row, .path), context.end())]
    BrokenData {
        /// The type of the column or child whose data they are.
        data_type: DataType,
        /// The rule that was broken.
        rule: DataRule,
        /// The first row at fault, counted from the first row of the column or child; none where the rule is about all rows.
        row: Option<usize>,
        /// The way there: in a table the position of the column, then of the child, of its child, and so on.
        path: Vec<usize>,
        /// Which call, argument and row it is about.
        context: Context,
    },
    /// Two tables, or a table and its description, differ in their number of columns.
    #[error("{context}{}{}", Numbers((*expected, counted.0), (*found, counted.1)), context.end())]
    ColumnCount {
        /// The number that was asked for.
        expected: usize,
        /// The number that was given.
        found: usize,
        /// What the two numbers count, each as one of them is called: `("sort key", "order")`.
        counted: (&'static str, &'static str),
        /// Which call, argument and row it is about.
        context: Context,
    },
    /// A column of this type needs another number of buffers.
    #[error("{context}{data_type} has {expected} buffers, found {found}{}", context.end())]
    BufferCount {
        /// The type of the column.
        data_type: DataType,
        /// The number (or the least number) of its buffers.
        expected: usize,
        /// The number that was given.
        found: usize,
        /// Which call, argument and row it is about.
        context: Context,
    },
    /// A buffer is shorter than the rows ask for.
    #[error("{context}buffer `{buffer}` needs {needed} bytes, has {found}{}", context.end())]
    BufferTooSmall {
        /// Which buffer.
        buffer: &'static str,
        /// How many bytes the rows ask for.
        needed: usize,
        /// How many it has.
        found: usize,
        /// Which call, argument and row it is about.
        context: Context,
    },
    /// A buffer's address does not suit the width of its elements.
    #[error("{context}buffer `{buffer}` must be aligned to {needed} bytes{}", context.end())]
    BufferMisaligned {
        /// Which buffer.
        buffer: &'static str,
        /// The alignment that the elements ask for.
        needed: usize,
        /// Which call, argument and row it is about.
        context: Context,
    },
    /// A column of this type needs another number of children.
    #[error("{context}{data_type} has {expected} children, found {found}{}", context.end())]
    ChildCount {
        /// The type of the column.
        data_type: DataType,
        /// The number of its children.
        expected: usize,
        /// The number that was given.
        found: usize,
        /// Which call, argument and row it is about.
        context: Context,
    },
    /// A child has fewer rows than its parent asks for.
    #[error("{context}child {child} needs {needed} rows, has {found}{}", context.end())]
    ChildTooShort {
        /// Position of the child.
        child: usize,
        /// How many rows the parent asks for.
        needed: usize,
        /// How many it has.
        found: usize,
        /// Which call, argument and row it is about.
        context: Context,
    },
    /// A pattern, such as a regular expression, breaks a rule of its syntax, or is too large.
    #[error("{context}invalid pattern `{pattern}`{}: {what}{}", Offset(*.offset), context.end())]
    InvalidPattern {
        /// The pattern.
        pattern: Box<str>,
        /// Where the part begins that is at fault, in bytes, if it is a part.
        offset: Option<usize>,
        /// The rule that was broken.
        what: Box<str>,
        /// Which call and argument it is about.
        context: Context,
    },
    /// A text is no value of the type that it was to become.
    #[error("{context}`{text}` is no {data_type}{}", context.end())]
    InvalidText {
        /// The text, or the beginning of a long one.
        text: Box<str>,
        /// The type that it was to become.
        data_type: DataType,
        /// Which call, argument and row it is about.
        context: Context,
    },
    /// An invariant of gdf does not hold: a defect of the library, and none of the data or of the arguments. Please report it at
    /// <https://github.com/gdf-rs/gdf/issues>, with the text and the call.
    #[error("{context}a defect of gdf: {what}; please report it{}", context.end())]
    Internal {
        /// What was found.
        what: &'static str,
        /// In which call.
        context: Context,
    },
    /// Arrow refused data; it carries arrow's own error.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
}

/// The text, and the texts of what caused it.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt_with_causes(self, f)
    }
}

impl gdf_memory::RanOut for Error {
    fn ran_out(&self) -> Option<usize> {
        match self {
            Error::OutOfMemory { refusal, .. } => refusal.ran_out(),
            Error::Memory(error) => error.ran_out(),
            _ => self.is_out_of_memory().then_some(0),
        }
    }
}

impl From<MemoryError> for Error {
    fn from(error: MemoryError) -> Error {
        match error {
            refusal @ MemoryError::OutOfMemory { .. } => Error::OutOfMemory { refusal, context: Context::EMPTY },
            other => Error::Memory(other),
        }
    }
}

/// Errors without context. None of them allocates, but for copies of nested types, so that they may be made eagerly.
impl Error {
    /// A [`Error::Unsupported`] that clones the type.
    #[cold]
    pub fn unsupported(operation: &'static str, data_type: &DataType) -> Error {
        let data_type = data_type.clone();
        Error::Unsupported { operation, data_type, other: None, to: None, context: Context::EMPTY }
    }

    /// A [`Error::Unsupported`] for a pair of types.
    #[cold]
    pub fn unsupported_pair(operation: &'static str, left: &DataType, right: &DataType) -> Error {
        let (data_type, other) = (left.clone(), Some(right.clone()));
        Error::Unsupported { operation, data_type, other, to: None, context: Context::EMPTY }
    }

    /// A [`Error::Unsupported`] for a conversion.
    #[cold]
    pub fn unsupported_result(operation: &'static str, from: &DataType, to: &DataType) -> Error {
        let (data_type, to) = (from.clone(), Some(to.clone()));
        Error::Unsupported { operation, data_type, other: None, to, context: Context::EMPTY }
    }

    /// A [`Error::TypeMismatch`]: a type, or the name of a class of types, was asked for.
    #[cold]
    pub fn type_mismatch(expected: impl Into<ExpectedType>, found: &DataType) -> Error {
        Error::TypeMismatch { expected: expected.into(), found: found.clone(), context: Context::EMPTY }
    }

    /// A [`Error::TypeMismatch`] of two inputs that do not go together.
    #[cold]
    pub fn incompatible_types(left: &DataType, right: &DataType) -> Error {
        Error::type_mismatch(ExpectedType::CompatibleWith(left.clone()), right)
    }

    /// A [`Error::LengthMismatch`].
    pub const fn length_mismatch(expected: usize, found: usize) -> Error {
        Error::LengthMismatch { expected, found, context: Context::EMPTY }
    }

    /// A [`Error::DeviceMismatch`].
    pub const fn device_mismatch(expected: Device, found: Device) -> Error {
        Error::DeviceMismatch { expected, found, context: Context::EMPTY }
    }

    /// A [`Error::OutOfBounds`] of a row.
    pub const fn out_of_bounds(index: i128, len: usize) -> Error {
        Error::OutOfBounds { index, len, offset: None, of: Counted::Rows, context: Context::EMPTY }
    }

    /// A [`Error::OutOfBounds`] of something other than rows.
    pub const fn index_out_of_bounds(of: Counted, index: usize, len: usize) -> Error {
        Error::OutOfBounds { index: index as i128, len, offset: None, of, context: Context::EMPTY }
    }

    /// A [`Error::OutOfBounds`] of the range of `count` from `offset` on.
    pub const fn range_out_of_bounds(of: Counted, offset: usize, count: usize, len: usize) -> Error {
        let index = offset as i128 + count as i128;
        Error::OutOfBounds { index, len, offset: Some(offset), of, context: Context::EMPTY }
    }

    /// A [`Error::OffsetOverflow`].
    pub const fn offset_overflow(needed: u64) -> Error {
        Error::OffsetOverflow { needed, context: Context::EMPTY }
    }

    /// A [`Error::InvalidArgument`]: the rule that was broken.
    pub const fn invalid_argument(what: &'static str) -> Error {
        Error::InvalidArgument { what, value: None, limit: None, context: Context::EMPTY }
    }

    /// A [`Error::InvalidArgument`]: the rule that was broken, and the number that breaks it.
    pub const fn invalid_number(what: &'static str, value: i128) -> Error {
        Error::InvalidArgument { what, value: Some(value), limit: None, context: Context::EMPTY }
    }

    /// A [`Error::InvalidArgument`]: a value of this name beyond, or below, its limit.
    pub const fn beyond_limit(what: &'static str, value: i128, limit: i128) -> Error {
        Error::InvalidArgument { what, value: Some(value), limit: Some(limit), context: Context::EMPTY }
    }

    /// A [`Error::InvalidData`]: the rule that was broken.
    pub const fn invalid_data(what: &'static str) -> Error {
        Error::InvalidData { what, context: Context::EMPTY }
    }

    /// A [`Error::Internal`]: what was found.
    #[cold]
    pub const fn internal(what: &'static str) -> Error {
        Error::Internal { what, context: Context::EMPTY }
    }

    /// A [`Error::BrokenData`].
    #[cold]
    pub fn broken_data(data_type: DataType, rule: DataRule, row: Option<usize>, path: Vec<usize>) -> Error {
        Error::BrokenData { data_type, rule, row, path, context: Context::EMPTY }
    }

    /// A [`Error::ColumnCount`] of columns.
    pub const fn column_count(expected: usize, found: usize) -> Error {
        Error::count_mismatch((expected, "column"), (found, "column"))
    }

    /// A [`Error::ColumnCount`] of columns and what describes them: numbers, and what one of them is called.
    pub const fn count_mismatch(expected: (usize, &'static str), found: (usize, &'static str)) -> Error {
        let counted = (expected.1, found.1);
        Error::ColumnCount { expected: expected.0, found: found.0, counted, context: Context::EMPTY }
    }

    /// A [`Error::BufferCount`] that clones the type.
    #[cold]
    pub fn buffer_count(data_type: &DataType, expected: usize, found: usize) -> Error {
        Error::BufferCount { data_type: data_type.clone(), expected, found, context: Context::EMPTY }
    }

    /// A [`Error::BufferTooSmall`].
    pub const fn buffer_too_small(buffer: &'static str, needed: usize, found: usize) -> Error {
        Error::BufferTooSmall { buffer, needed, found, context: Context::EMPTY }
    }

    /// A [`Error::BufferMisaligned`].
    pub const fn buffer_misaligned(buffer: &'static str, needed: usize) -> Error {
        Error::BufferMisaligned { buffer, needed, context: Context::EMPTY }
    }

    /// A [`Error::ChildCount`] that clones the type.
    #[cold]
    pub fn child_count(data_type: &DataType, expected: usize, found: usize) -> Error {
        Error::ChildCount { data_type: data_type.clone(), expected, found, context: Context::EMPTY }
    }

    /// A [`Error::InvalidPattern`]: the pattern, the byte at which the fault begins, and the rule that was broken.
    #[cold]
    pub fn invalid_pattern(pattern: &str, offset: Option<usize>, what: impl Into<Box<str>>) -> Error {
        Error::InvalidPattern { pattern: pattern.into(), offset, what: what.into(), context: Context::EMPTY }
    }

    /// A [`Error::InvalidText`] that clones the type.
    #[cold]
    pub fn invalid_text(text: &str, data_type: &DataType) -> Error {
        Error::InvalidText { text: text.into(), data_type: data_type.clone(), context: Context::EMPTY }
    }

    /// A [`Error::ChildTooShort`].
    pub const fn child_too_short(child: usize, needed: usize, found: usize) -> Error {
        Error::ChildTooShort { child, needed, found, context: Context::EMPTY }
    }
}

/// The context of an error behind a reference, shared or exclusive as that is.
macro_rules! context_of {
    ($error:expr) => {
        match $error {
            Error::Driver(_) | Error::Memory(_) | Error::Arrow(_) => None,
            Error::Unsupported { context, .. }
            | Error::TypeMismatch { context, .. }
            | Error::LengthMismatch { context, .. }
            | Error::DeviceMismatch { context, .. }
            | Error::OutOfBounds { context, .. }
            | Error::OffsetOverflow { context, .. }
            | Error::InvalidArgument { context, .. }
            | Error::InvalidData { context, .. }
            | Error::BrokenData { context, .. }
            | Error::ColumnCount { context, .. }
            | Error::BufferCount { context, .. }
            | Error::BufferTooSmall { context, .. }
            | Error::BufferMisaligned { context, .. }
            | Error::ChildCount { context, .. }
            | Error::ChildTooShort { context, .. }
            | Error::InvalidPattern { context, .. }
            | Error::InvalidText { context, .. }
            | Error::Internal { context, .. }
            | Error::OutOfMemory { context, .. } => Some(context),
        }
    };
}

/// What an error is about. Errors of the driver, of buffers and of arrow-rs have no context and stay as they are.
impl Error {
    /// Which call, argument and row it is about.
    pub fn context(&self) -> Option<&Context> {
        context_of!(self)
    }

    #[cold]
    fn with(mut self, change: impl FnOnce(&mut Context)) -> Error {
        if let Some(context) = context_of!(&mut self) {
            change(context);
        }
        self
    }

    /// The same, of a call of the public function `operation`, in place of one that was called by it.
    #[must_use]
    pub fn in_operation(self, operation: &'static str) -> Error {
        self.with(|context| context.set_operation(operation))
    }

    /// As [`Error::in_operation`], of a function whose name says the operator or aggregation, which is then not named again.
    #[must_use]
    pub fn in_short_form(self, operation: &'static str) -> Error {
        self.with(|context| context.set_short_form(operation))
    }

    /// The same, of an operator or aggregation of the function, unless one is named already.
    #[must_use]
    pub fn in_variant(self, variant: &'static str) -> Error {
        self.with(|context| context.set_variant(variant))
    }

    /// The same, about an argument, unless one is named already.
    #[must_use]
    pub fn in_argument(self, argument: &'static str) -> Error {
        self.with(|context| context.set_argument(argument))
    }

    /// The same, about one of several inputs, columns or rows, unless one is named already.
    #[must_use]
    pub fn at(self, position: Position) -> Error {
        self.with(|context| context.set_position(position))
    }

    /// The same, about something of type `data_type`, unless one is named already.
    #[must_use]
    pub fn in_type(self, data_type: &DataType) -> Error {
        self.with(|context| context.set_data_type(data_type))
    }

    /// The same, with what the caller can do, unless that is said already.
    #[must_use]
    pub fn with_remedy(self, remedy: &'static str) -> Error {
        self.with(|context| context.set_remedy(remedy))
    }

    /// Whether less memory, or more of it, would have helped.
    pub fn is_out_of_memory(&self) -> bool {
        match self {
            Error::OutOfMemory { .. } | Error::Memory(MemoryError::OutOfMemory { .. }) => true,
            Error::Memory(MemoryError::Driver(DriverError::Call { status, .. }))
            | Error::Driver(DriverError::Call { status, .. }) => status.is_out_of_memory(),
            _ => false,
        }
    }
}
