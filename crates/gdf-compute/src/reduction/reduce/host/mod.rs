//! `reduction::reduce` and `segmented_reduce` on the CPU: chooses the functor for each plan and type.

mod strings;

use std::ops::Range;

use gdf_core::{
    Column, ColumnView, DataType, Error, I256, NativeType, PhysicalType, Result, dispatch_integer, dispatch_numeric,
    f16, physical_type,
};
use gdf_engine::host::{HostColumn, HostMask, HostOutput, column, for_each_task, mask_from_words, task_rows};
use gdf_engine::reduce::host::{
    Accumulate, BlockRows, Bools, Counted, count, integers, reduce_bits, reduce_rows, reduce_truth,
};
use gdf_engine::reduce::{Moments, Pairwise, Segments};
use gdf_engine::rounding::{ToDouble, nearest_f16, nearest_f64, of_ordered_key, ordered_key, power_of_ten};

use crate::Ctx;
use crate::reduction::reduce::{Arithmetic, Bitwise, KeyWidth, NullPolicy, OPERATION, ReducePlan, is_all_null};

type Segment<'f, V> = dyn Fn(Range<usize>) -> V + Sync + 'f;

struct ReduceWork<'w, 'c> {
    input: HostColumn<'c>,
    physical: PhysicalType,
    output_type: &'w DataType,
    plan: ReducePlan,
    segments: Segments<'w>,
    null_policy: NullPolicy,
    ctx: Ctx<'w>,
}

pub(crate) fn reduce(
    view: ColumnView<'_>,
    plan: ReducePlan,
    output_type: &DataType,
    segments: Segments<'_>,
    null_policy: NullPolicy,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let physical = physical_type(view.data_type());
    let input = HostColumn::open(view, ctx.stream)?;
    let work = ReduceWork { input, physical, output_type, plan, segments, null_policy, ctx };
    match plan {
        ReducePlan::Words(arithmetic) => words(&work, arithmetic),
        ReducePlan::Floats { arithmetic, mean } => floats(&work, arithmetic, mean),
        ReducePlan::Wide { arithmetic, scale, mean } => wide(&work, arithmetic, scale, mean),
        ReducePlan::Widest { scale, mean } => widest(&work, scale, mean),
        ReducePlan::Extreme { minimum, width: KeyWidth::Words } => extreme_words(&work, minimum),
        ReducePlan::Extreme { minimum, width: KeyWidth::Wide } => extreme_of::<i128>(&work, minimum),
        ReducePlan::Extreme { minimum, width: KeyWidth::Widest } => extreme_of::<I256>(&work, minimum),
        ReducePlan::ExtremeString { .. } => strings::extreme_string(&work),
        ReducePlan::AnyAll { all } => any_all(&work, all),
        ReducePlan::Count { all } => counts(&work, all, view),
        ReducePlan::Bitwise(operator) => bitwise(&work, operator),
        ReducePlan::Variance { ddof, root } => variance(&work, ddof, root),
    }
}

impl ReduceWork<'_, '_> {
    fn unsupported(&self) -> Error {
        Error::unsupported(OPERATION, self.input.view().data_type())
    }

