//! Rows of any numeric type, which are read in blocks and converted to the type of a computation.

use gdf_core::{I256, Result, f16};

use super::{HostColumn, HostValues};
use crate::rounding::nearest_f64;

/// The number of rows that are converted and processed at a time.
pub const NUMBER_BLOCK: usize = crate::limits::cpu::NUMBER_BLOCK;

/// A type of computation.
pub trait Number: FromNumber + Default + PartialOrd + 'static {
    fn of_bool(value: bool) -> Self;
    fn of_i8(value: i8) -> Self;
    fn of_i16(value: i16) -> Self;
    fn of_i32(value: i32) -> Self;
    fn of_u8(value: u8) -> Self;
    fn of_u16(value: u16) -> Self;
    fn of_u32(value: u32) -> Self;
    fn of_f16(value: f16) -> Self;
    fn to<O: FromNumber>(self) -> O;
}

macro_rules! number {
    ($($native:ty => $convert:ident as $wide:ty),*) => {$(
        impl Number for $native {
            fn of_bool(value: bool) -> Self { u8::from(value) as Self }
            fn of_i8(value: i8) -> Self { value as Self }
            fn of_i16(value: i16) -> Self { value as Self }
            fn of_i32(value: i32) -> Self { value as Self }
            fn of_u8(value: u8) -> Self { value as Self }
            fn of_u16(value: u16) -> Self { value as Self }
            fn of_u32(value: u32) -> Self { value as Self }
            fn of_f16(value: f16) -> Self { value.to_f32() as Self }
            fn to<O: FromNumber>(self) -> O { O::$convert(self as $wide) }
        }
    )*};
}

number!(
    i8 => of_i64 as i64, i16 => of_i64 as i64, i32 => of_i64 as i64, i64 => of_i64 as i64,
    u8 => of_u64 as u64, u16 => of_u64 as u64, u32 => of_u64 as u64, u64 => of_u64 as u64,
    f32 => of_f32 as f32, f64 => of_f64 as f64, i128 => of_i128 as i128
);

macro_rules! wide_number {
    ($($of:ident $native:ty),*) => {
        impl Number for I256 {
            $(fn $of(value: $native) -> Self { I256::from(i128::from(value)) })*
            fn of_f16(value: f16) -> Self { Self::of_f64(value.to_f64()) }
            fn to<O: FromNumber>(self) -> O { O::of_i256(self) }
        }
    };
}

wide_number!(of_bool bool, of_i8 i8, of_i16 i16, of_i32 i32, of_u8 u8, of_u16 u16, of_u32 u32);

#[derive(Clone, Copy)]
struct Stored<'a>(Option<HostValues<'a>>);

impl Stored<'_> {
    #[inline]
    fn load<C: Number>(self, start: usize, out: &mut [C]) {
        fn convert<S: Copy, C>(from: &[S], start: usize, out: &mut [C], to: impl Fn(S) -> C) {
            for (slot, &value) in out.iter_mut().zip(from.get(start..).unwrap_or_default()) {
                *slot = to(value);
            }
        }
        match self.0 {
            Some(HostValues::Bool(bits)) => {
                for (row, slot) in out.iter_mut().enumerate() {
                    *slot = C::of_bool(bits.get(start + row));
                }
            }
            Some(HostValues::I8(from)) => convert(from, start, out, C::of_i8),
            Some(HostValues::I16(from)) => convert(from, start, out, C::of_i16),
            Some(HostValues::I32(from)) => convert(from, start, out, C::of_i32),
            Some(HostValues::I64(from)) => convert(from, start, out, C::of_i64),
            Some(HostValues::U8(from)) => convert(from, start, out, C::of_u8),
            Some(HostValues::U16(from)) => convert(from, start, out, C::of_u16),
            Some(HostValues::U32(from)) => convert(from, start, out, C::of_u32),
            Some(HostValues::U64(from)) => convert(from, start, out, C::of_u64),
            Some(HostValues::F16(from)) => convert(from, start, out, C::of_f16),
            Some(HostValues::F32(from)) => convert(from, start, out, C::of_f32),
            Some(HostValues::F64(from)) => convert(from, start, out, C::of_f64),
            Some(HostValues::I128(from)) => convert(from, start, out, C::of_i128),
            Some(HostValues::I256(from)) => convert(from, start, out, C::of_i256),
            _ => {}
        }
    }
}

