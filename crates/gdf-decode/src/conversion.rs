//! Which stored values become values of which types, and how.

use gdf_core::{DataType, TimeUnit, decimal_parts, width};

use crate::batch::{Encoding, Stored};

/// The number of bytes of a stored timestamp of 96 bits.
pub(crate) const INT96_BYTES: usize = 12;

/// The largest number of bytes of a value of `FixedSizeBinary`.
const MOST_FIXED: usize = 1 << 16;

/// What becomes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conversion {
    /// A bit.
    Bit,
    /// The bytes stay the same.
    Copy { width: usize },
    /// A value of any number of bytes, which stay the same.
    Bytes { width: usize },
    /// The low bits of 32 bits.
    Narrow { width: usize },
    /// An integer of `width` bytes whose absolute value is at most `largest`.
    Decimal { width: usize, stored: StoredDecimal, largest: i128 },
    /// A timestamp of 96 bits becomes one of 64 bits.
    Timestamp { unit: TimeUnit },
    /// The key of a text, in the dictionaries of all chunks one after the other.
    Keys,
    /// A text or binary value, with offsets of `width` bytes.
    Text { width: usize, is_utf8: bool },
}

/// How a column stores its decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoredDecimal {
    Int32,
    Int64,
    /// A fixed number of bytes, from 1 to 16. The most significant byte is the first.
    Bytes(usize),
}

/// Returns whether [`decode`](crate::decode()) makes columns of `data_type` from values that are `stored` so, in pages
/// of this encoding.
///
/// Integers of 8 and 16 bits are the low bits of what is stored. Times keep their unit: what is stored in another unit,
/// or as a decimal of another scale, is not for this crate. `INT96` becomes timestamps of any
/// unit. Microseconds and longer units wrap around, and nanoseconds that 64 bits do not reach are a flaw.
///
/// `BYTE_ARRAY` becomes text or binary values with offsets of either size. By keys, it also becomes `UInt32`: the keys
/// of the dictionaries of all chunks, one after the other. The caller gathers the texts.
pub fn supports(stored: Stored, data_type: &DataType, encoding: Encoding) -> bool {
    Conversion::of(stored, data_type).is_some_and(|conversion| conversion.has(stored, encoding))
}

impl Conversion {
    /// Returns how stored values become values of `data_type`.
    pub(crate) fn of(stored: Stored, data_type: &DataType) -> Option<Conversion> {
        use DataType::{
            Binary, Boolean, Date32, Date64, Duration, FixedSizeBinary, Float16, Float32, Float64, Int8, Int16, Int32,
            Int64, LargeBinary, LargeUtf8, Time32, Time64, Timestamp, UInt8, UInt16, UInt32, UInt64, Utf8,
        };

        if let Some((width, precision, _)) = decimal_parts(data_type) {
            let digits = match width {
                4 => 9,
                8 => 18,
                16 => 38,
                _ => return None,
            };
            let stored = StoredDecimal::of(stored)?;
            let largest = 10_i128.checked_pow(precision.into())? - 1;
            return (1..=digits).contains(&precision).then_some(Conversion::Decimal { width, stored, largest });
        }
        if stored == Stored::Boolean {
            return (*data_type == Boolean).then_some(Conversion::Bit);
        }
        if let (Stored::FixedLenByteArray(size), FixedSizeBinary(width)) = (stored, data_type) {
            let is_same = usize::try_from(*width) == Ok(size) && (1..=MOST_FIXED).contains(&size);
            return is_same.then_some(Conversion::Bytes { width: size });
        }
        if let (Stored::Int96, Timestamp(unit, _)) = (stored, data_type) {
            return Some(Conversion::Timestamp { unit: *unit });
        }
        if stored == Stored::ByteArray {
            return match data_type {
                UInt32 => Some(Conversion::Keys),
                Utf8 | LargeUtf8 | Binary | LargeBinary => {
                    let width = if matches!(data_type, Utf8 | Binary) { 4 } else { 8 };
                    Some(Conversion::Text { width, is_utf8: matches!(data_type, Utf8 | LargeUtf8) })
                }
                _ => None,
            };
        }
        let is_stored_so = match stored {
            Stored::Int32 => matches!(data_type, Int8 | Int16 | Int32 | UInt8 | UInt16 | UInt32 | Date32 | Time32(_)),
            Stored::Int64 => {
                matches!(data_type, Int64 | UInt64 | Date64 | Time64(_) | Timestamp(..) | Duration(_))
            }
            Stored::Float => *data_type == Float32,
            Stored::Double => *data_type == Float64,
            Stored::FixedLenByteArray(size) => size == 2 && *data_type == Float16,
            Stored::Boolean | Stored::Int96 | Stored::ByteArray => false,
        };
        let width = width(data_type).filter(|_| is_stored_so)?;
        let narrows = matches!(data_type, Int8 | Int16 | UInt8 | UInt16);
        Some(if narrows { Conversion::Narrow { width } } else { Conversion::Copy { width } })
    }

