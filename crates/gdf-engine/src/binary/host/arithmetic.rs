//! Arithmetic on the CPU, either directly on stored values of one type, or on blocks that are converted to a common
//! working type.

use arrow_buffer::i256;
use bytemuck::Pod;
use gdf_core::{Column, Error, I256, PhysicalType, Result};

use super::super::operators::OPERATION;
use super::super::operators::{Arithmetic, SameFloats, SameIntegers};
use super::super::plan::{Compute, Scaling};
use crate::elementwise::{Nulls, Rows, Stored};
use crate::host::{Number, NumberReader};

/// Computes `out = f(lhs, rhs)` for the rows from `start` on.
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

/// A number type whose stored values an operator uses without conversion.
trait Plain<Operator>: Pod + Send + Sync {
    fn run(op: Operator, lhs: Stored<'_, Self>, rhs: Stored<'_, Self>, start: usize, out: &mut [Self]);
}

macro_rules! plain {
    ($operators:ident [$($native:ty),*] $table:tt) => { $(plain!(@of $operators, $native, $table);)* };
    (@of $operators:ident, $native:ty, { |$a:ident, $b:ident| $($op:ident => $value:expr;)* }) => {
        impl Plain<$operators> for $native {
            fn run(op: $operators, lhs: Stored<'_, Self>, rhs: Stored<'_, Self>, start: usize, out: &mut [Self]) {
                match op {
                    $($operators::$op => zip(lhs, rhs, start, out, |$a: Self, $b: Self| $value),)*
                }
            }
        }
    };
}

plain! {
    SameIntegers [u8, u16, u32, u64, i128] {
        |a, b|
        Add => a.wrapping_add(b);
        Sub => a.wrapping_sub(b);
        Mul => a.wrapping_mul(b);
        BitAnd => a & b;
        BitOr => a | b;
        BitXor => a ^ b;
    }
}

plain! {
    SameFloats [f32, f64] {
        |a, b|
        Add => a + b;
        Sub => a - b;
        Mul => a * b;
        Div => a / b;
    }
}

fn plain<T: Plain<O>, O: Copy + Sync>(rows: &Rows<'_, 2>, op: O) -> Result<Column> {
    let [lhs, rhs] = rows.columns();
    let (lhs, rhs) = (Stored::<T>::open(lhs)?, Stored::<T>::open(rhs)?);
    rows.filled(|| rows.mask(), |start, out| T::run(op, lhs, rhs, start, out))
}

pub(super) fn same_integers(rows: &Rows<'_, 2>, op: SameIntegers, physical: PhysicalType) -> Result<Column> {
    gdf_core::dispatch_arms!(
        physical,
        T => plain::<T, _>(rows, op),
        Err(Error::unsupported(OPERATION, rows.output_type)),
        [U8 u8, U16 u16, U32 u32, U64 u64, I128 i128]
    )
}

pub(super) fn same_floats(rows: &Rows<'_, 2>, op: SameFloats, physical: PhysicalType) -> Result<Column> {
    gdf_core::dispatch_arms!(
        physical,
        T => plain::<T, _>(rows, op),
        Err(Error::unsupported(OPERATION, rows.output_type)),
        [F32 f32, F64 f64]
    )
}

#[derive(Clone, Copy)]
pub(super) struct Detail {
    pub(super) op: Arithmetic,
    pub(super) scaling: Scaling,
    /// The number of bits of the shifted type; see
    /// [`BinaryPlan::Converted`](super::super::plan::BinaryPlan::Converted).
    pub(super) bits: i32,
    /// The rule for nulls.
    pub(super) nulls: Nulls,
}

/// A function that computes `lhs = lhs op rhs` for each row, without scaling.
pub type Functor<C> = fn(i32, &mut [C], &[C]);

/// A working type, to which operands are converted before the operation.
pub trait Worked: Number {
    /// Returns the functor of an operator in this type.
    ///
    /// # Errors
    /// * [`Internal`](Error::Internal) when the type does not support the operator. No plan contains such a pair.
    fn functor(op: Arithmetic) -> Result<Functor<Self>>;
    /// Multiplies by `up` and divides by `down`.
    fn scale(_values: &mut [Self], _up: i256, _down: i256) {}
}

fn each<T: Copy>(lhs: &mut [T], rhs: &[T], f: impl Fn(T, T) -> T) {
    for (a, &b) in lhs.iter_mut().zip(rhs) {
        *a = f(*a, b);
    }
}

fn no_functor<C>() -> Result<Functor<C>> {
    Err(Error::internal("the type of the arithmetic does not support the operator"))
}

