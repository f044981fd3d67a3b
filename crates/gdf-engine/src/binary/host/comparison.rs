//! Comparisons on the CPU. Each word of the result holds 64 rows.

use arrow_buffer::i256;
use bytemuck::Pod;
use gdf_core::{Column, Error, I256, Result, physical_type};

use super::super::operators::Order;
use super::super::operators::{ComparisonSpec, OPERATION};
use super::super::plan::{ComparisonDomain, ComparisonScale, Compute};
use crate::elementwise::{Block, Rows, pack, pack_stored};
use crate::host::{HostColumn, Number, NumberReader, vectorized};

pub(super) fn compare(rows: &Rows<'_, 2>, spec: ComparisonSpec, domain: ComparisonDomain) -> Result<Column> {
    let refused = || Err(Error::unsupported(OPERATION, rows.columns()[0].view().data_type()));
    match domain {
        ComparisonDomain::Bytes => bytes(rows, spec),
        ComparisonDomain::Converted(Compute::I128, scale) if scale != ComparisonScale::NONE => {
            scaled::<i128>(rows, spec, scale)
        }
        ComparisonDomain::Converted(Compute::I256, scale) => scaled::<I256>(rows, spec, scale),
        ComparisonDomain::Converted(Compute::I64, _) => converted::<i64>(rows, spec),
        ComparisonDomain::Converted(Compute::F64, _) => converted::<f64>(rows, spec),
        ComparisonDomain::Converted(Compute::I128, _) => converted::<i128>(rows, spec),
        ComparisonDomain::Converted(..) => refused(),
        ComparisonDomain::Same(physical) => gdf_core::dispatch_arms!(
            physical,
            C => stored::<C>(rows, spec),
            refused(),
            [I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F32 f32, F64 f64, I128 i128, I256 I256]
        ),
    }
}

/// Builds the result column.
fn finish(rows: &Rows<'_, 2>, spec: ComparisonSpec, word: impl Fn(usize) -> u64 + Sync) -> Result<Column> {
    let flipped = u64::from(spec.negated).wrapping_neg();
    if !spec.nulls_equal {
        return rows.bits(|| rows.mask(), |index| word(index) ^ flipped);
    }
    let valid = rows.valid()?;
    rows.bits(
        || rows.mask(),
        |index| {
            let [lhs, rhs] = valid(index);
            ((word(index) & lhs & rhs) | !(lhs | rhs)) ^ flipped
        },
    )
}

#[inline(always)]
fn pack_by<T: Copy + PartialOrd>(order: Order, lhs: &[T], rhs: &[T]) -> u64 {
    match order {
        Order::Equal => pack(lhs, rhs, |a, b| a == b),
        Order::Less => pack(lhs, rhs, |a, b| a < b),
        Order::LessEqual => pack(lhs, rhs, |a, b| a <= b),
    }
}

/// Compares the stored values without conversion.
fn stored<C: Pod + PartialOrd + Sync>(rows: &Rows<'_, 2>, spec: ComparisonSpec) -> Result<Column> {
    let [lhs, rhs] = rows.columns();
    let (lhs, rhs) = (Block::<C>::open(lhs)?, Block::<C>::open(rhs)?);
    finish(rows, spec, |index| {
        let (start, len) = (index * 64, (rows.len() - index * 64).min(64));
        compare_rows(lhs.rows(start, len), rhs.rows(start, len), spec.order)
    })
}

vectorized! {
    /// Returns a word with the results of up to 64 rows.
    fn compare_rows[C: Copy + PartialOrd](lhs: &[C], rhs: &[C], order: Order) -> u64 {
        match order {
            Order::Equal => pack_stored(lhs, rhs, |a, b| a == b),
            Order::Less => pack_stored(lhs, rhs, |a, b| a < b),
            Order::LessEqual => pack_stored(lhs, rhs, |a, b| a <= b),
        }
    }
}

