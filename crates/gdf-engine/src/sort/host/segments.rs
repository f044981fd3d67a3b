//! Sort and distinct values of segments on the CPU. A task works on some segments one by one, and the tasks run on all
//! threads.

use std::ops::Range;

use bytemuck::Pod;
use gdf_core::{Column, ColumnView, DataType, Error, PhysicalType, Result, f16, physical_type, width};
use gdf_memory::HostVec;

use super::ordered::Ordered;
use crate::Ctx;
use crate::host::{Bits, HostColumn, HostMask, HostOutput, for_each_task, map_chunks, map_tasks, split_mut, task_rows};
use crate::keys::mix64;
use crate::sort::KeyColumn;
use crate::sort::segment::{KeptValue, LONGEST_SEGMENT, MarkedSegments, SegmentExtent, SegmentOutput};

#[derive(Clone, Copy)]
enum Offsets<'a> {
    Short(&'a [i32]),
    Long(&'a [i64]),
}

impl<'a> Offsets<'a> {
    fn of(column: &'a HostColumn<'_>) -> Result<Self> {
        match column.view().data_type() {
            DataType::Int32 => column.values().map(Offsets::Short),
            _ => column.values().map(Offsets::Long),
        }
    }

    fn at(self, index: usize) -> usize {
        match self {
            Offsets::Short(offsets) => offsets[index] as usize,
            Offsets::Long(offsets) => offsets[index] as usize,
        }
    }

    fn segments(self) -> usize {
        match self {
            Offsets::Short(offsets) => offsets.len() - 1,
            Offsets::Long(offsets) => offsets.len() - 1,
        }
    }
}

/// Returns the extent of segments.
pub fn segment_extent(offsets: ColumnView<'_>, ctx: Ctx<'_>) -> Result<SegmentExtent> {
    let column = HostColumn::open(offsets, ctx.stream)?;
    let offsets = Offsets::of(&column)?;
    let size = |segment: usize| offsets.at(segment + 1) - offsets.at(segment);
    let longest = map_chunks(offsets.segments(), |segments| segments.map(size).max());
    let longest = longest.into_iter().flatten().max().unwrap_or(0);
    Ok(SegmentExtent { begin: offsets.at(0), end: offsets.at(offsets.segments()), longest })
}

/// Sorts segments.
pub fn sort_segments(
    offsets: ColumnView<'_>,
    key: KeyColumn<'_>,
    extent: SegmentExtent,
    sorted: &SegmentOutput,
    ctx: Ctx<'_>,
) -> Result<Column> {
    let (offsets, values) = (HostColumn::open(offsets, ctx.stream)?, HostColumn::open(key.view, ctx.stream)?);
    let sort = Sort { offsets: Offsets::of(&offsets)?, validity: values.validity()?, key, extent, ctx };
    macro_rules! by_type {
        ($($physical:pat => $T:ty),*) => {
            match physical_type(key.view.data_type()) {
                PhysicalType::Bool => {
                    let bits = values.bits()?;
                    sort.rows(|row| bits.get(row), sorted.data_type())
                }
                $($physical => {
                    let values = values.values::<$T>()?;
                    match sorted {
                        SegmentOutput::Values(data_type) => sort.values(values, data_type),
                        SegmentOutput::Rows(data_type) => sort.rows(|row| values[row], data_type),
                    }
                })*
                _ => Err(Error::internal("the values of segments have a type that `sort_segments` does not sort")),
            }
        };
    }
    use PhysicalType as P;
    by_type!(
        P::I8 => i8, P::I16 => i16, P::I32 => i32, P::I64 => i64, P::U8 => u8, P::U16 => u16, P::U32 => u32,
        P::U64 => u64, P::F16 => f16, P::F32 => f32, P::F64 => f64
    )
}

/// Marks the distinct values of segments.
pub fn mark_distinct(
    offsets: ColumnView<'_>,
    values: ColumnView<'_>,
    extent: SegmentExtent,
    keep: KeptValue,
    ctx: Ctx<'_>,
) -> Result<MarkedSegments> {
    fn marked<T: Pod + PartialEq + Into<u64> + Sync>(
        offsets: Offsets<'_>,
        values: &[T],
        extent: SegmentExtent,
        keep: KeptValue,
        ctx: Ctx<'_>,
    ) -> Result<MarkedSegments> {
        let mut marks = HostOutput::<u8>::new(extent.rows(), ctx)?;
        let mut sizes = HostOutput::<i64>::new(offsets.segments(), ctx)?;
        let parts = parts(offsets);
        let rows = |part: &Range<usize>| offsets.at(part.end) - offsets.at(part.start);
        let pieces = split_mut(marks.values(ctx.stream)?, parts.iter().map(rows));
        let counts = split_mut(sizes.values(ctx.stream)?, parts.iter().map(Range::len));
        let tasks = parts.into_iter().zip(pieces).zip(counts).collect();
        let table = if extent.longest > LONGEST_SEGMENT { table_len(extent.longest) } else { 0 };
        let mark = |_, ((segments, mut rest), counts): ((Range<usize>, &mut [u8]), &mut [i64])| -> Result<()> {
            let mut slots = HostVec::<u32>::uninitialized(table, ctx.stream, ctx.mr.temporary)?;
            for (segment, count) in segments.zip(counts) {
                let values = &values[offsets.at(segment)..offsets.at(segment + 1)];
                let (own, others) = std::mem::take(&mut rest).split_at_mut(values.len());
                match slots.get_mut(..table_len(values.len())) {
                    Some(slots) if values.len() > LONGEST_SEGMENT => mark_by_hash(values, keep, slots, own),
                    _ => mark_by_comparison(values, keep, own),
                }
                *count = own.iter().map(|mark| i64::from(*mark)).sum();
                rest = others;
            }
            Ok(())
        };
        map_tasks(tasks, &mark).into_iter().collect::<Result<()>>()?;
        Ok(MarkedSegments {
            marks: marks.finish(&DataType::UInt8, HostMask::none())?,
            sizes: sizes.finish(&DataType::Int64, HostMask::none())?,
        })
    }
    let (offsets, values) = (HostColumn::open(offsets, ctx.stream)?, HostColumn::open(values, ctx.stream)?);
    let offsets = Offsets::of(&offsets)?;
    match width(values.view().data_type()) {
        Some(1) => marked(offsets, values.values::<u8>()?, extent, keep, ctx),
        Some(2) => marked(offsets, values.values::<u16>()?, extent, keep, ctx),
        Some(4) => marked(offsets, values.values::<u32>()?, extent, keep, ctx),
        Some(8) => marked(offsets, values.values::<u64>()?, extent, keep, ctx),
        _ => Err(Error::internal("the values of segments have a type that `mark_distinct` does not mark")),
    }
}

/// Compares each value with the other values.
fn mark_by_comparison<T: PartialEq>(values: &[T], keep: KeptValue, marks: &mut [u8]) {
    for (at, (value, mark)) in values.iter().zip(marks).enumerate() {
        let (before, after) = (&values[..at], &values[at + 1..]);
        let kept = match keep {
            KeptValue::First => !before.contains(value),
            KeptValue::Last => !after.contains(value),
            KeptValue::Alone => !before.contains(value) && !after.contains(value),
        };
        *mark = u8::from(kept);
    }
}

/// Returns the number of slots of the hash table of a segment. At most half of the slots are occupied.
fn table_len(rows: usize) -> usize {
    (2 * rows).next_power_of_two()
}

/// Looks up each value in a hash table with linear probing. A slot has the number of a row, starting at 1, or 0 if the
/// slot is free.
fn mark_by_hash<T: Copy + PartialEq + Into<u64>>(values: &[T], keep: KeptValue, slots: &mut [u32], marks: &mut [u8]) {
    slots.fill(0);
    let (mask, shift) = (slots.len() - 1, 64 - slots.len().trailing_zeros());
    let mut mark = |at: usize| {
        let value = values[at];
        let mut place = (mix64(value.into()) >> shift) as usize;
        while let Some(found) = (slots[place] as usize).checked_sub(1) {
            if values[found] == value {
                marks[at] = 0;
                if keep == KeptValue::Alone {
                    marks[found] = 0;
                }
                return;
            }
            place = (place + 1) & mask;
        }
        (slots[place], marks[at]) = (at as u32 + 1, 1);
    };
    match keep {
        KeptValue::First | KeptValue::Alone => (0..values.len()).for_each(mark),
        KeptValue::Last => (0..values.len()).rev().for_each(&mut mark),
    }
}

fn parts(offsets: Offsets<'_>) -> Vec<Range<usize>> {
    let (all, task) = (offsets.segments(), task_rows());
    let (mut parts, mut begin) = (Vec::new(), 0);
    while begin < all {
        let limit = offsets.at(begin) + task;
        // The part ends with the first segment that ends at or after `limit`. The loop is a binary search for this end.
        let (mut low, mut high) = (begin + 1, all);
        while low < high {
            let middle = low + (high - low) / 2;
            if offsets.at(middle) < limit { low = middle + 1 } else { high = middle }
        }
        parts.push(begin..low);
        begin = low;
    }
    parts
}

struct Sort<'a> {
    offsets: Offsets<'a>,
    validity: Option<Bits<'a>>,
    key: KeyColumn<'a>,
    extent: SegmentExtent,
    ctx: Ctx<'a>,
}

