//! Computes keys and results from groups and accumulators.

use gdf_compute::copying::{OutOfBoundsPolicy, gather};
use gdf_core::{
    Column, ColumnParts, ColumnView, DataType, Error, NativeType, NullCount, PhysicalType, Result, TableView,
    dispatch_floating, dispatch_numeric, f16, physical_type,
};
use gdf_driver::Device;
use gdf_engine::host::{HostColumn, HostMask, HostOutput, column, for_each_chunk, mask_from_words};
use gdf_memory::HostVec;

use super::cells::Cells;
use super::number::HostNumber;
use crate::Ctx;
use crate::groupby::NullPolicy;
use crate::groupby::aggregate::plan::{Finalize, ResultColumn};
use crate::groupby::request::AGGREGATE;
use crate::vouch;

/// Gathers the value of one row per group.
fn rows_of(values: ColumnView<'_>, rows: &[u64], nullable: bool, ctx: Ctx<'_>) -> Result<Column> {
    let map = HostVec::from_slice(rows, ctx.stream, ctx.mr.temporary)?.into_buffer()?;
    let mut parts = ColumnParts::new(DataType::UInt64, Device::Cpu, rows.len()).buffer(map);
    if nullable {
        let valid = |word: usize| bits(rows, word, |row| row != u64::MAX);
        let mask = HostMask::from_words(rows.len(), ctx.stream, ctx.mr.temporary, valid)?;
        parts = parts.validity(mask.validity, NullCount::Known(mask.nulls));
    }
    let map = vouch::result(parts)?;
    let table = gather(TableView::try_new(vec![values])?, map.view(), OutOfBoundsPolicy::Error, ctx)?;
    Ok(table.column(0)?.clone())
}

/// Returns a word of a bit mask over groups.
fn bits(words: &[u64], word: usize, has: impl Fn(u64) -> bool) -> u64 {
    let words = words.chunks(64).nth(word).unwrap_or_default();
    words.iter().enumerate().fold(0, |bits, (bit, word)| bits | u64::from(has(*word)) << bit)
}

/// Returns a key column of the result, gathered from the first rows of the groups.
pub(super) fn key(key: ColumnView<'_>, null_policy: NullPolicy, first_rows: &[u64], ctx: Ctx<'_>) -> Result<Column> {
    let nulls = null_policy == NullPolicy::Include;
    if physical_type(key.data_type()).is_floating() {
        return dispatch_floating!(physical_type(key.data_type()), T => {
            float_key::<T>(key, nulls, first_rows, ctx)
        }, else => rows_of(key, first_rows, false, ctx));
    }
    if key.has_validity() && !nulls {
        let mut parts = key.to_column().into_parts();
        parts.validity = None;
        parts.null_count = NullCount::Known(0);
        return rows_of(vouch::result(parts)?.view(), first_rows, false, ctx);
    }
    rows_of(key, first_rows, false, ctx)
}

fn float_key<T: Float>(key: ColumnView<'_>, nulls: bool, first_rows: &[u64], ctx: Ctx<'_>) -> Result<Column> {
    let input = HostColumn::open(key, ctx.stream)?;
    let values = input.values::<T>()?;
    let mut output = HostOutput::<T>::new(first_rows.len(), ctx)?;
    for_each_chunk(output.values(ctx.stream)?, |first, chunk| {
        for (value, row) in chunk.iter_mut().zip(&first_rows[first..]) {
            *value = values[*row as usize].canonical();
        }
    });
    let mask = match input.validity()?.filter(|_| nulls) {
        None => HostMask::none(),
        Some(validity) => HostMask::from_words(first_rows.len(), ctx.stream, ctx.mr.output, |word| {
            bits(first_rows, word, |row| validity.get(row as usize))
        })?,
    };
    output.finish(key.data_type(), mask)
}

trait Float: NativeType {
    fn canonical(self) -> Self;
}

macro_rules! float {
    ($($native:ty, $zero:expr;)*) => {$(
        impl Float for $native {
            fn canonical(self) -> Self {
                if self.is_nan() { <$native>::NAN } else if self == $zero { $zero } else { self }
            }
        }
    )*};
}

float! { f16, f16::ZERO; f32, 0.0; f64, 0.0; }

pub(super) struct Accumulators<'a> {
    pub(super) groups: usize,
    pub(super) cells: Vec<Option<&'a Cells<'a>>>,
    pub(super) others: Vec<Option<&'a [u64]>>,
}