    fn rows<T: NativeType>(&self) -> Result<BlockRows<'_, T>> {
        Ok(BlockRows { values: self.input.values::<T>()?, valid: self.input.validity()? })
    }

    fn bools(&self) -> Result<impl Fn(Range<usize>) -> Counted<Bools> + Sync + '_> {
        let (bits, valid) = (self.input.bits()?, self.input.validity()?);
        Ok(move |range: Range<usize>| {
            let valid = valid.map(|valid| valid.slice(range.start, range.len()));
            reduce_bits(bits.slice(range.start, range.len()), valid)
        })
    }

    /// Returns the validity mask of the result.
    fn mask(&self) -> Result<HostMask> {
        let masked = match self.segments {
            Segments::Whole(_) => self.plan.is_masked(self.input.view()),
            Segments::Of(_) => self.plan.can_be_null(self.null_policy),
        };
        if !masked {
            return Ok(HostMask::none());
        }
        let (valid, fewest) = (self.input.validity()?, self.plan.fewest());
        self.bits(&|range| {
            let rows = valid.map(|valid| valid.slice(range.start, range.len()));
            let count = || rows.map_or(range.len(), |rows| rows.count_ones());
            let enough = match fewest {
                None => true,
                Some(0) => rows.map_or(!range.is_empty(), |rows| rows.any()),
                Some(fewest) => count() > fewest as usize,
            };
            enough && (self.null_policy == NullPolicy::Exclude || count() == range.len())
        })
        .map(|(bits, valid)| HostMask { validity: Some(bits), nulls: self.segments.len() - valid })
    }

    fn bits(&self, of: &Segment<'_, bool>) -> Result<(gdf_memory::Buffer, usize)> {
        let len = self.segments.len();
        mask_from_words(len, self.ctx.stream, self.ctx.mr.output, |word| {
            let rows = word * 64..len.min(word * 64 + 64);
            rows.fold(0, |bits, row| bits | u64::from(of(self.segments.range(row))) << (row % 64))
        })
    }

    fn booleans(&self, of: &Segment<'_, bool>) -> Result<Column> {
        column(self.output_type, self.segments.len(), [self.bits(of)?.0], self.mask()?)
    }

    /// Reduces each segment by `of`.
    fn each<V>(&self, put: fn(PhysicalType, &mut [u8], V), of: &Segment<'_, V>) -> Result<Column> {
        let physical = physical_type(self.output_type);
        let width = physical.width().ok_or_else(|| self.unsupported())?;
        let len = self.segments.len();
        let mut output = HostOutput::<u8>::new(len.saturating_mul(width), self.ctx)?;
        // The number of segments of a task.
        let task = (len.saturating_mul(task_rows()) / self.segments.rows().max(1)).clamp(1, task_rows());
        let tasks = output.values(self.ctx.stream)?.chunks_mut(task * width).collect();
        for_each_task(tasks, |index, rows: &mut [u8]| {
            for (row, slot) in rows.chunks_exact_mut(width).enumerate() {
                put(physical, slot, of(self.segments.range(index * task + row)));
            }
        });
        column(self.output_type, len, [output.into_buffer()], self.mask()?)
    }

    fn values<D: NativeType>(&self, of: &Segment<'_, D>) -> Result<Column> {
        self.each(|_, slot, value: D| slot.copy_from_slice(bytemuck::bytes_of(&value)), of)
    }

    fn floats(&self, of: &Segment<'_, f64>) -> Result<Column> {
        self.each(put_float, of)
    }

    fn integers(&self, of: &Segment<'_, i128>) -> Result<Column> {
        self.each(put_integer, of)
    }
}

pub(crate) fn put_float(physical: PhysicalType, slot: &mut [u8], value: f64) {
    match physical {
        PhysicalType::F16 => slot.copy_from_slice(bytemuck::bytes_of(&nearest_f16(value))),
        PhysicalType::F32 => slot.copy_from_slice(&(value as f32).to_ne_bytes()),
        _ => slot.copy_from_slice(&value.to_ne_bytes()),
    }
}

/// Writes the low bytes of an integer, the lowest first.
pub(crate) fn put_integer(_: PhysicalType, slot: &mut [u8], value: i128) {
    let bytes = value.to_le_bytes();
    slot.copy_from_slice(&bytes[..slot.len().min(bytes.len())]);
}

/// Converts a sum of integers of `scale` to a float. For a mean, the function also divides the float by `count`.
pub(crate) fn scaled(sum: f64, scale: i32, mean: bool, count: usize) -> f64 {
    let power = power_of_ten(scale.unsigned_abs());
    let value = if scale > 0 { sum / power } else { sum * power };
    if mean && count > 0 { value / count as f64 } else { value }
}

/// Reduces booleans as the integers 1 and 0.
fn of_bools(bools: Bools, arithmetic: Arithmetic) -> u64 {
    match arithmetic {
        Arithmetic::Product => u64::from(bools.zeros == 0),
        Arithmetic::Sum | Arithmetic::Squares => bools.ones as u64,
    }
}

