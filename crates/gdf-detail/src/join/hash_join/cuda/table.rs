//! The table of the build side on CUDA: one cooperative launch.

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_kernels::generated::common::KeyTable;
use gdf_kernels::generated::join::{Build, BuildKernel, RowLists};
use gdf_memory::{Access, Buffer};

use crate::Ctx;
use crate::cuda::{In, Kernel, Out, Scratch};
use crate::engine::hash_table::KeyTableLayout;
use crate::engine::keys::{KeySide, OpenKeys};
use crate::limits::cuda as limits;

/// The table, and of each row of the build side its place there; rows by key where a key has several.
#[derive(Debug)]
pub(crate) struct Table {
    memory: Buffer,
    layout: Layout,
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
    fn positions(self) -> usize {
        self.table.bytes()
    }

    fn grouped(self) -> usize {
        self.positions() + self.rows.next_multiple_of(4) * 4
    }

    fn bytes(self) -> usize {
        if self.is_set { self.positions() } else { self.grouped() + self.rows * 4 }
    }
}

/// The table, open for kernels that read it. Keep it until the launch is enqueued.
#[derive(Debug)]
pub(super) struct OpenTable<'a> {
    pub(super) desc: KeyTable,
    pub(super) positions: In<u32>,
    pub(super) grouped: In<u32>,
    _access: Access<'a>,
}

impl Table {
    pub(in crate::join) fn new(build: &KeySide<'_>, is_set: bool, ctx: Ctx<'_>) -> Result<Self> {
        let rows = build.rows();
        let layout = Layout { table: KeyTableLayout::new(build), rows, is_set };
        let mut memory = Buffer::uninitialized(layout.bytes(), ctx.stream, ctx.mr.output)?;
        let ordered = build.packing.is_none() && rows >= ORDERED_ROWS;
        let words = if ordered { rows * 16 } else { 0 };
        let scratch_bytes = words + if is_set { 0 } else { rows * 4 };
        let has_scratch = ordered || !is_set;
        let mut extra =
            has_scratch.then(|| Buffer::uninitialized(scratch_bytes, ctx.stream, ctx.mr.temporary)).transpose()?;
        let kernel = if build.packing.is_some() { BuildKernel::Packed } else { BuildKernel::Rows };
        let kernel = Kernel::choose(kernel, ctx.stream)?;
        let keys = OpenKeys::of_side(build, ctx.stream)?;
        let access = memory.write_on(ctx.stream)?;
        let extra = extra.as_mut().map(|extra| extra.write_on(ctx.stream)).transpose()?;
        let (base, extra) = (Out::<u8>::of(&access), Out::<u8>::of_option(extra.as_ref()));
        let mut out = RowLists { words: if ordered { extra.at(0) } else { Out::NULL }, ..RowLists::default() };
        if !is_set {
            out.positions = base.at(layout.positions());
            out.grouped = base.at(layout.grouped());
            out.ranks = extra.at(words);
        }
        let (table, scratch) = (layout.table.describe(base), Scratch::of(ctx.stream)?);
        let arguments = Build { keys: keys.desc, table, rows: rows as i64, out, scratch };
        let blocks = kernel.spread_blocks(rows).max(1);
        // SAFETY: keys have `rows` rows, fewer than 2^31 (`KeySide`), for which the table, places, grouped, ranks and
        // words were made.
        unsafe { kernel.launch_cooperative(ctx.stream, blocks, 1, &arguments)? };
        drop(access);
        Ok(Self { memory, layout })
    }

    pub(in crate::join) fn memory_size(&self) -> usize {
        self.layout.bytes()
    }

    pub(super) fn open(&self, stream: &Stream) -> Result<OpenTable<'_>> {
        let access = self.memory.read_on(stream)?;
        let base = In::<u8>::of(&access);
        // SAFETY: the kernels that take it so only look keys up.
        let memory = unsafe { Out::danger_from_address(base.address()) };
        Ok(OpenTable {
            desc: self.layout.table.describe(memory),
            positions: base.at(self.layout.positions()),
            grouped: base.at(self.layout.grouped()),
            _access: access,
        })
    }
}
