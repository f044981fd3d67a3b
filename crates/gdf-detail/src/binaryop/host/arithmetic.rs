//! Arithmetic: on slices of one type as they are, and on blocks converted to the type that is worked in.

use arrow_buffer::i256;
use bytemuck::Pod;
use gdf_core::{Column, Error, PhysicalType, Result, physical_type};

use super::super::OPERATION;
use super::super::plan::{Arithmetic, Compute, Plan, Scaling};
use super::binary_operation::Work;
use crate::host::{FromNumber, HostColumn, HostOutput, NUMBER_BLOCK, Number, NumberReader, for_each_chunk};

/// An operand as it stands.
#[derive(Clone, Copy)]
enum Side<'a, T> {
    Rows(&'a [T]),
    One(T),
}

impl<'a, T: Pod> Side<'a, T> {
    fn new(column: &'a HostColumn<'_>) -> Result<Self> {
        let values = column.values::<T>()?;
        match values {
            [one, ..] if column.broadcast() => Ok(Side::One(*one)),
            rows => Ok(Side::Rows(rows)),
        }
    }
}

/// `out = f(lhs, rhs)` for rows `start ..`: one loop per shape, which the compiler turns into vector code.
fn zip<T: Copy>(lhs: Side<'_, T>, rhs: Side<'_, T>, start: usize, out: &mut [T], f: impl Fn(T, T) -> T) {
    let end = start + out.len();
    match (lhs, rhs) {
        (Side::Rows(lhs), Side::Rows(rhs)) => {
            for ((slot, &a), &b) in out.iter_mut().zip(&lhs[start..end]).zip(&rhs[start..end]) {
                *slot = f(a, b);
            }
        }
        (Side::Rows(lhs), Side::One(b)) => {
            for (slot, &a) in out.iter_mut().zip(&lhs[start..end]) {
                *slot = f(a, b);
            }
        }
        (Side::One(a), Side::Rows(rhs)) => {
            for (slot, &b) in out.iter_mut().zip(&rhs[start..end]) {
                *slot = f(a, b);
            }
        }
        (Side::One(a), Side::One(b)) => out.fill(f(a, b)),
    }
}

/// An integer of two's complement, whatever its signedness, or a float.
trait Plain: Pod + Send + Sync {
    fn run(op: Arithmetic, lhs: Side<'_, Self>, rhs: Side<'_, Self>, start: usize, out: &mut [Self]);
}

macro_rules! plain_integers {
    ($($native:ty),*) => {$(
        impl Plain for $native {
            fn run(op: Arithmetic, lhs: Side<'_, Self>, rhs: Side<'_, Self>, start: usize, out: &mut [Self]) {
                match op {
                    Arithmetic::Sub => zip(lhs, rhs, start, out, |a, b| a.wrapping_sub(b)),
                    Arithmetic::Mul => zip(lhs, rhs, start, out, |a, b| a.wrapping_mul(b)),
                    Arithmetic::BitAnd => zip(lhs, rhs, start, out, |a, b| a & b),
                    Arithmetic::BitOr => zip(lhs, rhs, start, out, |a, b| a | b),
                    Arithmetic::BitXor => zip(lhs, rhs, start, out, |a, b| a ^ b),
                    _ => zip(lhs, rhs, start, out, |a, b| a.wrapping_add(b)),
                }
            }
        }
    )*};
}

macro_rules! plain_floats {
    ($($native:ty),*) => {$(
        impl Plain for $native {
            fn run(op: Arithmetic, lhs: Side<'_, Self>, rhs: Side<'_, Self>, start: usize, out: &mut [Self]) {
                match op {
                    Arithmetic::Sub => zip(lhs, rhs, start, out, |a, b| a - b),
                    Arithmetic::Mul => zip(lhs, rhs, start, out, |a, b| a * b),
                    Arithmetic::Div => zip(lhs, rhs, start, out, |a, b| a / b),
                    _ => zip(lhs, rhs, start, out, |a, b| a + b),
                }
            }
        }
    )*};
}

plain_integers!(u8, u16, u32, u64, i128);
plain_floats!(f32, f64);

