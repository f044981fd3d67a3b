//! The Rust types of the values that columns store.

use std::cmp::Ordering;
use std::fmt;

use arrow_schema::DataType;
use bytemuck::{Pod, Zeroable};
use gdf_driver::Stream;
use gdf_memory::{Buffer, ResourceRef};
use half::f16;

use super::data_type::{PhysicalType, physical_type};
use crate::host_vec::{host_vec, reserved, zeroed_host_vec};
use crate::{Error, ExpectedType, Result, bitmask};

/// A 256-bit signed integer in the layout of Arrow's 256-bit decimals.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct I256(pub arrow_buffer::i256);

// SAFETY: `arrow_buffer::i256` is `repr(C)` and has a `u128` and an `i128` field. Zero is a valid value of both types.
unsafe impl Zeroable for I256 {}

// SAFETY: `arrow_buffer::i256` is `repr(C)` and has a `u128` and an `i128` field. The type is `Copy + 'static`. Every
// bit pattern is a valid value of both fields. Two fields of equal size and alignment leave no padding.
unsafe impl Pod for I256 {}

impl fmt::Debug for I256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Display for I256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl PartialOrd for I256 {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for I256 {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl From<arrow_buffer::i256> for I256 {
    fn from(value: arrow_buffer::i256) -> Self {
        I256(value)
    }
}

impl From<I256> for arrow_buffer::i256 {
    fn from(value: I256) -> Self {
        value.0
    }
}

impl From<i128> for I256 {
    fn from(value: i128) -> Self {
        I256(arrow_buffer::i256::from_i128(value))
    }
}

mod sealed {
    #[expect(unnameable_types, reason = "nobody else implements it")]
    pub trait Sealed {}
}

/// A numeric type of values that columns store.
///
/// The implementing types are the eight integers, `i128` and [`I256`] (decimals), `f16`, `f32` and `f64`.
pub trait NativeType:
    sealed::Sealed + Pod + Default + PartialEq + PartialOrd + fmt::Debug + fmt::Display + Send + Sync + 'static
{
    /// The physical type of a column of values of `Self`.
    const PHYSICAL: PhysicalType;
    /// The name of the type inside kernel names.
    const NAME: &'static str;
    /// The simplest logical type of such a column.
    const DATA_TYPE: DataType;
}

macro_rules! native {
    ($($native:ty, $physical:ident, $name:literal, $data_type:expr;)*) => {$(
        impl sealed::Sealed for $native {}
        impl NativeType for $native {
            const PHYSICAL: PhysicalType = PhysicalType::$physical;
            const NAME: &'static str = $name;
            const DATA_TYPE: DataType = $data_type;
        }
    )*};
}

native! {
    i8, I8, "i8", DataType::Int8;
    i16, I16, "i16", DataType::Int16;
    i32, I32, "i32", DataType::Int32;
    i64, I64, "i64", DataType::Int64;
    u8, U8, "u8", DataType::UInt8;
    u16, U16, "u16", DataType::UInt16;
    u32, U32, "u32", DataType::UInt32;
    u64, U64, "u64", DataType::UInt64;
    f16, F16, "f16", DataType::Float16;
    f32, F32, "f32", DataType::Float32;
    f64, F64, "f64", DataType::Float64;
    i128, I128, "i128", DataType::Decimal128(38, 0);
    I256, I256, "i256", DataType::Decimal256(76, 0);
}

impl sealed::Sealed for bool {}

/// A value that a [`Scalar`](crate::Scalar) or a builder takes: every [`NativeType`], and `bool`.
pub trait NativeValue: sealed::Sealed + Copy + Default + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// The physical type of a column of values of `Self`.
    const PHYSICAL: PhysicalType;
    /// The name of the type.
    const NAME: &'static str;
    /// The simplest logical type of such a column.
    const DATA_TYPE: DataType;
    /// The type that stores a value of `Self`. A `bool` is stored as a byte whose lowest bit is the value.
    type Stored: Pod;
    /// Converts the value to the stored form.
    fn store(self) -> Self::Stored;
    /// Converts the stored form to a value. If `Self` is `bool`, `bit` is the position of the value's bit in the byte.
    /// All other types ignore `bit`.
    fn load(stored: Self::Stored, bit: usize) -> Self;
    /// The name of the type in error messages.
    #[doc(hidden)]
    const TYPE_NAME: &'static str;
    /// Makes a buffer of these values, in the layout of a column's buffer.
    #[doc(hidden)]
    fn upload(values: &[Self], stream: &Stream, mr: ResourceRef<'_>) -> Result<Buffer>;
    /// Reads the `len` values from `start` on from a buffer of values of `Self`. Waits for device memory.
    #[doc(hidden)]
    fn download(buffer: &Buffer, start: usize, len: usize, stream: &Stream) -> Result<Vec<Self>>;
}

impl<T: NativeType> NativeValue for T {
    const PHYSICAL: PhysicalType = T::PHYSICAL;
    const NAME: &'static str = T::NAME;
    const DATA_TYPE: DataType = T::DATA_TYPE;
    type Stored = T;

