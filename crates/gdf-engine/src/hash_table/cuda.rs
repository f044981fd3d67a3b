//! The device memory of a hash table of keys: `gdf::key_table`.

use gdf_core::{Abilities, ColumnView, PhysicalType, Result, TableView, ValueOrder, physical_type};
use gdf_driver::Stream;
use gdf_kernels::Arguments;
use gdf_kernels::generated::common::{KeySlot, KeyTable, KeyTableState, NO_BIT};

use crate::Ctx;
use crate::cuda::{Grid, Kernel, Memory, Out, Values, kernel_type};
use crate::keys::{KeySide, Packing};
use crate::limits::cuda as limits;
use crate::policy::NullPolicy;
use crate::sort::cuda::ranges;
use crate::sort::value_bounds;

/// Chooses how the keys of a row are packed into 64 bits. If the types of the columns fit in 64 bits, the packing
/// depends only on the types. Otherwise the packing depends on the ranges of the values. If the stored bounds of the
/// values do not suffice, the function measures the ranges, which takes a launch and a wait.
///
/// The result is `None` if the keys cannot be packed. Keys of at most `measured_rows` rows are only packed by their
/// types.
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
    let outer: Option<Vec<_>> = keys.columns().iter().map(|column| column.outer_bounds()).collect();
    if let Some(packing) = outer.and_then(|outer| Packing::of_ranges(keys, &outer, null_policy)) {
        return Ok(Some(packing));
    }
    Ok(Packing::of_ranges(keys, &ranges(keys.columns(), ctx.scratch())?, null_policy))
}

/// A packing of keys by the ranges of their values.
#[derive(Clone, Debug)]
pub struct RangePacking {
    pub packing: Packing,
    /// All packed keys are below this number.
    pub bound: u64,
}

/// Packs keys of integers by the ranges of their values. If the columns have no stored bounds of their values, the
/// function measures the ranges, which takes a launch and a wait.
///
/// The result is `None` if a key is neither an integer nor a boolean. The result is also `None` if a single key needs
/// more than 32 bits, or if several keys need more than 31 bits.
pub fn pack_by_ranges(keys: &TableView<'_>, nulls: NullPolicy, ctx: Ctx<'_>) -> Result<Option<RangePacking>> {
    let is_integer = |column: &ColumnView<'_>| {
        let physical = physical_type(column.data_type());
        physical == PhysicalType::Bool || physical.is_integral() && physical.width().is_some_and(|width| width <= 8)
    };
    if !keys.columns().iter().all(is_integer) {
        return Ok(None);
    }
    let bounds = value_bounds(keys.columns(), ctx)?;
    // Kernels shift the bits of a column within a word of 32 bits, so each shift must be less than 32. If several
    // columns take all 32 bits, the shift of a column that takes no bits may be 32. The shift of a single column is 0.
    let Some(packing) = Packing::of_ranges(keys, &bounds, nulls)
        .filter(|packing| packing.bits() < 32 || packing.bits() == 32 && keys.num_columns() == 1)
    else {
        return Ok(None);
    };
    let bound = match bounds[..] {
        // The packed key of a single column is the difference between the value and the smallest value.
        [Some((low, high))] if packing.null_bits == [None] => high - low + 1,
        _ => 1 << packing.bits(),
    };
    Ok(Some(RangePacking { packing, bound }))
}

/// The size of a table for some keys, and whether values may index the table.
#[derive(Clone, Copy, Debug)]
pub struct KeyTableLayout {
    slots: usize,
    /// The number of 32-bit words that a table indexed by values may have.
    indices: usize,
    direct: i32,
    null_bit: i32,
    /// Whether a table that is indexed by values has a bit for each index.
    has_bits: bool,
}

const SLOT: usize = size_of::<KeySlot>();
const INDEX: usize = size_of::<u32>();
const STATE: usize = size_of::<KeyTableState>();
/// Up to this number of rows, a table has four slots per row instead of two. The memory of such a small table does not
/// matter, and searches in a sparse table are short.
const FEW_ROWS: usize = limits::KEY_FEW_ROWS;
/// Up to this number of rows, keys are always hashed. For so few rows, measuring the range of the keys would take
/// longer than a table that is indexed by values would save.
const HASHED_ROWS: usize = limits::KEY_HASHED_ROWS;

