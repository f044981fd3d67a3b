//! Single values on the CPU that operations accept next to columns: numbers, booleans, text, dates.

use std::ptr::NonNull;
use std::sync::{Arc, LazyLock};

use arrow_schema::DataType;
use gdf_driver::{Device, Stream};
use gdf_memory::{Buffer, ResourceRef};
use half::f16;

use crate::host_vec::{reserved, zeroed_host_vec};
use crate::types::native::expect_physical;
use crate::{
    Column, ColumnParts, Error, I256, NativeValue, PhysicalType, Result, bitmask, decimal_parts, is_string,
    physical_type, same_type,
};

/// A value on the CPU with its type.
///
/// Operations accept a literal next to columns, as an [`Operand`](crate::Operand). A literal can be turned into a
/// [`Scalar`](crate::Scalar).
///
/// The Rust type of the value determines the type of the literal: `3` is `Int32`, `3_i64` is `Int64`, `2.5` is
/// `Float64`, `2.5_f32` is `Float32`, text is `Utf8`. `None` is a null of the type that the same value in `Some` would
/// have. [`Literal::typed`] makes literals of other types.
///
/// If the feature `chrono` is on, dates and times of the crate `chrono` are literals, too: `NaiveDate` is `Date32`,
/// `NaiveTime` is `Time64(Nanosecond)`, `NaiveDateTime` is `Timestamp(Microsecond, None)`, `DateTime<Utc>` is
/// `Timestamp(Microsecond, "UTC")`, `TimeDelta` is `Duration(Microsecond)`. Comparisons with such a literal are exact to
/// the nanosecond. A scalar or a column of the literal has whole microseconds, rounded down.
///
/// ```
/// # use gdf_core as gdf;
/// use gdf::{DataType, Literal};
///
/// assert_eq!(Literal::from(3.0).data_type(), &DataType::Float64);
/// assert_eq!(Literal::from("Oslo").data_type(), &DataType::Utf8);
/// assert!(Literal::from(None::<i64>).is_null());
/// let price = Literal::typed(Some(199_i64), &DataType::Decimal64(9, 2))?; // 1.99
/// # Ok::<(), gdf::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq)]
pub struct Literal<'a> {
    data_type: &'a DataType,
    value: Value<'a>,
    /// The nanoseconds by which a date and time of another crate exceeds the value. The type counts microseconds.
    beyond: u16,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Value<'a> {
    Null,
    Fixed { bytes: [u8; 32], width: usize },
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    fn of<T: NativeValue>(value: T) -> Self {
        let (stored, mut bytes) = (value.store(), [0; 32]);
        let width = size_of::<T::Stored>();
        bytes[..width].copy_from_slice(bytemuck::bytes_of(&stored));
        Value::Fixed { bytes, width }
    }
}

impl<'a> Literal<'a> {
    /// Creates a value of any type that stores `T`.
    ///
    /// # Errors
    /// - [`Error::TypeMismatch`]: `data_type` does not store `T`.
    pub fn typed<T: NativeValue>(value: Option<T>, data_type: &'a DataType) -> Result<Self> {
        expect_physical(T::PHYSICAL, data_type, T::TYPE_NAME)?;
        Ok(Literal { data_type, value: value.map_or(Value::Null, Value::of), beyond: 0 })
    }

    /// Creates a value of type `Binary`.
    pub fn binary(value: &'a [u8]) -> Self {
        static BINARY: DataType = DataType::Binary;
        Literal { data_type: &BINARY, value: Value::Bytes(value), beyond: 0 }
    }

    /// Creates a null of any type.
    pub fn null(data_type: &'a DataType) -> Self {
        Literal { data_type, value: Value::Null, beyond: 0 }
    }

