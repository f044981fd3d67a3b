//! `scan` on the CPU.

mod strings;

use gdf_core::bitmask::low_bits;
use gdf_core::{
    Column, Error, I256, NativeType, PhysicalType, Result, dispatch_floating, dispatch_integer, f16, physical_type,
};
use gdf_memory::Buffer;

use super::plan::ScanPlan;
use crate::Ctx;
use crate::host::{Bits, HostColumn, HostMask, HostOutput, column, mask_from_words};
use crate::rounding::{Float, ToDouble, of_ordered_key, ordered_key};
use crate::running::{OPERATION, Task};
use crate::scan::host::Steps;

#[derive(Clone, Copy)]
pub(super) enum ResultNulls<'a> {
    None,
    AsInput(Bits<'a>),
    From(usize),
}

impl ResultNulls<'_> {
    fn word(self, index: usize) -> u64 {
        match self {
            ResultNulls::None => u64::MAX,
            ResultNulls::AsInput(valid) => valid.word(index),
            ResultNulls::From(end) => below(index, end),
        }
    }

    pub(super) fn is_null(self, row: usize) -> bool {
        self.word(row / 64) >> (row % 64) & 1 == 0
    }
}

pub(super) struct ScanWork<'w, 'a> {
    pub(super) task: &'w Task<'a>,
    pub(super) input: HostColumn<'a>,
    pub(super) ctx: Ctx<'w>,
}

pub(crate) fn scan(task: &Task<'_>, ctx: Ctx<'_>) -> Result<Column> {
    let work = ScanWork { task, input: HostColumn::open(task.input, ctx.stream)?, ctx };
    let nulls = work.nulls()?;
    let mask = work.mask(nulls)?;
    let values = match task.plan {
        ScanPlan::Integers { product } => integers(&work, product)?,
        ScanPlan::Floats { product } => floats(&work, product)?,
        ScanPlan::Extreme { minimum } => extremes(&work, minimum)?,
        ScanPlan::Bits { all } => bits(&work, all)?,
        ScanPlan::Count { all } => counts(&work, all)?,
        ScanPlan::Strings { .. } => return strings::scan(&work, nulls, mask),
    };
    column(task.data_type(), task.input.len(), [values], mask)
}

impl ScanWork<'_, '_> {
    pub(super) fn rows(&self) -> usize {
        self.task.input.len()
    }

    fn unsupported(&self) -> Error {
        Error::unsupported(OPERATION, self.task.input.data_type())
    }

    /// Returns the number of the first row with a set bit, or the number of the next row if the scan is exclusive. If
    /// no bit is set, returns the number of rows.
    fn first(&self, word: impl Fn(usize) -> u64) -> usize {
        let words = 0..self.rows().div_ceil(64);
        let found = words.map(|index| (index, word(index))).find(|(_, word)| *word != 0);
        let row = found.map_or(self.rows(), |(index, word)| index * 64 + word.trailing_zeros() as usize);
        row.saturating_add(usize::from(self.task.exclusive)).min(self.rows())
    }

    /// Returns a word in which the bits of the existing rows of word `index` are set.
    fn all(&self, index: usize) -> u64 {
        below(index, self.rows())
    }

    fn nulls(&self) -> Result<ResultNulls<'_>> {
        let Some(valid) = self.input.validity()?.filter(|_| self.task.nullable()) else { return Ok(ResultNulls::None) };
        Ok(match self.task.nulls_spread {
            true => ResultNulls::From(self.first(|word| !valid.word(word) & self.all(word))),
            false => ResultNulls::AsInput(valid),
        })
    }

    fn mask(&self, nulls: ResultNulls<'_>) -> Result<HostMask> {
        match nulls {
            ResultNulls::None => Ok(HostMask::none()),
            _ => HostMask::from_words(self.rows(), self.ctx.stream, self.ctx.mr.output, |word| nulls.word(word)),
        }
    }

    /// Scans values of type `T`.
    fn values<T: NativeType, C: Copy + Send + Sync>(
        &self,
        identity: C,
        take: impl Fn(T) -> C + Sync,
        operation: impl Fn(C, C) -> C + Sync,
        give: impl Fn(C) -> T + Sync,
    ) -> Result<Buffer> {
        let values = self.input.values::<T>()?;
        let load = |first: usize, out: &mut [C]| {
            for (out, row) in out.iter_mut().zip(&values[first..]) {
                *out = take(*row);
            }
        };
        self.run(
            Steps { identity, load, operation, valid: self.input.validity()?, exclusive: self.task.exclusive },
            give,
        )
    }

    fn run<T: NativeType, C: Copy + Send + Sync>(
        &self,
        steps: Steps<'_, C, impl Fn(usize, &mut [C]) + Sync, impl Fn(C, C) -> C + Sync>,
        give: impl Fn(C) -> T + Sync,
    ) -> Result<Buffer> {
        let mut output = HostOutput::<T>::new(self.rows(), self.ctx)?;
        steps.run(output.values(self.ctx.stream)?, give);
        Ok(output.into_buffer())
    }
}