fn words(work: &ReduceWork<'_, '_>, arithmetic: Arithmetic) -> Result<Column> {
    if work.physical == PhysicalType::Bool {
        let bools = work.bools()?;
        return work.integers(&|range| i128::from(of_bools(bools(range).value, arithmetic)));
    }
    let (sum, product) = (integers(0, u64::wrapping_add), integers(1, u64::wrapping_mul));
    let squares = Accumulate {
        identity: 0,
        neutral: 0,
        block: |all: u64, rows: &[u64]| rows.iter().fold(all, |all, row| all.wrapping_add(row.wrapping_mul(*row))),
        merge: u64::wrapping_add,
    };
    macro_rules! reduced {
        ($native:ty, $widen:expr) => {{
            let rows = work.rows::<$native>()?;
            work.integers(&|range| {
                i128::from(match arithmetic {
                    Arithmetic::Sum => reduce_rows(rows.slice(range), &sum, $widen).value,
                    Arithmetic::Product => reduce_rows(rows.slice(range), &product, $widen).value,
                    Arithmetic::Squares => reduce_rows(rows.slice(range), &squares, $widen).value,
                })
            })
        }};
    }
    match work.physical {
        // Signed integers are reduced as unsigned words.
        PhysicalType::I64 | PhysicalType::U64 => reduced!(u64, std::convert::identity),
        _ => gdf_core::dispatch_arms!(
            work.physical,
            T => reduced!(T, to_word::<T>),
            Err(work.unsupported()),
            [I8 i8, I16 i16, I32 i32, U8 u8, U16 u16, U32 u32]
        ),
    }
}

fn to_word<T: Into<i64>>(value: T) -> u64 {
    value.into().cast_unsigned()
}

fn floats(work: &ReduceWork<'_, '_>, arithmetic: Arithmetic, mean: bool) -> Result<Column> {
    if work.physical == PhysicalType::Bool {
        let bools = work.bools()?;
        return work.floats(&|range| {
            let Counted { value, count } = bools(range);
            scaled(of_bools(value, arithmetic) as f64, 0, mean, count)
        });
    }
    let squares = arithmetic == Arithmetic::Squares;
    let sum = Accumulate {
        identity: Pairwise::default(),
        neutral: 0.0,
        block: |all: Pairwise, rows: &[f64]| all.add_block(rows, |row| if squares { row * row } else { row }),
        merge: Pairwise::merge,
    };
    let product = integers(1.0, |a: f64, b: f64| a * b);
    dispatch_numeric!(work.physical, T => {
        let rows = work.rows::<T>()?;
        work.floats(&|range| {
            let Counted { value, count } = match arithmetic {
                Arithmetic::Product => reduce_rows(rows.slice(range), &product, T::to_double),
                Arithmetic::Sum | Arithmetic::Squares => {
                    let total = reduce_rows(rows.slice(range), &sum, T::to_double);
                    Counted { value: total.value.total(), count: total.count }
                }
            };
            scaled(value, 0, mean, count)
        })
    }, else => Err(work.unsupported()))
}

struct Narrow<V> {
    double: fn(V) -> f64,
    integer: fn(V) -> i128,
}

fn exact<V>(
    work: &ReduceWork<'_, '_>,
    scale: i32,
    mean: bool,
    narrow: &Narrow<V>,
    of: &Segment<'_, Counted<V>>,
) -> Result<Column> {
    match physical_type(work.output_type) {
        PhysicalType::F16 | PhysicalType::F32 | PhysicalType::F64 => work.floats(&|range| {
            let Counted { value, count } = of(range);
            scaled((narrow.double)(value), scale, mean, count)
        }),
        _ => work.integers(&|range| (narrow.integer)(of(range).value)),
    }
}