/// Declares the table of functors, with a row for each operator.
macro_rules! functors {
    (integers [$($integer:ty $(=> $scale:item)?;)*] floats [$($float:ty),*] $table:tt) => {
        $(functors!(@integers $integer [$($scale)?] $table);)*
        $(functors!(@floats $float $table);)*
    };
    (@integers $native:ty [$($scale:item)?] {
        |$a:ident, $b:ident, $bits:ident| $($op:ident => [$($integer:expr)?], [$($float:expr)?];)*
    }) => {
        impl Worked for $native {
            fn functor(op: Arithmetic) -> Result<Functor<Self>> {
                match op {
                    $(Arithmetic::$op => functors!(@functor |$a, $b, $bits| $($integer)?),)*
                }
            }

            $($scale)?
        }
    };
    (@floats $native:ty {
        |$a:ident, $b:ident, $bits:ident| $($op:ident => [$($integer:expr)?], [$($float:expr)?];)*
    }) => {
        impl Worked for $native {
            fn functor(op: Arithmetic) -> Result<Functor<Self>> {
                match op {
                    $(Arithmetic::$op => functors!(@functor |$a, $b, $bits| $($float)?),)*
                }
            }
        }
    };
    (@functor |$a:ident, $b:ident, $bits:ident|) => { no_functor() };
    (@functor |$a:ident, $b:ident, $bits:ident| $value:expr) => {{
        #[allow(unused_variables, reason = "shifts alone have bits")]
        let functor: Functor<Self> = |$bits, lhs, rhs| each(lhs, rhs, |$a: Self, $b: Self| $value);
        Ok(functor)
    }};
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
        Add => [a.wrapping_add(b)], [a + b];
        Sub => [a.wrapping_sub(b)], [a - b];
        Mul => [a.wrapping_mul(b)], [a * b];
        Div => [if b == 0 { 0 } else { a.wrapping_div(b) }], [a / b];
        FloorDiv => [a.floor_quotient(b)], [(a / b).floor()];
        Mod => [a.remainder(b)], [a % b];
        PMod => [a.positive_remainder(b)], [if a % b < 0.0 { (a % b + b) % b } else { a % b }];
        PyMod => [a.floor_remainder(b)], [(a % b + b) % b];
        ShiftLeft => [a.wrapping_shl(amount(b, bits)).extended(bits)], [];
        ShiftRight => [a.wrapping_shr(amount(b, bits)).extended(bits)], [];
        ShiftRightUnsigned => [a.shifted_right_unsigned(amount(b, bits), bits).extended(bits)], [];
        BitAnd => [a & b], [];
        BitOr => [a | b], [];
        BitXor => [a ^ b], [];
        Maximum => [if a > b { a } else { b }], [if a > b { a } else { b }];
        Minimum => [if a < b { a } else { b }], [if a < b { a } else { b }];
        IntPow => [a.power(b)], [];
        Pow => [], [a.powf(b)];
        LogBase => [], [a.ln() / b.ln()];
        Atan2 => [], [a.atan2(b)];
    }
}

/// Applies `f` to the dividend, the divisor and the remainder of each row. If the divisor is 0, the result is 0.
fn divide(lhs: &mut [I256], rhs: &[I256], f: impl Fn(i256, i256, i256) -> i256) {
    each(lhs, rhs, |a, b| match b.0 {
        i256::ZERO => I256(i256::ZERO),
        by => I256(f(a.0, by, a.0.wrapping_rem(by))),
    });
}

fn opposite(rest: i256, by: i256) -> bool {
    rest != i256::ZERO && rest.is_negative() != by.is_negative()
}

