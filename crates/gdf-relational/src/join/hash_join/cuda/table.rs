//! Builds the hash table of the build side on CUDA in one cooperative launch.

use std::sync::atomic::{AtomicBool, Ordering};

use gdf_core::{DataType, OrderBounds, Result};
use gdf_driver::{Device, Stream};
use gdf_engine::cuda::{In, Kernel, Memory, Out, Rows, Values};
use gdf_engine::hash_table::{KeyTableLayout, Lookups, fill, pack_by_values};
use gdf_engine::keys::{KeySide, NumberedKeys, Numberings, OpenKeys, Packing, WordBits};
use gdf_engine::limits::cuda as limits;
use gdf_engine::sort::cuda::ranges;
use gdf_kernels::generated::common::{ENTRIES_PER_MARKED_ROW, KeySlot, KeyTable};
use gdf_kernels::generated::join::{Build, BuildKernel, RowLists};
use gdf_memory::{Access, Buffer};

use super::bits::{BITS_PER_KEY, ValueBits};
use crate::Ctx;

/// The hash table of the build side.
#[derive(Debug)]
pub(crate) struct Table {
    memory: Buffer,
    layout: Layout,
    /// The packing of the build side's keys.
    packing: Option<Packing>,
    texts: Option<BuildTexts>,
    has_several_results: AtomicBool,
    /// Whether the keys are known to take at most one in [`SELECTIVE_RANGE`] of the values in their range.
    is_selective: bool,
    value_bits: Option<ValueBits>,
}

#[derive(Debug)]
struct BuildTexts {
    numberings: Numberings,
    keys: NumberedKeys,
}

/// From this number of rows on, rows are inserted in the order of the table's slots, because the table is larger than
/// the caches.
const ORDERED_ROWS: usize = limits::JOIN_ORDERED_ROWS;
/// The minimum number of probe rows per build row for which the range of the keys is computed.
const WIDE_RATIO: usize = 16;
/// The largest accepted range of keys per probe row.
const WIDE_RANGE: usize = 2;
/// Most lookups of a join have no match if the range of the build side's keys has at least this number of values for
/// each key. Tables that values index have a bit for each value. For other keys of 32 or 64 bits without nulls,
/// [`ValueBits`] are made.
const SELECTIVE_RANGE: usize = ENTRIES_PER_MARKED_ROW as usize;
/// The number of regions of a table.
const REGIONS: usize = 512;
/// The shared memory of a block that moves rows to regions.
const MOVED_BYTES: u32 = 64 << 10;
const RESERVED_BYTES: u32 = 16 << 10;

/// The layout of the table's memory: the table, then the grouped rows.
#[derive(Clone, Copy, Debug)]
struct Layout {
    table: KeyTableLayout,
    rows: usize,
    is_set: bool,
}

impl Layout {
    fn grouped(self) -> usize {
        self.table.bytes()
    }

    fn bytes(self) -> usize {
        self.grouped() + if self.is_set { 0 } else { self.rows * 4 }
    }
}

/// Returns the number of bits of a slot number within a region, and the shared memory that a block needs for a region.
fn region(slots: usize, device: Device) -> Result<Option<(u32, u32)>> {
    let most =
        u32::try_from(device.properties()?.shared_bytes_per_block).unwrap_or(u32::MAX).saturating_sub(RESERVED_BYTES);
    let bits = (slots / REGIONS).max(1).ilog2().min((most / 4).max(1).ilog2());
    Ok((most >= MOVED_BYTES).then_some((bits, MOVED_BYTES.max(4 << bits))))
}

/// Returns order numbers between which the keys of the only key column lie. The column stores these numbers, or they
/// are measured if there are many more probe rows than keys. Returns `None` in all other cases.
fn bounds(layout: KeyTableLayout, build: &KeySide<'_>, lookups: Lookups, ctx: Ctx<'_>) -> Result<OrderBounds> {
    let (rows, probe_rows) = (build.rows(), lookups.probe_rows);
    let [column] = build.keys.columns() else { return Ok(None) };
    if !layout.may_be_direct() || rows == 0 || probe_rows < limits::JOIN_WIDE_ROWS {
        return Ok(None);
    }
    let is_narrow = |(low, high): &(u64, u64)| {
        usize::try_from(high - low).is_ok_and(|range| range / WIDE_RANGE <= probe_rows || range / BITS_PER_KEY < rows)
    };
    match column.outer_bounds().flatten().filter(is_narrow) {
        None if probe_rows / WIDE_RATIO >= rows => Ok(ranges(&[*column], ctx.scratch())?.into_iter().next().flatten()),
        known => Ok(known),
    }
}