/// Returns a word for the rows from `64 * index` on, in which the bits of rows before `end` are set.
fn below(index: usize, end: usize) -> u64 {
    low_bits(end.saturating_sub(index * 64).min(64))
}

fn integers(work: &ScanWork<'_, '_>, product: bool) -> Result<Buffer> {
    let physical = physical_type(work.task.input.data_type());
    match (physical, product) {
        (PhysicalType::I128, false) => work.values(0, |row: i128| row, i128::wrapping_add, |sum| sum),
        (PhysicalType::I256, false) => {
            let add = |a: I256, b: I256| I256(a.0.wrapping_add(b.0));
            work.values(I256::default(), |row: I256| row, add, |sum| sum)
        }
        (_, false) => dispatch_integer!(physical, T => work.values(0, |row: T| row, T::wrapping_add, |sum| sum),
            else => Err(work.unsupported())),
        (_, true) => dispatch_integer!(physical, T => work.values(1, |row: T| row, T::wrapping_mul, |all| all),
            else => Err(work.unsupported())),
    }
}

fn floats(work: &ScanWork<'_, '_>, product: bool) -> Result<Buffer> {
    dispatch_floating!(physical_type(work.task.input.data_type()), T => {
        if product {
            work.values(1.0, <T as ToDouble>::to_double, |a, b| a * b, <T as Float>::of_double)
        } else {
            work.values(0.0, <T as ToDouble>::to_double, |a, b| a + b, <T as Float>::of_double)
        }
    }, else => Err(work.unsupported()))
}

fn float_extremes<T: Float>(work: &ScanWork<'_, '_>, minimum: bool) -> Result<Buffer> {
    // No float has the key `i64::MIN`.
    let flip = if minimum { -1 } else { 0 };
    let give = |key: i64| match key {
        i64::MIN => {
            if minimum {
                T::HIGHEST
            } else {
                T::LOWEST
            }
        }
        key => T::of_double(of_ordered_key(key ^ flip)),
    };
    work.values(i64::MIN, |row: T| ordered_key(row.to_double()) ^ flip, i64::max, give)
}

fn ordered_extremes<T: NativeType + Ord>(
    work: &ScanWork<'_, '_>,
    minimum: bool,
    min_value: T,
    max_value: T,
) -> Result<Buffer> {
    if minimum {
        work.values(max_value, |row: T| row, T::min, |best| best)
    } else {
        work.values(min_value, |row: T| row, T::max, |best| best)
    }
}

fn extremes(work: &ScanWork<'_, '_>, minimum: bool) -> Result<Buffer> {
    let physical = physical_type(work.task.input.data_type());
    match physical {
        PhysicalType::F16 => float_extremes::<f16>(work, minimum),
        PhysicalType::F32 => float_extremes::<f32>(work, minimum),
        PhysicalType::F64 => float_extremes::<f64>(work, minimum),
        PhysicalType::I128 => ordered_extremes(work, minimum, i128::MIN, i128::MAX),
        PhysicalType::I256 => {
            ordered_extremes(work, minimum, I256(arrow_buffer::i256::MIN), I256(arrow_buffer::i256::MAX))
        }
        _ => dispatch_integer!(physical, T => ordered_extremes(work, minimum, T::MIN, T::MAX),
            else => Err(work.unsupported())),
    }
}

/// Computes for each row whether any row up to the row is true or, if `all` is set, whether all of these rows are true.
fn bits(work: &ScanWork<'_, '_>, all: bool) -> Result<Buffer> {
    let (values, valid) = (work.input.bits()?, work.input.validity()?);
    let counts = |word: usize| valid.map_or(work.all(word), |valid| valid.word(word));
    let (stream, mr) = (work.ctx.stream, work.ctx.mr.output);
    let (bits, _) = if all {
        let end = work.first(|word| !values.word(word) & counts(word));
        mask_from_words(work.rows(), stream, mr, |word| below(word, end))?
    } else {
        let end = work.first(|word| values.word(word) & counts(word));
        mask_from_words(work.rows(), stream, mr, |word| !below(word, end))?
    };
    Ok(bits.slice(0, work.rows().div_ceil(8))?)
}

fn counts(work: &ScanWork<'_, '_>, all: bool) -> Result<Buffer> {
    let one = i64::from(!work.task.counts_nothing());
    let valid: Option<Bits<'_>> = if all { None } else { work.input.validity()? };
    let load = |_: usize, out: &mut [i64]| out.fill(one);
    work.run(Steps { identity: 0, load, operation: |a, b| a + b, valid, exclusive: work.task.exclusive }, |sum: i64| {
        sum
    })
}
