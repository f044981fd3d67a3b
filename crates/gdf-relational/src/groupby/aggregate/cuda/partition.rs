//! Partitions rows by the part of the hash table that contains their group.

use gdf_core::{ColumnView, Result, physical_type};
use gdf_driver::Stream;
use gdf_engine::cuda::{Grid, In, Kernel, Out, Rows};
use gdf_engine::keys::Packing;
use gdf_engine::partition::PartLayout;
use gdf_kernels::generated::common::{GroupSlot, MAX_PARTS};
use gdf_kernels::generated::groupby::{
    CountParts, CountPartsKernel, KeyRanges, MAX_PARTITIONED_VALUES, MoveParts, MovePartsKernel, PartitionOut,
    PartitionedValues,
};
use gdf_memory::{Access, Buffer, MemoryError};

use super::request::{Groups, OpenSteps, Request, launches};
use crate::groupby::aggregate::plan::{AccumulatorInput, AggregationPlan};

/// The approximate number of bytes of a part of the table.
const PART: usize = 8 << 20;
const MIN_PARTS: usize = 16;

/// Returns whether rows can be partitioned.
pub(super) fn movable(plan: &AggregationPlan<'_>, packing: Option<&Packing>) -> bool {
    let narrow = |request: usize| {
        let physical = physical_type(plan.data_type(request));
        (physical.is_integral() || physical.is_floating()) && physical.width().is_some_and(|width| width <= 8)
    };
    let mut requests: Vec<usize> = plan.accumulators.iter().filter_map(|step| step.request).collect();
    requests.sort_unstable();
    requests.dedup();
    packing.is_some_and(|packing| !packing.special_null)
        && requests.len() <= MAX_PARTITIONED_VALUES
        && launches(&plan.accumulators).len() == 1
        && plan.accumulators.iter().all(|step| step.input != AccumulatorInput::RowNumber)
        && requests.into_iter().all(narrow)
}

/// How packed keys are divided into parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartRule {
    /// The number of parts, a power of two.
    pub(super) parts: usize,
    shift: u32,
    /// The factor that a key is multiplied by. The upper bits of the product are the number of the part. If the factor
    /// is 0, the number of the part is taken from the hash of the key instead.
    pub(super) scale: u64,
}

impl PartRule {
    /// Divides keys by the parts of a hash table to which they belong.
    pub(super) fn of_table(groups: &Groups<'_>, words: usize) -> Self {
        let slots = groups.slots();
        let bytes = slots * size_of::<GroupSlot>() + groups.capacity() * words * 8;
        let parts = (bytes / PART).next_power_of_two().clamp(MIN_PARTS, MAX_PARTS).min(slots);
        // The upper bits of a slot number are the number of its part.
        Self { parts, shift: (slots / parts).trailing_zeros(), scale: 0 }
    }

    /// Divides the keys below `keys` into ranges of at most `most` keys, or into the largest number of ranges. `keys`
    /// is at least 256.
    pub(super) fn of_ranges(keys: usize, most: usize) -> Self {
        let parts = keys.div_ceil(most).next_power_of_two().clamp(MIN_PARTS, MAX_PARTS);
        Self { parts, shift: u64::BITS - parts.trailing_zeros(), scale: u64::MAX / keys.max(MAX_PARTS) as u64 }
    }

    fn width(self) -> usize {
        if self.scale == 0 { size_of::<u64>() } else { size_of::<u32>() }
    }
}

/// Partitioned rows: the memory, and the byte offsets of its arrays. Keys have 32 bits if parts are ranges of keys, and
/// 64 bits otherwise.
#[derive(Debug)]
pub(super) struct PartitionedRows {
    memory: Buffer,
    rule: PartRule,
    keys: usize,
    values: Vec<usize>,
    valid: Option<usize>,
    /// The first row of each part, and then the number of rows.
    begins: usize,
}

pub(super) struct OpenRows<'a> {
    of: &'a PartitionedRows,
    access: Access<'a>,
}

impl OpenRows<'_> {
    pub(super) fn words(&self) -> In<'_, u64> {
        In::<u8>::of(&self.access).at(self.of.keys)
    }

    /// Returns the keys of 32 bits.
    pub(super) fn narrow_words(&self) -> In<'_, u32> {
        In::<u8>::of(&self.access).at(self.of.keys)
    }

    pub(super) fn ranges(&self) -> KeyRanges<'_> {
        let PartRule { parts, shift, scale } = self.of.rule;
        let begins = In::<u8>::of(&self.access).at(self.of.begins);
        KeyRanges { begins, scale, parts: parts as i32, shift: shift as i32 }
    }

    /// Returns the number of moved rows.
    pub(super) fn rows(&self) -> In<'_, u64> {
        In::<u8>::of(&self.access).at(self.of.begins + self.of.rule.parts * size_of::<u64>())
    }

    pub(super) fn values(&self) -> PartitionedValues<'_> {
        let base = In::<u8>::of(&self.access);
        let (data, valid) = locate(&self.of.values, self.of.valid, |at| base.at(at));
        PartitionedValues { data, valid }
    }
}

