//! Runs programs that reduce rows, on the CPU.

use gdf_core::{Column, PhysicalType, Result, physical_type};
use gdf_engine::host::{Bits, HostColumn, HostMask, HostOutput, column, map_chunks, mask_from_words, vectorized};
use gdf_engine::reduce::Pairwise;
use gdf_engine::rounding::{of_ordered_key, ordered_key};

use super::super::program::{Lane, Output, Program};
use super::super::reduced_output::{ReducedOutput, Reduction};
use super::lanes::{LaneValue, Source};
use super::{BLOCK, Block, Machine, RowWords, WORDS, and};
use crate::Ctx;
use crate::reduction::{put_float, put_integer, scaled};

/// The result of the rows that have been reduced so far.
#[derive(Clone, Copy)]
struct Partial {
    /// A sum of integers, or the best key of an extreme.
    integer: i128,
    float: Pairwise,
    count: usize,
}

impl Partial {
    fn new(reduction: Reduction) -> Partial {
        let integer = match reduction {
            Reduction::Extreme { .. } | Reduction::WideExtreme { .. } => i128::MIN,
            Reduction::Sum { .. } | Reduction::FloatSum { .. } | Reduction::Count => 0,
        };
        Partial { integer, float: Pairwise::default(), count: 0 }
    }

    fn merge(self, reduction: Reduction, other: &Partial) -> Partial {
        let integer = match reduction {
            Reduction::Extreme { .. } | Reduction::WideExtreme { .. } => self.integer.max(other.integer),
            Reduction::Sum { .. } | Reduction::FloatSum { .. } | Reduction::Count => {
                self.integer.wrapping_add(other.integer)
            }
        };
        Partial { integer, float: self.float.merge(other.float), count: self.count + other.count }
    }
}

