//! The physical type of each logical type, and functions that return properties of a type.
//!
//! Kernels are chosen by [`PhysicalType`] and not by [`DataType`]. For example, nearly all kernels treat a timestamp as
//! an `i64`. To compare two logical types, use [`same_type`] and not `==`, because `==` also compares field names,
//! nullability and metadata.

use arrow_schema::{DataType, IntervalUnit, UnionMode};

/// The representation of a type in memory. A kernel depends only on this representation.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PhysicalType {
    /// One bit per value, least significant first.
    Bool,
    /// 8-bit signed integer.
    I8,
    /// 16-bit signed integer.
    I16,
    /// 32-bit signed integer; dates, times, durations, decimals of 32 bits, months.
    I32,
    /// 64-bit signed integer; dates, times, timestamps, durations, decimals of 64 bits.
    I64,
    /// 8-bit unsigned integer.
    U8,
    /// 16-bit unsigned integer.
    U16,
    /// 32-bit unsigned integer.
    U32,
    /// 64-bit unsigned integer.
    U64,
    /// IEEE half precision.
    F16,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
    /// Decimals of 128 bits.
    I128,
    /// Decimals of 256 bits.
    I256,
    /// Days and milliseconds, 32 bits each.
    IntervalDayTime,
    /// Months and days of 32 bits each, and nanoseconds of 64 bits.
    IntervalMonthDayNano,
    /// Binary values of this many bytes each.
    FixedBinary(usize),
    /// UTF-8 text: offsets and bytes.
    String {
        /// Whether offsets have 64 bits.
        large: bool,
    },
    /// Byte strings: offsets and bytes.
    Binary {
        /// Whether offsets have 64 bits.
        large: bool,
    },
    /// 16-byte views, as in Arrow, that refer to bytes in any number of data buffers.
    View {
        /// Whether the bytes are UTF-8.
        utf8: bool,
    },
    /// Lists: offsets into one child.
    List {
        /// Whether offsets have 64 bits.
        large: bool,
    },
    /// List views: an offset and a size per row. Both together select elements of the one child. The offsets may be in
    /// any order.
    ListView {
        /// Whether offsets and sizes have 64 bits.
        large: bool,
    },
    /// Lists in which every row has this number of elements. The elements of all rows are in the one child.
    FixedSizeList(usize),
    /// Maps: 32-bit offsets into one child. The rows of the child are pairs of a key and a value.
    Map,
    /// Structs: one child per field. All children have the length of the column.
    Struct,
    /// Dictionaries: an integer key per row, which selects a row of the one child.
    Dictionary,
    /// Unions: one child per field, and a type id per row that selects the child. Dense unions also have an offset per
    /// row.
    Union {
        /// Whether each row has an offset into its child. The children can then be shorter than the column.
        dense: bool,
    },
    /// Run-end encoding: the end of each run, and one value per run.
    RunEnd,
    /// The column has no data: every row is null.
    Null,
}

impl PhysicalType {
    /// Returns the number of bytes of a value. Returns `None` if a value has no fixed number of whole bytes. That is
    /// the case for booleans, which are bits, for types of variable width, for nested and dictionary types, and for
    /// `Null`.
    pub const fn width(self) -> Option<usize> {
        Some(match self {
            PhysicalType::I8 | PhysicalType::U8 => 1,
            PhysicalType::I16 | PhysicalType::U16 | PhysicalType::F16 => 2,
            PhysicalType::I32 | PhysicalType::U32 | PhysicalType::F32 => 4,
            PhysicalType::I64 | PhysicalType::U64 | PhysicalType::F64 | PhysicalType::IntervalDayTime => 8,
            PhysicalType::I128 | PhysicalType::IntervalMonthDayNano => 16,
            PhysicalType::I256 => 32,
            PhysicalType::FixedBinary(width) => width,
            _ => return None,
        })
    }

    /// Returns the alignment in bytes that values need in memory. The alignment is 1 for booleans, for fixed-size
    /// binary values, for bytes of text, and for types without a buffer of values.
    ///
    /// Intervals are aligned to their width, although Arrow requires a smaller alignment. Kernels can then load and
    /// store an interval as one word.
    pub const fn alignment(self) -> usize {
        match self {
            PhysicalType::I16 | PhysicalType::U16 | PhysicalType::F16 => 2,
            PhysicalType::I32 | PhysicalType::U32 | PhysicalType::F32 => 4,
            PhysicalType::I64 | PhysicalType::U64 | PhysicalType::F64 | PhysicalType::IntervalDayTime => 8,
            PhysicalType::I128
            | PhysicalType::I256
            | PhysicalType::IntervalMonthDayNano
            | PhysicalType::View { .. } => 16,
            _ => 1,
        }
    }

