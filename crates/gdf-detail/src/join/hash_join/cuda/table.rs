//! The table of the build side on CUDA: one cooperative launch.

use gdf_core::Result;
use gdf_driver::Stream;
use gdf_kernels::generated::common::KeyTable;
use gdf_kernels::generated::join::{Build, BuildKernel, RowLists};
use gdf_memory::{Access, Buffer};

use crate::Ctx;
use crate::cuda::{In, Kernel, Memory, Scratch, Values};
use crate::engine::hash_table::{KeyTableLayout, fill};
use crate::engine::keys::{KeySide, NumberedKeys, Numberings, OpenKeys, Packing, WordBits};
use crate::limits::cuda as limits;

/// The table, and of each row of the build side its place there; rows by key where a key has several.
#[derive(Debug)]
pub(crate) struct Table {
    memory: Buffer,
    layout: Layout,
    texts: Option<BuildTexts>,
}

/// How texts among the keys are numbers.
#[derive(Debug)]
struct BuildTexts {
    numberings: Numberings,
    packing: Option<Packing>,
    /// The build side's keys, where they do not pack: they are compared with those that are looked up.
    keys: Option<NumberedKeys>,
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
        let numberings = Numberings::of(&build.keys, limits::KEY_TEXT_ROWS, WordBits::Double, ctx)?;
        let numbered = numberings.as_ref().map(|numberings| numberings.columns(&build.keys, ctx)).transpose()?;
        let side = numbered.as_ref().map(|numbered| numbered.side(build)).transpose()?;
        let build = side.as_ref().unwrap_or(build);
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
        let (memory_at, extra) = (Memory::of(&access), extra.as_ref().map_or(Memory::default(), Memory::of));
        let mut out = RowLists::default();
        if ordered {
            out.words = extra.array(0, rows * 2)?;
        }
        if !is_set {
            out.positions = memory_at.array(layout.positions(), rows)?;
            out.grouped = memory_at.array(layout.grouped(), rows)?;
            out.ranks = extra.array(words, rows)?;
        }
        let (table, scratch) = (layout.table.describe(memory_at)?, Scratch::of(ctx.stream)?);
        fill(&kernel, rows, &Build { keys: keys.desc, table, rows: rows as i64, out, scratch }, ctx.stream)?;
        drop((access, keys));
        let packing = build.packing.clone();
        let texts = numberings.map(|numberings| BuildTexts {
            numberings,
            keys: numbered.filter(|_| packing.is_none()),
            packing,
        });
        Ok(Self { memory, layout, texts })
    }

    pub(in crate::join) fn memory_size(&self) -> usize {
        let keys = self.texts.as_ref().and_then(|texts| texts.keys.as_ref());
        self.layout.bytes() + keys.map_or(0, NumberedKeys::memory_size)
    }

    /// The keys of rows that are looked up, with numbers as the table has them; none if it has none.
    pub(super) fn numbered(&self, probe: &KeySide<'_>, ctx: Ctx<'_>) -> Result<Option<NumberedKeys>> {
        self.texts.as_ref().map(|texts| texts.numberings.columns(&probe.keys, ctx)).transpose()
    }

    /// Both sides as the table has keys; `numbered` is what [`numbered`](Self::numbered) has made of the rows.
    pub(super) fn sides<'a>(
        &'a self,
        build: &KeySide<'a>,
        probe: &KeySide<'a>,
        numbered: Option<&'a NumberedKeys>,
    ) -> Result<(KeySide<'a>, KeySide<'a>)> {
        let (Some(texts), Some(numbered)) = (&self.texts, numbered) else { return Ok((build.clone(), probe.clone())) };
        let keys = texts.keys.as_ref().map_or_else(|| Ok(build.keys.clone()), |keys| keys.view(&build.keys))?;
        let build = KeySide { keys, packing: texts.packing.clone(), ..*build };
        let probe = KeySide { keys: numbered.view(&probe.keys)?, ..build.clone() };
        Ok((build, probe))
    }

    pub(super) fn open(&self, stream: &Stream) -> Result<OpenTable<'_>> {
        let access = self.memory.read_on(stream)?;
        let (memory, rows) = (Values::of(&access), if self.layout.is_set { 0 } else { self.layout.rows });
        Ok(OpenTable {
            desc: self.layout.table.describe_filled(memory)?,
            positions: memory.array(self.layout.positions(), rows)?,
            grouped: if rows == 0 { In::NULL } else { memory.array(self.layout.grouped(), rows)? },
            _access: access,
        })
    }
}