    /// Returns the logical type.
    pub fn data_type(self) -> &'a DataType {
        self.data_type
    }

    /// Returns whether the value is null.
    pub fn is_null(self) -> bool {
        self.value == Value::Null
    }

    /// Returns the text, or `None` if the value is null or is not text.
    ///
    /// ```
    /// # use gdf_core as gdf;
    /// assert_eq!(gdf::Literal::from("Oslo").text(), Some("Oslo"));
    /// assert_eq!(gdf::Literal::from(3).text(), None);
    /// ```
    pub fn text(self) -> Option<&'a str> {
        match self.value {
            Value::Bytes(bytes) if is_string(self.data_type) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }

    /// Returns the bytes of a text or of a binary value. Returns `None` for all other values.
    #[doc(hidden)]
    pub fn bytes(self) -> Option<&'a [u8]> {
        match self.value {
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Returns the stored bytes of the value in the low bytes of a word. The other bytes of the word are zero. The
    /// result is `None` if the type has more than 8 bytes, if the value is text or binary, or if the value is null.
    #[doc(hidden)]
    pub fn stored_word(self) -> Option<u64> {
        match self.value {
            Value::Fixed { bytes, width } if width <= 8 => {
                let mut word = [0; 8];
                word[..width].copy_from_slice(&bytes[..width]);
                Some(u64::from_le_bytes(word))
            }
            _ => None,
        }
    }

    /// Returns the bytes of the value in the form in which a column stores them. Returns `None` if the value is null.
    #[doc(hidden)]
    pub fn stored_bytes(&self) -> Option<&[u8]> {
        match &self.value {
            Value::Null => None,
            Value::Fixed { bytes, width } => bytes.get(..*width),
            Value::Bytes(bytes) => Some(bytes),
        }
    }

    /// Returns the literal whose [`stored_bytes`](Self::stored_bytes) are `bytes`. Returns `None` if text is not UTF-8,
    /// or if the number of bytes is not the width of the type. For `Boolean`, all bytes except a single 1 mean false.
    #[doc(hidden)]
    pub fn of_stored_bytes(data_type: &'a DataType, bytes: &'a [u8]) -> Option<Self> {
        use DataType::{Binary, LargeBinary, LargeUtf8, Utf8};
        let value = match data_type {
            Utf8 | LargeUtf8 => Value::Bytes(std::str::from_utf8(bytes).ok()?.as_bytes()),
            Binary | LargeBinary => Value::Bytes(bytes),
            DataType::Boolean => Value::of(matches!(bytes, [1])),
            _ => {
                let width = crate::width(data_type).filter(|width| *width == bytes.len())?;
                let mut padded = [0; 32];
                padded.get_mut(..width)?.copy_from_slice(bytes);
                Value::Fixed { bytes: padded, width }
            }
        };
        Some(Literal { data_type, value, beyond: 0 })
    }

    /// Returns the same value as another type.
    ///
    /// An integer of up to 64 bits or a float can become any integer or float type that represents the number exactly.
    /// A whole number can also become a decimal whose scale is not negative. Text and binary values can change the
    /// width of their offsets. A null can become any type.
    ///
    /// ```
    /// # use gdf_core as gdf;
    /// use gdf::{DataType, Literal};
    ///
    /// assert_eq!(Literal::from(3).with_type(&DataType::Float32)?, Literal::from(3.0_f32));
    /// assert!(Literal::from(2.5).with_type(&DataType::Int32).is_err());
    /// assert!(Literal::from(300).with_type(&DataType::Int8).is_err());
    /// # Ok::<(), gdf::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::TypeMismatch`]: the type cannot represent the value.
    pub fn with_type(self, data_type: &'a DataType) -> Result<Self> {
        use DataType::{Binary, LargeBinary, LargeUtf8, Utf8};
        let value = match (self.value, data_type) {
            (value, _) if same_type(self.data_type, data_type) => Some(value),
            (Value::Null, _) => Some(Value::Null),
            (Value::Bytes(_), Utf8 | LargeUtf8) if is_string(self.data_type) => Some(self.value),
            (Value::Bytes(_), Binary | LargeBinary) if !is_string(self.data_type) => Some(self.value),
            _ if self.beyond > 0 => self.nanoseconds_as(data_type),
            _ => self.number().and_then(|number| number.to(data_type)),
        };
        let value = value
            .ok_or_else(|| Error::type_mismatch("a type that can represent the value of the literal", data_type))?;
        let beyond = if same_type(self.data_type, data_type) { self.beyond } else { 0 };
        Ok(Literal { data_type, value, beyond })
    }

    /// Returns the nanoseconds by which the given date and time or duration exceeds the value of this literal: 0 to 999.
    /// Comparisons with a literal take them into account, and a scalar or a column of the literal lacks them.
    #[doc(hidden)]
    pub fn nanoseconds_beyond(self) -> u16 {
        self.beyond
    }

    /// Returns the literal with another number of [`nanoseconds_beyond`](Self::nanoseconds_beyond).
    #[doc(hidden)]
    #[must_use]
    pub fn with_nanoseconds_beyond(self, beyond: u16) -> Self {
        Literal { beyond, ..self }
    }

    /// Returns the exact value of a date and time or a duration in nanoseconds. Returns `None` for types that do not
    /// count microseconds, and if the number of nanoseconds exceeds 64 bits.
    #[doc(hidden)]
    pub fn in_nanoseconds(self) -> Option<Literal<'static>> {
        use arrow_schema::TimeUnit::{Microsecond, Nanosecond};
        static LOCAL: DataType = DataType::Timestamp(Nanosecond, None);
        static INSTANT: LazyLock<DataType> = LazyLock::new(|| DataType::Timestamp(Nanosecond, Some("UTC".into())));
        static DURATION: DataType = DataType::Duration(Nanosecond);
        let data_type = match self.data_type {
            DataType::Timestamp(Microsecond, None) => &LOCAL,
            DataType::Timestamp(Microsecond, Some(_)) => &*INSTANT,
            DataType::Duration(Microsecond) => &DURATION,
            _ => return None,
        };
        let micros = self.stored_word()? as i64;
        let nanos = i64::try_from(i128::from(micros) * 1000 + i128::from(self.beyond)).ok()?;
        Some(Literal { data_type, value: Value::of(nanos), beyond: 0 })
    }

    fn nanoseconds_as(self, data_type: &DataType) -> Option<Value<'a>> {
        use DataType::{Duration, Timestamp};
        let exact = self.in_nanoseconds()?;
        let is_same = match (exact.data_type, data_type) {
            (Timestamp(own, zone), Timestamp(unit, other)) => own == unit && zone.is_some() == other.is_some(),
            (Duration(own), Duration(unit)) => own == unit,
            _ => false,
        };
        is_same.then_some(exact.value)
    }

    /// Returns the number, if the value is an integer of up to 64 bits or a float.
    fn number(self) -> Option<Number> {
        let Value::Fixed { bytes, .. } = self.value else { return None };
        macro_rules! of {
            ($native:ty) => {
                <$native>::from_ne_bytes(*bytes.first_chunk()?)
            };
        }
        Some(match self.data_type {
            DataType::Int8 => Number::Integer(of!(i8).into()),
            DataType::Int16 => Number::Integer(of!(i16).into()),
            DataType::Int32 => Number::Integer(of!(i32).into()),
            DataType::Int64 => Number::Integer(of!(i64).into()),
            DataType::UInt8 => Number::Integer(of!(u8).into()),
            DataType::UInt16 => Number::Integer(of!(u16).into()),
            DataType::UInt32 => Number::Integer(of!(u32).into()),
            DataType::UInt64 => Number::Integer(of!(u64).into()),
            DataType::Float16 => Number::Float(of!(f16).into()),
            DataType::Float32 => Number::Float(of!(f32).into()),
            DataType::Float64 => Number::Float(of!(f64)),
            _ => return None,
        })
    }

    fn is_large(self) -> bool {
        physical_type(self.data_type).is_large()
    }

    /// Returns the value as a column of one row on the CPU.
    pub(crate) fn host_column(self) -> Result<Column> {
        self.one_row(Device::Cpu, |bytes| Ok(host_buffer(bytes)))
    }

    pub(crate) fn to_column(self, stream: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
        match self.value {
            Value::Null => Column::nulls_on(self.data_type, 1, stream, mr),
            _ => self.one_row(stream.device(), |bytes| Ok(Buffer::from_host(bytes, stream, mr)?)),
        }
    }

    fn one_row(self, device: Device, buffer: impl Fn(&[u8]) -> Result<Buffer>) -> Result<Column> {
        let parts = ColumnParts::new(self.data_type.clone(), device, 1);
        let parts = match self.value {
            Value::Null => parts,
            Value::Fixed { bytes, width } => parts.buffer(buffer(&bytes[..width])?),
            Value::Bytes(bytes) if self.is_large() => {
                parts.buffer(buffer(bytemuck::cast_slice(&[0, bytes.len() as i64]))?).buffer(buffer(bytes)?)
            }
            Value::Bytes(bytes) => {
                let end = offset(bytes.len())?;
                parts.buffer(buffer(bytemuck::cast_slice(&[0, end]))?).buffer(buffer(bytes)?)
            }
        };
        Column::assemble(parts, true)
    }

    pub(crate) fn repeated(self, len: usize, stream: &Stream, mr: ResourceRef<'_>) -> Result<Column> {
        if len >= isize::MAX as usize {
            return Err(Error::invalid_argument("the number of rows exceeds the address space; pass fewer rows")
                .in_argument("len"));
        }
        let parts = ColumnParts::new(self.data_type.clone(), stream.device(), len);
        let parts = match self.value {
            Value::Null => return Column::nulls_on(self.data_type, len, stream, mr),
            Value::Fixed { bytes, .. } if *self.data_type == DataType::Boolean => {
                let mut bits = zeroed_host_vec(bitmask::used_bytes(len))?;
                bitmask::pack_bools(std::iter::repeat_n(bytes[0] & 1 == 1, len), &mut bits);
                parts.buffer(Buffer::from_host(&bits, stream, mr)?)
            }
            Value::Fixed { bytes, width } => {
                parts.buffer(Buffer::from_host(&repeat(&bytes[..width], len)?, stream, mr)?)
            }
            Value::Bytes(bytes) if self.is_large() => {
                let mut offsets = reserved::<i64>(len + 1)?;
                offsets.extend((0..=len as i64).map(|row| row * bytes.len() as i64));
                let offsets = Buffer::from_host(bytemuck::cast_slice(&offsets), stream, mr)?;
                parts.buffer(offsets).buffer(Buffer::from_host(&repeat(bytes, len)?, stream, mr)?)
            }
            Value::Bytes(bytes) => {
                let step = offset(bytes.len())?;
                offset(bytes.len().saturating_mul(len))?;
                let mut offsets = reserved::<i32>(len + 1)?;
                offsets.extend((0..=len).map(|row| row as i32 * step));
                let offsets = Buffer::from_host(bytemuck::cast_slice(&offsets), stream, mr)?;
                parts.buffer(offsets).buffer(Buffer::from_host(&repeat(bytes, len)?, stream, mr)?)
            }
        };
        Column::assemble(parts, true)
    }
}