impl PartitionedRows {
    /// Partitions the rows in two launches.
    pub(super) fn new(request: &Request<'_, '_>, steps: &OpenSteps<'_>, rule: PartRule) -> Result<Self> {
        let (keys, ctx) = (request.keys, request.ctx);
        let (counts, moves) = match rule.scale {
            0 => (CountPartsKernel::Hashes, MovePartsKernel::Hashes),
            _ => (CountPartsKernel::Ranges, MovePartsKernel::Ranges),
        };
        let (counts, moves) = (Kernel::choose(counts, ctx.stream)?, Kernel::choose(moves, ctx.stream)?);
        let rows = keys.rows;
        let blocks = counts.blocks(rows);
        let layout = PartLayout::new(rule.parts, blocks);

        let mut end = Some(layout.bytes().next_multiple_of(16));
        let mut array = |width: usize| {
            let at = end.unwrap_or(0);
            let bytes = rows.checked_mul(width).and_then(|bytes| bytes.checked_next_multiple_of(16));
            end = end.and_then(|end| end.checked_add(bytes?));
            at
        };
        let keys_at = array(rule.width());
        let width = |view: &ColumnView<'_>| physical_type(view.data_type()).width().unwrap_or(8);
        let values: Vec<usize> = steps.requests.iter().map(|view| array(width(view))).collect();
        let valid = steps.requests.iter().any(|view| view.has_validity()).then(|| array(1));
        let bytes = end.ok_or(MemoryError::OutOfMemory {
            requested: usize::MAX,
            free: None,
            resource: ctx.mr.temporary.resource().name(),
        })?;

        let memory = Buffer::uninitialized(bytes, ctx.stream, ctx.mr.temporary)?;
        let mut partitioned = Self { memory, rule, keys: keys_at, values, valid, begins: 0 };
        let access = partitioned.memory.write_on(ctx.stream)?;
        let base = Out::<u8>::of(&access);
        let plan = layout.describe(base, rule.shift);
        let (data, valid) = locate(&partitioned.values, partitioned.valid, |at| base.at(at));
        let (words, narrow) =
            if rule.scale == 0 { (base.at(keys_at), Out::NULL) } else { (Out::NULL, base.at(keys_at)) };
        let out = PartitionOut { words, narrow, data, valid };
        let (keys, rows, scale) = (*keys.desc, Rows::new(rows), rule.scale);
        let arguments = CountParts { keys, rows, plan, scale };
        request.run(&counts, Grid::Blocks(blocks), &arguments)?;
        let shared = PartLayout::shared_bytes(moves.threads(), moves.tile());
        moves.allow_shared(shared)?;
        let arguments = MoveParts { keys, values: steps.values(), rows, plan, scale, out };
        request.run(&moves, Grid::Shared(blocks, shared), &arguments)?;
        let begins = plan.begins.address() - base.address();
        drop(access);
        partitioned.begins = begins as usize;
        Ok(partitioned)
    }

    pub(super) fn open(&self, stream: &Stream) -> Result<OpenRows<'_>> {
        Ok(OpenRows { of: self, access: self.memory.read_on(stream)? })
    }
}

/// Returns the addresses of the value arrays and of the validity array.
fn locate<A: Copy + Default>(
    values: &[usize],
    valid: Option<usize>,
    at: impl Fn(usize) -> A,
) -> ([A; MAX_PARTITIONED_VALUES], A) {
    let mut data = [A::default(); MAX_PARTITIONED_VALUES];
    for (target, offset) in data.iter_mut().zip(values) {
        *target = at(*offset);
    }
    (data, valid.map_or(A::default(), at))
}

#[cfg(test)]
mod tests {
    use gdf_core::{Column, ColumnView, DataType, Table};
    use gdf_driver::{Device, Stream};
    use gdf_memory::current_resource;

    use super::*;
    use crate::groupby::{AggregationRequest, GroupByAggregation as A, NullPolicy};

    /// Tests that rows with values of other types are not partitioned.
    #[test]
    fn only_numbers_are_moved() {
        let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu).unwrap());
        let keys = Column::from_options_on::<i64>(&[Some(1)], &stream, mr.as_ref()).unwrap();
        let keys = Table::try_new(vec![keys]).unwrap();
        let packing = Packing::new(&keys.view(), NullPolicy::Exclude);
        let partitioned = |data_type: DataType| {
            let values = Column::nulls_on(&data_type, 1, &stream, mr.as_ref()).unwrap();
            let request = AggregationRequest::new(ColumnView::from(&values), [A::CountValid]);
            movable(&AggregationPlan::new(&[request], 1).unwrap(), packing.as_ref())
        };
        for data_type in [DataType::Int8, DataType::Float16, DataType::Date32, DataType::Decimal64(9, 2)] {
            assert!(partitioned(data_type.clone()), "{data_type}");
        }
        for data_type in [DataType::FixedSizeBinary(4), DataType::FixedSizeBinary(8), DataType::Boolean, DataType::Utf8]
        {
            assert!(!partitioned(data_type.clone()), "{data_type}");
        }
    }
}