    /// Returns whether the values are texts, and not their keys.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Conversion::Text { .. })
    }

    /// Returns whether the values of dictionaries are converted before keys refer to them.
    pub(crate) fn converts_dictionaries(self) -> bool {
        matches!(self, Conversion::Decimal { .. } | Conversion::Timestamp { .. })
    }

    /// Returns whether the pages of a column can have this encoding.
    pub(crate) fn has(self, stored: Stored, encoding: Encoding) -> bool {
        match encoding {
            Encoding::Plain => self != Conversion::Keys,
            Encoding::Keys => self != Conversion::Bit,
            Encoding::Rle => self == Conversion::Bit,
            Encoding::ByteStreamSplit => !matches!(stored, Stored::Boolean | Stored::Int96 | Stored::ByteArray),
            Encoding::DeltaBinaryPacked => matches!(stored, Stored::Int32 | Stored::Int64),
            Encoding::DeltaLengthByteArray => self.is_text(),
            Encoding::DeltaByteArray => self.is_text() || matches!(stored, Stored::FixedLenByteArray(_)),
        }
    }

    /// Returns the number of bytes of a value of the column, or of the offset of a text. Bits have none of their own.
    pub(crate) fn width(self) -> usize {
        match self {
            Conversion::Bit => 0,
            Conversion::Copy { width }
            | Conversion::Bytes { width }
            | Conversion::Narrow { width }
            | Conversion::Decimal { width, .. }
            | Conversion::Text { width, .. } => width,
            Conversion::Timestamp { .. } => size_of::<i64>(),
            Conversion::Keys => size_of::<u32>(),
        }
    }

    /// Returns the number of bytes of `values` values in a plain page. Texts have at least these bytes.
    pub(crate) fn plain_bytes(self, values: usize) -> Option<usize> {
        match self {
            Conversion::Bit => Some(values.div_ceil(8)),
            _ => values.checked_mul(self.stored_width()),
        }
    }

    /// Returns the number of bytes of a value in a plain page. A text begins with its size, and has at least these bytes.
    /// Bits have none of their own.
    pub(crate) fn stored_width(self) -> usize {
        match self {
            Conversion::Bit => 0,
            Conversion::Copy { width } | Conversion::Bytes { width } => width,
            Conversion::Narrow { .. } | Conversion::Keys | Conversion::Text { .. } => 4,
            Conversion::Decimal { stored, .. } => stored.width(),
            Conversion::Timestamp { .. } => INT96_BYTES,
        }
    }
}

/// Returns the number of a unit in a second.
pub(crate) fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

impl StoredDecimal {
    /// Returns `None` for what is not the form of decimals.
    pub(crate) fn of(stored: Stored) -> Option<StoredDecimal> {
        match stored {
            Stored::Int32 => Some(StoredDecimal::Int32),
            Stored::Int64 => Some(StoredDecimal::Int64),
            Stored::FixedLenByteArray(size @ 1..=16) => Some(StoredDecimal::Bytes(size)),
            Stored::Boolean
            | Stored::Int96
            | Stored::Float
            | Stored::Double
            | Stored::ByteArray
            | Stored::FixedLenByteArray(_) => None,
        }
    }

