//! The CPU half of the engine.

use std::ops::Range;

use bytemuck::Pod;
use gdf_core::{Column, DataType, Error, I256, PhysicalType, Result, physical_type};
use gdf_memory::Buffer;

use super::folds::{Distances, Floats, Integers, OrderedKeys, Strings, Words};
use super::slide::{BLOCK, CountedValue, Fold, Tree};
use super::{Aggregate, Operation, Outcome, Position, RowPositions, StoredRows, Windows};
use crate::Ctx;
use crate::cast::cast;
use crate::elementwise::Rows;
use crate::host::{Bits, HostColumn, HostMask, HostOutput, NumberReader, StringRows, map_tasks, task_rows};
use crate::rounding::of_ordered_key;

struct Bounds<'a> {
    windows: &'a Windows<'a>,
    columns: [Option<(NumberReader<'a, i64>, Option<Bits<'a>>)>; 2],
}

impl<'a> Bounds<'a> {
    fn new(windows: &'a Windows<'a>, lower: &'a HostColumn<'_>, upper: &'a HostColumn<'_>) -> Result<Self> {
        let open = |column: &'a HostColumn<'_>, is_bound: bool| -> Result<_> {
            Ok(if is_bound { Some((NumberReader::new(column)?, column.validity()?)) } else { None })
        };
        let [has_lower, has_upper] = windows.has_columns();
        Ok(Self { windows, columns: [open(lower, has_lower)?, open(upper, has_upper)?] })
    }

    fn load(&self, first: usize, out: &mut [Range<usize>]) {
        let mut numbers = [[0; BLOCK]; 2];
        for (numbers, column) in numbers.iter_mut().zip(&self.columns) {
            if let Some((reader, _)) = column {
                reader.load(first, &mut numbers[..out.len()]);
            }
        }
        for (at, slot) in out.iter_mut().enumerate() {
            let bound = |side: usize| {
                let (_, valid) = self.columns[side].as_ref()?;
                valid.is_none_or(|valid| valid.get(first + at)).then_some(numbers[side][at])
            };
            *slot = self.windows.bounds(first + at, bound(0), bound(1));
        }
    }

    /// Creates a column. Each call of `block` writes the results of up to [`BLOCK`] windows, beginning with a given
    /// row.
    fn map<T: Pod + Send>(
        &self,
        nullable: bool,
        data_type: &DataType,
        ctx: Ctx<'_>,
        mask_ctx: Ctx<'_>,
        block: impl Fn(usize, &[Range<usize>], &mut dyn FnMut(usize, Option<T>)) + Sync,
    ) -> Result<Column> {
        let len = self.windows.rows;
        let mut output = HostOutput::<T>::new(len, ctx)?;
        let mask = || Buffer::uninitialized(len.div_ceil(64) * 8, mask_ctx.stream, mask_ctx.mr.output);
        let mut mask = if nullable { Some(mask()?) } else { None };
        let words = match &mut mask {
            Some(mask) => mask.write_on(ctx.stream)?.into_mut_slice::<u64>()?,
            None => &mut [],
        };
        let words = words.chunks_mut(task_rows() / 64).map(Some).chain(std::iter::repeat_with(|| None));
        let tasks = output.values(ctx.stream)?.chunks_mut(task_rows()).zip(words).collect();
        let valid: usize = map_tasks(tasks, &|task: usize, (values, words): (&mut [T], Option<&mut [u64]>)| {
            let words = words.unwrap_or_default();
            words.fill(0);
            let mut windows: Vec<Range<usize>> = vec![0..0; BLOCK.min(values.len())];
            let mut valid = 0;
            for (index, values) in values.chunks_mut(BLOCK).enumerate() {
                let windows = &mut windows[..values.len()];
                let first = task * task_rows() + index * BLOCK;
                self.load(first, windows);
                block(first, windows, &mut |at, value| {
                    let bit = index * BLOCK + at;
                    valid += usize::from(value.is_some());
                    if let Some(word) = words.get_mut(bit / 64) {
                        *word |= u64::from(value.is_some()) << (bit % 64);
                    }
                    values[at] = value.unwrap_or_else(T::zeroed);
                });
            }
            for word in words {
                *word = word.to_le();
            }
            valid
        })
        .into_iter()
        .sum();
        let nulls = if mask.is_some() { len - valid } else { 0 };
        output.finish(data_type, HostMask { validity: mask, nulls })
    }
}

