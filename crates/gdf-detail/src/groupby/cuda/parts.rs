//! Rows moved by the part of the table that their groups belong to, so that what is being worked on stays in the cache.

use gdf_core::{ColumnView, Result, physical_type};
use gdf_driver::Stream;
use gdf_memory::{Buffer, MemoryError, Resources};

use super::descriptors::{MOVED, MovedOut, MovedValues, OpenSteps, launches};
use crate::cuda::{Kernel, MOST_PARTS, OpenKeys, PartLayout, args};
use crate::groupby::plan::{Plan, Value};
use crate::keys::Packing;

const POLICY: &str = "groupby_partition";
/// Bytes of the table that are worked on at a time, about: the cache of an H200 has 50 MiB.
const PART: usize = 8 << 20;
const LEAST_PARTS: usize = 16;

/// Whether rows can be moved: packed keys say all of a key, and what is accumulated are a few values of up to 64 bits.
pub(super) fn movable(plan: &Plan<'_>, packing: Option<&Packing>) -> bool {
    let narrow = |view: ColumnView<'_>| {
        let physical = physical_type(view.data_type());
        (physical.is_integral() || physical.is_floating()) && physical.width().is_some_and(|width| width <= 8)
    };
    let mut requests: Vec<usize> = plan.steps.iter().filter_map(|step| step.request).collect();
    requests.sort_unstable();
    requests.dedup();
    packing.is_some_and(|packing| !packing.special_null)
        && requests.len() <= MOVED
        && launches(&plan.steps).len() == 1
        && plan.steps.iter().all(|step| step.value != Value::RowNumber)
        && requests.into_iter().all(|request| narrow(plan.values[request]))
}

/// Rows that have been moved.
#[derive(Debug)]
pub(super) struct MovedRows {
    memory: Buffer,
    values: Vec<usize>,
    valid: Option<usize>,
    total: usize,
}

impl MovedRows {
    /// Moves the rows, by the parts of a table of `slots` slots and `words` accumulators, in two launches.
    pub(super) fn new(
        keys: &OpenKeys<'_>,
        steps: &OpenSteps<'_>,
        rows: usize,
        slots: usize,
        words: usize,
        stream: &Stream,
        mr: Resources<'_>,
    ) -> Result<Self> {
        let counts = Kernel::find(stream, "groupby", "groupby_count_parts_kernel", POLICY)?;
        let moves = Kernel::find(stream, "groupby", "groupby_move_parts_kernel", POLICY)?;
        let parts = parts(slots * 16 + words * 8).min(slots);
        let blocks = counts.blocks(rows);
        let layout = PartLayout::new(parts, blocks);

        let mut end = Some(layout.bytes().next_multiple_of(16));
        let mut array = |width: usize| {
            let at = end.unwrap_or(0);
            let bytes = rows.checked_mul(width).and_then(|bytes| bytes.checked_next_multiple_of(16));
            end = end.and_then(|end| end.checked_add(bytes?));
            at
        };
        let keys_at = array(8);
        let width = |view: &ColumnView<'_>| physical_type(view.data_type()).width().unwrap_or(8);
        let values: Vec<usize> = steps.requests.iter().map(|view| array(width(view))).collect();
        let valid = steps.requests.iter().any(|view| view.has_validity()).then(|| array(1));
        let bytes = end.ok_or(MemoryError::OutOfMemory {
            requested: usize::MAX,
            free: None,
            resource: mr.temporary.resource().name(),
        })?;

        let memory = Buffer::uninitialized(bytes, stream, mr.temporary)?;
        let mut moved = Self { memory, values, valid, total: 0 };
        let access = moved.memory.write_on(stream)?;
        let base = access.address();
        // The parts are told by the upper bits of the slots' numbers.
        let plan = layout.describe(base, (slots / parts).trailing_zeros());
        let out = MovedOut { words: base + keys_at as u64, values: locate(base, &moved.values, moved.valid) };
        let (rows_in, scratch) = (rows as i64, stream.scratch()?);
        // SAFETY: the kernel takes (row_keys, int64 rows, part_plan, scratch*). Keys have `rows` rows and are open for
        // reading on this stream; the plan has a word per part and block, and one more than parts behind them,
        // exclusively ours; the scratch memory is the stream's.
        unsafe { counts.launch(stream, blocks, 1, args![keys.desc, rows_in, plan, scratch])? };
        let shared = PartLayout::shared_bytes(moves.threads(), moves.tile());
        moves.allow_shared(shared)?;
        // SAFETY: the kernel takes (row_keys, row_table<16>, int64 rows, part_plan, moved_out). Keys and values have
        // `rows` rows and are open for reading on this stream; values are `MOVED` columns at most, of 1, 2, 4 or 8
        // bytes; each array has room for `rows` rows of its width and is exclusively ours; the launch has as many blocks
        // as the one that has counted, and the shared memory that the kernel uses.
        unsafe { moves.launch_shared(stream, blocks, shared, args![keys.desc, steps.values, rows_in, plan, out])? };
        drop(access);
        moved.total = (plan.total() - base) as usize;
        Ok(moved)
    }

    /// The addresses for a kernel: of the keys, of the number of rows, of values. Good as long as the access is kept.
    pub(super) fn open(&self, stream: &Stream) -> Result<(gdf_memory::Access<'_>, u64, u64, MovedValues)> {
        let access = self.memory.read_on(stream)?;
        let base = access.address();
        // Keys lie behind the counts and the number of rows.
        let words = base + (self.total + 8).next_multiple_of(16) as u64;
        let values = locate(base, &self.values, self.valid);
        Ok((access, words, base + self.total as u64, values))
    }
}

/// Parts of a table, each of which fits the second cache beside those before and behind it.
fn parts(bytes: usize) -> usize {
    (bytes / PART).next_power_of_two().clamp(LEAST_PARTS, MOST_PARTS)
}

fn locate(base: u64, values: &[usize], valid: Option<usize>) -> MovedValues {
    let mut located = MovedValues { data: [0; MOVED], valid: valid.map_or(0, |at| base + at as u64) };
    for (place, at) in located.data.iter_mut().zip(values) {
        *place = base + *at as u64;
    }
    located
}

#[cfg(test)]
mod tests {
    use gdf_core::{Column, ColumnView, DataType, Table, from_options};
    use gdf_driver::{Device, Stream};
    use gdf_memory::current_resource;

    use super::*;
    use crate::groupby::{AggregationRequest, GroupByAggregation as A};

    /// The kernel moves numbers; of other types it would not know how wide they are.
    #[test]
    fn only_numbers_are_moved() {
        let (stream, mr) = (Stream::cpu(), current_resource(Device::Cpu).unwrap());
        let keys = from_options::<i64>(&[Some(1)], &stream, mr.as_ref()).unwrap();
        let keys = Table::try_new(vec![keys]).unwrap();
        let packing = Packing::new(&keys.view(), true);
        let moved = |data_type: DataType| {
            let values = Column::full_null(&data_type, 1, &stream, mr.as_ref()).unwrap();
            let request = AggregationRequest::new(ColumnView::from(&values), [A::CountValid]);
            movable(&Plan::new(&[request], 1).unwrap(), packing.as_ref())
        };
        for data_type in [DataType::Int8, DataType::Float16, DataType::Date32, DataType::Decimal64(9, 2)] {
            assert!(moved(data_type.clone()), "{data_type}");
        }
        for data_type in [DataType::FixedSizeBinary(4), DataType::FixedSizeBinary(8), DataType::Boolean, DataType::Utf8]
        {
            assert!(!moved(data_type.clone()), "{data_type}");
        }
    }
}
