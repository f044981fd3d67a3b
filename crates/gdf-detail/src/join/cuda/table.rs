//! The table of the build side on CUDA: one cooperative launch.

use bytemuck::{Pod, Zeroable};
use gdf_core::Result;
use gdf_driver::Stream;
use gdf_memory::{Access, Buffer, Resources};

use crate::cuda::{Kernel, KeyTableIn, KeyTableLayout, OpenKeys, args};
use crate::keys::KeySide;
use crate::limits::cuda as limits;

/// The table, and of each row of the build side its place there; rows by key where a key has several.
#[derive(Debug)]
pub(in crate::join) struct Table {
    memory: Buffer,
    layout: Layout,
}

/// `join::key_rows`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct KeyRows {
    places: u64,
    ranks: u64,
    grouped: u64,
    words: u64,
}

/// Rows from which on, where keys do not pack, they are inserted in the order of the table: it is then larger than caches.
const ORDERED_ROWS: usize = limits::JOIN_ORDERED_ROWS;

/// Where in the memory things are.
#[derive(Clone, Copy, Debug)]
struct Layout {
    table: KeyTableLayout,
    rows: usize,
    is_set: bool,
}

impl Layout {
    fn places(self) -> usize {
        self.table.bytes()
    }

    fn grouped(self) -> usize {
        self.places() + self.rows.next_multiple_of(4) * 4
    }

    fn bytes(self) -> usize {
        if self.is_set { self.places() } else { self.grouped() + self.rows * 4 }
    }
}

/// The table, open for kernels that read it. Keep it until the launch is enqueued.
#[derive(Debug)]
pub(super) struct OpenTable<'a> {
    pub(super) desc: KeyTableIn,
    pub(super) places: u64,
    pub(super) grouped: u64,
    _access: Access<'a>,
}

impl Table {
    pub(in crate::join) fn new(build: &KeySide<'_>, is_set: bool, stream: &Stream, mr: Resources<'_>) -> Result<Self> {
        let rows = build.rows();
        let layout = Layout { table: KeyTableLayout::new(build), rows, is_set };
        let mut memory = Buffer::uninitialized(layout.bytes(), stream, mr.output)?;
        let ordered = build.packing.is_none() && rows >= ORDERED_ROWS;
        let words = if ordered { rows * 16 } else { 0 };
        let scratch_bytes = words + if is_set { 0 } else { rows * 4 };
        let has_scratch = ordered || !is_set;
        let mut extra = has_scratch.then(|| Buffer::uninitialized(scratch_bytes, stream, mr.temporary)).transpose()?;
        let (name, policy) = match build.packing {
            Some(_) => ("join_build_packed_kernel", "join_build"),
            None => ("join_build_rows_kernel", "join_build_rows"),
        };
        let kernel = Kernel::find(stream, "join", name, policy)?;
        let keys = OpenKeys::of_side(build, stream)?;
        let access = memory.write_on(stream)?;
        let extra = extra.as_mut().map(|extra| extra.write_on(stream)).transpose()?;
        let extra = extra.as_ref().map_or(0, |extra| extra.address());
        let base = access.address();
        let (table, rows_in, scratch) = (layout.table.describe(base), rows as i64, stream.scratch()?);
        let mut out = KeyRows { places: 0, ranks: 0, grouped: 0, words: if ordered { extra } else { 0 } };
        if !is_set {
            out.places = base + layout.places() as u64;
            out.grouped = base + layout.grouped() as u64;
            out.ranks = extra + words as u64;
        }
        let blocks = kernel.spread_blocks(rows).max(1);
        // SAFETY: the kernel takes (row_keys, key_table, int64 rows, key_rows, scratch*) in this order. Keys have `rows`
        // rows, fewer than 2^31, and are open for reading on this stream; the table's memory holds slots + 2 slots, at
        // least twice as many as rows, and the state; places, ranks and grouped hold `rows` words of 32 bits or are null
        // all three; words are twice as many of 64 bits, or null; all are exclusively ours. The launch is cooperative, as the barrier asks.
        unsafe { kernel.launch_cooperative(stream, blocks, args![keys.desc, table, rows_in, out, scratch])? };
        drop(access);
        Ok(Self { memory, layout })
    }

    pub(in crate::join) fn memory_size(&self) -> usize {
        self.layout.bytes()
    }

    pub(super) fn open(&self, stream: &Stream) -> Result<OpenTable<'_>> {
        let access = self.memory.read_on(stream)?;
        let base = access.address();
        Ok(OpenTable {
            desc: self.layout.table.describe(base),
            places: base + self.layout.places() as u64,
            grouped: base + self.layout.grouped() as u64,
            _access: access,
        })
    }
}
