//! Checked arithmetic on the CPU.

use std::sync::atomic::{AtomicI32, Ordering};

use arrow_buffer::i256;
use gdf_core::{Column, Error, I256, Result};

use super::super::host::{self, Worked};
use super::{Arithmetic, CheckedPlan, Compute, Failure, FailureMasks, OPERATION};
use crate::elementwise::Rows;
use crate::host::NUMBER_BLOCK;

pub(super) fn checked(rows: &Rows<'_, 2>, plan: &CheckedPlan, masks: FailureMasks) -> Result<Column> {
    match plan.compute {
        Compute::F32 => run::<f32>(rows, plan, masks),
        Compute::F64 => run::<f64>(rows, plan, masks),
        Compute::I128 => run::<i128>(rows, plan, masks),
        Compute::I256 => run::<I256>(rows, plan, masks),
        Compute::I64 | Compute::U64 => Err(Error::internal(OPERATION)),
    }
}

/// Computes the result column.
fn run<C: Exact>(rows: &Rows<'_, 2>, plan: &CheckedPlan, masks: FailureMasks) -> Result<Column> {
    let functor = C::checked(plan, masks.zeros_fail())?;
    let (readers, valid, reported) = (rows.numbers::<C>()?, rows.valid()?, AtomicI32::new(0));
    let mask = || {
        rows.mask_by(|index, [lhs, rhs]| {
            let (mut a, mut b, mut failures) = ([C::default(); 64], [C::default(); 64], [0_u8; 64]);
            let len = (rows.len() - index * 64).min(64);
            readers[0].load(index * 64, &mut a[..len]);
            readers[1].load(index * 64, &mut b[..len]);
            C::evaluate(&functor, &mut a[..len], &b[..len], &mut failures[..len]);
            lhs & rhs & !bits(&failures, masks.nulls)
        })
    };
    let column = rows.computed(OPERATION, mask, &|start, [a, b]| {
        let mut failures = [0_u8; NUMBER_BLOCK];
        C::evaluate(&functor, a, b, &mut failures[..b.len()]);
        for (index, failures) in failures[..b.len()].chunks(64).enumerate() {
            let [lhs, rhs] = valid(start / 64 + index);
            for kind in [Failure::Overflow as i32, Failure::ZeroDivisor as i32] {
                if lhs & rhs & bits(failures, masks.reports & kind) != 0 {
                    reported.fetch_or(kind, Ordering::Relaxed);
                }
            }
        }
    })?;
    let reported = reported.into_inner();
    let has = |kind: Failure| reported & kind as i32 != 0;
    masks.verdict(has(Failure::Overflow), has(Failure::ZeroDivisor))?;
    Ok(column)
}

/// Returns a word in which bit `i` is set if row `i` has failed with a failure of `kinds`.
fn bits(failures: &[u8], kinds: i32) -> u64 {
    let set = |(row, failure): (usize, &u8)| u64::from(i32::from(*failure) & kinds != 0) << row;
    if kinds == 0 { 0 } else { failures.iter().enumerate().map(set).fold(0, |all, bit| all | bit) }
}

struct Functor<C> {
    plan: CheckedPlan,
    apply: host::Functor<C>,
    zeros_fail: bool,
    range: [C; 2],
}

/// A working type of checked arithmetic.
trait Exact: Worked {
    fn checked(plan: &CheckedPlan, zeros_fail: bool) -> Result<Functor<Self>>;
    /// Computes `a = a op b` for each row.
    fn evaluate(functor: &Functor<Self>, a: &mut [Self], b: &[Self], failures: &mut [u8]);
}

fn failure(zero: bool, fits: bool) -> u8 {
    match (zero, fits) {
        (true, _) => Failure::ZeroDivisor as u8,
        (_, false) => Failure::Overflow as u8,
        _ => 0,
    }
}