/// A number, in a form that can be converted to other types.
#[derive(Clone, Copy)]
enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    /// Returns the number as a column of this type stores it, or `None` if the type cannot represent the number.
    fn to<'a>(self, data_type: &DataType) -> Option<Value<'a>> {
        let exactly = |float: f64| match self {
            Number::Integer(value) => float as i128 == value && value.unsigned_abs() < 1 << 120,
            Number::Float(value) => float == value || value.is_nan(),
        };
        let float = match self {
            Number::Integer(value) => value as f64,
            Number::Float(value) => value,
        };
        let integer = match self {
            Number::Integer(value) => Some(value),
            Number::Float(value) => {
                Some(value as i128).filter(|integer| *integer as f64 == value && value.abs() < 1e30)
            }
        };
        fn integral<'a, T: NativeValue + TryFrom<i128>>(value: Option<i128>) -> Option<Value<'a>> {
            Some(Value::of(T::try_from(value?).ok()?))
        }
        Some(match data_type {
            DataType::Int8 => integral::<i8>(integer)?,
            DataType::Int16 => integral::<i16>(integer)?,
            DataType::Int32 => integral::<i32>(integer)?,
            DataType::Int64 => integral::<i64>(integer)?,
            DataType::UInt8 => integral::<u8>(integer)?,
            DataType::UInt16 => integral::<u16>(integer)?,
            DataType::UInt32 => integral::<u32>(integer)?,
            DataType::UInt64 => integral::<u64>(integer)?,
            DataType::Float16 if exactly(f16::from_f64(float).into()) => Value::of(f16::from_f64(float)),
            DataType::Float32 if exactly((float as f32).into()) => Value::of(float as f32),
            DataType::Float64 if exactly(float) => Value::of(float),
            _ => {
                let (_, precision, scale) = decimal_parts(data_type)?;
                let unscaled = integer?.checked_mul(10_i128.checked_pow(u32::try_from(scale).ok()?)?)?;
                if 10_i128.checked_pow(precision.into()).is_some_and(|limit| unscaled.abs() >= limit) {
                    return None;
                }
                match physical_type(data_type) {
                    PhysicalType::I32 => integral::<i32>(Some(unscaled))?,
                    PhysicalType::I64 => integral::<i64>(Some(unscaled))?,
                    PhysicalType::I128 => Value::of(unscaled),
                    _ => Value::of(I256::from(unscaled)),
                }
            }
        })
    }
}

