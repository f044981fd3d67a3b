//! `reduction::reduce` on the CPU: chunks on all threads, each in blocks of a mask word's rows. What is brought together
//! with what depends on the number of rows alone, so floats come out the same whatever the number of threads.

mod blocks;
mod pairwise;
mod strings;

use gdf_core::{
    Column, ColumnView, DataType, Error, I256, NativeType, PhysicalType, Result, Scalar, dispatch_integer,
    dispatch_numeric, f16, physical_type,
};

use self::blocks::{Accumulate, BlockRows, Bools, Counted, reduce_bits, reduce_rows};
use self::pairwise::Pairwise;
use crate::context::Ctx;
use crate::host::{HostColumn, HostMask, HostOutput, column, mask_from_words};
use crate::reduction::reduce::{Arithmetic, KeyWidth, OPERATION, ReducePlan, is_all_null};
use crate::rounding::{nearest_f16, nearest_f64, power_of_ten};

/// A reduction under way.
struct ReduceWork<'w, 'c> {
    input: HostColumn<'c>,
    physical: PhysicalType,
    output_type: &'w DataType,
    plan: ReducePlan,
    ctx: Ctx<'w>,
}

pub(crate) fn reduce(view: ColumnView<'_>, plan: ReducePlan, output_type: &DataType, ctx: Ctx<'_>) -> Result<Scalar> {
    let physical = physical_type(view.data_type());
    let work = ReduceWork { input: HostColumn::open(view, ctx.stream)?, physical, output_type, plan, ctx };
    let result = match plan {
        ReducePlan::Words(arithmetic) => words(&work, arithmetic),
        ReducePlan::Floats { arithmetic, mean } => floats(&work, arithmetic, mean),
        ReducePlan::Wide { arithmetic, scale, mean } => wide(&work, arithmetic, scale, mean),
        ReducePlan::Widest { scale, mean } => widest(&work, scale, mean),
        ReducePlan::Extreme { minimum, width: KeyWidth::Words } => extreme_words(&work, minimum),
        ReducePlan::Extreme { minimum, width: KeyWidth::Wide } => extreme_of::<i128>(&work, minimum),
        ReducePlan::Extreme { minimum, width: KeyWidth::Widest } => extreme_of::<I256>(&work, minimum),
        ReducePlan::ExtremeString { minimum } => strings::extreme_string(&work, minimum),
        ReducePlan::AnyAll { all } => any_all(&work, all),
        ReducePlan::Count { all } => count(&work, all, view),
    };
    Scalar::from_column(result?)
}

impl ReduceWork<'_, '_> {
    fn unsupported(&self) -> Error {
        Error::unsupported(OPERATION, self.input.view().data_type())
    }

    fn rows<T: NativeType>(&self) -> Result<BlockRows<'_, T>> {
        Ok(BlockRows { values: self.input.values::<T>()?, valid: self.input.validity()? })
    }

    fn bools(&self) -> Result<Counted<Bools>> {
        Ok(reduce_bits(self.input.bits()?, self.input.validity()?))
    }

    /// The result's mask: where the input has one.
    fn mask(&self, count: usize) -> Result<HostMask> {
        if !self.plan.can_be_null() || !self.input.view().has_validity() {
            return Ok(HostMask::none());
        }
        HostMask::from_words(1, self.ctx.stream, self.ctx.mr.output, |_| u64::from(count > 0))
    }

    fn value<D: NativeType>(&self, value: D, count: usize) -> Result<Column> {
        let mut output = HostOutput::<D>::new(1, self.ctx)?;
        output.values(self.ctx.stream)?.fill(value);
        output.finish(self.output_type, self.mask(count)?)
    }

    fn bit(&self, value: bool, count: usize) -> Result<Column> {
        let (buffer, _) = mask_from_words(1, self.ctx.stream, self.ctx.mr.output, |_| u64::from(value))?;
        column(self.output_type, 1, [buffer], self.mask(count)?)
    }

    fn float(&self, value: f64, count: usize) -> Result<Column> {
        match physical_type(self.output_type) {
            PhysicalType::F16 => self.value(nearest_f16(value), count),
            PhysicalType::F32 => self.value(value as f32, count),
            PhysicalType::F64 => self.value(value, count),
            _ => Err(self.unsupported()),
        }
    }

    /// A sum of integers of `scale` as a float.
    fn scaled_float(&self, sum: f64, scale: i32, mean: bool, count: usize) -> Result<Column> {
        let power = power_of_ten(scale.unsigned_abs());
        let value = if scale > 0 { sum / power } else { sum * power };
        self.float(if mean && count > 0 { value / count as f64 } else { value }, count)
    }

    /// An integer of at most 128 bits, wrapping.
    fn integer(&self, value: i128, count: usize) -> Result<Column> {
        if physical_type(self.output_type) == PhysicalType::I128 {
            return self.value(value, count);
        }
        dispatch_integer!(physical_type(self.output_type), D => self.value(value as D, count), else => Err(self.unsupported()))
    }
}