/// [`Plan::Same`].
pub(super) fn same(work: &Work<'_, '_>, plan: &Plan, op: Arithmetic, physical: PhysicalType) -> Result<Column> {
    fn run<T: Plain>(work: &Work<'_, '_>, plan: &Plan, op: Arithmetic) -> Result<Column> {
        let (lhs, rhs) = (Side::<T>::new(&work.lhs)?, Side::<T>::new(&work.rhs)?);
        let mut output = HostOutput::<T>::new(work.rows, work.ctx)?;
        for_each_chunk(output.values(work.ctx.stream)?, |start, out| T::run(op, lhs, rhs, start, out));
        output.finish(work.output_type, work.mask(plan, |_| u64::MAX)?)
    }
    match physical {
        PhysicalType::U8 => run::<u8>(work, plan, op),
        PhysicalType::U16 => run::<u16>(work, plan, op),
        PhysicalType::U32 => run::<u32>(work, plan, op),
        PhysicalType::U64 => run::<u64>(work, plan, op),
        PhysicalType::I128 => run::<i128>(work, plan, op),
        PhysicalType::F32 => run::<f32>(work, plan, op),
        PhysicalType::F64 => run::<f64>(work, plan, op),
        _ => Err(Error::unsupported(OPERATION, work.output_type)),
    }
}

/// What some operators need besides their operands.
#[derive(Clone, Copy)]
pub(super) struct Detail {
    pub(super) scaling: Scaling,
    pub(super) bits: i32,
}

/// A type that converted operands are worked on in.
trait Worked: Number {
    /// `out = lhs op rhs`, row by row, without scaling. Where `op` divides integers by zero the result is 0.
    fn run(op: Arithmetic, bits: i32, lhs: &[Self], rhs: &[Self], out: &mut [Self]);
    /// Multiplies by `up` and divides by `down`; only 128-bit integers are ever scaled.
    fn scale(_values: &mut [Self], _up: i256, _down: i256) {}
    fn to<O: FromNumber>(self) -> O;
}

fn each<T: Copy>(lhs: &[T], rhs: &[T], out: &mut [T], f: impl Fn(T, T) -> T) {
    for ((slot, &a), &b) in out.iter_mut().zip(lhs).zip(rhs) {
        *slot = f(a, b);
    }
}

macro_rules! worked_integers {
    ($($native:ty, $unsigned:ty, $convert:ident $(, $scale:item)?;)*) => {$(
        impl Worked for $native {
            // An unsigned remainder is never below 0, which the shared text may still ask.
            #[allow(unused_comparisons)]
            fn run(op: Arithmetic, bits: i32, lhs: &[Self], rhs: &[Self], out: &mut [Self]) {
                match op {
                    Arithmetic::Add => each(lhs, rhs, out, |a, b| a.wrapping_add(b)),
                    Arithmetic::Sub => each(lhs, rhs, out, |a, b| a.wrapping_sub(b)),
                    Arithmetic::Mul => each(lhs, rhs, out, |a, b| a.wrapping_mul(b)),
                    Arithmetic::Div => each(lhs, rhs, out, |a, b| if b == 0 { 0 } else { a.wrapping_div(b) }),
                    Arithmetic::FloorDiv => each(lhs, rhs, out, |a, b| {
                        if b == 0 {
                            return 0;
                        }
                        let (quotient, rest) = (a.wrapping_div(b), a.wrapping_rem(b));
                        quotient.wrapping_sub(Self::from(rest != 0 && (rest < 0) != (b < 0)))
                    }),
                    Arithmetic::Mod => each(lhs, rhs, out, |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) }),
                    Arithmetic::PMod => each(lhs, rhs, out, |a, b| {
                        let rest = if b == 0 { 0 } else { a.wrapping_rem(b) };
                        if rest < 0 && b > 0 { rest.wrapping_add(b) } else { rest }
                    }),
                    Arithmetic::PyMod => each(lhs, rhs, out, |a, b| {
                        let rest = if b == 0 { 0 } else { a.wrapping_rem(b) };
                        if rest != 0 && (rest < 0) != (b < 0) { rest.wrapping_add(b) } else { rest }
                    }),
                    Arithmetic::ShiftLeft => {
                        each(lhs, rhs, out, |a, b| narrow(a, bits, |a| a.wrapping_shl(amount(b, bits))))
                    }
                    Arithmetic::ShiftRight => {
                        each(lhs, rhs, out, |a, b| narrow(a, bits, |a| a.wrapping_shr(amount(b, bits))))
                    }
                    Arithmetic::ShiftRightUnsigned => {
                        let unused = <$native>::BITS.saturating_sub(bits.unsigned_abs());
                        each(lhs, rhs, out, |a, b| {
                            let high = (a as $unsigned).wrapping_shl(unused).wrapping_shr(unused);
                            narrow(a, bits, |_| high.wrapping_shr(amount(b, bits)) as Self)
                        });
                    }
                    Arithmetic::BitAnd => each(lhs, rhs, out, |a, b| a & b),
                    Arithmetic::BitOr => each(lhs, rhs, out, |a, b| a | b),
                    Arithmetic::BitXor => each(lhs, rhs, out, |a, b| a ^ b),
                    Arithmetic::Maximum => each(lhs, rhs, out, |a, b| if a > b { a } else { b }),
                    Arithmetic::Minimum => each(lhs, rhs, out, |a, b| if a < b { a } else { b }),
                }
            }

            $($scale)?

            fn to<O: FromNumber>(self) -> O {
                O::$convert(self)
            }
        }
    )*};
}