impl Worked for I256 {
    fn functor(op: Arithmetic) -> Result<Functor<Self>> {
        Ok(match op {
            Arithmetic::Add => |_, lhs, rhs| each(lhs, rhs, |a, b| I256(a.0.wrapping_add(b.0))),
            Arithmetic::Sub => |_, lhs, rhs| each(lhs, rhs, |a, b| I256(a.0.wrapping_sub(b.0))),
            Arithmetic::Mul => |_, lhs, rhs| each(lhs, rhs, |a, b| I256(a.0.wrapping_mul(b.0))),
            Arithmetic::Maximum => |_, lhs, rhs| each(lhs, rhs, |a, b| if a > b { a } else { b }),
            Arithmetic::Minimum => |_, lhs, rhs| each(lhs, rhs, |a, b| if a < b { a } else { b }),
            Arithmetic::Div => |_, lhs, rhs| divide(lhs, rhs, |a, by, _| a.wrapping_div(by)),
            Arithmetic::FloorDiv => |_, lhs, rhs| {
                divide(lhs, rhs, |a, by, rest| {
                    let quotient = a.wrapping_div(by);
                    if opposite(rest, by) { quotient.wrapping_sub(i256::ONE) } else { quotient }
                });
            },
            Arithmetic::Mod => |_, lhs, rhs| divide(lhs, rhs, |_, _, rest| rest),
            Arithmetic::PMod => |_, lhs, rhs| {
                let positive = |rest: i256, by: i256| rest.is_negative() && !by.is_negative();
                divide(lhs, rhs, |_, by, rest| if positive(rest, by) { rest.wrapping_add(by) } else { rest });
            },
            Arithmetic::PyMod => |_, lhs, rhs| {
                divide(lhs, rhs, |_, by, rest| if opposite(rest, by) { rest.wrapping_add(by) } else { rest });
            },
            Arithmetic::ShiftLeft
            | Arithmetic::ShiftRight
            | Arithmetic::ShiftRightUnsigned
            | Arithmetic::BitAnd
            | Arithmetic::BitOr
            | Arithmetic::BitXor
            | Arithmetic::IntPow
            | Arithmetic::Pow
            | Arithmetic::LogBase
            | Arithmetic::Atan2 => return no_functor(),
        })
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

/// Returns the shift amount modulo the number of bits. The number of bits is a power of two, so the remainder consists
/// of the low bits.
fn amount<T: Integer>(by: T, bits: i32) -> u32 {
    by.low_word() & (bits.unsigned_abs().max(1) - 1)
}

/// Operators of integers. A functor calls them if its operator needs more than one expression.
trait Integer: Copy {
    /// Returns the quotient, rounded down, or 0 if the divisor is 0.
    fn floor_quotient(self, by: Self) -> Self;
    /// Returns the remainder of the division that truncates its quotient, or 0 if the divisor is 0.
    fn remainder(self, by: Self) -> Self;
    /// Returns the remainder in the same way as [`remainder`](Self::remainder), with one difference: `by` is added to a
    /// negative remainder if `by` is positive.
    fn positive_remainder(self, by: Self) -> Self;
    /// Returns the remainder of the division that rounds its quotient down, or 0 if the divisor is 0.
    fn floor_remainder(self, by: Self) -> Self;
    /// Returns the number to the power of `power`. The result is 0 if `power` is negative.
    fn power(self, power: Self) -> Self;
    fn low_word(self) -> u32;
    /// Extends the low `|bits|` bits to the full width: with copies of their sign bit if `bits` is negative, and with
    /// zeros otherwise.
    fn extended(self, bits: i32) -> Self;
    /// Shifts the low `|bits|` bits to the right by `by`, and shifts in zeros.
    fn shifted_right_unsigned(self, by: u32, bits: i32) -> Self;
}

macro_rules! integers {
    ($($native:ty, $signed:ty, $unsigned:ty;)*) => {$(
        // The macro serves both signed and unsigned types.
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

pub(super) fn converted(rows: &Rows<'_, 2>, compute: Compute, detail: Detail) -> Result<Column> {
    match compute {
        Compute::I64 => run::<i64>(rows, detail),
        Compute::U64 => run::<u64>(rows, detail),
        Compute::F32 => run::<f32>(rows, detail),
        Compute::F64 => run::<f64>(rows, detail),
        Compute::I128 => run::<i128>(rows, detail),
        Compute::I256 => run::<I256>(rows, detail),
    }
}

fn run<C: Worked>(rows: &Rows<'_, 2>, detail: Detail) -> Result<Column> {
    let Detail { op, scaling, bits, nulls } = detail;
    let (functor, chooses) = (C::functor(op)?, nulls == Nulls::All);
    let (divisors, valid) = (rows.numbers::<C>()?, rows.valid()?);
    let mask = || match nulls {
        Nulls::Own { .. } => rows.mask_by(|index, [lhs, rhs]| lhs & rhs & not_zero(&divisors[1], index, rows.len())),
        Nulls::Keep | Nulls::Share | Nulls::All | Nulls::Never => rows.mask(),
    };
    rows.computed(OPERATION, mask, &|start, [a, b]| {
        C::scale(a, scaling.lhs, i256::ONE);
        C::scale(b, scaling.rhs, i256::ONE);
        if chooses {
            replace_nulls(&valid, start, a, b);
        }
        functor(bits, a, b);
        C::scale(a, scaling.up, scaling.down);
    })
}

/// Replaces each null of one operand by the value of the other operand.
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

/// Returns a word with a bit for each of the 64 rows from `64 * index` on.
fn not_zero<C: Number>(of: &NumberReader<'_, C>, index: usize, rows: usize) -> u64 {
    let mut scratch = [C::default(); 64];
    let values = &mut scratch[..(rows - index * 64).min(64)];
    of.load(index * 64, values);
    values.iter().enumerate().fold(0, |bits, (row, &value)| bits | u64::from(value != C::default()) << row)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the operators that a type does not have.
    fn missing<C: Worked>() -> Vec<Arithmetic> {
        use super::super::super::operators::{BinaryOperator, HasCodes};
        let codes = BinaryOperator::ALL.iter().filter_map(|op| op.code().arithmetic);
        codes.filter(|op| matches!(C::functor(*op), Err(Error::Internal { .. }))).collect()
    }

    #[test]
    fn no_operator_stands_for_another() {
        use Arithmetic::*;
        let bits = [ShiftLeft, ShiftRight, ShiftRightUnsigned, BitAnd, BitOr, BitXor, IntPow];
        let functions = [Pow, LogBase, Atan2];
        assert_eq!(missing::<i64>(), functions);
        assert_eq!(missing::<u64>(), functions);
        assert_eq!(missing::<i128>(), functions);
        assert_eq!(missing::<f32>(), bits);
        assert_eq!(missing::<f64>(), bits);
        assert_eq!(missing::<I256>(), [&bits[..], &functions].concat());
    }
}