impl Sort<'_> {
    fn values<T: Ordered<Unsigned = u64> + Pod>(&self, values: &[T], out: &DataType) -> Result<Column> {
        self.write(|row| values[row], |row| values[row], out)
    }

    fn rows<T: Ordered<Unsigned = u64>>(&self, value: impl Fn(usize) -> T + Sync, out: &DataType) -> Result<Column> {
        let begin = self.extent.begin;
        match out {
            DataType::UInt32 => self.write(value, |row| (row - begin) as u32, out),
            _ => self.write(value, |row| (row - begin) as u64, out),
        }
    }

    fn write<T: Ordered<Unsigned = u64>, O: Pod + Send + Sync>(
        &self,
        value: impl Fn(usize) -> T + Sync,
        written: impl Fn(usize) -> O + Sync,
        out: &DataType,
    ) -> Result<Column> {
        let mut output = HostOutput::<O>::new(self.extent.rows(), self.ctx)?;
        let parts = parts(self.offsets);
        let rows = |part: &Range<usize>| self.offsets.at(part.end) - self.offsets.at(part.start);
        let pieces = split_mut(output.values(self.ctx.stream)?, parts.iter().map(rows));
        for_each_task(parts.into_iter().zip(pieces).collect(), |_, (segments, mut rest): (_, &mut [O])| {
            for segment in segments {
                let rows = self.offsets.at(segment)..self.offsets.at(segment + 1);
                let (own, others) = std::mem::take(&mut rest).split_at_mut(rows.len());
                self.sort(rows, &value, &written, own);
                rest = others;
            }
        });
        output.finish(out, HostMask::none())
    }

    fn sort<T: Ordered<Unsigned = u64>, O>(
        &self,
        rows: Range<usize>,
        value: &impl Fn(usize) -> T,
        written: &impl Fn(usize) -> O,
        out: &mut [O],
    ) {
        let mut keys = [0_u128; LONGEST_SEGMENT];
        let keys = &mut keys[..rows.len()];
        for ((at, row), key) in (0_u32..).zip(rows.clone()).zip(&mut *keys) {
            let valid = self.validity.is_none_or(|validity| validity.get(row));
            let word = if valid { value(row).ordered() } else { 0 };
            let word = if self.key.descending && valid { !word } else { word };
            // The highest bit in use sorts nulls to the end that `nulls_first` selects.
            let end = u128::from(valid == self.key.nulls_first);
            *key = end << 96 | u128::from(word) << 32 | u128::from(at);
        }
        keys.sort_unstable();
        out.iter_mut().zip(keys).for_each(|(out, key)| *out = written(rows.start + (*key as u32) as usize));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_mark_as_comparisons() {
        for rows in [0, 1, 2, 255, 256, 257, 1000] {
            for distinct in [1, 2, 7, 300, 5000] {
                let random = |row: u64| (row + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
                let values: Vec<u64> = (0..rows).map(|row| random(row) % distinct * (1 << 40)).collect();
                for keep in [KeptValue::First, KeptValue::Last, KeptValue::Alone] {
                    let (mut expected, mut found) = (vec![9; values.len()], vec![9; values.len()]);
                    mark_by_comparison(&values, keep, &mut expected);
                    mark_by_hash(&values, keep, &mut vec![7; table_len(values.len())], &mut found);
                    assert_eq!(found, expected, "{rows} rows, {distinct} values, {keep:?}");
                }
            }
        }
    }
}