/// The number of bytes of each array that the build launch needs in addition to the table: ordered, places, found,
/// late.
struct BuildScratch([usize; 4]);

impl BuildScratch {
    fn new(rows: usize, is_set: bool, is_ordered: bool, is_packed: bool) -> Self {
        let bits = rows.div_ceil(32) * 4;
        let arrays = [
            (is_ordered, rows * size_of::<KeySlot>()),
            (!is_set || (is_ordered && !is_packed), rows * size_of::<u64>()),
            (!is_set, bits),
            (is_ordered, bits),
        ];
        Self(arrays.map(|(is_used, bytes)| if is_used { bytes } else { 0 }))
    }

    fn bytes(&self) -> usize {
        self.0.iter().sum()
    }

    /// Returns the address of an array.
    fn array<'m, T>(&self, index: usize, memory: Memory<'m>) -> Result<Out<'m, T>> {
        match self.0[index] {
            0 => Ok(Out::NULL),
            bytes => memory.array(self.0[..index].iter().sum(), bytes / size_of::<T>()),
        }
    }
}

#[derive(Debug)]
pub(super) struct OpenTable<'a> {
    layout: Layout,
    access: Access<'a>,
}

impl OpenTable<'_> {
    pub(super) fn desc(&self) -> Result<KeyTable<'_>> {
        self.layout.table.describe_filled(Values::of(&self.access))
    }

    pub(super) fn grouped(&self) -> Result<In<'_, u32>> {
        let rows = if self.layout.is_set { 0 } else { self.layout.rows };
        if rows == 0 { Ok(In::NULL) } else { Values::of(&self.access).array(self.layout.grouped(), rows) }
    }
}

impl Table {
    pub(in crate::join) fn new(build: &KeySide<'_>, lookups: Lookups, ctx: Ctx<'_>) -> Result<Self> {
        let is_set = lookups.is_set;
        let rows = build.rows();
        let numberings = Numberings::of(&build.keys, limits::KEY_TEXT_ROWS, WordBits::Double, ctx)?;
        let numbered = numberings.as_ref().map(|numberings| numberings.columns(&build.keys, ctx)).transpose()?;
        let side = numbered.as_ref().map(|numbered| numbered.side(build)).transpose()?;
        let build = side.as_ref().unwrap_or(build);
        // If texts are replaced by numbers of more than 32 bits, the numbers are spread over all 64 bits.
        let is_sparse =
            numbered.is_some() && build.keys.columns().iter().any(|key| *key.data_type() == DataType::UInt64);
        let packing = match &build.packing {
            None if !is_sparse => pack_by_values(&build.keys, build.null_policy, limits::JOIN_MEASURED_ROWS, ctx)?,
            packing => packing.clone(),
        };
        let build = &KeySide { packing, ..build.clone() };
        let table = KeyTableLayout::new(build);
        let table = if is_sparse { table.hashed() } else { table };
        let bounds = bounds(table, build, lookups, ctx)?;
        let range = bounds.and_then(|(low, high)| usize::try_from(high - low).ok());
        let is_selective = range.is_some_and(|range| range / SELECTIVE_RANGE >= rows);
        let is_wide =
            |range: &usize| range / WIDE_RANGE <= lookups.probe_rows && lookups.probe_rows / WIDE_RATIO >= rows;
        let wide = range.filter(is_wide);
        let table = wide.map_or(table, |range| table.with_range(range)).with_bits();
        // A table that key values index has such bits of its own.
        let value_bits = match bounds {
            Some(bounds) if is_selective && wide.is_none() => ValueBits::new(build, bounds, ctx)?,
            _ => None,
        };
        let layout = Layout { table, rows, is_set };
        let mut memory = Buffer::uninitialized(layout.bytes(), ctx.stream, ctx.mr.output)?;
        let region = if rows < ORDERED_ROWS { None } else { region(layout.table.slots(), ctx.stream.device())? };
        let is_packed = build.packing.is_some();
        let arrays = BuildScratch::new(rows, is_set, region.is_some(), is_packed);
        let mut extra = (arrays.bytes() > 0)
            .then(|| Buffer::uninitialized(arrays.bytes(), ctx.stream, ctx.mr.temporary))
            .transpose()?;
        let kernel = if is_packed { BuildKernel::Packed } else { BuildKernel::Rows };
        let kernel = Kernel::choose(kernel, ctx.stream)?;
        let keys = OpenKeys::of_side(build, ctx.stream)?;
        let access = memory.write_on(ctx.stream)?;
        let extra = extra.as_mut().map(|extra| extra.write_on(ctx.stream)).transpose()?;
        let (memory_at, extra) = (Memory::of(&access), extra.as_ref().map_or(Memory::default(), Memory::of));
        let (bits, shared) = region.unwrap_or_default();
        let out = RowLists {
            grouped: if is_set { Out::NULL } else { memory_at.array(layout.grouped(), rows)? },
            ordered: arrays.array(0, extra)?,
            places: arrays.array(1, extra)?,
            found: arrays.array(2, extra)?,
            late: arrays.array(3, extra)?,
            region_bits: bits as i32,
            unused: 0,
        };
        let table = layout.table.describe(memory_at)?;
        if shared > 0 {
            kernel.allow_shared(shared)?;
        }
        fill(&kernel, rows, shared, &Build { keys: keys.desc(), table, rows: Rows::new(rows), out }, ctx.stream)?;
        drop((access, keys));
        let packing = build.packing.clone();
        let texts = numberings.zip(numbered).map(|(numberings, keys)| BuildTexts { numberings, keys });
        Ok(Self {
            memory,
            layout,
            packing,
            texts,
            has_several_results: AtomicBool::new(false),
            is_selective,
            value_bits,
        })
    }