impl Accumulators<'_> {
    pub(super) fn words(&self, word: usize) -> &[u64] {
        if let Some(Some(words)) = self.others.get(word) {
            return words;
        }
        self.cells.get(word).copied().flatten().map_or(&[], Cells::words)
    }

    fn wide(&self, word: usize) -> &[i128] {
        self.cells.get(word).copied().flatten().map_or(&[], Cells::wide)
    }

    fn mask(&self, result_column: &ResultColumn, ctx: Ctx<'_>) -> Result<HostMask> {
        let Some(count) = result_column.count.filter(|_| result_column.nullable) else { return Ok(HostMask::none()) };
        let counts = self.words(count);
        let min = u64::from(result_column.ddof);
        HostMask::from_words(self.groups, ctx.stream, ctx.mr.output, |word| bits(counts, word, |count| count > min))
    }

    fn column<T: NativeType>(
        &self,
        result_column: &ResultColumn,
        ctx: Ctx<'_>,
        value: impl Fn(usize) -> T + Sync,
    ) -> Result<Column> {
        let mut output = HostOutput::<T>::new(self.groups, ctx)?;
        for_each_chunk(output.values(ctx.stream)?, |first, chunk| {
            chunk.iter_mut().enumerate().for_each(|(i, out)| *out = value(first + i));
        });
        output.finish(&result_column.data_type, self.mask(result_column, ctx)?)
    }

    /// Returns a result column. `values` is the column of the values of its request, or `None` if the values are
    /// computed.
    pub(super) fn finish(
        &self,
        result_column: &ResultColumn,
        values: Option<ColumnView<'_>>,
        ctx: Ctx<'_>,
    ) -> Result<Column> {
        let words = self.words(result_column.word);
        let counts = result_column.count.map_or(&[][..], |count| self.words(count));
        let physical = physical_type(&result_column.data_type);
        let number = |group: usize| f64::from_bits(words[group]);
        let mean = |group: usize, sum: f64| if counts[group] == 0 { 0.0 } else { sum / counts[group] as f64 };
        match result_column.finalize {
            Finalize::GatherKey | Finalize::Unpack => Err(Error::internal("a key is passed as a result")),
            Finalize::Gather => {
                let values = values.ok_or_else(|| Error::internal("results are gathered from computed values"))?;
                rows_of(values, words, result_column.nullable, ctx)
            }
            Finalize::Copy if physical == PhysicalType::U32 => {
                self.column::<u32>(result_column, ctx, |group| words[group] as u32)
            }
            Finalize::Copy => self.column::<i64>(result_column, ctx, |group| words[group] as i64),
            Finalize::CopyF64 => dispatch_floating!(physical, T => {
                self.column::<T>(result_column, ctx, |group| T::from_number(number(group)))
            }, else => Err(Error::unsupported(AGGREGATE, &result_column.data_type))),
            Finalize::CopyI128 => {
                let sums = self.wide(result_column.word);
                self.column::<i128>(result_column, ctx, |group| sums[group])
            }
            Finalize::Ordered if physical == PhysicalType::Bool => {
                let valid = |group: usize| counts.get(group).is_none_or(|count| *count != 0);
                let value = |word: usize| {
                    let groups = word * 64..(word * 64 + 64).min(self.groups);
                    groups
                        .enumerate()
                        .fold(0, |bits, (bit, group)| bits | u64::from(valid(group) && words[group] & 1 == 1) << bit)
                };
                let (buffer, _) = mask_from_words(self.groups, ctx.stream, ctx.mr.output, value)?;
                let mask = self.mask(result_column, ctx)?;
                let buffer = buffer.slice(0, self.groups.div_ceil(8))?;
                column(&result_column.data_type, self.groups, [buffer], mask)
            }
            Finalize::Ordered => dispatch_numeric!(physical, T => {
                self.column::<T>(result_column, ctx, |group| T::from_order(words[group]))
            }, else => Err(Error::unsupported(AGGREGATE, &result_column.data_type))),
            Finalize::MeanF64 => self.column::<f64>(result_column, ctx, |group| mean(group, number(group))),
            Finalize::MeanSigned => {
                self.column::<f64>(result_column, ctx, |group| mean(group, words[group] as i64 as f64))
            }
            Finalize::MeanUnsigned => self.column::<f64>(result_column, ctx, |group| mean(group, words[group] as f64)),
            Finalize::MeanWide => {
                let sums = self.wide(result_column.word);
                self.column::<f64>(result_column, ctx, |group| mean(group, sums[group] as f64))
            }
            Finalize::MeanI128 => {
                let sums = self.wide(result_column.word);
                let mean = |group: usize| sums[group].checked_div(i128::from(counts[group])).unwrap_or(0);
                match physical {
                    PhysicalType::I32 => self.column::<i32>(result_column, ctx, |group| mean(group) as i32),
                    PhysicalType::I64 => self.column::<i64>(result_column, ctx, |group| mean(group) as i64),
                    PhysicalType::I128 => self.column::<i128>(result_column, ctx, mean),
                    _ => Err(Error::unsupported(AGGREGATE, &result_column.data_type)),
                }
            }
            Finalize::Variance | Finalize::Deviation | Finalize::SquaredDifferences => {
                let squares = self.words(result_column.other);
                let ddof = u64::from(result_column.ddof);
                self.column::<f64>(result_column, ctx, |group| {
                    let n = counts[group];
                    if n <= ddof {
                        return 0.0;
                    }
                    let sum = number(group);
                    let spread = f64::from_bits(squares[group]) - sum * sum / n as f64;
                    // Rounding may make the spread negative.
                    let spread = if spread < 0.0 { 0.0 } else { spread };
                    if result_column.finalize == Finalize::SquaredDifferences {
                        return spread;
                    }
                    let variance = spread / (n as f64 - f64::from(result_column.ddof));
                    if result_column.finalize == Finalize::Deviation { variance.sqrt() } else { variance }
                })
            }
        }
    }
}
