//! The levels of nested columns: how many slots a chunk has at each depth, which are null, and where lists begin.

use gdf_core::{Result, bitmask};
use gdf_memory::Buffer;

use super::runs::{Run, Runs, unpack};
use crate::Ctx;
use crate::batch::{DecodedNode, Flaw, Levels, PageHeader};
use crate::nesting::{LevelPlan, NodePlan};

/// The number of levels that are unpacked at a time.
const UNPACKED: usize = 1024;

/// What the levels of a chunk say.
pub(super) struct ChunkLevels {
    pub(super) pages: Vec<PageSlots>,
    /// The number of slots at each depth.
    pub(super) counts: Vec<usize>,
    nodes: Vec<Slots>,
    /// The definition level before the next page.
    last: Option<u8>,
}

/// The slots of the values of a page.
pub(super) struct PageSlots {
    pub(super) slots: Slots,
    /// Where the values of the page begin.
    pub(super) values_at: usize,
}

/// The slots of values, of lists or of structs.
#[derive(Default)]
pub(super) struct Slots {
    pub(super) rows: usize,
    pub(super) bits: Vec<u8>,
    pub(super) nulls: usize,
    /// For each list, the number of slots of elements in the chunk before it.
    starts: Vec<usize>,
}

impl Slots {
    fn push(&mut self, is_valid: bool) {
        if self.rows.is_multiple_of(8) {
            self.bits.push(0);
        }
        bitmask::put_bit(&mut self.bits, self.rows, is_valid);
        self.rows += 1;
        self.nulls += usize::from(!is_valid);
    }
}

impl ChunkLevels {
    pub(super) fn new(plan: &LevelPlan) -> ChunkLevels {
        let nodes = plan.nodes.iter().map(|_| Slots::default()).collect();
        ChunkLevels { pages: Vec::new(), counts: vec![0; plan.slots.len()], nodes, last: None }
    }

    /// Appends the levels of a page of a chunk of `rows` rows.
    ///
    /// # Errors
    /// - [`Flaw::Rows`]: there are more rows.
    /// - [`Flaw::Levels`]: levels are cut, or one is not possible.
    /// - [`Flaw::NullCount`]: the header claims another number of levels without a value.
    pub(super) fn push(&mut self, page: &[u8], header: &PageHeader, plan: &LevelPlan, rows: usize) -> Result<(), Flaw> {
        let [repetition, definition, values] = split(page, header, plan)?;
        let mut repetition = LevelReader::new(repetition, plan.max_repetition());
        let mut definition = LevelReader::new(definition, plan.max_definition);
        let mut slots = Slots::default();
        for _ in 0..header.rows {
            let (repetition, definition) = (repetition.next()?, definition.next()?);
            // An element follows another one of its list.
            let needed = plan.slots.get(usize::from(repetition)).copied().unwrap_or(u8::MAX);
            let continues = self.last.is_some_and(|last| last >= needed) && definition >= needed;
            if repetition > 0 && !continues {
                return Err(Flaw::Levels);
            }
            self.last = Some(definition);
            let begins = |depth: usize| usize::from(repetition) <= depth && definition >= plan.slots[depth];
            for (node, slots) in plan.nodes.iter().zip(&mut self.nodes) {
                if begins(node.depth) {
                    slots.push(node.valid.is_none_or(|valid| definition >= valid));
                    if node.offset_width.is_some() {
                        slots.starts.push(self.counts[node.depth + 1]);
                    }
                }
            }
            for (depth, count) in self.counts.iter_mut().enumerate() {
                *count += usize::from(begins(depth));
            }
            if self.counts[0] > rows {
                return Err(Flaw::Rows);
            }
            if begins(plan.slots.len() - 1) {
                slots.push(definition == plan.max_definition);
            }
        }
        let values_of_page = slots.rows - slots.nulls;
        if header.nulls.is_some_and(|nulls| nulls != header.rows - values_of_page) {
            return Err(Flaw::NullCount);
        }
        self.pages.push(PageSlots { slots, values_at: page.len() - values.len() });
        Ok(())
    }
}

/// Makes the lists and structs of all chunks.
///
/// # Errors
/// - Memory is out.
pub(super) fn nodes(plan: &LevelPlan, chunks: &[ChunkLevels], ctx: Ctx<'_>) -> Result<Result<Vec<DecodedNode>, Flaw>> {
    let nodes = plan.nodes.iter().enumerate().map(|(index, node)| decoded(index, node, chunks, ctx));
    nodes.collect::<Result<Result<Vec<_>, Flaw>>>()
}

