//! The lists and structs of nested columns: the descriptors of their levels, their memory, and the launches.

use gdf_core::Result;
use gdf_engine::cuda::{Bytes, Kernel, Memory, Rows32};
use gdf_kernels::generated::decode::{
    self as descriptors, Levels as LevelsOfPages, NEVER_NULL, NO_NULL_COUNT, NO_ROWS_END, NOT_NESTED, Nodes,
    PREFIXED_LEVELS, Slots,
};
use gdf_kernels::{In, Out};
use gdf_memory::{AccessMut, Buffer};

use super::blocks;
use crate::Ctx;
use crate::batch::{DecodedNode, Flaw, Levels, Page};
use crate::nesting::{LevelPlan, NodePlan};
use crate::plan::{ColumnPlan, PADDING, checked};

/// The descriptors of the levels of a batch.
#[derive(Default)]
pub(super) struct Nested {
    /// The pages, and where their counts and bits are in the scratch memory.
    pub(super) pages: Vec<(descriptors::LeveledPage<'static>, LevelPlace)>,
    pub(super) columns: Vec<NestedPlace>,
    /// For each depth of each column, the lowest definition level of a slot.
    pub(super) lowest: Vec<i32>,
    /// For each column of the batch, its number among the nested columns.
    of_columns: Vec<Option<usize>>,
    /// The number of lists and structs of all columns.
    pub(super) nodes: usize,
    /// The number of slots of all pages and depths.
    counts: usize,
    /// The number of words of the bits of all pages.
    words: usize,
}

/// Where the counts and the bits of a page begin, in elements.
#[derive(Clone, Copy)]
pub(super) struct LevelPlace {
    counts: usize,
    words: usize,
}

/// Where a nested column is in the lists of all columns.
#[derive(Clone, Copy)]
pub(super) struct NestedPlace {
    first_page: usize,
    first_node: usize,
    /// Where its depths begin in the list of all depths.
    first_depth: usize,
    /// The depth of its values.
    last_depth: usize,
    max_definition: u8,
}

/// The memory of a list or a struct that is decoded.
pub(super) struct NodeOutput {
    offsets: Option<Buffer>,
    validity: Option<Buffer>,
}

/// The buffers of a [`NodeOutput`], opened so that kernels may write them.
pub(super) struct OpenNode<'o> {
    offsets: Option<AccessMut<'o>>,
    validity: Option<AccessMut<'o>>,
}

/// The lists of descriptors in the memory of the device.
pub(super) struct NestedLists<'l> {
    pub(super) pages: Out<'l, descriptors::LeveledPage<'l>>,
    pub(super) columns: In<'l, descriptors::NestedColumn<'l>>,
    pub(super) nodes: In<'l, descriptors::NestedNode<'l>>,
    pub(super) bytes: In<'l, u8>,
    pub(super) statuses: Out<'l, descriptors::Status>,
}

/// What kernels have counted: for each depth of each nested column, the slots, and then the nulls of each node.
pub(super) type Counts = [u64];

impl Nested {
    /// Begins the list of a column of the batch.
    pub(super) fn begin_column(&mut self, column: &ColumnPlan<'_>) {
        self.of_columns.push(column.levels.as_ref().map(|_| self.columns.len()));
        let Some(levels) = &column.levels else { return };
        self.columns.push(NestedPlace {
            first_page: self.pages.len(),
            first_node: self.nodes,
            first_depth: self.lowest.len(),
            last_depth: levels.slots.len() - 1,
            max_definition: levels.max_definition,
        });
        self.nodes += levels.nodes.len();
        self.lowest.extend(levels.slots.iter().map(|lowest| i32::from(*lowest)));
    }

    /// Lists a page, and returns its number. A page of a flat column is not listed. `rows_end` is the number of rows up to
    /// the end of the chunk, if the page is its last one.
    pub(super) fn add(
        &mut self,
        of: &descriptors::Page,
        page: &Page,
        column: &ColumnPlan<'_>,
        is_first: bool,
        rows_end: Option<usize>,
    ) -> i32 {
        let (Some(levels), Some(nested)) = (&column.levels, self.columns.len().checked_sub(1)) else {
            return NOT_NESTED;
        };
        let prefix = |most: u8| if most > 0 { PREFIXED_LEVELS } else { 0 };
        let (repetition_size, definition_size) = match page.header.levels {
            Levels::Prefixed => (prefix(levels.max_repetition()), prefix(levels.max_definition)),
            Levels::Both { repetition, definition } => (repetition as i32, definition as i32),
            // The plan has refused them.
            Levels::None | Levels::Sized(_) => (0, 0),
        };
        let number = self.pages.len() as i32;
        let described = descriptors::LeveledPage {
            at: of.at,
            bytes: Bytes::new(page.size()),
            slots: Out::NULL,
            valid: Out::NULL,
            null_count: page.header.nulls.map_or(NO_NULL_COUNT, |nulls| i64::try_from(nulls).unwrap_or(i64::MAX)),
            rows_end: rows_end.map_or(NO_ROWS_END, |rows| i64::try_from(rows).unwrap_or(i64::MAX)),
            first_slot: 0,
            levels: Rows32::new(page.header.rows),
            repetition_size,
            definition_size,
            is_first: i32::from(is_first),
            column: of.column,
            number: of.number,
            nested: nested as i32,
            value_slots: 0,
            first_repetition: 0,
            last_definition: 0,
        };
        self.pages.push((described, LevelPlace { counts: self.counts, words: self.words }));
        self.counts += levels.slots.len();
        self.words += page.header.rows.div_ceil(32);
        number
    }

