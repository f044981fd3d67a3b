//! Rows of any numeric type, read in blocks as the type that is worked in.

use gdf_core::{PhysicalType, Result, f16, physical_type};

use super::{Bits, HostColumn};

/// Rows that are well converted and worked on at a time: operands and results fit the first cache.
pub(crate) const NUMBER_BLOCK: usize = 256;

/// The values of a column, as they are stored.
#[derive(Clone, Copy)]
enum Stored<'a> {
    Bool(Bits<'a>),
    I8(&'a [i8]),
    I16(&'a [i16]),
    I32(&'a [i32]),
    I64(&'a [i64]),
    U8(&'a [u8]),
    U16(&'a [u16]),
    U32(&'a [u32]),
    U64(&'a [u64]),
    F16(&'a [f16]),
    F32(&'a [f32]),
    F64(&'a [f64]),
    I128(&'a [i128]),
    /// A type without numbers: it has no rows here.
    None,
}

/// A type to work in: how it is made of each stored type, and whether it is one itself.
pub(crate) trait Number: FromNumber + Default + PartialOrd + 'static {
    fn of_bool(value: bool) -> Self;
    fn of_i8(value: i8) -> Self;
    fn of_i16(value: i16) -> Self;
    fn of_i32(value: i32) -> Self;
    fn of_u8(value: u8) -> Self;
    fn of_u16(value: u16) -> Self;
    fn of_u32(value: u32) -> Self;
    fn of_f16(value: f16) -> Self;
}

macro_rules! number {
    ($($native:ty),*) => {$(
        impl Number for $native {
            fn of_bool(value: bool) -> Self { u8::from(value) as Self }
            fn of_i8(value: i8) -> Self { value as Self }
            fn of_i16(value: i16) -> Self { value as Self }
            fn of_i32(value: i32) -> Self { value as Self }
            fn of_u8(value: u8) -> Self { value as Self }
            fn of_u16(value: u16) -> Self { value as Self }
            fn of_u32(value: u32) -> Self { value as Self }
            fn of_f16(value: f16) -> Self { value.to_f32() as Self }
        }
    )*};
}

number!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, i128);

impl<'a> Stored<'a> {
    fn of(column: &'a HostColumn<'_>) -> Result<Self> {
        Ok(match physical_type(column.view().data_type()) {
            PhysicalType::Bool => Stored::Bool(column.bits()?),
            PhysicalType::I8 => Stored::I8(column.values()?),
            PhysicalType::I16 => Stored::I16(column.values()?),
            PhysicalType::I32 => Stored::I32(column.values()?),
            PhysicalType::I64 => Stored::I64(column.values()?),
            PhysicalType::U8 => Stored::U8(column.values()?),
            PhysicalType::U16 => Stored::U16(column.values()?),
            PhysicalType::U32 => Stored::U32(column.values()?),
            PhysicalType::U64 => Stored::U64(column.values()?),
            PhysicalType::F16 => Stored::F16(column.values()?),
            PhysicalType::F32 => Stored::F32(column.values()?),
            PhysicalType::F64 => Stored::F64(column.values()?),
            PhysicalType::I128 => Stored::I128(column.values()?),
            _ => Stored::None,
        })
    }

    /// Rows `start ..`, converted.
    #[inline]
    fn load<C: Number>(self, start: usize, out: &mut [C]) {
        fn convert<S: Copy, C>(from: &[S], start: usize, out: &mut [C], to: impl Fn(S) -> C) {
            for (slot, &value) in out.iter_mut().zip(from.get(start..).unwrap_or_default()) {
                *slot = to(value);
            }
        }
        match self {
            Stored::Bool(bits) => {
                for (row, slot) in out.iter_mut().enumerate() {
                    *slot = C::of_bool(bits.get(start + row));
                }
            }
            Stored::I8(from) => convert(from, start, out, C::of_i8),
            Stored::I16(from) => convert(from, start, out, C::of_i16),
            Stored::I32(from) => convert(from, start, out, C::of_i32),
            Stored::I64(from) => convert(from, start, out, C::of_i64),
            Stored::U8(from) => convert(from, start, out, C::of_u8),
            Stored::U16(from) => convert(from, start, out, C::of_u16),
            Stored::U32(from) => convert(from, start, out, C::of_u32),
            Stored::U64(from) => convert(from, start, out, C::of_u64),
            Stored::F16(from) => convert(from, start, out, C::of_f16),
            Stored::F32(from) => convert(from, start, out, C::of_f32),
            Stored::F64(from) => convert(from, start, out, C::of_f64),
            Stored::I128(from) => convert(from, start, out, C::of_i128),
            Stored::None => {}
        }
    }
}

/// An operand as values of `C`, a scalar's repeated.
pub(crate) struct NumberReader<'a, C> {
    stored: Stored<'a>,
    fixed: Option<C>,
}

impl<'a, C: Number> NumberReader<'a, C> {
    pub(crate) fn new(column: &'a HostColumn<'_>) -> Result<Self> {
        let stored = Stored::of(column)?;
        let fixed = column.broadcast().then(|| {
            let mut one = [C::default()];
            stored.load(0, &mut one);
            one[0]
        });
        Ok(Self { stored, fixed })
    }

    /// Rows `start ..`, as many as `out` holds.
    #[inline]
    pub(crate) fn load(&self, start: usize, out: &mut [C]) {
        match &self.fixed {
            Some(fixed) => out.fill(*fixed),
            None => self.stored.load(start, out),
        }
    }
}

/// A type of results: how it is made of each type that is worked in. Floats become integers by truncation, with NaN as
/// 0 and what is too large as the largest; integers wrap.
pub(crate) trait FromNumber: bytemuck::Pod + Send + Sync {
    fn of_i64(value: i64) -> Self;
    fn of_u64(value: u64) -> Self;
    fn of_f32(value: f32) -> Self;
    fn of_f64(value: f64) -> Self;
    fn of_i128(value: i128) -> Self;
}

macro_rules! result {
    ($($native:ty),*) => {$(
        impl FromNumber for $native {
            fn of_i64(value: i64) -> Self { value as Self }
            fn of_u64(value: u64) -> Self { value as Self }
            fn of_f32(value: f32) -> Self { value as Self }
            fn of_f64(value: f64) -> Self { value as Self }
            fn of_i128(value: i128) -> Self { value as Self }
        }
    )*};
}

result!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, i128);

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
}
