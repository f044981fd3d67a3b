//! Vectorized loops over the values of a block of rows, with one loop for each type in which an expression is computed.

use gdf_core::{PhysicalType, Result, f16};
use gdf_engine::binary::operators::Arithmetic;
use gdf_engine::binary::worked::Worked;
use gdf_engine::host::{FromNumber, HostValues, Number, vectorized};

use super::RowWords;
use crate::unary::plan::Rounding;

/// The values of an operand: one value per row, or one value for all rows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source<'a, T> {
    Rows(&'a [T]),
    One(T),
}

impl<T: Copy> Source<'_, T> {
    pub(super) fn get(&self, row: usize) -> T {
        match self {
            Source::Rows(rows) => rows[row],
            Source::One(value) => *value,
        }
    }
}

/// A type that a lane computes in.
pub(crate) trait LaneValue: Worked + bytemuck::AnyBitPattern {
    /// Converts the bits of a constant to a value.
    fn of_bits(bits: u128) -> Self;
    fn stored<'a>(values: &HostValues<'a>) -> Option<&'a [Self]>;
}

macro_rules! lane_values {
    ($($native:ident |$bits:ident| $of_bits:expr, [$($variant:ident)*];)*) => {$(
        impl LaneValue for $native {
            fn of_bits($bits: u128) -> Self {
                $of_bits
            }
            fn stored<'a>(values: &HostValues<'a>) -> Option<&'a [Self]> {
                match values {
                    $(HostValues::$variant(rows) => Some(bytemuck::cast_slice(rows)),)*
                    _ => None,
                }
            }
        }
    )*};
}

// Both lanes of 64-bit integers read signed and unsigned columns directly.
lane_values! {
    i64 |bits| bits as i64, [I64 U64];
    u64 |bits| bits as u64, [I64 U64];
    f32 |bits| f32::from_bits(bits as u32), [F32];
    f64 |bits| f64::from_bits(bits as u64), [F64];
    i128 |bits| bits as i128, [I128];
}

#[inline(always)]
pub(super) fn map<S: Copy, T: Copy>(from: Source<'_, S>, out: &mut [T], f: impl Fn(S) -> T) {
    match from {
        Source::Rows(rows) => {
            for (slot, value) in out.iter_mut().zip(rows) {
                *slot = f(*value);
            }
        }
        Source::One(value) => out.fill(f(value)),
    }
}

#[inline(always)]
fn zip<T: Copy>(a: Source<'_, T>, b: Source<'_, T>, out: &mut [T], f: impl Fn(T, T) -> T) {
    match (a, b) {
        (Source::Rows(a), Source::Rows(b)) => {
            for ((slot, a), b) in out.iter_mut().zip(a).zip(b) {
                *slot = f(*a, *b);
            }
        }
        (Source::Rows(a), Source::One(b)) => {
            for (slot, a) in out.iter_mut().zip(a) {
                *slot = f(*a, b);
            }
        }
        (Source::One(a), Source::Rows(b)) => {
            for (slot, b) in out.iter_mut().zip(b) {
                *slot = f(a, *b);
            }
        }
        (Source::One(a), Source::One(b)) => out.fill(f(a, b)),
    }
}

/// Types with the operators for which the compiler generates vector code.
trait Vectorized: Copy + PartialOrd {
    fn sum(self, other: Self) -> Self;
    fn difference(self, other: Self) -> Self;
    fn product(self, other: Self) -> Self;
}

macro_rules! vectorized_values {
    (integers $($native:ty)*) => {$(
        impl Vectorized for $native {
            fn sum(self, other: Self) -> Self { self.wrapping_add(other) }
            fn difference(self, other: Self) -> Self { self.wrapping_sub(other) }
            fn product(self, other: Self) -> Self { self.wrapping_mul(other) }
        }
    )*};
    (floats $($native:ty)*) => {$(
        impl Vectorized for $native {
            fn sum(self, other: Self) -> Self { self + other }
            fn difference(self, other: Self) -> Self { self - other }
            fn product(self, other: Self) -> Self { self * other }
        }
    )*};
}

vectorized_values!(integers i64 u64 i128);
vectorized_values!(floats f32 f64);

vectorized! {
    /// Runs the operator if this function has a loop for it.
    fn run_vectorized[T: Vectorized](op: Arithmetic, a: Source<'_, T>, b: Source<'_, T>, out: &mut [T]) -> bool {
        match op {
            Arithmetic::Add => zip(a, b, out, T::sum),
            Arithmetic::Sub => zip(a, b, out, T::difference),
            Arithmetic::Mul => zip(a, b, out, T::product),
            Arithmetic::Maximum => zip(a, b, out, |a, b| if a > b { a } else { b }),
            Arithmetic::Minimum => zip(a, b, out, |a, b| if a < b { a } else { b }),
            _ => return false,
        }
        true
    }
}