    /// Returns the number of bytes of the scratch memory: the counts of pages, and behind them their bits.
    pub(super) fn scratch_bytes(&self) -> usize {
        if self.pages.is_empty() { 0 } else { self.counts * size_of::<i64>() + self.words * size_of::<u32>() + PADDING }
    }

    /// Returns the number of what kernels count.
    pub(super) fn counted(&self) -> usize {
        self.lowest.len() + self.nodes
    }

    /// Returns the pages, with their scratch memory.
    pub(super) fn pages<'m>(&self, scratch: &'m AccessMut<'_>) -> Result<Vec<descriptors::LeveledPage<'m>>> {
        let bits = self.counts * size_of::<i64>();
        let page = |(page, place): &(descriptors::LeveledPage<'static>, LevelPlace)| {
            let memory = Memory::of(scratch);
            let slots = memory.array(place.counts * size_of::<i64>(), 0)?;
            let valid = memory.array(bits + place.words * size_of::<u32>(), page.levels.get().div_ceil(32))?;
            Ok(descriptors::LeveledPage { slots, valid, ..*page })
        };
        self.pages.iter().map(page).collect()
    }

    /// Returns the nested columns. `lowest` and `counted` are the memory of what each depth has.
    pub(super) fn columns<'m>(
        &self,
        lowest: impl Fn(usize) -> Result<In<'m, i32>>,
        counted: impl Fn(usize) -> Result<Out<'m, u64>>,
    ) -> Result<Vec<descriptors::NestedColumn<'m>>> {
        let column = |(index, place): (usize, &NestedPlace)| {
            let next = self.columns.get(index + 1);
            let end_page = next.map_or(self.pages.len(), |next| next.first_page);
            let end_node = next.map_or(self.nodes, |next| next.first_node);
            Ok(descriptors::NestedColumn {
                lowest: lowest(place.first_depth)?,
                totals: counted(place.first_depth)?,
                first_page: place.first_page as i32,
                pages: (end_page - place.first_page) as i32,
                first_node: place.first_node as i32,
                nodes: (end_node - place.first_node) as i32,
                max_repetition: place.last_depth as i32,
                max_definition: place.max_definition.into(),
            })
        };
        self.columns.iter().enumerate().map(column).collect()
    }

    /// Returns the number of slots of values of a column of the batch, or `None` if the column is flat.
    pub(super) fn value_slots(&self, column: usize, counts: &Counts) -> Option<usize> {
        let place = &self.columns[self.of_columns.get(column).copied().flatten()?];
        usize::try_from(*counts.get(place.first_depth + place.last_depth)?).ok()
    }

    /// Makes the lists and structs of a column of the batch.
    pub(super) fn finish(
        &self,
        column: usize,
        plan: &LevelPlan,
        outputs: Vec<NodeOutput>,
        counts: &Counts,
    ) -> Result<Result<Vec<DecodedNode>, Flaw>> {
        let place = self.of_columns.get(column).copied().flatten().map(|nested| &self.columns[nested]);
        let place = place.ok_or_else(|| gdf_core::Error::internal("a nested column is not listed"))?;
        let counted = |at: usize| counts.get(at).map_or(0, |count| *count as usize);
        let mut nodes = Vec::with_capacity(outputs.len());
        for (index, (node, output)) in plan.nodes.iter().zip(outputs).enumerate() {
            let rows = counted(place.first_depth + node.depth);
            let elements = counted(place.first_depth + node.depth + 1);
            if node.offset_width == Some(4) && i32::try_from(elements).is_err() {
                return Ok(Err(Flaw::Offsets));
            }
            let nulls = counted(self.lowest.len() + place.first_node + index);
            let width = node.offset_width.unwrap_or(0);
            let offsets = output.offsets.map(|offsets| offsets.slice(0, (rows + 1) * width)).transpose()?;
            let bits = output.validity.filter(|_| nulls > 0).map(|bits| bits.slice(0, rows.div_ceil(8)));
            let elements = node.offset_width.map(|_| elements);
            nodes.push(DecodedNode { rows, offsets, elements, validity: bits.transpose()?.map(|bits| (bits, nulls)) });
        }
        Ok(Ok(nodes))
    }
}