    pub(super) fn has_several_results(&self) -> bool {
        self.has_several_results.load(Ordering::Relaxed)
    }

    pub(super) fn is_selective(&self) -> bool {
        self.is_selective
    }

    /// Adds bits of the keys. Lookups of integers then read the bits and not the table.
    pub(super) fn with_value_bits(self, bits: ValueBits) -> Self {
        Self { value_bits: Some(bits), ..self }
    }

    pub(super) fn value_bits(&self) -> Option<&ValueBits> {
        self.value_bits.as_ref()
    }

    pub(super) fn remember_several_results(&self) {
        self.has_several_results.store(true, Ordering::Relaxed);
    }

    pub(in crate::join) fn memory_size(&self) -> usize {
        let bits = self.value_bits.as_ref().map_or(0, ValueBits::memory_size);
        self.layout.bytes() + bits + self.texts.as_ref().map_or(0, |texts| texts.keys.memory_size())
    }

    /// Returns the keys of the probe rows, with texts replaced by the numbers that the table contains.
    pub(super) fn numbered(&self, probe: &KeySide<'_>, ctx: Ctx<'_>) -> Result<Option<NumberedKeys>> {
        self.texts.as_ref().map(|texts| texts.numberings.columns(&probe.keys, ctx)).transpose()
    }

    /// Returns both sides with keys in the form that the table uses.
    pub(super) fn sides<'a>(
        &'a self,
        build: &KeySide<'a>,
        probe: &KeySide<'a>,
        numbered: Option<&'a NumberedKeys>,
    ) -> Result<(KeySide<'a>, KeySide<'a>)> {
        let (build_keys, probe_keys) = match (&self.texts, numbered) {
            (Some(texts), Some(numbered)) => (texts.keys.view(&build.keys)?, numbered.view(&probe.keys)?),
            _ => (build.keys.clone(), probe.keys.clone()),
        };
        let build = KeySide { keys: build_keys, packing: self.packing.clone(), ..*build };
        let probe = KeySide { keys: probe_keys, ..build.clone() };
        Ok((build, probe))
    }

    pub(super) fn open(&self, stream: &Stream) -> Result<OpenTable<'_>> {
        Ok(OpenTable { layout: self.layout, access: self.memory.read_on(stream)? })
    }
}