/// How far is shifted: modulo the number of bits, a power of two.
fn amount<T: AsBits>(by: T, bits: i32) -> u32 {
    by.low_word() & (bits.unsigned_abs().max(1) - 1)
}

/// The result of a shift as a value of the narrower type that was shifted; `bits` is negative for a signed one.
fn narrow<T: AsBits>(value: T, bits: i32, shift: impl Fn(T) -> T) -> T {
    shift(value).extended(bits)
}

trait AsBits: Copy {
    fn low_word(self) -> u32;
    fn extended(self, bits: i32) -> Self;
}

macro_rules! as_bits {
    ($($native:ty, $signed:ty, $unsigned:ty;)*) => {$(
        impl AsBits for $native {
            fn low_word(self) -> u32 {
                self as u32
            }
            fn extended(self, bits: i32) -> Self {
                let unused = <$native>::BITS.saturating_sub(bits.unsigned_abs());
                let high = (self as $unsigned).wrapping_shl(unused);
                if bits < 0 { (high as $signed).wrapping_shr(unused) as Self } else { high.wrapping_shr(unused) as Self }
            }
        }
    )*};
}

as_bits! {
    i64, i64, u64;
    u64, i64, u64;
    i128, i128, u128;
}

worked_integers! {
    i64, u64, of_i64;
    u64, u64, of_u64;
    i128, u128, of_i128, fn scale(values: &mut [i128], up: i256, down: i256) {
        let [up, down] = [up, down].map(|factor| factor.to_i128().unwrap_or(1));
        if up != 1 {
            values.iter_mut().for_each(|value| *value = value.wrapping_mul(up));
        }
        if down != 1 {
            values.iter_mut().for_each(|value| *value = value.wrapping_div(down));
        }
    };
}

macro_rules! worked_floats {
    ($($native:ty, $convert:ident;)*) => {$(
        impl Worked for $native {
            fn run(op: Arithmetic, _bits: i32, lhs: &[Self], rhs: &[Self], out: &mut [Self]) {
                match op {
                    Arithmetic::Sub => each(lhs, rhs, out, |a, b| a - b),
                    Arithmetic::Mul => each(lhs, rhs, out, |a, b| a * b),
                    Arithmetic::Div => each(lhs, rhs, out, |a, b| a / b),
                    Arithmetic::FloorDiv => each(lhs, rhs, out, |a, b| (a / b).floor()),
                    Arithmetic::Mod => each(lhs, rhs, out, |a, b| a % b),
                    Arithmetic::PMod => each(lhs, rhs, out, |a, b| {
                        let rest = a % b;
                        if rest < 0.0 { (rest + b) % b } else { rest }
                    }),
                    Arithmetic::PyMod => each(lhs, rhs, out, |a, b| (a % b + b) % b),
                    Arithmetic::Maximum => each(lhs, rhs, out, |a, b| if a > b { a } else { b }),
                    Arithmetic::Minimum => each(lhs, rhs, out, |a, b| if a < b { a } else { b }),
                    _ => each(lhs, rhs, out, |a, b| a + b),
                }
            }

            fn to<O: FromNumber>(self) -> O {
                O::$convert(self)
            }
        }
    )*};
}