impl NodeOutput {
    pub(super) fn new(node: &NodePlan, column: &ColumnPlan<'_>, ctx: Ctx<'_>) -> Result<NodeOutput> {
        let [offsets, bits] = column.node_bytes(node);
        let offsets = offsets.map(|bytes| {
            let bytes = checked(bytes, ctx)?;
            // Without levels, the only offset is zero.
            Ok::<_, gdf_core::Error>(match column.rows {
                0 => Buffer::zeroed(bytes, ctx.stream, ctx.mr.output)?,
                _ => Buffer::uninitialized(bytes, ctx.stream, ctx.mr.output)?,
            })
        });
        let validity = bits.map(|bytes| {
            let bytes = checked(bytes, ctx)?;
            Ok::<_, gdf_core::Error>(Buffer::zeroed(bytes, ctx.stream, ctx.mr.output)?)
        });
        Ok(NodeOutput { offsets: offsets.transpose()?, validity: validity.transpose()? })
    }

    pub(super) fn open(&mut self, ctx: Ctx<'_>) -> Result<OpenNode<'_>> {
        let offsets = self.offsets.as_mut().map(|offsets| offsets.write_on(ctx.stream)).transpose()?;
        Ok(OpenNode { offsets, validity: self.validity.as_mut().map(|bits| bits.write_on(ctx.stream)).transpose()? })
    }
}

impl OpenNode<'_> {
    pub(super) fn describe<'m>(
        &'m self,
        node: &NodePlan,
        column: &ColumnPlan<'_>,
        nulls: Out<'m, u64>,
    ) -> Result<descriptors::NestedNode<'m>> {
        let width = node.offset_width.unwrap_or(0);
        let offsets = self.offsets.as_ref().map(|of| Memory::of(of).rows(column.rows + 1, width)).transpose()?;
        let bits = self.validity.as_ref().map(|of| Memory::of(of).array::<u32>(0, column.rows.div_ceil(32)));
        Ok(descriptors::NestedNode {
            offsets: offsets.unwrap_or(Out::NULL),
            validity: bits.transpose()?.unwrap_or(Out::NULL),
            nulls,
            depth: node.depth as i32,
            valid: node.valid.map_or(NEVER_NULL, i32::from),
            is_wide: i32::from(width == 8),
            unused: 0,
        })
    }
}

/// Counts the slots of pages, adds them, and writes lists and structs.
pub(super) fn launch(nested: &Nested, lists: &NestedLists<'_>, ctx: Ctx<'_>) -> Result<()> {
    let NestedLists { pages, columns, nodes, bytes, statuses } = *lists;
    if nested.columns.is_empty() {
        return Ok(());
    }
    if !nested.pages.is_empty() {
        let kernel = Kernel::find(ctx.stream)?;
        let arguments = LevelsOfPages { pages, columns, bytes, statuses };
        // SAFETY: there is a block for each leveled page, and each names one of the columns and one of the nested columns.
        // The plan has checked that the page is within `bytes` or within decompressed pages, followed by `PADDING` bytes,
        // and that its levels are as far as their size is known. The kernel checks every level. Each page has memory for
        // a count for each depth of its column, and for a bit for each level. The accesses to all of them are held.
        unsafe { kernel.launch(ctx.stream, blocks(nested.pages.len())?, 1, &arguments)? };
    }
    let kernel = Kernel::find(ctx.stream)?;
    let arguments = Slots { pages, columns, nodes, statuses };
    // SAFETY: there is a block for each nested column, and its pages and nodes are among those of the lists. The launch
    // before has written the counts of all pages. A list has memory for an offset for each level and one more, and has at
    // most as many slots as levels. The accesses to all of them are held.
    unsafe { kernel.launch(ctx.stream, blocks(nested.columns.len())?, 1, &arguments)? };
    if nested.nodes > 0 && !nested.pages.is_empty() {
        let kernel = Kernel::find(ctx.stream)?;
        let arguments = Nodes { pages: pages.read(), columns, nodes, bytes, statuses: statuses.read() };
        // SAFETY: as above. The launch before has written how many slots of each depth are before each page. Lists have
        // memory for an offset for each level, and optional ones for a bit for each level, which is zero.
        unsafe { kernel.launch(ctx.stream, blocks(nested.pages.len())?, 1, &arguments)? };
    }
    Ok(())
}