fn wide(work: &ReduceWork<'_, '_>, arithmetic: Arithmetic, scale: i32, mean: bool) -> Result<Column> {
    let (sum, product) = (integers(0, i128::wrapping_add), integers(1, i128::wrapping_mul));
    let squares = Accumulate {
        identity: 0,
        neutral: 0,
        block: |all: i128, rows: &[i128]| rows.iter().fold(all, |all, row| all.wrapping_add(row.wrapping_mul(*row))),
        merge: i128::wrapping_add,
    };
    let narrow = Narrow { double: |value: i128| value as f64, integer: |value| value };
    macro_rules! reduced {
        ($native:ty, $widen:expr) => {{
            let rows = work.rows::<$native>()?;
            if arithmetic == Arithmetic::Product {
                exact(work, scale, mean, &narrow, &|range| reduce_rows(rows.slice(range), &product, $widen))
            } else if arithmetic == Arithmetic::Squares {
                exact(work, scale, mean, &narrow, &|range| reduce_rows(rows.slice(range), &squares, $widen))
            } else {
                exact(work, scale, mean, &narrow, &|range| reduce_rows(rows.slice(range), &sum, $widen))
            }
        }};
    }
    match work.physical {
        PhysicalType::Bool => {
            let bools = work.bools()?;
            exact(work, scale, mean, &narrow, &|range| {
                let Counted { value, count } = bools(range);
                Counted { value: i128::from(of_bools(value, arithmetic)), count }
            })
        }
        PhysicalType::I128 => reduced!(i128, std::convert::identity),
        _ => dispatch_integer!(work.physical, T => reduced!(T, i128::from), else => Err(work.unsupported())),
    }
}

fn widest(work: &ReduceWork<'_, '_>, scale: i32, mean: bool) -> Result<Column> {
    let sum = integers(I256::default(), |a: I256, b: I256| I256(a.0.wrapping_add(b.0)));
    let to_256 = physical_type(work.output_type) == PhysicalType::I256;
    macro_rules! reduced {
        ($native:ty, $widen:expr) => {{
            let rows = work.rows::<$native>()?;
            let of = |range: Range<usize>| reduce_rows(rows.slice(range), &sum, $widen);
            if to_256 {
                work.values(&|range| of(range).value)
            } else {
                let narrow = Narrow { double: |value: I256| nearest_f64(value.0), integer: |value| value.0.as_i128() };
                exact(work, scale, mean, &narrow, &of)
            }
        }};
    }
    match work.physical {
        PhysicalType::I32 => reduced!(i32, |row| I256::from(i128::from(row))),
        PhysicalType::I64 => reduced!(i64, |row| I256::from(i128::from(row))),
        PhysicalType::I128 => reduced!(i128, I256::from),
        PhysicalType::I256 => reduced!(I256, |row| row),
        _ => Err(work.unsupported()),
    }
}

fn extreme_words(work: &ReduceWork<'_, '_>, minimum: bool) -> Result<Column> {
    macro_rules! floats {
        ($native:ty) => {{
            let rows = work.rows::<$native>()?;
            work.floats(&|range| {
                let best =
                    min_or_max(rows.slice(range), minimum, [i64::MIN, i64::MAX], |row| ordered_key(row.to_double()));
                if best.count == 0 { 0.0 } else { of_ordered_key(best.value) }
            })
        }};
    }
    match work.physical {
        PhysicalType::Bool => {
            let bools = work.bools()?;
            work.booleans(&|range| {
                let Counted { value, count } = bools(range);
                if minimum { value.zeros == 0 && count > 0 } else { value.ones > 0 }
            })
        }
        PhysicalType::F16 => floats!(f16),
        PhysicalType::F32 => floats!(f32),
        PhysicalType::F64 => floats!(f64),
        _ => dispatch_integer!(work.physical, T => {
            let rows = work.rows::<T>()?;
            work.values(&|range| {
                let best = min_or_max(rows.slice(range), minimum, [T::MIN, T::MAX], std::convert::identity);
                if best.count == 0 { 0 } else { best.value }
            })
        }, else => Err(work.unsupported())),
    }
}

trait Limits: Sized {
    const LIMITS: [Self; 2];
}

impl Limits for i128 {
    const LIMITS: [i128; 2] = [i128::MIN, i128::MAX];
}

impl Limits for I256 {
    const LIMITS: [I256; 2] = [I256(arrow_buffer::i256::MIN), I256(arrow_buffer::i256::MAX)];
}

fn extreme_of<T: NativeType + Limits + Ord>(work: &ReduceWork<'_, '_>, minimum: bool) -> Result<Column> {
    let rows = work.rows::<T>()?;
    work.values(&|range| {
        let best = min_or_max(rows.slice(range), minimum, T::LIMITS, std::convert::identity);
        if best.count == 0 { T::default() } else { best.value }
    })
}