    /// Returns the number of bytes of a value.
    pub(crate) fn width(self) -> usize {
        match self {
            StoredDecimal::Int32 => 4,
            StoredDecimal::Int64 => 8,
            StoredDecimal::Bytes(size) => size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_the_width_of_what_is_stored() {
        let both = |stored, data_type: &DataType| {
            let found = [Encoding::Plain, Encoding::Keys].map(|encoding| supports(stored, data_type, encoding));
            assert_eq!(found[0], found[1], "{stored:?} {data_type}");
            found[0]
        };
        for data_type in [DataType::Int8, DataType::UInt16, DataType::UInt32, DataType::Date32] {
            assert!(both(Stored::Int32, &data_type) && !both(Stored::Int64, &data_type), "{data_type}");
        }
        for data_type in [DataType::UInt64, DataType::Time64(TimeUnit::Nanosecond)] {
            assert!(both(Stored::Int64, &data_type) && !both(Stored::Int32, &data_type), "{data_type}");
        }
        assert!(both(Stored::Float, &DataType::Float32) && both(Stored::Double, &DataType::Float64));
        assert!(!both(Stored::Float, &DataType::Float64) && !both(Stored::Int32, &DataType::Float32));
        assert!(!supports(Stored::ByteArray, &DataType::UInt32, Encoding::Plain));
        assert!(supports(Stored::ByteArray, &DataType::UInt32, Encoding::Keys));
        for data_type in [DataType::Utf8, DataType::LargeUtf8, DataType::Binary, DataType::LargeBinary] {
            assert!(both(Stored::ByteArray, &data_type) && !both(Stored::FixedLenByteArray(4), &data_type));
        }
        assert!(!both(Stored::ByteArray, &DataType::Utf8View) && !both(Stored::Int32, &DataType::Boolean));
        assert!(both(Stored::FixedLenByteArray(2), &DataType::Float16));
        assert!(both(Stored::FixedLenByteArray(20), &DataType::FixedSizeBinary(20)));
        for size in [0, 19, MOST_FIXED + 1] {
            let width = if size == 19 { 20 } else { size as i32 };
            assert!(!both(Stored::FixedLenByteArray(size), &DataType::FixedSizeBinary(width)), "{size}");
        }
        assert!(!both(Stored::FixedLenByteArray(4), &DataType::Float16));
        assert!(both(Stored::Int96, &DataType::Timestamp(TimeUnit::Second, None)));
        assert!(!both(Stored::Int96, &DataType::Int64));
        let booleans = [Encoding::Plain, Encoding::Rle, Encoding::Keys];
        let booleans = booleans.map(|encoding| supports(Stored::Boolean, &DataType::Boolean, encoding));
        assert_eq!(booleans, [true, true, false]);
        assert!(!supports(Stored::Boolean, &DataType::UInt8, Encoding::Plain));
        assert!(!supports(Stored::Int32, &DataType::Int32, Encoding::Rle));
    }

    #[test]
    fn decimals_have_the_digits_of_their_width() {
        for (data_type, fits) in [
            (DataType::Decimal32(9, 2), true),
            (DataType::Decimal32(10, 2), false),
            (DataType::Decimal64(18, 2), true),
            (DataType::Decimal64(19, 2), false),
            (DataType::Decimal128(38, 2), true),
            (DataType::Decimal128(0, 0), false),
            (DataType::Decimal256(40, 2), false),
        ] {
            for stored in [Stored::Int32, Stored::Int64, Stored::FixedLenByteArray(1), Stored::FixedLenByteArray(16)] {
                assert_eq!(supports(stored, &data_type, Encoding::Plain), fits, "{stored:?} {data_type}");
            }
            for stored in [Stored::FixedLenByteArray(0), Stored::FixedLenByteArray(17), Stored::Double] {
                assert!(!supports(stored, &data_type, Encoding::Plain), "{stored:?} {data_type}");
            }
        }
    }
}