fn decoded(index: usize, node: &NodePlan, chunks: &[ChunkLevels], ctx: Ctx<'_>) -> Result<Result<DecodedNode, Flaw>> {
    let of_chunks = || chunks.iter().map(|chunk| &chunk.nodes[index]);
    let rows: usize = of_chunks().map(|slots| slots.rows).sum();
    let nulls: usize = of_chunks().map(|slots| slots.nulls).sum();
    let validity = if nulls > 0 {
        let (mut bits, mut row) = (vec![0; rows.div_ceil(8)], 0);
        for slots in of_chunks() {
            bitmask::copy_bits(&slots.bits, 0, &mut bits, row, slots.rows);
            row += slots.rows;
        }
        Some((Buffer::from_host(&bits, ctx.stream, ctx.mr.output)?, nulls))
    } else {
        None
    };
    let Some(width) = node.offset_width else {
        return Ok(Ok(DecodedNode { rows, offsets: None, elements: None, validity }));
    };
    let (mut offsets, mut before) = (Vec::with_capacity((rows + 1) * width), 0);
    let mut push = |offset: usize| match width {
        4 => i32::try_from(offset).map(|offset| offsets.extend(offset.to_le_bytes())).is_ok(),
        _ => i64::try_from(offset).map(|offset| offsets.extend(offset.to_le_bytes())).is_ok(),
    };
    let mut fit = true;
    for chunk in chunks {
        fit = chunk.nodes[index].starts.iter().all(|start| push(before + start)) && fit;
        before += chunk.counts[node.depth + 1];
    }
    if !(fit && push(before)) {
        return Ok(Err(Flaw::Offsets));
    }
    let offsets = Some(Buffer::from_host(&offsets, ctx.stream, ctx.mr.output)?);
    Ok(Ok(DecodedNode { rows, offsets, elements: Some(before), validity }))
}

/// Splits a page into its repetition levels, its definition levels and its values.
fn split<'p>(page: &'p [u8], header: &PageHeader, plan: &LevelPlan) -> Result<[&'p [u8]; 3], Flaw> {
    let prefixed = |page: &'p [u8], most: u8| {
        if most == 0 {
            return page.split_at_checked(0);
        }
        let (size, rest) = page.split_first_chunk::<4>()?;
        rest.split_at_checked(u32::from_le_bytes(*size) as usize)
    };
    let split = || {
        let (repetition, rest) = match header.levels {
            Levels::Prefixed => prefixed(page, plan.max_repetition())?,
            Levels::Both { repetition, .. } => page.split_at_checked(repetition)?,
            Levels::None | Levels::Sized(_) => return None,
        };
        let (definition, values) = match header.levels {
            Levels::Both { definition, .. } => rest.split_at_checked(definition)?,
            _ => prefixed(rest, plan.max_definition)?,
        };
        Some([repetition, definition, values])
    };
    split().ok_or(Flaw::Levels)
}

/// The levels of a page, of which the largest possible one is `most`. They are unpacked one part after the other, because a
/// page may claim any number of levels.
struct LevelReader<'p> {
    runs: Option<Runs<'p>>,
    width: usize,
    most: u8,
    /// The bytes of the packed run that are not unpacked.
    packed: &'p [u8],
    unpacked: [u32; UNPACKED],
    next: usize,
    end: usize,
    /// The number of further levels that are equal.
    repeated: usize,
    level: u8,
}

impl<'p> LevelReader<'p> {
    fn new(bytes: &'p [u8], most: u8) -> LevelReader<'p> {
        let width = (u8::BITS - most.leading_zeros()) as usize;
        let (runs, repeated) = if width == 0 { (None, usize::MAX) } else { (Runs::new(bytes, width), 0) };
        let (packed, unpacked) = ([].as_slice(), [0; UNPACKED]);
        LevelReader { runs, width, most, packed, unpacked, next: 0, end: 0, repeated, level: 0 }
    }

    fn next(&mut self) -> Result<u8, Flaw> {
        while self.repeated == 0 && self.next == self.end {
            if !self.packed.is_empty() {
                let (part, rest) = self.packed.split_at(self.packed.len().min(UNPACKED / 8 * self.width));
                unpack(part, self.width, &mut self.unpacked);
                (self.packed, self.next, self.end) = (rest, 0, part.len() / self.width * 8);
                continue;
            }
            match self.runs.as_mut().and_then(Runs::next_run).ok_or(Flaw::Levels)? {
                Run::Repeated { value, count } if count > 0 => {
                    (self.repeated, self.level) = (count, self.checked(value)?);
                }
                Run::Repeated { .. } => {}
                Run::Packed { bytes } => self.packed = bytes,
            }
        }
        if self.repeated > 0 {
            self.repeated -= 1;
            return Ok(self.level);
        }
        let level = self.checked(self.unpacked[self.next])?;
        self.next += 1;
        Ok(level)
    }

    fn checked(&self, level: u32) -> Result<u8, Flaw> {
        u8::try_from(level).ok().filter(|level| *level <= self.most).ok_or(Flaw::Levels)
    }
}