/// Reads an operand as values of `C`. The value of a scalar is repeated.
pub struct NumberReader<'a, C> {
    stored: Stored<'a>,
    fixed: Option<C>,
}

impl<'a, C: Number> NumberReader<'a, C> {
    pub fn new(column: &'a HostColumn<'_>) -> Result<Self> {
        let stored = Stored(HostValues::open(column)?);
        let fixed = column.broadcast().then(|| {
            let mut one = [C::default()];
            stored.load(0, &mut one);
            one[0]
        });
        Ok(Self { stored, fixed })
    }

    /// Returns the value of a scalar, or `None` for a column.
    pub fn fixed(&self) -> Option<C> {
        self.fixed
    }

    /// Reads the rows from `start` on. The number of rows is the length of `out`.
    #[inline]
    pub fn load(&self, start: usize, out: &mut [C]) {
        match &self.fixed {
            Some(fixed) => out.fill(*fixed),
            None => self.stored.load(start, out),
        }
    }
}

/// A type of results. A value can be made from each type of computation. Floats are truncated to integers: NaN
/// becomes 0, and values out of range become the nearest integer of the type. Integers wrap around.
pub trait FromNumber: bytemuck::Pod + Send + Sync {
    fn of_i64(value: i64) -> Self;
    fn of_u64(value: u64) -> Self;
    fn of_f32(value: f32) -> Self;
    fn of_f64(value: f64) -> Self;
    fn of_i128(value: i128) -> Self;
    fn of_i256(value: I256) -> Self;
}

macro_rules! result {
    ($($of_wide:tt => $($native:ty),*;)*) => {$($(
        impl FromNumber for $native {
            fn of_i64(value: i64) -> Self { value as Self }
            fn of_u64(value: u64) -> Self { value as Self }
            fn of_f32(value: f32) -> Self { value as Self }
            fn of_f64(value: f64) -> Self { value as Self }
            fn of_i128(value: i128) -> Self { value as Self }
            fn of_i256(value: I256) -> Self { $of_wide(value) as Self }
        }
    )*)*};
}

result! {
    (|wide: I256| wide.0.as_i128()) => i8, i16, i32, i64, u8, u16, u32, u64, i128;
    (|wide: I256| nearest_f64(wide.0)) => f32, f64;
}

impl FromNumber for I256 {
    fn of_i64(value: i64) -> Self {
        i128::from(value).into()
    }
    fn of_u64(value: u64) -> Self {
        i128::from(value).into()
    }
    /// Values that do not fit in 128 bits become the nearest value of 128 bits.
    fn of_f32(value: f32) -> Self {
        (value as i128).into()
    }
    /// Values that do not fit in 128 bits become the nearest value of 128 bits.
    fn of_f64(value: f64) -> Self {
        (value as i128).into()
    }
    fn of_i128(value: i128) -> Self {
        value.into()
    }
    fn of_i256(value: I256) -> Self {
        value
    }
}

impl FromNumber for f16 {
    fn of_i64(value: i64) -> Self {
        f16::from_f32(value as f32)
    }
    fn of_u64(value: u64) -> Self {
        f16::from_f32(value as f32)
    }
    fn of_f32(value: f32) -> Self {
        f16::from_f32(value)
    }
    /// Rounds to single precision first, as kernels do.
    fn of_f64(value: f64) -> Self {
        f16::from_f32(value as f32)
    }
    fn of_i128(value: i128) -> Self {
        f16::from_f32(value as f32)
    }
    fn of_i256(value: I256) -> Self {
        Self::of_f64(nearest_f64(value.0))
    }
}