fn min_or_max<T: NativeType, C: NativeType + Ord>(
    rows: BlockRows<'_, T>,
    minimum: bool,
    [min_value, max_value]: [C; 2],
    key: impl Fn(T) -> C + Sync,
) -> Counted<C> {
    if minimum {
        reduce_rows(rows, &integers(max_value, C::min), key)
    } else {
        reduce_rows(rows, &integers(min_value, C::max), key)
    }
}

fn bitwise(work: &ReduceWork<'_, '_>, operator: Bitwise) -> Result<Column> {
    if work.physical == PhysicalType::Bool {
        let bools = work.bools()?;
        return work.booleans(&|range| match (operator, bools(range).value) {
            (Bitwise::And, bools) => bools.zeros == 0,
            (Bitwise::Or, bools) => bools.ones > 0,
            (Bitwise::Xor, bools) => bools.ones % 2 == 1,
        });
    }
    macro_rules! reduced {
        ($unsigned:ty) => {{
            let rows = work.rows::<$unsigned>()?;
            let and = integers(!0, |a: $unsigned, b| a & b);
            let (or, xor) = (integers(0, |a: $unsigned, b| a | b), integers(0, |a: $unsigned, b| a ^ b));
            let same = std::convert::identity;
            work.values(&|range| match operator {
                Bitwise::And => reduce_rows(rows.slice(range), &and, same).value,
                Bitwise::Or => reduce_rows(rows.slice(range), &or, same).value,
                Bitwise::Xor => reduce_rows(rows.slice(range), &xor, same).value,
            })
        }};
    }
    match work.physical {
        PhysicalType::I8 | PhysicalType::U8 => reduced!(u8),
        PhysicalType::I16 | PhysicalType::U16 => reduced!(u16),
        PhysicalType::I32 | PhysicalType::U32 => reduced!(u32),
        PhysicalType::I64 | PhysicalType::U64 => reduced!(u64),
        _ => Err(work.unsupported()),
    }
}

fn variance(work: &ReduceWork<'_, '_>, ddof: u32, root: bool) -> Result<Column> {
    let result = |all: Moments| if root { all.variance(ddof).sqrt() } else { all.variance(ddof) };
    if work.physical == PhysicalType::Bool {
        let bools = work.bools()?;
        return work.floats(&|range| result(Moments::of_bools(bools(range).value)));
    }
    let moments = Accumulate {
        identity: Moments::default(),
        neutral: Moments::NEUTRAL,
        block: |all: Moments, rows: &[[f64; 2]]| all.add_block(rows),
        merge: Moments::merge,
    };
    dispatch_numeric!(work.physical, T => {
        let rows = work.rows::<T>()?;
        work.floats(&|range| {
            result(reduce_rows(rows.slice(range), &moments, |row| [row.to_double(), 1.0]).value)
        })
    }, else => Err(work.unsupported()))
}

fn any_all(work: &ReduceWork<'_, '_>, all: bool) -> Result<Column> {
    let is = |bools: Counted<Bools>| if all { bools.value.zeros == 0 } else { bools.value.ones > 0 };
    macro_rules! reduced {
        ($native:ty) => {{
            let rows = work.rows::<$native>()?;
            work.booleans(&|range| is(reduce_truth(rows.slice(range))))
        }};
    }
    match work.physical {
        PhysicalType::Bool => {
            let bools = work.bools()?;
            work.booleans(&|range| is(bools(range)))
        }
        PhysicalType::I128 => reduced!(i128),
        PhysicalType::I256 => reduced!(I256),
        _ => dispatch_numeric!(work.physical, T => reduced!(T), else => Err(work.unsupported())),
    }
}

fn counts(work: &ReduceWork<'_, '_>, all: bool, view: ColumnView<'_>) -> Result<Column> {
    let valid = work.input.validity()?;
    let none = is_all_null(view) && !all;
    work.integers(&|range| match valid {
        _ if none => 0,
        Some(valid) if !all => count(valid.slice(range.start, range.len())) as i128,
        _ => range.len() as i128,
    })
}
