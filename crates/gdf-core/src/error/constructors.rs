//! Constructors of errors.

use arrow_schema::DataType;
use gdf_driver::Device;

use super::{Context, Counted, DataRule, Error, ExpectedType};

/// Constructors of errors without context.
///
/// Most constructors allocate no memory, so callers may construct an error in advance, before they know whether the
/// error is needed. A constructor that copies a nested type, a text or a path allocates memory.
impl Error {
    /// Makes an [`Error::Unsupported`]. Clones the type.
    #[cold]
    pub fn unsupported(operation: &'static str, data_type: &DataType) -> Error {
        let data_type = data_type.clone();
        Error::Unsupported { operation, data_type, other: None, to: None, context: Context::EMPTY }
    }

    /// Makes an [`Error::Unsupported`] for a pair of types.
    #[cold]
    pub fn unsupported_pair(operation: &'static str, left: &DataType, right: &DataType) -> Error {
        let (data_type, other) = (left.clone(), Some(right.clone()));
        Error::Unsupported { operation, data_type, other, to: None, context: Context::EMPTY }
    }

    /// Makes an [`Error::Unsupported`] for a conversion.
    #[cold]
    pub fn unsupported_result(operation: &'static str, from: &DataType, to: &DataType) -> Error {
        let (data_type, to) = (from.clone(), Some(to.clone()));
        Error::Unsupported { operation, data_type, other: None, to, context: Context::EMPTY }
    }

    /// Makes an [`Error::Source`].
    #[cold]
    pub fn of_source(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Source { error: error.into(), context: Context::EMPTY }
    }

    /// Makes an [`Error::TypeMismatch`]. `expected` is the required type, or the name of the required class of types.
    #[cold]
    pub fn type_mismatch(expected: impl Into<ExpectedType>, found: &DataType) -> Error {
        Error::TypeMismatch { expected: expected.into(), found: found.clone(), context: Context::EMPTY }
    }

    /// Makes an [`Error::TypeMismatch`] of two inputs whose types cannot be combined.
    #[cold]
    pub fn incompatible_types(left: &DataType, right: &DataType) -> Error {
        Error::type_mismatch(ExpectedType::CompatibleWith(left.clone()), right)
    }

    /// Makes an [`Error::LengthMismatch`].
    pub const fn length_mismatch(expected: usize, found: usize) -> Error {
        Error::LengthMismatch { expected, found, context: Context::EMPTY }
    }

    /// Makes an [`Error::DeviceMismatch`].
    pub const fn device_mismatch(expected: Device, found: Device) -> Error {
        Error::DeviceMismatch { expected, found, context: Context::EMPTY }
    }

    /// Makes an [`Error::OutOfBounds`] of a row.
    pub const fn out_of_bounds(index: i128, len: usize) -> Error {
        Error::OutOfBounds { index, len, offset: None, of: Counted::Rows, context: Context::EMPTY }
    }

    /// Makes an [`Error::OutOfBounds`] of the items that `of` names.
    pub const fn index_out_of_bounds(of: Counted, index: usize, len: usize) -> Error {
        Error::OutOfBounds { index: index as i128, len, offset: None, of, context: Context::EMPTY }
    }

    /// Makes an [`Error::OutOfBounds`] of a range of `count` items that begins at `offset`.
    pub const fn range_out_of_bounds(of: Counted, offset: usize, count: usize, len: usize) -> Error {
        let index = offset as i128 + count as i128;
        Error::OutOfBounds { index, len, offset: Some(offset), of, context: Context::EMPTY }
    }

    /// Makes an [`Error::OffsetOverflow`].
    pub const fn offset_overflow(needed: u64) -> Error {
        Error::OffsetOverflow { needed, context: Context::EMPTY }
    }

    /// Makes an [`Error::InvalidArgument`]. `what` is the rule that was broken.
    pub const fn invalid_argument(what: &'static str) -> Error {
        Error::InvalidArgument { what, value: None, limit: None, context: Context::EMPTY }
    }