    fn store(self) -> T {
        self
    }

    fn load(stored: T, _bit: usize) -> T {
        stored
    }

    const TYPE_NAME: &'static str = T::NAME;

    fn upload(values: &[T], stream: &Stream, mr: ResourceRef<'_>) -> Result<Buffer> {
        Ok(Buffer::from_host(bytemuck::cast_slice(values), stream, mr)?)
    }

    fn download(buffer: &Buffer, start: usize, len: usize, stream: &Stream) -> Result<Vec<T>> {
        let mut values = reserved::<T>(len)?;
        values.resize(len, T::default());
        let width = size_of::<T>();
        buffer.slice(start * width, len * width)?.read_into(bytemuck::cast_slice_mut(&mut values), stream)?;
        Ok(values)
    }
}

impl NativeValue for bool {
    const NAME: &'static str = "bool";
    const PHYSICAL: PhysicalType = PhysicalType::Bool;
    const DATA_TYPE: DataType = DataType::Boolean;
    type Stored = u8;

    fn store(self) -> u8 {
        self as u8
    }

    fn load(stored: u8, bit: usize) -> bool {
        (stored >> (bit & 7)) & 1 == 1
    }

    const TYPE_NAME: &'static str = "bool";

    fn upload(values: &[bool], stream: &Stream, mr: ResourceRef<'_>) -> Result<Buffer> {
        let mut bits = zeroed_host_vec(bitmask::used_bytes(values.len()))?;
        bitmask::pack_bools(values.iter().copied(), &mut bits);
        Ok(Buffer::from_host(&bits, stream, mr)?)
    }

    fn download(buffer: &Buffer, start: usize, len: usize, stream: &Stream) -> Result<Vec<bool>> {
        let bits = buffer.slice(start / 8, bitmask::used_bytes(start % 8 + len))?.to_host(stream)?;
        host_vec((start % 8..start % 8 + len).map(|bit| bitmask::get_bit(&bits, bit)))
    }
}

/// Returns an error if the physical type of `data_type` is not `expected`.
pub(crate) fn expect_physical(expected: PhysicalType, data_type: &DataType, name: &'static str) -> Result<()> {
    if physical_type(data_type) != expected {
        return Err(Error::type_mismatch(ExpectedType::Storing(name), data_type));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::data_type::{physical_type, width};
    use super::*;

    fn check<T: NativeType>() {
        assert_eq!(physical_type(&T::DATA_TYPE), T::PHYSICAL);
        assert_eq!(width(&T::DATA_TYPE), Some(size_of::<T>()));
        assert_eq!(T::PHYSICAL.alignment(), align_of::<T>(), "{}", T::NAME);
    }

    #[test]
    fn sizes_and_types_agree() {
        check::<i8>();
        check::<i16>();
        check::<i32>();
        check::<i64>();
        check::<u8>();
        check::<u16>();
        check::<u32>();
        check::<u64>();
        check::<f16>();
        check::<f32>();
        check::<f64>();
        check::<i128>();
        check::<I256>();
    }

    #[test]
    fn wide_integers_are_little_endian_words() {
        let bytes = bytemuck::bytes_of(&I256::from(-2i128)).to_vec();
        assert_eq!(bytes, arrow_buffer::i256::from_i128(-2).to_le_bytes());
        assert!(I256::from(-2) < I256::from(1));
        assert_eq!(format!("{}", I256::from(-2)), "-2");
    }

    #[test]
    fn booleans_are_bits() {
        assert!(bool::load(0b100, 2));
        assert!(!bool::load(0b100, 1));
        assert_eq!(true.store(), 1);
    }
}