#[allow(private_bounds, reason = "the trait has the lanes' types alone")]
pub(super) fn run_arithmetic<T: LaneValue + Vectorized>(
    op: Arithmetic,
    bits: i32,
    a: Source<'_, T>,
    b: Source<'_, T>,
    out: &mut [T],
) -> Result<()> {
    if run_vectorized(op, a, b, out) {
        return Ok(());
    }
    map(a, out, |value| value);
    let functor = T::functor(op)?;
    match b {
        Source::Rows(rows) => functor(bits, out, &rows[..out.len()]),
        Source::One(value) => {
            let block = [value; 64];
            out.chunks_mut(64).for_each(|rows| functor(bits, rows, &block[..rows.len()]));
        }
    }
    Ok(())
}

vectorized! {
    /// Converts the values to the type of another lane.
    pub(super) fn convert[S: Number, T: FromNumber](from: Source<'_, S>, out: &mut [T]) -> () {
        map(from, out, |value| value.to::<T>());
    }
}

pub(super) fn load_integers(values: &HostValues<'_>, first: usize, out: &mut [i64]) {
    vectorized! {
        fn extend[S: Copy + Into<i64>](from: &[S], out: &mut [i64]) -> () {
            map(Source::Rows(from), out, Into::into);
        }
    }
    let len = out.len();
    match values {
        HostValues::I8(from) => extend(&from[first..first + len], out),
        HostValues::I16(from) => extend(&from[first..first + len], out),
        HostValues::I32(from) => extend(&from[first..first + len], out),
        HostValues::U8(from) => extend(&from[first..first + len], out),
        HostValues::U16(from) => extend(&from[first..first + len], out),
        HostValues::U32(from) => extend(&from[first..first + len], out),
        _ => {}
    }
}

vectorized! {
    /// Truncates integers to the bits of a smaller type, and extends the result to 64 bits again.
    pub(super) fn wrap(physical: PhysicalType, from: Source<'_, i64>, out: &mut [i64]) -> () {
        match physical {
            PhysicalType::I8 => map(from, out, |value| i64::from(value as i8)),
            PhysicalType::I16 => map(from, out, |value| i64::from(value as i16)),
            PhysicalType::I32 => map(from, out, |value| i64::from(value as i32)),
            PhysicalType::U8 => map(from, out, |value| i64::from(value as u8)),
            PhysicalType::U16 => map(from, out, |value| i64::from(value as u16)),
            PhysicalType::U32 => map(from, out, |value| i64::from(value as u32)),
            _ => map(from, out, |value| value),
        }
    }
}

pub(super) fn wrap_half(from: Source<'_, f32>, out: &mut [f32]) {
    map(from, out, |value| f16::from_f32(value).to_f32());
}

pub(super) trait Float: Copy {
    fn rounded(self, function: Rounding) -> Self;
    fn opposite(self) -> Self;
    fn magnitude(self) -> Self;
}

macro_rules! floats {
    ($($native:ident)*) => {$(
        impl Float for $native {
            #[inline(always)]
            fn rounded(self, function: Rounding) -> Self {
                match function {
                    Rounding::Ceil => self.ceil(),
                    Rounding::Floor => self.floor(),
                    Rounding::Rint => self.round_ties_even(),
                    Rounding::Sqrt => self.sqrt(),
                }
            }
            fn opposite(self) -> Self { -self }
            fn magnitude(self) -> Self { self.abs() }
        }
    )*};
}

floats!(f32 f64);

vectorized! {
    pub(super) fn run_rounding[T: Float](function: Rounding, from: Source<'_, T>, out: &mut [T]) -> () {
        map(from, out, |value| value.rounded(function));
    }
}

pub(super) fn sign<T: Float>(clears: bool, from: Source<'_, T>, out: &mut [T]) {
    match clears {
        true => map(from, out, T::magnitude),
        false => map(from, out, T::opposite),
    }
}

pub(super) fn choose<T: Copy>(first: &RowWords, a: Source<'_, T>, b: Source<'_, T>, out: &mut [T]) {
    for (word, rows) in out.chunks_mut(64).enumerate() {
        let bits = first[word];
        for (at, slot) in rows.iter_mut().enumerate() {
            let row = word * 64 + at;
            *slot = if bits >> at & 1 == 1 { a.get(row) } else { b.get(row) };
        }
    }
}
