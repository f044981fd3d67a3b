//! Comparisons: 64 rows make a word of the result.

use arrow_buffer::i256;
use gdf_core::{Column, Error, I256, PhysicalType, Result, is_binary, is_string, physical_type};

use super::super::OPERATION;
use super::super::plan::{ComparisonDomain, ComparisonScale, Compute, Nulls, Order, Plan};
use super::binary_operation::Work;
use super::wide::WideReader;
use crate::host::{HostColumn, Number, NumberReader, column, mask_from_words, vectorized};

/// What is asked of two rows.
#[derive(Clone, Copy)]
pub(super) struct ComparisonSpec {
    pub(super) order: Order,
    pub(super) negated: bool,
    pub(super) nulls: Nulls,
}

/// [`Plan::Comparison`].
pub(super) fn compare(
    work: &Work<'_, '_>,
    plan: &Plan,
    spec: ComparisonSpec,
    domain: ComparisonDomain,
) -> Result<Column> {
    match domain {
        ComparisonDomain::Bytes => bytes(work, plan, spec),
        ComparisonDomain::Same(PhysicalType::I8) => numbers::<i8>(work, plan, spec),
        ComparisonDomain::Same(PhysicalType::I16) => numbers::<i16>(work, plan, spec),
        ComparisonDomain::Same(PhysicalType::I32) => numbers::<i32>(work, plan, spec),
        ComparisonDomain::Same(PhysicalType::I64) | ComparisonDomain::Converted(Compute::I64, _) => {
            numbers::<i64>(work, plan, spec)
        }
        ComparisonDomain::Same(PhysicalType::U8) => numbers::<u8>(work, plan, spec),
        ComparisonDomain::Same(PhysicalType::U16) => numbers::<u16>(work, plan, spec),
        ComparisonDomain::Same(PhysicalType::U32) => numbers::<u32>(work, plan, spec),
        ComparisonDomain::Same(PhysicalType::U64) => numbers::<u64>(work, plan, spec),
        ComparisonDomain::Same(PhysicalType::F32) => numbers::<f32>(work, plan, spec),
        ComparisonDomain::Same(PhysicalType::F64) | ComparisonDomain::Converted(Compute::F64, _) => {
            numbers::<f64>(work, plan, spec)
        }
        ComparisonDomain::Same(PhysicalType::I128) => numbers::<i128>(work, plan, spec),
        ComparisonDomain::Converted(Compute::I128, scaling) => scaled(work, plan, spec, scaling),
        ComparisonDomain::Same(PhysicalType::I256) => wide(work, plan, spec, ComparisonScale::NONE),
        ComparisonDomain::Converted(Compute::I256, scaling) => wide(work, plan, spec, scaling),
        _ => Err(Error::unsupported(OPERATION, work.lhs.view().data_type())),
    }
}

/// The column whose rows `64 * index ..` are `word(index)`, before negation and nulls.
fn finish(
    work: &Work<'_, '_>,
    plan: &Plan,
    spec: ComparisonSpec,
    word: impl Fn(usize) -> u64 + Sync,
) -> Result<Column> {
    let valid = work.valid_words()?;
    let flipped = if spec.negated { u64::MAX } else { 0 };
    let (bits, _) = match spec.nulls {
        Nulls::Propagate => {
            mask_from_words(work.rows, work.ctx.stream, work.ctx.mr.output, |index| word(index) ^ flipped)?
        }
        Nulls::Equal => mask_from_words(work.rows, work.ctx.stream, work.ctx.mr.output, |index| {
            let (lhs, rhs) = valid(index);
            ((word(index) & lhs & rhs) | !(lhs | rhs)) ^ flipped
        })?,
    };
    column(work.output_type, work.rows, [bits], work.mask(plan, |_| u64::MAX)?)
}

/// A bit per pair, from `f`. The compiler vectorizes the first loop; the second one packs eight bytes at a time.
#[inline(always)]
fn pack<T: Copy>(lhs: &[T], rhs: &[T], f: impl Fn(T, T) -> bool) -> u64 {
    let mut bytes = [0_u8; 64];
    for ((byte, &a), &b) in bytes.iter_mut().zip(lhs).zip(rhs) {
        *byte = u8::from(f(a, b));
    }
    /// Moves bit 0 of byte i to bit 56 + i.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (eights, _) = bytes.as_chunks::<8>();
    eights
        .iter()
        .enumerate()
        .fold(0, |word, (index, eight)| word | (u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56) << (8 * index))
}

#[inline(always)]
fn pack_by<T: Copy + PartialOrd>(order: Order, lhs: &[T], rhs: &[T]) -> u64 {
    match order {
        Order::Equal => pack(lhs, rhs, |a, b| a == b),
        Order::Less => pack(lhs, rhs, |a, b| a < b),
        Order::LessEqual => pack(lhs, rhs, |a, b| a <= b),
    }
}

fn numbers<C: Number>(work: &Work<'_, '_>, plan: &Plan, spec: ComparisonSpec) -> Result<Column> {
    let (lhs, rhs) = (NumberReader::<C>::new(&work.lhs)?, NumberReader::<C>::new(&work.rhs)?);
    let rows = work.rows;
    finish(work, plan, spec, |index| compare_word(&lhs, &rhs, spec.order, index * 64, rows))
}

vectorized! {
    /// The bits of up to 64 rows from `start` on.
    fn compare_word[C: Number](
        lhs: &NumberReader<'_, C>,
        rhs: &NumberReader<'_, C>,
        order: Order,
        start: usize,
        rows: usize,
    ) -> u64 {
        let mut scratch = [[C::default(); 64]; 2];
        let [a, b] = &mut scratch;
        if rows - start >= 64 {
            lhs.load(start, a);
            rhs.load(start, b);
            return pack_by(order, a, b);
        }
        let (a, b) = (&mut a[..rows - start], &mut b[..rows - start]);
        lhs.load(start, a);
        rhs.load(start, b);
        pack_by(order, a, b)
    }
}