pub(super) fn positions(rows: &Rows<'_, 3>, windows: &Windows<'_>, wanted: RowPositions) -> Result<Column> {
    let RowPositions { kind, offset, min_periods } = wanted;
    let [counts, lower, upper] = rows.columns();
    let bounds = Bounds::new(windows, lower, upper)?;
    let of_valid = matches!(kind, Position::ValidFromBegin | Position::ValidFromEnd);
    let counts = if of_valid { counts.values::<i64>()? } else { &[] };
    let before = |row: usize| row.checked_sub(1).map_or(0, |row| counts.get(row).copied().unwrap_or(0));
    let position = |row: usize, window: &Range<usize>| {
        let (low, high) = match of_valid {
            true => (before(window.start), before(window.end)),
            false => (window.start as i64, window.end as i64),
        };
        let at = match kind {
            Position::RowsOfWindow => high - low,
            Position::RowNumber => row as i64 - low + 1,
            Position::FromRow => row as i64 + offset,
            Position::FromEnd | Position::ValidFromEnd => high + offset,
            Position::FromBegin | Position::ValidFromBegin => low + offset,
        };
        let is_number = matches!(kind, Position::RowsOfWindow | Position::RowNumber);
        let there = is_number || (low..high).contains(&at);
        (there && (kind == Position::FromRow || window.len() >= min_periods)).then_some(at)
    };
    bounds.map(wanted.nullable(windows), &DataType::Int64, rows.ctx, rows.ctx, |first, windows, write| {
        for (at, window) in windows.iter().enumerate() {
            write(at, position(first + at, window));
        }
    })
}

pub(super) fn aggregate(rows: &Rows<'_, 3>, windows: &Windows<'_>, aggregate: &Aggregate) -> Result<Column> {
    let nullable = aggregate.nullable(windows, rows.columns()[0].view().has_validity());
    let physical = physical_type(rows.output_type);
    // Narrow results are computed in 64 bits and then cast. The result of the cast shares the mask, so `Work::run`
    // always allocates the mask from the output resource.
    let ctx = if matches!(physical.width(), Some(1 | 2 | 4)) { rows.ctx.scratch() } else { rows.ctx };
    let work = Work { rows, windows, aggregate, nullable, ctx };
    let (operation, outcome) = (aggregate.operation, aggregate.outcome);
    let input = rows.columns()[0];
    let column = match aggregate.stored {
        StoredRows::Words if operation == Operation::Count => {
            work.run(Words { rows: &[], operation, flip: 0 }, |all| all.count as i64, &DataType::Int64)?
        }
        StoredRows::Words if physical_type(input.view().data_type()) == PhysicalType::F64 => {
            let flip = if operation == Operation::Minimum { -1 } else { 0 };
            let keys = OrderedKeys { rows: input.values()?, flip };
            work.run(keys, |all| of_ordered_key(all.value ^ flip), &DataType::Float64)?
        }
        StoredRows::Words => {
            let is_sum = operation == Operation::Sum && outcome != Outcome::Mean;
            if is_sum && physical.width() == Some(8) && !nullable && windows.are_steady() && input.validity()?.is_none()
            {
                return sums(rows, windows, input.values()?);
            }
            let unsigned = physical_type(input.view().data_type()) == PhysicalType::U64;
            let flip = if unsigned && operation != Operation::Sum { i64::MIN } else { 0 };
            let is_mean = is_mean(outcome)?;
            let give = |all: CountedValue<i64>| match is_mean {
                true => all.value.checked_div(all.count as i64).unwrap_or(0),
                false => all.value ^ flip,
            };
            work.run(Words { rows: input.values()?, operation, flip }, give, &DataType::Int64)?
        }
        StoredRows::Wide => {
            let is_mean = is_mean(outcome)?;
            let give = |all: CountedValue<i128>| match is_mean {
                true => all.value.checked_div(i128::from(all.count)).unwrap_or(0),
                false => all.value,
            };
            return work.run(Integers { rows: input.values::<i128>()?, operation }, give, rows.output_type);
        }
        StoredRows::Widest => {
            let is_mean = is_mean(outcome)?;
            let give = |all: CountedValue<I256>| match is_mean {
                true => I256(all.value.0.checked_div(i128::from(all.count).into()).unwrap_or_default()),
                false => all.value,
            };
            return work.run(Integers { rows: input.values::<I256>()?, operation }, give, rows.output_type);
        }
        StoredRows::Floats => {
            let is_mean = is_mean(outcome)?;
            let give = |all: CountedValue<f64>| if is_mean { all.value / all.count as f64 } else { all.value };
            work.run(Floats { rows: input.values()? }, give, &DataType::Float64)?
        }
        StoredRows::Moments => {
            let degrees = |count: u64| count as f64 - f64::from(aggregate.ddof);
            let give = |all: CountedValue<[f64; 3]>| {
                // Merges of infinities give NaN or an infinity, in an order that differs between devices.
                let is_finite = all.value[1].is_finite();
                let variance = if is_finite { all.value[2] / degrees(all.count) } else { f64::NAN };
                if outcome == Outcome::Deviation { variance.sqrt() } else { variance }
            };
            work.run(Distances { rows: input.values()? }, give, &DataType::Float64)?
        }
        StoredRows::Strings => {
            let strings = Strings { rows: StringRows::open(input)?, minimum: operation == Operation::Minimum };
            work.run(strings, |all| all.value as i64, &DataType::Int64)?
        }
    };
    let cast_to = |data_type| cast(column.view(), &data_type, rows.ctx);
    let column = if physical.width() == Some(8) { column.clone() } else { cast_to(storage_type(physical))? };
    column.bit_cast(rows.output_type.clone())
}

