//! Rows of any numeric type, read in blocks as the type that is worked in.

use gdf_core::{I256, Result, f16};

use super::{HostColumn, HostValues};
use crate::rounding::nearest_f64;

/// Rows that are well converted and worked on at a time: operands and results fit the first cache.
pub const NUMBER_BLOCK: usize = crate::limits::cpu::NUMBER_BLOCK;

/// A type to work in: how it is made of each stored type, and whether it is one itself.
pub trait Number: FromNumber + Default + PartialOrd + 'static {
    fn of_bool(value: bool) -> Self;
    fn of_i8(value: i8) -> Self;
    fn of_i16(value: i16) -> Self;
    fn of_i32(value: i32) -> Self;
    fn of_u8(value: u8) -> Self;
    fn of_u16(value: u16) -> Self;
    fn of_u32(value: u32) -> Self;
    fn of_f16(value: f16) -> Self;
    /// As it is stored.
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

/// The rows of a column, of which there are none to read where it has no numbers.
#[derive(Clone, Copy)]
struct Stored<'a>(Option<HostValues<'a>>);

impl Stored<'_> {
    /// Rows `start ..`, converted.
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

/// An operand as values of `C`, a scalar's repeated.
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

    /// The value of a scalar.
    pub fn fixed(&self) -> Option<C> {
        self.fixed
    }

    /// Rows `start ..`, as many as `out` holds.
    #[inline]
    pub fn load(&self, start: usize, out: &mut [C]) {
        match &self.fixed {
            Some(fixed) => out.fill(*fixed),
            None => self.stored.load(start, out),
        }
    }
}

/// A type of results: how it is made of each type that is worked in. Floats become integers by truncation, with NaN as
/// 0 and what is too large as the largest; integers wrap.
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
    /// Of what 128 bits hold.
    fn of_f32(value: f32) -> Self {
        (value as i128).into()
    }
    /// Of what 128 bits hold.
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
    /// By way of single precision, as kernels do.
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