/// Computes the results of the program for the rows for which the mask is true. `outputs` are the reductions of the
/// outputs of the program, in the same order.
pub(crate) fn reduce(
    program: &Program,
    outputs: &[ReducedOutput],
    columns: &[HostColumn<'_>],
    mask: Option<&HostColumn<'_>>,
    rows: usize,
    ctx: Ctx<'_>,
) -> Result<Vec<Column>> {
    let selected = mask.map(HostColumn::bits).transpose()?;
    let is_known = mask.map(HostColumn::validity).transpose()?.flatten();
    let machine = Machine::new(program, columns)?;
    let nothing = || outputs.iter().map(|output| Partial::new(output.reduction)).collect::<Vec<_>>();
    let parts = map_chunks(rows, |range| -> Result<Vec<Partial>> {
        let mut registers = machine.registers();
        let mut all = nothing();
        for first in range.clone().step_by(BLOCK) {
            let len = BLOCK.min(range.end - first);
            let words = |bits: Bits<'_>| -> RowWords { std::array::from_fn(|word| bits.word(first / 64 + word)) };
            let passing = match selected.map(words) {
                None => [u64::MAX; WORDS],
                Some(selected) => and(&selected, is_known.map(words)),
            };
            if passing == [0; WORDS] {
                continue;
            }
            machine.run(&mut registers, first, len)?;
            let block = Block { machine: &machine, registers: &registers, first, len, outer: None };
            let passing = block.existing(Some(passing));
            for ((all, of), output) in all.iter_mut().zip(outputs).zip(&program.outputs) {
                block.reduce(output, of.reduction, &passing, all);
            }
        }
        Ok(all)
    });
    let mut all = nothing();
    for part in parts {
        for ((all, part), of) in all.iter_mut().zip(part?).zip(outputs) {
            *all = all.merge(of.reduction, &part);
        }
    }
    let lanes = program.outputs.iter().map(|output| output.lane);
    outputs.iter().zip(lanes).zip(&all).map(|((output, lane), all)| written(output, lane, all, ctx)).collect()
}

/// Returns a column of one row.
fn written(output: &ReducedOutput, lane: Lane, all: &Partial, ctx: Ctx<'_>) -> Result<Column> {
    let physical = physical_type(&output.data_type);
    let mut cell = [0; 16];
    let slot = &mut cell[..physical.width().unwrap_or(16).min(16)];
    let is_float = matches!(physical, PhysicalType::F16 | PhysicalType::F32 | PhysicalType::F64);
    match output.reduction {
        Reduction::Count => put_integer(physical, slot, all.count as i128),
        Reduction::Sum { scale, mean } if is_float => {
            put_float(physical, slot, scaled(all.integer as f64, scale, mean, all.count));
        }
        Reduction::Sum { .. } => put_integer(physical, slot, all.integer),
        Reduction::FloatSum { mean } => put_float(physical, slot, scaled(all.float.total(), 0, mean, all.count)),
        Reduction::Extreme { minimum } | Reduction::WideExtreme { minimum } => {
            let best = match all.count {
                0 => 0,
                _ if minimum => !all.integer,
                _ => all.integer,
            };
            match lane {
                Lane::F32 | Lane::F64 => put_float(physical, slot, of_ordered_key(best as i64)),
                Lane::Boolean | Lane::I64 | Lane::U64 | Lane::I128 => put_integer(physical, slot, best),
            }
        }
    }
    let mut values = HostOutput::<u8>::new(slot.len(), ctx)?;
    values.values(ctx.stream)?.copy_from_slice(slot);
    let mask = match output.nullable {
        false => HostMask::none(),
        true => {
            let valid = usize::from(all.count > 0);
            let (validity, _) = mask_from_words(1, ctx.stream, ctx.mr.output, |_| valid as u64)?;
            HostMask { validity: Some(validity), nulls: 1 - valid }
        }
    };
    column(&output.data_type, 1, [values.into_buffer()], mask)
}

impl Block<'_, '_> {
    /// Adds the valid rows of `passing` to a partial result.
    fn reduce(&self, output: &Output, reduction: Reduction, passing: &RowWords, all: &mut Partial) {
        let operand = output.operand;
        let valid = and(passing, self.valid(operand));
        if output.lane == Lane::Boolean {
            let ones = ones(&and(&valid, Some(self.truth(operand))));
            let rows = if reduction == Reduction::Count { ones } else { self::ones(&valid) };
            all.integer += ones as i128;
            all.count += rows;
            return;
        }
        all.count += ones(&valid);
        match (reduction, output.lane) {
            (Reduction::FloatSum { .. }, Lane::F32) => {
                all.float = self.float_sum(self.values::<f32>(operand), &valid, all.float, f64::from);
            }
            (Reduction::FloatSum { .. }, _) => {
                all.float = self.float_sum(self.values::<f64>(operand), &valid, all.float, std::convert::identity);
            }
            (Reduction::Sum { .. }, Lane::I64) => {
                all.integer = all.integer.wrapping_add(sum_signed(self.values(operand), &valid, self.len));
            }
            (Reduction::Sum { .. }, Lane::U64) => {
                all.integer = all.integer.wrapping_add(sum_unsigned(self.values(operand), &valid, self.len));
            }
            (Reduction::Extreme { minimum } | Reduction::WideExtreme { minimum }, lane) => {
                let flip = i128::from(minimum).wrapping_neg();
                let best = &mut all.integer;
                match lane {
                    Lane::F32 => {
                        let key = |value: f32| i128::from(ordered_key(f64::from(value)));
                        extreme(self.values(operand), &valid, |value| key(value) ^ flip, best);
                    }
                    Lane::F64 => {
                        let key = |value: f64| i128::from(ordered_key(value));
                        extreme(self.values(operand), &valid, |value| key(value) ^ flip, best);
                    }
                    Lane::U64 => extreme(self.values(operand), &valid, |value: u64| i128::from(value) ^ flip, best),
                    Lane::I128 => extreme(self.values(operand), &valid, |value: i128| value ^ flip, best),
                    Lane::I64 | Lane::Boolean => {
                        extreme(self.values(operand), &valid, |value: i64| i128::from(value) ^ flip, best);
                    }
                }
            }
            (Reduction::Sum { .. } | Reduction::Count, _) => {
                let values: Source<'_, i128> = self.values(operand);
                for_each_row(&valid, |row| all.integer = all.integer.wrapping_add(values.get(row)));
            }
        }
    }

    fn float_sum<T: LaneValue>(
        &self,
        values: Source<'_, T>,
        valid: &RowWords,
        sum: Pairwise,
        double: impl Fn(T) -> f64,
    ) -> Pairwise {
        let words = valid.iter().enumerate().take(self.len.div_ceil(64));
        words.filter(|(_, word)| **word != 0).fold(sum, |sum, (at, word)| {
            let rows = 64.min(self.len - at * 64);
            let of = |row: usize| if word >> row & 1 == 1 { double(values.get(at * 64 + row)) } else { 0.0 };
            let group: [f64; 64] = std::array::from_fn(|row| if row < rows { of(row) } else { 0.0 });
            sum.add_block(&group[..rows], |value| value)
        })
    }
}

fn ones(words: &RowWords) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}