fn converted<C: Number>(rows: &Rows<'_, 2>, spec: ComparisonSpec) -> Result<Column> {
    let readers = rows.numbers::<C>()?;
    let (lhs, rhs) = (&readers[0], &readers[1]);
    finish(rows, spec, |index| compare_word(lhs, rhs, spec.order, index * 64, rows.len()))
}

vectorized! {
    /// Returns a word with the results of up to 64 rows from `start` on.
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

/// Integers that are multiplied by factors before they are compared, because they are decimals of different scales.
trait Scaled: Number + Ord {
    const ONE: Self;
    fn factor(of: i256) -> Self;
    fn times(self, factor: Self) -> Self;
    /// Returns whether the absolute value is greater than `max`, which must not be negative.
    fn exceeds(self, max: Self) -> bool;
}

impl Scaled for i128 {
    const ONE: Self = 1;
    fn factor(of: i256) -> Self {
        of.to_i128().unwrap_or(i128::MAX)
    }
    fn times(self, factor: Self) -> Self {
        self.wrapping_mul(factor)
    }
    fn exceeds(self, max: Self) -> bool {
        self.unsigned_abs() > max.unsigned_abs()
    }
}

impl Scaled for I256 {
    const ONE: Self = I256(i256::ONE);
    fn factor(of: i256) -> Self {
        I256(of)
    }
    fn times(self, factor: Self) -> Self {
        I256(self.0.wrapping_mul(factor.0))
    }
    fn exceeds(self, max: Self) -> bool {
        self.0 > max.0 || self.0 < max.0.wrapping_neg()
    }
}

fn matches_order(order: Order, ordering: std::cmp::Ordering) -> bool {
    match order {
        Order::Equal => ordering.is_eq(),
        Order::Less => ordering.is_lt(),
        Order::LessEqual => ordering.is_le(),
    }
}

/// Compares values after each value has been multiplied by its factor.
fn scaled<C: Scaled>(rows: &Rows<'_, 2>, spec: ComparisonSpec, scale: ComparisonScale) -> Result<Column> {
    let [left, right, left_max, right_max] = [scale.lhs, scale.rhs, scale.lhs_max, scale.rhs_max].map(C::factor);
    let compare = |a: C, b: C| {
        let ordering = if left != C::ONE && a.exceeds(left_max) {
            a.cmp(&C::default())
        } else if right != C::ONE && b.exceeds(right_max) {
            C::default().cmp(&b)
        } else {
            a.times(left).cmp(&b.times(right))
        };
        matches_order(spec.order, ordering)
    };
    let readers = rows.numbers::<C>()?;
    finish(rows, spec, |index| {
        let mut scratch = [[C::default(); 64]; 2];
        let (start, len) = (index * 64, (rows.len() - index * 64).min(64));
        let [a, b] = scratch.each_mut().map(|block| &mut block[..len]);
        readers[0].load(start, a);
        readers[1].load(start, b);
        pack(a, b, compare)
    })
}

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
        let physical = physical_type(data_type);
        let offsets = match (physical.has_byte_offsets(), physical.is_large()) {
            (true, true) => Offsets::Wide(column.offsets()?),
            (true, false) => Offsets::Narrow(column.offsets()?),
            (false, _) => return Err(Error::unsupported(OPERATION, data_type)),
        };
        Ok(Self { offsets, chars: column.chars()?, broadcast: column.broadcast() })
    }

    /// Returns the bytes of a row.
    fn get(&self, row: usize) -> &'a [u8] {
        let row = if self.broadcast { 0 } else { row };
        let range = match self.offsets {
            Offsets::Narrow(offsets) => offsets[row] as usize..offsets[row + 1] as usize,
            Offsets::Wide(offsets) => offsets[row] as usize..offsets[row + 1] as usize,
        };
        self.chars.get(range).unwrap_or_default()
    }
}

fn bytes(rows: &Rows<'_, 2>, spec: ComparisonSpec) -> Result<Column> {
    let [lhs, rhs] = rows.columns();
    let (lhs, rhs) = (Texts::new(lhs)?, Texts::new(rhs)?);
    finish(rows, spec, |index| {
        let (start, len) = (index * 64, (rows.len() - index * 64).min(64));
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