    /// Returns whether every value has the same whole number of bytes.
    pub const fn is_fixed_width(self) -> bool {
        self.width().is_some()
    }

    /// Returns whether the type is one of the eight plain integers.
    pub const fn is_integral(self) -> bool {
        use PhysicalType::*;
        matches!(self, I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64)
    }

    /// Returns whether the type is one of the four plain integers with a sign.
    pub const fn is_signed(self) -> bool {
        use PhysicalType::*;
        matches!(self, I8 | I16 | I32 | I64)
    }

    /// Returns whether the type is half, single or double precision.
    pub const fn is_floating(self) -> bool {
        use PhysicalType::*;
        matches!(self, F16 | F32 | F64)
    }

    /// Returns whether the rows are text or byte strings with offsets. The function returns `false` for views.
    pub const fn has_byte_offsets(self) -> bool {
        matches!(self, PhysicalType::String { .. } | PhysicalType::Binary { .. })
    }

    /// Returns whether the type has 64-bit offsets. Such types are the large forms of text, byte strings, lists and
    /// list views.
    pub const fn is_large(self) -> bool {
        use PhysicalType::*;
        matches!(
            self,
            String { large: true } | Binary { large: true } | List { large: true } | ListView { large: true }
        )
    }
}

/// Returns the representation of `data_type`.
///
/// For a dictionary, the result is [`PhysicalType::Dictionary`]. To get the representation of the keys, call the
/// function with the type of the keys.
pub fn physical_type(data_type: &DataType) -> PhysicalType {
    use PhysicalType as P;
    match data_type {
        DataType::Null => P::Null,
        DataType::Boolean => P::Bool,
        DataType::Int8 => P::I8,
        DataType::Int16 => P::I16,
        DataType::Int32 | DataType::Date32 | DataType::Time32(_) | DataType::Decimal32(..) => P::I32,
        DataType::Interval(IntervalUnit::YearMonth) => P::I32,
        DataType::Interval(IntervalUnit::DayTime) => P::IntervalDayTime,
        DataType::Interval(IntervalUnit::MonthDayNano) => P::IntervalMonthDayNano,
        DataType::Int64
        | DataType::Date64
        | DataType::Time64(_)
        | DataType::Timestamp(..)
        | DataType::Duration(_)
        | DataType::Decimal64(..) => P::I64,
        DataType::UInt8 => P::U8,
        DataType::UInt16 => P::U16,
        DataType::UInt32 => P::U32,
        DataType::UInt64 => P::U64,
        DataType::Float16 => P::F16,
        DataType::Float32 => P::F32,
        DataType::Float64 => P::F64,
        DataType::Decimal128(..) => P::I128,
        DataType::Decimal256(..) => P::I256,
        DataType::FixedSizeBinary(width) => P::FixedBinary(usize::try_from(*width).unwrap_or(0)),
        DataType::Utf8 => P::String { large: false },
        DataType::LargeUtf8 => P::String { large: true },
        DataType::Binary => P::Binary { large: false },
        DataType::LargeBinary => P::Binary { large: true },
        DataType::Utf8View => P::View { utf8: true },
        DataType::BinaryView => P::View { utf8: false },
        DataType::List(_) => P::List { large: false },
        DataType::LargeList(_) => P::List { large: true },
        DataType::ListView(_) => P::ListView { large: false },
        DataType::LargeListView(_) => P::ListView { large: true },
        DataType::FixedSizeList(_, size) => P::FixedSizeList(usize::try_from(*size).unwrap_or(0)),
        DataType::Map(..) => P::Map,
        DataType::Struct(_) => P::Struct,
        DataType::Dictionary(..) => P::Dictionary,
        DataType::Union(_, mode) => P::Union { dense: *mode == UnionMode::Dense },
        DataType::RunEndEncoded(..) => P::RunEnd,
    }
}

/// Returns the number of bytes of a value of a fixed-width type. Returns `None` for booleans, for types of variable
/// width, for nested and dictionary types, and for `Null`.
pub fn width(data_type: &DataType) -> Option<usize> {
    physical_type(data_type).width()
}

/// Returns whether the type is an integer, a float or a decimal.
pub fn is_numeric(data_type: &DataType) -> bool {
    is_integral(data_type) || is_floating(data_type) || is_decimal(data_type)
}

/// Returns whether the type is one of the eight integers.
pub fn is_integral(data_type: &DataType) -> bool {
    is_signed_integral(data_type) || is_unsigned_integral(data_type)
}

/// Returns whether the type is one of the four signed integers.
pub fn is_signed_integral(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64)
}