/// How two values compare once both are multiplied by their factors, whatever is beyond the type then.
fn order_scaled(order: Order, (a, b): (i128, i128), scaling: Factors<i128>) -> bool {
    let beyond = |value: i128, factor: i128, most: i128| factor != 1 && value.unsigned_abs() > most.unsigned_abs();
    let ordering = if beyond(a, scaling.lhs, scaling.lhs_max) {
        a.cmp(&0)
    } else if beyond(b, scaling.rhs, scaling.rhs_max) {
        0.cmp(&b)
    } else {
        (a.wrapping_mul(scaling.lhs)).cmp(&b.wrapping_mul(scaling.rhs))
    };
    matches_order(order, ordering)
}

fn matches_order(order: Order, ordering: std::cmp::Ordering) -> bool {
    match order {
        Order::Equal => ordering.is_eq(),
        Order::Less => ordering.is_lt(),
        Order::LessEqual => ordering.is_le(),
    }
}

#[derive(Clone, Copy)]
struct Factors<T> {
    lhs: T,
    rhs: T,
    lhs_max: T,
    rhs_max: T,
}

fn scaled(work: &Work<'_, '_>, plan: &Plan, spec: ComparisonSpec, scaling: ComparisonScale) -> Result<Column> {
    if scaling == ComparisonScale::NONE {
        return numbers::<i128>(work, plan, spec);
    }
    let small = |of: i256| of.to_i128().unwrap_or(i128::MAX);
    let factors = Factors {
        lhs: small(scaling.lhs),
        rhs: small(scaling.rhs),
        lhs_max: small(scaling.lhs_max),
        rhs_max: small(scaling.rhs_max),
    };
    let (lhs, rhs) = (NumberReader::<i128>::new(&work.lhs)?, NumberReader::<i128>::new(&work.rhs)?);
    let rows = work.rows;
    finish(work, plan, spec, |index| {
        let mut scratch = [[0_i128; 64]; 2];
        let (start, len) = (index * 64, (rows - index * 64).min(64));
        let [a, b] = &mut scratch;
        let (a, b) = (&mut a[..len], &mut b[..len]);
        lhs.load(start, a);
        rhs.load(start, b);
        pack(a, b, |a, b| order_scaled(spec.order, (a, b), factors))
    })
}

fn wide(work: &Work<'_, '_>, plan: &Plan, spec: ComparisonSpec, scaling: ComparisonScale) -> Result<Column> {
    let (lhs, rhs) = (WideReader::new(&work.lhs)?, WideReader::new(&work.rhs)?);
    let beyond =
        |value: i256, factor: i256, most: i256| factor != i256::ONE && (value > most || value < most.wrapping_neg());
    let rows = work.rows;
    finish(work, plan, spec, |index| {
        let (start, len) = (index * 64, (rows - index * 64).min(64));
        (0..len).fold(0, |word, row| {
            let (I256(a), I256(b)) = (lhs.get(start + row), rhs.get(start + row));
            let ordering = if beyond(a, scaling.lhs, scaling.lhs_max) {
                a.cmp(&i256::ZERO)
            } else if beyond(b, scaling.rhs, scaling.rhs_max) {
                i256::ZERO.cmp(&b)
            } else {
                a.wrapping_mul(scaling.lhs).cmp(&b.wrapping_mul(scaling.rhs))
            };
            word | u64::from(matches_order(spec.order, ordering)) << row
        })
    })
}

/// The bytes of a string or binary column.
struct Texts<'a> {
    offsets: Offsets<'a>,
    chars: &'a [u8],
    broadcast: bool,
}

enum Offsets<'a> {
    Narrow(&'a [i32]),
    Wide(&'a [i64]),
}

impl<'a> Texts<'a> {
    fn new(column: &'a HostColumn<'_>) -> Result<Self> {
        let data_type = column.view().data_type();
        let offsets = match physical_type(data_type) {
            PhysicalType::String { large: true } | PhysicalType::Binary { large: true } => {
                Offsets::Wide(column.offsets()?)
            }
            _ if is_string(data_type) || is_binary(data_type) => Offsets::Narrow(column.offsets()?),
            _ => return Err(Error::unsupported(OPERATION, data_type)),
        };
        Ok(Self { offsets, chars: column.chars()?, broadcast: column.broadcast() })
    }

    /// Offsets that do not lie within the bytes give nothing.
    fn get(&self, row: usize) -> &'a [u8] {
        let row = if self.broadcast { 0 } else { row };
        let range = match self.offsets {
            Offsets::Narrow(offsets) => offsets[row] as usize..offsets[row + 1] as usize,
            Offsets::Wide(offsets) => offsets[row] as usize..offsets[row + 1] as usize,
        };
        self.chars.get(range).unwrap_or_default()
    }
}

fn bytes(work: &Work<'_, '_>, plan: &Plan, spec: ComparisonSpec) -> Result<Column> {
    let (lhs, rhs) = (Texts::new(&work.lhs)?, Texts::new(&work.rhs)?);
    let rows = work.rows;
    finish(work, plan, spec, |index| {
        let (start, len) = (index * 64, (rows - index * 64).min(64));
        (0..len).fold(0, |word, row| {
            let (a, b) = (lhs.get(start + row), rhs.get(start + row));
            let yes = match spec.order {
                Order::Equal => a == b,
                order => matches_order(order, a.cmp(b)),
            };
            word | u64::from(yes) << row
        })
    })
}