fn for_each_row(rows: &RowWords, mut each: impl FnMut(usize)) {
    for (at, word) in rows.iter().enumerate() {
        let mut word = *word;
        while word != 0 {
            each(at * 64 + word.trailing_zeros() as usize);
            word &= word - 1;
        }
    }
}

fn extreme<T: LaneValue>(values: Source<'_, T>, valid: &RowWords, key: impl Fn(T) -> i128, best: &mut i128) {
    for_each_row(valid, |row| *best = (*best).max(key(values.get(row))));
}

/// The fewest rows of a mask word that are added without a loop over single bits.
const FEW: u32 = 12;

/// Returns the sums of the high halves and of the low halves of the valid rows of a mask word. The sum of 64 halves
/// fits in 64 bits. Therefore the loop has no integers of 128 bits.
#[inline(always)]
fn sum_halves<T: Copy>(rows: &[T], word: u64, high: impl Fn(T) -> i64, low: impl Fn(T) -> i64) -> (i64, i64) {
    let mut sums = (0, 0);
    if word.count_ones() < FEW {
        let mut word = word;
        while word != 0 {
            let row = rows[word.trailing_zeros() as usize];
            sums = (sums.0 + high(row), sums.1 + low(row));
            word &= word - 1;
        }
        return sums;
    }
    for (at, row) in rows.iter().enumerate() {
        let all = (word >> at & 1).wrapping_neg() as i64;
        sums = (sums.0 + (high(*row) & all), sums.1 + (low(*row) & all));
    }
    sums
}

vectorized! {
    /// Returns the sum of the valid rows of a block.
    fn sum_rows[T: LaneValue, H: Fn(T) -> i64, L: Fn(T) -> i64](
        values: Source<'_, T>,
        valid: &RowWords,
        len: usize,
        high: &H,
        low: &L,
    ) -> i128 {
        let mut sum = 0;
        for (at, word) in valid.iter().enumerate().take(len.div_ceil(64)).filter(|(_, word)| **word != 0) {
            let (highs, lows) = match values {
                Source::Rows(rows) => sum_halves(&rows[at * 64..len.min(at * 64 + 64)], *word, high, low),
                Source::One(value) => {
                    let count = i64::from(word.count_ones());
                    (high(value) * count, low(value) * count)
                }
            };
            sum += (i128::from(highs) << 32) + i128::from(lows);
        }
        sum
    }
}

fn sum_signed(values: Source<'_, i64>, valid: &RowWords, len: usize) -> i128 {
    sum_rows(values, valid, len, &|value| value >> 32, &|value| value & 0xffff_ffff)
}

fn sum_unsigned(values: Source<'_, u64>, valid: &RowWords, len: usize) -> i128 {
    sum_rows(values, valid, len, &|value| (value >> 32) as i64, &|value| (value & 0xffff_ffff) as i64)
}