/// An operation on integers that wrap.
#[allow(clippy::type_complexity, reason = "closures have no names")]
fn integers<C: Copy>(
    identity: C,
    operation: impl Fn(C, C) -> C + Sync + Copy,
) -> Accumulate<C, impl Fn(C, &[C]) -> C + Sync, impl Fn(C, C) -> C + Sync> {
    Accumulate {
        identity,
        neutral: identity,
        block: move |all: C, rows: &[C]| rows.iter().fold(all, |all, row| operation(all, *row)),
        merge: operation,
    }
}

fn words(work: &ReduceWork<'_, '_>, arithmetic: Arithmetic) -> Result<Column> {
    if work.physical == PhysicalType::Bool {
        let Counted { value, count } = work.bools()?;
        return work.integer(value.arithmetic(arithmetic) as i128, count);
    }
    let (sum, product) = (integers(0, u64::wrapping_add), integers(1, u64::wrapping_mul));
    let squares = Accumulate {
        identity: 0,
        neutral: 0,
        block: |all: u64, rows: &[u64]| rows.iter().fold(all, |all, row| all.wrapping_add(row.wrapping_mul(*row))),
        merge: u64::wrapping_add,
    };
    #[allow(clippy::unnecessary_cast, reason = "the type is one of eight, `u64` among them")]
    let Counted { value, count } = dispatch_integer!(work.physical, T => match arithmetic {
        Arithmetic::Sum => reduce_rows(work.rows::<T>()?, &sum, |row| row as u64),
        Arithmetic::Product => reduce_rows(work.rows::<T>()?, &product, |row| row as u64),
        Arithmetic::Squares => reduce_rows(work.rows::<T>()?, &squares, |row| row as u64),
    }, else => return Err(work.unsupported()));
    work.integer(i128::from(value), count)
}

/// What doubles are made of.
trait ToDouble: Copy {
    fn to_double(self) -> f64;
}

macro_rules! to_double {
    ($($native:ty),*) => {$(
        impl ToDouble for $native {
            fn to_double(self) -> f64 {
                self as f64
            }
        }
    )*};
}

to_double!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

impl ToDouble for f16 {
    fn to_double(self) -> f64 {
        self.to_f64()
    }
}

fn floats(work: &ReduceWork<'_, '_>, arithmetic: Arithmetic, mean: bool) -> Result<Column> {
    if work.physical == PhysicalType::Bool {
        let Counted { value, count } = work.bools()?;
        return work.float(value.arithmetic(arithmetic) as f64, count);
    }
    let Counted { value, count } = match arithmetic {
        Arithmetic::Sum | Arithmetic::Squares => {
            let squares = arithmetic == Arithmetic::Squares;
            let sum = Accumulate {
                identity: Pairwise::default(),
                neutral: 0.0,
                block: |all: Pairwise, rows: &[f64]| all.add_block(rows, squares),
                merge: Pairwise::merge,
            };
            let total = dispatch_numeric!(work.physical, T => {
                reduce_rows(work.rows::<T>()?, &sum, ToDouble::to_double)
            }, else => return Err(work.unsupported()));
            Counted { value: total.value.total(), count: total.count }
        }
        Arithmetic::Product => {
            let product = integers(1.0, |a: f64, b: f64| a * b);
            dispatch_numeric!(work.physical, T => {
                reduce_rows(work.rows::<T>()?, &product, ToDouble::to_double)
            }, else => return Err(work.unsupported()))
        }
    };
    work.float(if mean && count > 0 { value / count as f64 } else { value }, count)
}

fn wide(work: &ReduceWork<'_, '_>, arithmetic: Arithmetic, scale: i32, mean: bool) -> Result<Column> {
    let sum = integers(0, i128::wrapping_add);
    let squares = Accumulate {
        identity: 0,
        neutral: 0,
        block: |all: i128, rows: &[i128]| rows.iter().fold(all, |all, row| all.wrapping_add(row.wrapping_mul(*row))),
        merge: i128::wrapping_add,
    };
    let Counted { value, count } = match (work.physical, arithmetic) {
        (PhysicalType::Bool, _) => {
            let Counted { value, count } = work.bools()?;
            Counted { value: i128::from(value.arithmetic(arithmetic)), count }
        }
        (PhysicalType::I128, Arithmetic::Squares) => reduce_rows(work.rows::<i128>()?, &squares, |row| row),
        (PhysicalType::I128, _) => reduce_rows(work.rows::<i128>()?, &sum, |row| row),
        (_, Arithmetic::Squares) => dispatch_integer!(work.physical, T => {
            reduce_rows(work.rows::<T>()?, &squares, i128::from)
        }, else => return Err(work.unsupported())),
        _ => dispatch_integer!(work.physical, T => {
            reduce_rows(work.rows::<T>()?, &sum, i128::from)
        }, else => return Err(work.unsupported())),
    };
    match physical_type(work.output_type) {
        PhysicalType::F16 | PhysicalType::F32 | PhysicalType::F64 => {
            work.scaled_float(value as f64, scale, mean, count)
        }
        _ => work.integer(value, count),
    }
}