fn offset(bytes: usize) -> Result<i32> {
    i32::try_from(bytes).map_err(|_| Error::offset_overflow(bytes as u64))
}

fn repeat(bytes: &[u8], times: usize) -> Result<Vec<u8>> {
    let mut all = reserved::<u8>(bytes.len().saturating_mul(times))?;
    (0..times).for_each(|_| all.extend_from_slice(bytes));
    Ok(all)
}

/// Copies the bytes to a buffer on the CPU.
fn host_buffer(bytes: &[u8]) -> Buffer {
    // The allocator of arrow-buffer aligns the memory for values of every type.
    let owner = Arc::new(arrow_buffer::Buffer::from_slice_ref(bytes));
    let ptr = NonNull::from(owner.as_slice()).cast();
    // SAFETY: `owner` keeps the memory alive and never writes to the memory again. The memory is initialized, and was
    // written before any work that is enqueued on a stream from now on. The memory and the stream both belong to the
    // CPU.
    unsafe { Buffer::from_foreign(Device::Cpu, ptr, bytes.len(), owner, &Stream::cpu()) }
}

#[allow(unnameable_types, reason = "sealing is the point")]
mod sealed {
    pub trait Sealed {}
}

/// The Rust types whose values are [`Literal`]s: every [`NativeType`](crate::NativeType), `bool`, `&str`, `&String`,
/// dates and times of chrono and jiff with the features of these names, and `Option`s of all these.
pub trait LiteralValue<'a>: sealed::Sealed + Copy {
    /// Returns the type of literals of this Rust type.
    #[doc(hidden)]
    fn literal_type() -> &'static DataType;
    /// Converts the value to a literal.
    #[doc(hidden)]
    fn literal(self) -> Literal<'a>;
}

