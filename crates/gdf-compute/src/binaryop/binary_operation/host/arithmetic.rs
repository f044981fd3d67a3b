//! Arithmetic: on slices of one type as they are, and on blocks converted to the type that is worked in.

use arrow_buffer::i256;
use bytemuck::Pod;
use gdf_core::{Column, Error, I256, PhysicalType, Result};
use gdf_engine::elementwise::{Rows, Stored};
use gdf_engine::host::{Number, NumberReader};

use super::super::operators::OPERATION;
use super::super::plan::{Arithmetic, BinaryPlan, Compute, Scaling};

/// `out = f(lhs, rhs)` for rows `start ..`: one loop per shape, which the compiler turns into vector code.
fn zip<T: Copy>(lhs: Stored<'_, T>, rhs: Stored<'_, T>, start: usize, out: &mut [T], f: impl Fn(T, T) -> T) {
    let end = start + out.len();
    match (lhs, rhs) {
        (Stored::Rows(lhs), Stored::Rows(rhs)) => {
            for ((slot, &a), &b) in out.iter_mut().zip(&lhs[start..end]).zip(&rhs[start..end]) {
                *slot = f(a, b);
            }
        }
        (Stored::Rows(lhs), Stored::One(b)) => {
            for (slot, &a) in out.iter_mut().zip(&lhs[start..end]) {
                *slot = f(a, b);
            }
        }
        (Stored::One(a), Stored::Rows(rhs)) => {
            for (slot, &b) in out.iter_mut().zip(&rhs[start..end]) {
                *slot = f(a, b);
            }
        }
        (Stored::One(a), Stored::One(b)) => out.fill(f(a, b)),
    }
}

/// An integer of two's complement, whatever its signedness, or a float.
trait Plain: Pod + Send + Sync {
    fn run(op: Arithmetic, lhs: Stored<'_, Self>, rhs: Stored<'_, Self>, start: usize, out: &mut [Self]);
}