/// Returns whether the type is one of the four unsigned integers.
pub fn is_unsigned_integral(data_type: &DataType) -> bool {
    matches!(data_type, DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64)
}

/// Returns whether the type is half, single or double precision.
pub fn is_floating(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Float16 | DataType::Float32 | DataType::Float64)
}

/// Returns whether the type is a decimal of any width.
pub fn is_decimal(data_type: &DataType) -> bool {
    decimal_parts(data_type).is_some()
}

/// Returns the width in bytes, precision and scale of a decimal type.
pub fn decimal_parts(data_type: &DataType) -> Option<(usize, u8, i8)> {
    match data_type {
        DataType::Decimal32(precision, scale) => Some((4, *precision, *scale)),
        DataType::Decimal64(precision, scale) => Some((8, *precision, *scale)),
        DataType::Decimal128(precision, scale) => Some((16, *precision, *scale)),
        DataType::Decimal256(precision, scale) => Some((32, *precision, *scale)),
        _ => None,
    }
}

/// Returns whether the type is a date, time, timestamp, duration or interval.
pub fn is_temporal(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Date32
            | DataType::Date64
            | DataType::Time32(_)
            | DataType::Time64(_)
            | DataType::Timestamp(..)
            | DataType::Duration(_)
            | DataType::Interval(_)
    )
}

/// Returns whether every value has the same whole number of bytes. The result is `false` for booleans, which are bits.
pub fn is_fixed_width(data_type: &DataType) -> bool {
    width(data_type).is_some()
}

/// Returns whether values are text, in any of the three layouts.
pub fn is_string(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Returns whether values are byte strings of variable length, in any of the three layouts.
pub fn is_binary(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Binary | DataType::LargeBinary | DataType::BinaryView)
}

/// Returns whether values are lists in any layout, maps included.
pub fn is_list(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::List(_)
            | DataType::LargeList(_)
            | DataType::ListView(_)
            | DataType::LargeListView(_)
            | DataType::FixedSizeList(..)
            | DataType::Map(..)
    )
}

/// Returns whether a column of the type can have a validity bitmask of its own.
///
/// A column of type `Null` needs no mask, because every row is null. Unions and run-end encoded columns have nulls in
/// their children only.
pub fn can_have_validity(data_type: &DataType) -> bool {
    !matches!(data_type, DataType::Null | DataType::Union(..) | DataType::RunEndEncoded(..))
}

/// Returns whether the nulls of a column of the type are known without its children. The nulls of unions and run-end
/// encoded columns are known from their children only.
pub fn has_known_nulls(data_type: &DataType) -> bool {
    can_have_validity(data_type) || *data_type == DataType::Null
}

/// Returns whether columns of the two types hold the same kind of values.
///
/// The comparison ignores names, nullability and metadata of children, the precision of decimals, and whether the keys
/// of maps are sorted. The comparison includes time units, time zones, scales, sizes, and the modes and type ids of
/// unions.
pub fn same_type(a: &DataType, b: &DataType) -> bool {
    use DataType as T;
    match (a, b) {
        (T::Decimal32(_, a), T::Decimal32(_, b))
        | (T::Decimal64(_, a), T::Decimal64(_, b))
        | (T::Decimal128(_, a), T::Decimal128(_, b))
        | (T::Decimal256(_, a), T::Decimal256(_, b)) => a == b,
        (T::List(a), T::List(b))
        | (T::LargeList(a), T::LargeList(b))
        | (T::ListView(a), T::ListView(b))
        | (T::LargeListView(a), T::LargeListView(b))
        | (T::Map(a, _), T::Map(b, _)) => same_type(a.data_type(), b.data_type()),
        (T::FixedSizeList(a, n), T::FixedSizeList(b, m)) => n == m && same_type(a.data_type(), b.data_type()),
        (T::Struct(a), T::Struct(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same_type(a.data_type(), b.data_type()))
        }
        (T::Union(a, mode_a), T::Union(b, mode_b)) => {
            mode_a == mode_b
                && a.len() == b.len()
                && a.iter().zip(b.iter()).all(|((i, a), (j, b))| i == j && same_type(a.data_type(), b.data_type()))
        }
        (T::Dictionary(key_a, a), T::Dictionary(key_b, b)) => same_type(key_a, key_b) && same_type(a, b),
        (T::RunEndEncoded(ends_a, a), T::RunEndEncoded(ends_b, b)) => {
            same_type(ends_a.data_type(), ends_b.data_type()) && same_type(a.data_type(), b.data_type())
        }
        _ => a == b,
    }
}

#[cfg(test)]
#[path = "data_type_tests.rs"]
pub(crate) mod tests;