impl Exact for i128 {
    fn checked(plan: &CheckedPlan, zeros_fail: bool) -> Result<Functor<Self>> {
        let range = plan.range.unwrap_or_default().map(|end| end.to_i128().unwrap_or(0));
        Ok(Functor { plan: *plan, apply: Self::functor(plan.code)?, zeros_fail: zeros_fail && plan.divides, range })
    }

    fn evaluate(functor: &Functor<Self>, a: &mut [Self], b: &[Self], failures: &mut [u8]) {
        (functor.apply)(0, a, b);
        let [lower, upper] = functor.range;
        for ((value, &by), slot) in a.iter_mut().zip(b).zip(failures) {
            if functor.plan.absolute {
                *value = value.wrapping_abs();
            }
            *slot = failure(functor.zeros_fail && by == 0, lower <= *value && *value <= upper);
        }
    }
}

macro_rules! floats {
    ($($native:ty),*) => {$(
        impl Exact for $native {
            fn checked(plan: &CheckedPlan, zeros_fail: bool) -> Result<Functor<Self>> {
                let (apply, zeros_fail) = (Self::functor(plan.code)?, zeros_fail && plan.divides);
                Ok(Functor { plan: *plan, apply, zeros_fail, range: [0.0; 2] })
            }

            fn evaluate(functor: &Functor<Self>, a: &mut [Self], b: &[Self], failures: &mut [u8]) {
                (functor.apply)(0, a, b);
                let [lowest, above] = functor.plan.float_range();
                let bounded = functor.plan.range.is_some();
                for ((value, &by), slot) in a.iter_mut().zip(b).zip(failures) {
                    let whole = f64::from(*value).trunc();
                    let fits = !bounded || (whole >= lowest && whole < above);
                    *slot = failure(functor.zeros_fail && by == 0.0, fits);
                }
            }
        }
    )*};
}

floats!(f32, f64);

impl Exact for I256 {
    fn checked(plan: &CheckedPlan, zeros_fail: bool) -> Result<Functor<Self>> {
        let (apply, range) = (Self::functor(plan.code)?, plan.range.unwrap_or_default().map(I256));
        Ok(Functor { plan: *plan, apply, zeros_fail: zeros_fail && plan.divides, range })
    }

    fn evaluate(functor: &Functor<Self>, a: &mut [Self], b: &[Self], failures: &mut [u8]) {
        let [lower, upper] = functor.range;
        for ((value, by), slot) in a.iter_mut().zip(b).zip(failures) {
            let (exact, over) = exact(value.0, by.0, functor);
            let fits = !over && lower.0 <= exact && exact <= upper.0;
            *slot = failure(functor.zeros_fail && by.0 == i256::ZERO, fits);
            *value = I256(exact);
        }
    }
}

/// Returns the result, wrapped to 256 bits, and whether an intermediate result needed more than 256 bits.
fn exact(lhs: i256, rhs: i256, Functor { plan, apply, .. }: &Functor<I256>) -> (i256, bool) {
    let mut over = false;
    let mut product = |a: i256, b: i256| {
        over |= a.checked_mul(b).is_none();
        a.wrapping_mul(b)
    };
    let (x, y) = (product(lhs, plan.scaling.lhs), product(rhs, plan.scaling.rhs));
    let mut result = [I256(x)];
    let mut sum_is_over = false;
    match plan.code {
        Arithmetic::Mul => result[0].0 = product(x, y),
        _ => apply(0, &mut result, &[I256(y)]),
    }
    match plan.code {
        Arithmetic::Add => sum_is_over = x.checked_add(y).is_none(),
        Arithmetic::Sub => sum_is_over = x.checked_sub(y).is_none(),
        _ => {}
    }
    let value = product(result[0].0, plan.scaling.up);
    let value = match plan.scaling.down {
        i256::ONE => value,
        down => {
            let below = plan.floors && value.wrapping_rem(down).is_negative();
            value.wrapping_div(down).wrapping_sub(if below { i256::ONE } else { i256::ZERO })
        }
    };
    (if plan.absolute { value.wrapping_abs() } else { value }, over || sum_is_over)
}