fn widest(work: &ReduceWork<'_, '_>, scale: i32, mean: bool) -> Result<Column> {
    let sum = integers(I256::default(), |a: I256, b: I256| I256(a.0.wrapping_add(b.0)));
    let Counted { value, count } = match work.physical {
        PhysicalType::I32 => reduce_rows(work.rows::<i32>()?, &sum, |row| I256::from(i128::from(row))),
        PhysicalType::I64 => reduce_rows(work.rows::<i64>()?, &sum, |row| I256::from(i128::from(row))),
        PhysicalType::I128 => reduce_rows(work.rows::<i128>()?, &sum, I256::from),
        PhysicalType::I256 => reduce_rows(work.rows::<I256>()?, &sum, |row| row),
        _ => return Err(work.unsupported()),
    };
    match physical_type(work.output_type) {
        PhysicalType::I256 => work.value(value, count),
        PhysicalType::F16 | PhysicalType::F32 | PhysicalType::F64 => {
            work.scaled_float(nearest_f64(value.0), scale, mean, count)
        }
        _ => work.integer(value.0.as_i128(), count),
    }
}

/// Doubles as integers of the same order: -0.0 before 0.0, NaN last. Its own inverse but for NaN, which is one.
fn ordered(value: f64) -> i64 {
    let bits = if value.is_nan() { f64::NAN.copysign(1.0) } else { value }.to_bits() as i64;
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

fn extreme_words(work: &ReduceWork<'_, '_>, minimum: bool) -> Result<Column> {
    macro_rules! floats {
        ($native:ty, $back:expr) => {{
            let best = min_or_max(work.rows::<$native>()?, minimum, i64::MIN, i64::MAX, |row| ordered(row.to_double()));
            let bits = best.value ^ ((best.value >> 63) as u64 >> 1) as i64;
            let value = if best.count == 0 { 0.0 } else { f64::from_bits(bits as u64) };
            work.value($back(value), best.count)
        }};
    }
    match work.physical {
        PhysicalType::Bool => {
            let Counted { value, count } = work.bools()?;
            work.bit(if minimum { value.zeros == 0 && count > 0 } else { value.ones > 0 }, count)
        }
        PhysicalType::F16 => floats!(f16, nearest_f16),
        PhysicalType::F32 => floats!(f32, |value| value as f32),
        PhysicalType::F64 => floats!(f64, |value| value),
        _ => dispatch_integer!(work.physical, T => {
            let best = min_or_max(work.rows::<T>()?, minimum, T::MIN, T::MAX, |row| row);
            work.value(if best.count == 0 { 0 } else { best.value }, best.count)
        }, else => Err(work.unsupported())),
    }
}

trait Limits {
    const LOWEST: Self;
    const HIGHEST: Self;
}

impl Limits for i128 {
    const LOWEST: i128 = i128::MIN;
    const HIGHEST: i128 = i128::MAX;
}

impl Limits for I256 {
    const LOWEST: I256 = I256(arrow_buffer::i256::MIN);
    const HIGHEST: I256 = I256(arrow_buffer::i256::MAX);
}

fn extreme_of<T: NativeType + Limits + Ord>(work: &ReduceWork<'_, '_>, minimum: bool) -> Result<Column> {
    let best = min_or_max(work.rows::<T>()?, minimum, T::LOWEST, T::HIGHEST, |row| row);
    work.value(if best.count == 0 { T::default() } else { best.value }, best.count)
}

fn min_or_max<T, C>(
    rows: BlockRows<'_, T>,
    minimum: bool,
    min_value: C,
    max_value: C,
    key: impl Fn(T) -> C + Sync,
) -> Counted<C>
where
    T: NativeType,
    C: Copy + Ord + Send + Sync,
{
    if minimum {
        reduce_rows(rows, &integers(max_value, C::min), key)
    } else {
        reduce_rows(rows, &integers(min_value, C::max), key)
    }
}

fn any_all(work: &ReduceWork<'_, '_>, all: bool) -> Result<Column> {
    let Counted { value, count } = match work.physical {
        PhysicalType::Bool => work.bools()?,
        PhysicalType::I128 => blocks::reduce_truth(work.rows::<i128>()?),
        PhysicalType::I256 => blocks::reduce_truth(work.rows::<I256>()?),
        _ => {
            dispatch_numeric!(work.physical, T => blocks::reduce_truth(work.rows::<T>()?), else => return Err(work.unsupported()))
        }
    };
    work.bit(if all { value.zeros == 0 } else { value.ones > 0 }, count)
}

fn count(work: &ReduceWork<'_, '_>, all: bool, view: ColumnView<'_>) -> Result<Column> {
    let count = match work.input.validity()? {
        _ if all => view.len(),
        _ if is_all_null(view) => 0,
        None => view.len(),
        Some(valid) => blocks::count(valid),
    };
    work.integer(count as i128, count)
}