worked_floats! {
    f32, of_f32;
    f64, of_f64;
}

/// [`Plan::Converted`] in up to 128 bits.
pub(super) fn converted(
    work: &Work<'_, '_>,
    plan: &Plan,
    op: Arithmetic,
    compute: Compute,
    detail: Detail,
) -> Result<Column> {
    match compute {
        Compute::I64 => by_output::<i64>(work, plan, op, detail),
        Compute::U64 => by_output::<u64>(work, plan, op, detail),
        Compute::F32 => by_output::<f32>(work, plan, op, detail),
        Compute::F64 => by_output::<f64>(work, plan, op, detail),
        Compute::I128 => by_output::<i128>(work, plan, op, detail),
        Compute::I256 => Err(Error::unsupported(OPERATION, work.output_type)),
    }
}

fn by_output<C: Worked>(work: &Work<'_, '_>, plan: &Plan, op: Arithmetic, detail: Detail) -> Result<Column> {
    gdf_core::dispatch_arms!(
        physical_type(work.output_type),
        O => run::<C, O>(work, plan, op, detail),
        Err(Error::unsupported(OPERATION, work.output_type)),
        [I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F16 gdf_core::f16, F32 f32, F64 f64,
         I128 i128]
    )
}

fn run<C: Worked, O: FromNumber>(work: &Work<'_, '_>, plan: &Plan, op: Arithmetic, detail: Detail) -> Result<Column> {
    let (lhs, rhs) = (NumberReader::<C>::new(&work.lhs)?, NumberReader::<C>::new(&work.rhs)?);
    let words = work.valid_words()?;
    let either = plan.either();
    let mut output = HostOutput::<O>::new(work.rows, work.ctx)?;
    for_each_chunk(output.values(work.ctx.stream)?, |first, chunk| {
        let mut scratch = [[C::default(); NUMBER_BLOCK]; 3];
        for (block, out) in chunk.chunks_mut(NUMBER_BLOCK).enumerate() {
            let start = first + block * NUMBER_BLOCK;
            let [a, b, result] = &mut scratch;
            let (a, b, result) = (&mut a[..out.len()], &mut b[..out.len()], &mut result[..out.len()]);
            lhs.load(start, a);
            rhs.load(start, b);
            C::scale(a, detail.scaling.lhs, i256::ONE);
            C::scale(b, detail.scaling.rhs, i256::ONE);
            if either {
                replace_nulls(&words, start, a, b);
            }
            C::run(op, detail.bits, a, b, result);
            C::scale(result, detail.scaling.up, detail.scaling.down);
            for (slot, &value) in out.iter_mut().zip(&*result) {
                *slot = value.to();
            }
        }
    });
    let rows = work.rows;
    let mask = work.mask(plan, |index| if plan.divides() { not_zero(&rhs, index, rows) } else { u64::MAX })?;
    output.finish(work.output_type, mask)
}

/// Puts the other operand's value in the place of a null.
fn replace_nulls<C: Copy>(words: &impl Fn(usize) -> (u64, u64), start: usize, lhs: &mut [C], rhs: &mut [C]) {
    for (index, (lhs, rhs)) in lhs.chunks_mut(64).zip(rhs.chunks_mut(64)).enumerate() {
        let (left, right) = words(start / 64 + index);
        if left & right == left | right {
            continue;
        }
        for (bit, (a, b)) in lhs.iter_mut().zip(rhs).enumerate() {
            match (left >> bit & 1, right >> bit & 1) {
                (1, 0) => *b = *a,
                (0, 1) => *a = *b,
                _ => {}
            }
        }
    }
}

/// Which of the rows `64 * index ..` are not 0.
fn not_zero<C: Number>(of: &NumberReader<'_, C>, index: usize, rows: usize) -> u64 {
    let mut scratch = [C::default(); 64];
    let values = &mut scratch[..(rows - index * 64).min(64)];
    of.load(index * 64, values);
    values.iter().enumerate().fold(0, |bits, (row, &value)| bits | u64::from(value != C::default()) << row)
}