    /// Makes an [`Error::InvalidArgument`]. `what` is the rule that was broken, and `value` is the number that breaks
    /// the rule.
    pub const fn invalid_number(what: &'static str, value: i128) -> Error {
        Error::InvalidArgument { what, value: Some(value), limit: None, context: Context::EMPTY }
    }

    /// Makes an [`Error::InvalidArgument`] about a value beyond its limit. `what` is the name of the value. If `value`
    /// is greater than `limit`, the limit is an upper limit. If `value` is less, the limit is a lower limit.
    pub const fn beyond_limit(what: &'static str, value: i128, limit: i128) -> Error {
        Error::InvalidArgument { what, value: Some(value), limit: Some(limit), context: Context::EMPTY }
    }

    /// Makes an [`Error::InvalidData`]. `what` is the rule that was broken.
    pub const fn invalid_data(what: &'static str) -> Error {
        Error::InvalidData { what, context: Context::EMPTY }
    }

    /// Makes an [`Error::Internal`]. `what` describes the situation that should not occur.
    #[cold]
    pub const fn internal(what: &'static str) -> Error {
        Error::Internal { what, context: Context::EMPTY }
    }

    /// Makes an [`Error::BrokenData`].
    #[cold]
    pub fn broken_data(data_type: DataType, rule: DataRule, row: Option<usize>, path: Vec<usize>) -> Error {
        Error::BrokenData { data_type, rule, row, path, context: Context::EMPTY }
    }

    /// Makes an [`Error::ColumnCount`] of columns.
    pub const fn column_count(expected: usize, found: usize) -> Error {
        Error::count_mismatch((expected, "column"), (found, "column"))
    }

    /// Makes an [`Error::ColumnCount`] of two kinds of items, such as columns and orders. Each argument is the number
    /// of items and the noun for one item.
    pub const fn count_mismatch(expected: (usize, &'static str), found: (usize, &'static str)) -> Error {
        let counted = (expected.1, found.1);
        Error::ColumnCount { expected: expected.0, found: found.0, counted, context: Context::EMPTY }
    }

    /// Makes an [`Error::BufferCount`]. Clones the type.
    #[cold]
    pub fn buffer_count(data_type: &DataType, expected: usize, found: usize) -> Error {
        Error::BufferCount { data_type: data_type.clone(), expected, found, context: Context::EMPTY }
    }

    /// Makes an [`Error::BufferTooSmall`].
    pub const fn buffer_too_small(buffer: &'static str, needed: usize, found: usize) -> Error {
        Error::BufferTooSmall { buffer, needed, found, context: Context::EMPTY }
    }

    /// Makes an [`Error::BufferMisaligned`].
    pub const fn buffer_misaligned(buffer: &'static str, needed: usize) -> Error {
        Error::BufferMisaligned { buffer, needed, context: Context::EMPTY }
    }

    /// Makes an [`Error::ChildCount`]. Clones the type.
    #[cold]
    pub fn child_count(data_type: &DataType, expected: usize, found: usize) -> Error {
        Error::ChildCount { data_type: data_type.clone(), expected, found, context: Context::EMPTY }
    }

    /// Makes an [`Error::InvalidPattern`] from the pattern, the byte at which the faulty part begins, and the rule
    /// that was broken.
    #[cold]
    pub fn invalid_pattern(pattern: &str, offset: Option<usize>, what: impl Into<Box<str>>) -> Error {
        Error::InvalidPattern { pattern: pattern.into(), offset, what: what.into(), context: Context::EMPTY }
    }

    /// Makes an [`Error::InvalidText`]. Clones the type.
    #[cold]
    pub fn invalid_text(text: &str, data_type: &DataType) -> Error {
        Error::InvalidText { text: text.into(), data_type: data_type.clone(), context: Context::EMPTY }
    }

    /// Makes an [`Error::ChildTooShort`].
    pub const fn child_too_short(child: usize, needed: usize, found: usize) -> Error {
        Error::ChildTooShort { child, needed, found, context: Context::EMPTY }
    }
}
