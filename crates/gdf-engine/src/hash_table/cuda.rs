//! The memory of a table of keys: `gdf::key_table`.

use gdf_core::{Abilities, PhysicalType, Result, TableView, ValueOrder, physical_type};
use gdf_driver::Stream;
use gdf_kernels::Arguments;
use gdf_kernels::generated::common::{KeySlot, KeyTable, KeyTableState, NO_BIT};

use crate::Ctx;
use crate::cuda::{Grid, Kernel, Memory, Out, Values, kernel_type};
use crate::keys::{KeySide, Packing};
use crate::limits::cuda as limits;
use crate::policy::NullPolicy;
use crate::sort::cuda::ranges;

/// How keys pack into 64 bits: as their types do, or else, of more than `measured_rows` rows, as their values do, which takes
/// a launch and a wait. What does not pack is hashed and compared as rows, which takes many times as long for many rows.
pub fn pack_by_values(
    keys: &TableView<'_>,
    null_policy: NullPolicy,
    measured_rows: usize,
    ctx: Ctx<'_>,
) -> Result<Option<Packing>> {
    let by_type = Packing::new(keys, null_policy);
    let has_numbers =
        || keys.columns().iter().all(|column| Abilities::of(column.data_type()).order == Some(ValueOrder::Words));
    if by_type.is_some() || keys.num_rows() <= measured_rows || !has_numbers() {
        return Ok(by_type);
    }
    Ok(Packing::of_ranges(keys, &ranges(keys.columns(), ctx.scratch())?, null_policy))
}

/// How much memory the table of a table's keys takes, and how kernels are to use it.
#[derive(Clone, Copy, Debug)]
pub struct KeyTableLayout {
    slots: usize,
    /// Words of a table that values index.
    indices: usize,
    direct: i32,
    null_bit: i32,
}

const SLOT: usize = size_of::<KeySlot>();
const INDEX: usize = size_of::<u32>();
const STATE: usize = size_of::<KeyTableState>();
/// Up to so many rows, memory is nothing and searches are to be short.
const FEW_ROWS: usize = limits::KEY_FEW_ROWS;
/// Up to so many rows, looking at the range of the keys costs more than it saves.
const HASHED_ROWS: usize = limits::KEY_HASHED_ROWS;

impl KeyTableLayout {
    /// At most half of the slots are ever taken; of few rows a quarter.
    pub fn new(keys: &KeySide<'_>) -> Self {
        let (direct, null_bit) = direct_type(keys);
        let per_row = if keys.rows() <= FEW_ROWS { 4 } else { 2 };
        let slots = (keys.rows() * per_row).max(16);
        Self { slots, indices: slots * (SLOT / INDEX), direct, null_bit }
    }

    /// Whether values may index the table.
    pub fn may_be_direct(self) -> bool {
        self.direct >= 0
    }

    /// The same with memory for values that are at most `range` apart to index it.
    pub fn with_range(self, range: usize) -> Self {
        // For both ends, nulls and the number of rows.
        Self { indices: self.indices.max(range.saturating_add(4)), ..self }
    }

    /// The same for keys whose values are known not to lie close together: nobody looks at their range.
    pub fn hashed(self) -> Self {
        Self { direct: -1, null_bit: NO_BIT as i32, ..self }
    }

    pub fn slots(self) -> usize {
        self.slots
    }

    fn state(self) -> usize {
        ((self.slots + 2) * SLOT).max((self.indices * INDEX).next_multiple_of(SLOT) + SLOT)
    }

    pub fn bytes(self) -> usize {
        self.state() + STATE
    }

    /// For kernels, in this memory, if it is large enough.
    pub fn describe(self, memory: Memory<'_>) -> Result<KeyTable<'_>> {
        Ok(self.begin_at(memory.rows(self.bytes(), 1)?))
    }

    /// As [`describe`](Self::describe), for kernels that only look keys up, of which several may run at a time.
    pub fn describe_filled(self, memory: Values<'_>) -> Result<KeyTable<'_>> {
        let first = memory.rows(self.bytes(), 1)?;
        // SAFETY: the kernels that take it so only look keys up.
        Ok(self.begin_at(unsafe { Out::danger_from_address(first.address()) }))
    }

    fn begin_at(self, first: Out<'_, u8>) -> KeyTable<'_> {
        KeyTable {
            slots: first.at(0),
            size: self.slots as i64,
            state: first.at(self.state()),
            direct: self.direct,
            null_bit: self.null_bit,
            indices: self.indices as i64,
        }
    }
}

/// Enqueues a kernel that fills a table with the keys of its rows, and its barriers, so that all blocks are resident; each has so
/// many bytes of dynamic shared memory.
pub fn fill<A: Arguments>(
    kernel: &Kernel<A::Static>,
    rows: usize,
    shared: u32,
    arguments: &A,
    stream: &Stream,
) -> Result<()> {
    let grid = Grid::SharedCooperative(kernel.spread_blocks(rows).max(1), shared);
    // SAFETY: keys have `rows` rows (`OpenKeys`), fewer than 2^31 (`KeySide`), for which the layout of the table was made.
    // What else these kernels write are arrays with an element for each row, or none that they use, with which `Memory`
    // has compared their sizes, and bits in whole words. The caller holds all of it until the launch is enqueued.
    unsafe { kernel.launch_grid(stream, grid, arguments)? };
    Ok(())
}

/// The kernels' number for the type of the one key column whose values may index the table, and its null bit.
fn direct_type(keys: &KeySide<'_>) -> (i32, i32) {
    const NONE: (i32, i32) = (-1, NO_BIT as i32);
    let ([column], Some(packing)) = (keys.keys.columns(), &keys.packing) else { return NONE };
    if keys.rows() <= HASHED_ROWS {
        return NONE;
    }
    let physical = physical_type(column.data_type());
    if !(physical.is_integral() || physical == PhysicalType::Bool) {
        return NONE;
    }
    let null_bit = packing.null_bits.first().copied().flatten().unwrap_or(NO_BIT as u8);
    (kernel_type(physical) as i32, i32::from(null_bit))
}