/// Returns whether the result is the mean, which is a total divided by the number of rows.
fn is_mean(outcome: Outcome) -> Result<bool> {
    match outcome {
        Outcome::Mean => Ok(true),
        Outcome::Total | Outcome::Value => Ok(false),
        Outcome::ValidRows | Outcome::Variance | Outcome::Deviation => {
            Err(Error::internal("the result of the windows cannot be computed from totals"))
        }
    }
}

/// Computes sums of windows that move by one row from row to row. Each sum is the previous sum plus the value that
/// enters the window minus the value that leaves the window.
fn sums(rows: &Rows<'_, 3>, windows: &Windows<'_>, values: &[i64]) -> Result<Column> {
    let fold = Words { rows: values, operation: Operation::Sum, flip: 0 };
    let tree = Tree::new(fold, None, windows.rows, windows.max_rows(), rows.ctx)?;
    let total = |range: Range<usize>| values[range].iter().fold(0_i64, |sum, value| sum.wrapping_add(*value));
    rows.filled::<i64>(
        || Ok(HostMask::none()),
        |first, out| {
            let own = first..first + out.len();
            let steady = windows.steady(own.clone());
            let mut window = windows.bounds(first, None, None);
            let mut sum = tree.query(window.clone()).value;
            let mut row = first;
            while row < own.end {
                if row == steady.start && !steady.is_empty() {
                    let entering = &values[window.end..][..steady.len()];
                    let leaving = &values[window.start..][..steady.len()];
                    let slots = &mut out[row - first..][..steady.len()];
                    for ((slot, enters), leaves) in slots.iter_mut().zip(entering).zip(leaving) {
                        sum = sum.wrapping_add(enters.wrapping_sub(*leaves));
                        *slot = sum;
                    }
                    window = window.start + steady.len()..window.end + steady.len();
                    row = steady.end;
                    continue;
                }
                let next = windows.bounds(row, None, None);
                sum = sum.wrapping_add(total(window.end..next.end)).wrapping_sub(total(window.start..next.start));
                window = next;
                out[row - first] = sum;
                row += 1;
            }
        },
    )
}

/// Returns the number type whose values are stored like those of `physical`.
pub fn storage_type(physical: PhysicalType) -> DataType {
    match physical {
        PhysicalType::I8 => DataType::Int8,
        PhysicalType::I16 => DataType::Int16,
        PhysicalType::I32 => DataType::Int32,
        PhysicalType::U8 => DataType::UInt8,
        PhysicalType::U16 => DataType::UInt16,
        PhysicalType::U32 => DataType::UInt32,
        PhysicalType::F16 => DataType::Float16,
        PhysicalType::F32 => DataType::Float32,
        _ => DataType::Int64,
    }
}

struct Work<'w, 'a> {
    rows: &'w Rows<'a, 3>,
    windows: &'w Windows<'w>,
    aggregate: &'w Aggregate,
    nullable: bool,
    ctx: Ctx<'w>,
}

impl Work<'_, '_> {
    fn run<F: Fold, T: Pod + Send>(
        &self,
        fold: F,
        give: impl Fn(CountedValue<F::Value>) -> T + Sync,
        data_type: &DataType,
    ) -> Result<Column> {
        let [input, lower, upper] = self.rows.columns();
        let bounds = Bounds::new(self.windows, lower, upper)?;
        let windows = self.windows;
        let tree = Tree::new(fold, input.validity()?, windows.rows, windows.max_rows(), self.rows.ctx)?;
        bounds.map(self.nullable, data_type, self.ctx, self.rows.ctx, |_, windows, write| {
            tree.slide(windows, |at, all| {
                let valid = self.aggregate.suffices(all.count, windows[at].len());
                write(at, valid.then(|| give(all)));
            });
        })
    }
}