macro_rules! plain_integers {
    ($($native:ty),*) => {$(
        impl Plain for $native {
            fn run(op: Arithmetic, lhs: Stored<'_, Self>, rhs: Stored<'_, Self>, start: usize, out: &mut [Self]) {
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
            fn run(op: Arithmetic, lhs: Stored<'_, Self>, rhs: Stored<'_, Self>, start: usize, out: &mut [Self]) {
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

/// [`BinaryPlan::Same`].
pub(super) fn same(rows: &Rows<'_, 2>, op: Arithmetic, physical: PhysicalType) -> Result<Column> {
    fn run<T: Plain>(rows: &Rows<'_, 2>, op: Arithmetic) -> Result<Column> {
        let [lhs, rhs] = rows.columns();
        let (lhs, rhs) = (Stored::<T>::open(lhs)?, Stored::<T>::open(rhs)?);
        rows.filled(|| rows.mask(), |start, out| T::run(op, lhs, rhs, start, out))
    }
    gdf_core::dispatch_arms!(
        physical,
        T => run::<T>(rows, op),
        Err(Error::unsupported(OPERATION, rows.output_type)),
        [U8 u8, U16 u16, U32 u32, U64 u64, I128 i128, F32 f32, F64 f64]
    )
}

/// What is done to blocks of converted operands.
#[derive(Clone, Copy)]
pub(super) struct Detail {
    pub(super) op: Arithmetic,
    pub(super) scaling: Scaling,
    /// Of what is shifted, see [`BinaryPlan::Converted`].
    pub(super) bits: i32,
}

/// A type that converted operands are worked on in.
pub(crate) trait Worked: Number {
    /// `lhs = lhs op rhs`, row by row, without scaling. Where `op` divides integers by zero the result is 0.
    fn run(op: Arithmetic, bits: i32, lhs: &mut [Self], rhs: &[Self]);
    /// Multiplies by `up` and divides by `down`; only 128- and 256-bit integers are ever scaled.
    fn scale(_values: &mut [Self], _up: i256, _down: i256) {}
}

fn each<T: Copy>(lhs: &mut [T], rhs: &[T], f: impl Fn(T, T) -> T) {
    for (a, &b) in lhs.iter_mut().zip(rhs) {
        *a = f(*a, b);
    }
}

/// The table of functors: of integers, which wrap, and of floats. A row per operator; those of `Decimal256` are below.
macro_rules! functors {
    (integers [$($integer:ty $(=> $scale:item)?;)*] floats [$($float:ty),*] $table:tt) => {
        $(functors!(@integers $integer [$($scale)?] $table);)*
        $(functors!(@floats $float $table);)*
    };
    (@integers $native:ty [$($scale:item)?] {
        |$a:ident, $b:ident, $bits:ident| $($op:ident => $integer:expr, $float:expr;)*
    }) => {
        impl Worked for $native {
            #[allow(unused_variables, reason = "functions of floats have no functor of integers")]
            fn run(op: Arithmetic, $bits: i32, lhs: &mut [Self], rhs: &[Self]) {
                match op {
                    $(Arithmetic::$op => each(lhs, rhs, |$a: Self, $b: Self| $integer),)*
                }
            }

            $($scale)?
        }
    };
    (@floats $native:ty { |$a:ident, $b:ident, $bits:ident| $($op:ident => $integer:expr, $float:expr;)* }) => {
        impl Worked for $native {
            #[allow(unused_variables, reason = "no float has bits")]
            fn run(op: Arithmetic, _: i32, lhs: &mut [Self], rhs: &[Self]) {
                match op {
                    $(Arithmetic::$op => each(lhs, rhs, |$a: Self, $b: Self| $float),)*
                }
            }
        }
    };
}

functors! {
    integers [
        i64;
        u64;
        i128 => fn scale(values: &mut [i128], up: i256, down: i256) {
            let [up, down] = [up, down].map(|factor| factor.to_i128().unwrap_or(1));
            if up != 1 {
                values.iter_mut().for_each(|value| *value = value.wrapping_mul(up));
            }
            if down != 1 {
                values.iter_mut().for_each(|value| *value = value.wrapping_div(down));
            }
        };
    ]
    floats [f32, f64]
    {
        |a, b, bits|
        Add => a.wrapping_add(b), a + b;
        Sub => a.wrapping_sub(b), a - b;
        Mul => a.wrapping_mul(b), a * b;
        Div => if b == 0 { 0 } else { a.wrapping_div(b) }, a / b;
        FloorDiv => a.floor_quotient(b), (a / b).floor();
        Mod => a.remainder(b), a % b;
        PMod => a.positive_remainder(b), if a % b < 0.0 { (a % b + b) % b } else { a % b };
        PyMod => a.floor_remainder(b), (a % b + b) % b;
        ShiftLeft => a.wrapping_shl(amount(b, bits)).extended(bits), a;
        ShiftRight => a.wrapping_shr(amount(b, bits)).extended(bits), a;
        ShiftRightUnsigned => a.shifted_right_unsigned(amount(b, bits), bits).extended(bits), a;
        BitAnd => a & b, a;
        BitOr => a | b, a;
        BitXor => a ^ b, a;
        Maximum => if a > b { a } else { b }, if a > b { a } else { b };
        Minimum => if a < b { a } else { b }, if a < b { a } else { b };
        IntPow => a.power(b), a;
        Pow => a, a.powf(b);
        LogBase => a, a.ln() / b.ln();
        Atan2 => a, a.atan2(b);
    }
}

impl Worked for I256 {
    fn run(op: Arithmetic, _: i32, lhs: &mut [Self], rhs: &[Self]) {
        let opposite = |rest: i256, by: i256| rest != i256::ZERO && rest.is_negative() != by.is_negative();
        let divide = |lhs: &mut [Self], f: &dyn Fn(i256, i256, i256) -> i256| {
            each(lhs, rhs, |a, b| match b.0 {
                i256::ZERO => I256(i256::ZERO),
                by => I256(f(a.0, by, a.0.wrapping_rem(by))),
            });
        };
        match op {
            Arithmetic::Sub => each(lhs, rhs, |a, b| I256(a.0.wrapping_sub(b.0))),
            Arithmetic::Mul => each(lhs, rhs, |a, b| I256(a.0.wrapping_mul(b.0))),
            Arithmetic::Maximum => each(lhs, rhs, |a, b| if a > b { a } else { b }),
            Arithmetic::Minimum => each(lhs, rhs, |a, b| if a < b { a } else { b }),
            Arithmetic::Div => divide(lhs, &|a, by, _| a.wrapping_div(by)),
            Arithmetic::FloorDiv => divide(lhs, &|a, by, rest| {
                let quotient = a.wrapping_div(by);
                if opposite(rest, by) { quotient.wrapping_sub(i256::ONE) } else { quotient }
            }),
            Arithmetic::Mod => divide(lhs, &|_, _, rest| rest),
            Arithmetic::PMod => divide(lhs, &|_, by, rest| {
                if rest.is_negative() && !by.is_negative() { rest.wrapping_add(by) } else { rest }
            }),
            Arithmetic::PyMod => {
                divide(lhs, &|_, by, rest| if opposite(rest, by) { rest.wrapping_add(by) } else { rest })
            }
            _ => each(lhs, rhs, |a, b| I256(a.0.wrapping_add(b.0))),
        }
    }

    fn scale(values: &mut [Self], up: i256, down: i256) {
        if up != i256::ONE {
            values.iter_mut().for_each(|value| value.0 = value.0.wrapping_mul(up));
        }
        if down != i256::ONE {
            values.iter_mut().for_each(|value| value.0 = value.0.wrapping_div(down));
        }
    }
}

/// How far is shifted: modulo the number of bits, a power of two.
fn amount<T: Integer>(by: T, bits: i32) -> u32 {
    by.low_word() & (bits.unsigned_abs().max(1) - 1)
}

/// Functors of more than an expression.
trait Integer: Copy {
    /// The quotient rounded down; 0 of 0.
    fn floor_quotient(self, by: Self) -> Self;
    /// The remainder of the truncated quotient; 0 of 0.
    fn remainder(self, by: Self) -> Self;
    /// As `remainder`, but not negative when `by` is positive.
    fn positive_remainder(self, by: Self) -> Self;
    /// The remainder of the quotient rounded down.
    fn floor_remainder(self, by: Self) -> Self;
    /// To this power; 0 of a negative one.
    fn power(self, power: Self) -> Self;
    fn low_word(self) -> u32;
    /// The low bits as a value of a type of so many, negative for a signed one.
    fn extended(self, bits: i32) -> Self;
    /// The low bits shifted, zeros moving in.
    fn shifted_right_unsigned(self, by: u32, bits: i32) -> Self;
}

macro_rules! integers {
    ($($native:ty, $signed:ty, $unsigned:ty;)*) => {$(
        // An unsigned remainder is never below 0, which the shared text may still ask.
        #[allow(unused_comparisons)]
        impl Integer for $native {
            fn floor_quotient(self, by: Self) -> Self {
                if by == 0 {
                    return 0;
                }
                let (quotient, rest) = (self.wrapping_div(by), self.wrapping_rem(by));
                quotient.wrapping_sub(Self::from(rest != 0 && (rest < 0) != (by < 0)))
            }
            fn remainder(self, by: Self) -> Self {
                if by == 0 { 0 } else { self.wrapping_rem(by) }
            }
            fn positive_remainder(self, by: Self) -> Self {
                let rest = self.remainder(by);
                if rest < 0 && by > 0 { rest.wrapping_add(by) } else { rest }
            }
            fn floor_remainder(self, by: Self) -> Self {
                let rest = self.remainder(by);
                if rest != 0 && (rest < 0) != (by < 0) { rest.wrapping_add(by) } else { rest }
            }
            fn power(self, power: Self) -> Self {
                let (mut base, mut rest, mut product) = (self, power.max(0), Self::from(power >= 0));
                while rest != 0 {
                    if rest & 1 == 1 {
                        product = product.wrapping_mul(base);
                    }
                    base = base.wrapping_mul(base);
                    rest >>= 1;
                }
                product
            }
            fn low_word(self) -> u32 {
                self as u32
            }
            fn extended(self, bits: i32) -> Self {
                let unused = <$native>::BITS.saturating_sub(bits.unsigned_abs());
                let high = (self as $unsigned).wrapping_shl(unused);
                if bits < 0 { (high as $signed).wrapping_shr(unused) as Self } else { high.wrapping_shr(unused) as Self }
            }
            fn shifted_right_unsigned(self, by: u32, bits: i32) -> Self {
                let unused = <$native>::BITS.saturating_sub(bits.unsigned_abs());
                (self as $unsigned).wrapping_shl(unused).wrapping_shr(unused).wrapping_shr(by) as Self
            }
        }
    )*};
}

integers! {
    i64, i64, u64;
    u64, i64, u64;
    i128, i128, u128;
}

/// [`BinaryPlan::Converted`].
pub(super) fn converted(rows: &Rows<'_, 2>, plan: &BinaryPlan, compute: Compute, detail: Detail) -> Result<Column> {
    match compute {
        Compute::I64 => run::<i64>(rows, plan, detail),
        Compute::U64 => run::<u64>(rows, plan, detail),
        Compute::F32 => run::<f32>(rows, plan, detail),
        Compute::F64 => run::<f64>(rows, plan, detail),
        Compute::I128 => run::<i128>(rows, plan, detail),
        Compute::I256 => run::<I256>(rows, plan, detail),
    }
}

fn run<C: Worked>(rows: &Rows<'_, 2>, plan: &BinaryPlan, detail: Detail) -> Result<Column> {
    let Detail { op, scaling, bits } = detail;
    let chooses = matches!(op, Arithmetic::Maximum | Arithmetic::Minimum);
    let (divisors, valid) = (rows.numbers::<C>()?, rows.valid()?);
    let mask = || match plan.divides() {
        true => rows.mask_by(|index, [lhs, rhs]| lhs & rhs & not_zero(&divisors[1], index, rows.len())),
        false => rows.mask(),
    };
    rows.computed(OPERATION, mask, &|start, [a, b]| {
        C::scale(a, scaling.lhs, i256::ONE);
        C::scale(b, scaling.rhs, i256::ONE);
        if chooses {
            replace_nulls(&valid, start, a, b);
        }
        C::run(op, bits, a, b);
        C::scale(a, scaling.up, scaling.down);
    })
}

/// Puts the other operand's value in the place of a null.
fn replace_nulls<C: Copy>(valid: &impl Fn(usize) -> [u64; 2], start: usize, lhs: &mut [C], rhs: &mut [C]) {
    for (index, (lhs, rhs)) in lhs.chunks_mut(64).zip(rhs.chunks_mut(64)).enumerate() {
        let [left, right] = valid(start / 64 + index);
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