impl<'a, T: LiteralValue<'a>> From<T> for Literal<'a> {
    fn from(value: T) -> Self {
        value.literal()
    }
}

impl<T: sealed::Sealed> sealed::Sealed for Option<T> {}

impl<'a, T: LiteralValue<'a>> LiteralValue<'a> for Option<T> {
    fn literal_type() -> &'static DataType {
        T::literal_type()
    }

    fn literal(self) -> Literal<'a> {
        self.map_or(Literal::null(T::literal_type()), T::literal)
    }
}

macro_rules! native {
    ($($native:ty)*) => {$(
        impl sealed::Sealed for $native {}
        impl<'a> LiteralValue<'a> for $native {
            fn literal_type() -> &'static DataType {
                static DATA_TYPE: DataType = <$native as NativeValue>::DATA_TYPE;
                &DATA_TYPE
            }

            fn literal(self) -> Literal<'a> {
                Literal { data_type: <Self as LiteralValue<'a>>::literal_type(), value: Value::of(self), beyond: 0 }
            }
        }
    )*};
}

native!(i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 i128 I256 bool);

macro_rules! text {
    ($($text:ty)*) => {$(
        impl sealed::Sealed for &$text {}
        impl<'a> LiteralValue<'a> for &'a $text {
            fn literal_type() -> &'static DataType {
                static DATA_TYPE: DataType = DataType::Utf8;
                &DATA_TYPE
            }

            fn literal(self) -> Literal<'a> {
                Literal { data_type: Self::literal_type(), value: Value::Bytes(self.as_bytes()), beyond: 0 }
            }
        }
    )*};
}

text!(str String);