impl KeyTableLayout {
    /// Computes the layout for the keys of a side.
    pub fn new(keys: &KeySide<'_>) -> Self {
        let (direct, null_bit) = direct_type(keys);
        let per_row = if keys.rows() <= FEW_ROWS { 4 } else { 2 };
        let slots = (keys.rows() * per_row).max(16);
        Self { slots, indices: slots * (SLOT / INDEX), direct, null_bit, has_bits: false }
    }

    /// Returns whether kernels may index the table by values.
    pub fn may_be_direct(self) -> bool {
        self.direct >= 0
    }

    /// Returns the same layout with enough memory for a table that is indexed by values. The largest of these values is
    /// at most `range` more than the smallest.
    pub fn with_range(self, range: usize) -> Self {
        // The values take at most `range + 1` words. The entry for nulls and the entry for the number of rows take two
        // more words. One further word is spare.
        Self { indices: self.indices.max(range.saturating_add(4)), ..self }
    }

    /// Returns the same layout with a bit for each index, if values may index the table.
    pub fn with_bits(self) -> Self {
        Self { has_bits: self.may_be_direct(), ..self }
    }

    /// Returns the same layout for a table that is never indexed by values. Kernels then do not measure the range of
    /// the keys.
    pub fn hashed(self) -> Self {
        Self { direct: -1, null_bit: NO_BIT as i32, has_bits: false, ..self }
    }

    pub fn slots(self) -> usize {
        self.slots
    }

    fn state(self) -> usize {
        ((self.slots + 2) * SLOT).max((self.indices * INDEX).next_multiple_of(SLOT) + SLOT)
    }

    fn present(self) -> usize {
        self.state() + STATE
    }

    pub fn bytes(self) -> usize {
        self.present() + if self.has_bits { self.indices.div_ceil(32).next_multiple_of(4) * INDEX } else { 0 }
    }

    /// Returns the descriptor of the table for kernels, in `memory`.
    pub fn describe(self, memory: Memory<'_>) -> Result<KeyTable<'_>> {
        Ok(self.begin_at(memory.rows(self.bytes(), 1)?))
    }

    /// Returns the descriptor of a filled table for kernels that only look up keys. Several such kernels may use the
    /// table at the same time.
    pub fn describe_filled(self, memory: Values<'_>) -> Result<KeyTable<'_>> {
        let first = memory.rows(self.bytes(), 1)?;
        // SAFETY: the address is that of `memory`, which holds a filled table of this layout and has `bytes()` bytes,
        // as `rows` has checked. The kernels that take this descriptor only look up keys, and therefore do not write
        // through the pointer.
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
            present: if self.has_bits { first.at(self.present()) } else { Out::NULL },
        }
    }
}

/// Enqueues a kernel that fills a table with the keys of its rows. The kernel synchronizes all blocks of the grid. The
/// launch is therefore cooperative, which means that all blocks are resident at the same time.
pub fn fill<A: Arguments>(
    kernel: &Kernel<A::Static>,
    rows: usize,
    shared: u32,
    arguments: &A,
    stream: &Stream,
) -> Result<()> {
    let grid = Grid::SharedCooperative(kernel.spread_blocks(rows).max(1), shared);
    // SAFETY: the keys have `rows` rows (`OpenKeys`), fewer than 2³¹ (`KeySide`), and the layout of the table was
    // made for this number of rows. Apart from the table, these kernels write arrays with an element for each row, or
    // unused arrays, and bits in whole words. `Memory` has compared the sizes of the arrays with their memory. The
    // caller holds all memory until the launch is enqueued.
    unsafe { kernel.launch_grid(stream, grid, arguments)? };
    Ok(())
}

/// Returns the number by which kernels know the type of the only key column, and the null bit of that column.
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