/// Implements literals of types of fixed width for dates and times.
#[cfg(any(feature = "chrono", feature = "jiff"))]
macro_rules! temporal {
    ($($kind:ty => $data_type:expr, $ticks:expr $(, $nanoseconds:expr)?;)*) => {$(
        impl sealed::Sealed for $kind {}
        impl<'a> LiteralValue<'a> for $kind {
            fn literal_type() -> &'static DataType {
                static DATA_TYPE: LazyLock<DataType> = LazyLock::new(|| $data_type);
                &DATA_TYPE
            }

            fn literal(self) -> Literal<'a> {
                let beyond: &[u16] = &[$($nanoseconds(self))?];
                let beyond = beyond.first().copied().unwrap_or(0);
                Literal { data_type: Self::literal_type(), value: Value::of($ticks(self)), beyond }
            }
        }
    )*};
}

#[cfg(feature = "chrono")]
mod of_chrono {
    use arrow_schema::TimeUnit::{Microsecond, Nanosecond};
    use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike, Utc};

    use super::*;

    fn time(time: NaiveTime) -> i64 {
        let ticks = i64::from(time.num_seconds_from_midnight()) * 1_000_000_000 + i64::from(time.nanosecond());
        ticks.min(86_399_999_999_999)
    }

    fn duration(span: TimeDelta) -> i64 {
        let largest = if span < TimeDelta::zero() { i64::MIN } else { i64::MAX };
        span.num_microseconds().map_or(largest, |ticks| ticks - i64::from(span.subsec_nanos() % 1000 < 0))
    }

    fn days(date: NaiveDate) -> i32 {
        date.signed_duration_since(NaiveDate::default()).num_days() as i32
    }

    temporal! {
        NaiveDate => DataType::Date32, days;
        NaiveTime => DataType::Time64(Nanosecond), time;
        NaiveDateTime => DataType::Timestamp(Microsecond, None),
            |at: NaiveDateTime| at.and_utc().timestamp_micros(),
            |at: NaiveDateTime| (at.and_utc().timestamp_subsec_nanos() % 1000) as u16;
        DateTime<Utc> => DataType::Timestamp(Microsecond, Some("UTC".into())),
            |at: DateTime<Utc>| at.timestamp_micros(),
            |at: DateTime<Utc>| (at.timestamp_subsec_nanos() % 1000) as u16;
        TimeDelta => DataType::Duration(Microsecond), duration,
            |span: TimeDelta| span.subsec_nanos().rem_euclid(1000) as u16;
    }
}

#[cfg(feature = "jiff")]
mod of_jiff {
    use arrow_schema::TimeUnit::{Microsecond, Nanosecond};
    use jiff::SignedDuration;
    use jiff::civil::{Date, DateTime, Time, date};

    use super::*;

    fn days(of: Date) -> i32 {
        of.duration_since(date(1970, 1, 1)).as_hours().div_euclid(24) as i32
    }

    fn time(of: Time) -> i64 {
        of.duration_since(Time::midnight()).as_nanos() as i64
    }

    fn nanoseconds(span: SignedDuration) -> u16 {
        span.as_nanos().rem_euclid(1000) as u16
    }

    fn micros(span: SignedDuration) -> i64 {
        let ticks = span.as_nanos().div_euclid(1000);
        i64::try_from(ticks).unwrap_or(if ticks < 0 { i64::MIN } else { i64::MAX })
    }

    temporal! {
        Date => DataType::Date32, days;
        Time => DataType::Time64(Nanosecond), time;
        DateTime => DataType::Timestamp(Microsecond, None),
            |at: DateTime| micros(at.duration_since(date(1970, 1, 1).at(0, 0, 0, 0))),
            |at: DateTime| nanoseconds(at.duration_since(date(1970, 1, 1).at(0, 0, 0, 0)));
        jiff::Timestamp => DataType::Timestamp(Microsecond, Some("UTC".into())),
            |at: jiff::Timestamp| micros(at.duration_since(jiff::Timestamp::UNIX_EPOCH)),
            |at: jiff::Timestamp| nanoseconds(at.duration_since(jiff::Timestamp::UNIX_EPOCH));
        SignedDuration => DataType::Duration(Microsecond), micros, nanoseconds;
    }
}

#[cfg(test)]
#[path = "literal_tests.rs"]
mod tests;
