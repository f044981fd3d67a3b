//! Rows looked up in the table of the build side, on CUDA: one launch that finds and counts, one wait, one launch that
//! writes.

use bytemuck::{Pod, Zeroable};
use gdf_core::{Column, ColumnParts, DataType, NullCount, Result};
use gdf_driver::Stream;
use gdf_memory::{Buffer, Mailbox, Resources};

use super::super::hash_join::Request;
use super::table::{OpenTable, Table};
use crate::cuda::{Kernel, OpenKeys, args};
use crate::keys::{KeySide, row_indices};

/// `join::unmatched`.
const UNMATCHED: i32 = 4;

/// `join::found_rows`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct FoundRows {
    starts: u64,
    counts: u64,
}

/// `join::indices_out`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct IndicesOut {
    first: u64,
    wide: i32,
    unused: i32,
}

/// Where in the scratch memory the probing launches leave what they find.
#[derive(Clone, Copy, Debug)]
struct Layout {
    /// Rows and tiles of the probe side, then of the build side if its unmatched rows are wanted.
    rows: [usize; 2],
    tiles: [usize; 2],
    /// Whether rows are wanted, not only how many there are.
    rows_wanted: bool,
    marks: usize,
}

impl Layout {
    fn positions(&self, side: usize) -> u64 {
        self.tiles[..side].iter().sum::<usize>() as u64 * 8
    }

    fn starts(&self, side: usize) -> u64 {
        // A tile's starts are read as vectors.
        self.positions(2).next_multiple_of(16) + self.rows[..side].iter().map(|rows| aligned(*rows)).sum::<u64>()
    }

    fn counts(&self) -> u64 {
        if self.rows_wanted { self.starts(2) } else { self.starts(0) }
    }

    fn marks(&self) -> u64 {
        self.counts() + if self.rows_wanted { aligned(self.rows[0]) } else { 0 }
    }

    fn bytes(&self) -> usize {
        self.marks() as usize + self.marks
    }
}

/// Bytes of 32-bit words of `rows` rows.
fn aligned(rows: usize) -> u64 {
    (rows.next_multiple_of(4) * 4) as u64
}

struct Lookup<'p, 'a> {
    table: &'p Table,
    build: &'p KeySide<'a>,
    probe: &'p KeySide<'p>,
    request: Request,
    stream: &'p Stream,
    mr: Resources<'p>,
}

/// What the probing launches have found: how many results each side has, and the memory that tells which.
struct Found {
    sizes: [usize; 2],
    layout: Layout,
    memory: Buffer,
}

pub(in crate::join) fn join(
    table: &Table,
    build: &KeySide<'_>,
    probe: &KeySide<'_>,
    request: Request,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<(Column, Option<Column>)> {
    let lookup = Lookup { table, build, probe, request, stream, mr };
    let found = lookup.find(true)?;
    lookup.write(&found)
}

pub(in crate::join) fn join_size(
    table: &Table,
    build: &KeySide<'_>,
    probe: &KeySide<'_>,
    request: Request,
    stream: &Stream,
    mr: Resources<'_>,
) -> Result<usize> {
    let found = Lookup { table, build, probe, request, stream, mr }.find(false)?;
    Ok(found.sizes.iter().sum())
}

impl Lookup<'_, '_> {
    fn find(&self, rows_wanted: bool) -> Result<Found> {
        let Self { stream, request, .. } = *self;
        let packed = self.build.packing.is_some();
        let name = if packed { "join_probe_packed_kernel" } else { "join_probe_rows_kernel" };
        let kernel = Kernel::find(stream, "join", name, "join_probe")?;
        let rows = [self.probe.rows(), if request.full { self.build.rows() } else { 0 }];
        let layout = Layout { rows, tiles: rows.map(|rows| kernel.tiles(rows)), rows_wanted, marks: rows[1] };
        let mut memory = Buffer::uninitialized(layout.bytes(), stream, self.mr.temporary)?;
        if rows == [0, 0] {
            return Ok(Found { sizes: [0, 0], layout, memory });
        }
        let access = memory.write_on(stream)?;
        let base = access.address();
        let table = self.table.open(stream)?;
        let mut mailbox = Mailbox::new(stream, 2)?;
        for side in (0..2).filter(|&side| rows[side] == 0) {
            mailbox.preset(side..side + 1);
        }
        let marks = if request.full { base + layout.marks() } else { 0 };
        if layout.marks > 0 {
            // SAFETY: the marks are within the memory, which is exclusively ours and open for writing on this stream.
            unsafe { stream.fill(marks, 0, layout.marks)? };
        }
        let starts = |side: usize| if rows_wanted { base + layout.starts(side) } else { 0 };
        let scratch = stream.scratch()?;
        if rows[0] > 0 {
            let keys = OpenKeys::of_side(self.probe, stream)?;
            let found = FoundRows { starts: starts(0), counts: base + layout.counts() };
            let (count, kind, positions) = (rows[0] as i64, request.kind as i32, base + layout.positions(0));
            let (tiles, words, blocks) = (layout.tiles[0] as i64, mailbox.address(), kernel.blocks(rows[0]));
            if packed {
                // SAFETY: the kernel takes (row_keys, key_table, int64 rows, int kind, found_rows, marks*, counts*, int64
                // tiles, scratch*, mailbox*). Keys have `rows` rows and are open for reading on this stream, as is the
                // table; the memory has a word per tile, two per row if rows are wanted, and a byte per row of the build
                // side if there are marks, and is exclusively ours; the mailbox has two words.
                unsafe {
                    kernel.launch(
                        stream,
                        blocks,
                        1,
                        args![keys.desc, table.desc, count, kind, found, marks, positions, tiles, scratch, words],
                    )?;
                }
            } else {
                let build = OpenKeys::of_side(self.build, stream)?;
                let build_rows = build.desc.rows();
                // SAFETY: as above, and the build side's columns as a row_table, open for reading on this stream.
                unsafe {
                    kernel.launch(
                        stream,
                        blocks,
                        1,
                        args![
                            keys.desc, build_rows, table.desc, count, kind, found, marks, positions, tiles, scratch,
                            words
                        ],
                    )?;
                }
            }
        }
        if rows[1] > 0 {
            let kernel = Kernel::find(stream, "join", "join_unmatched_kernel", "join_probe")?;
            let (count, starts, positions) = (rows[1] as i64, starts(1), base + layout.positions(1));
            let (tiles, words, blocks) = (layout.tiles[1] as i64, mailbox.address() + 8, kernel.blocks(rows[1]));
            // SAFETY: the kernel takes (key_table, places*, marks*, int64 rows, starts*, counts*, int64 tiles, scratch*,
            // mailbox*); the table has a place per row of the build side, since it is no set; the rest as above.
            unsafe {
                kernel.launch(
                    stream,
                    blocks,
                    1,
                    args![table.desc, table.places, marks, count, starts, positions, tiles, scratch, words],
                )?;
            }
        }
        drop(access);
        let words = mailbox.wait()?;
        let sizes = [words[0], words[1]].map(|word| usize::try_from(word).unwrap_or(usize::MAX));
        Ok(Found { sizes, layout, memory })
    }

    fn write(&self, found: &Found) -> Result<(Column, Option<Column>)> {
        let Self { stream, request, .. } = *self;
        let (left_type, right_type) = (row_indices(self.probe.rows()), row_indices(self.build.rows()));
        let total = found.sizes.iter().fold(0_usize, |sum, size| sum.saturating_add(*size));
        let width = |data_type: &DataType| if *data_type == DataType::UInt32 { 4 } else { 8 };
        let buffer = |data_type: &DataType| -> Result<Buffer> {
            let bytes = total.saturating_mul(width(data_type));
            Ok(Buffer::uninitialized(bytes, stream, self.mr.output)?)
        };
        let mut left = buffer(&left_type)?;
        let mut right = request.has_pairs().then(|| buffer(&right_type)).transpose()?;
        if total > 0 {
            let left_access = left.write_on(stream)?;
            let right_access = right.as_mut().map(|right| right.write_on(stream)).transpose()?;
            let memory = found.memory.read_on(stream)?;
            let table = self.table.open(stream)?;
            let out = |first: Option<u64>, data_type: &DataType, skip: usize| IndicesOut {
                first: first.map_or(0, |first| first + (skip * width(data_type)) as u64),
                wide: i32::from(width(data_type) == 8),
                unused: 0,
            };
            for (side, kind) in [(0, request.kind as i32), (1, UNMATCHED)] {
                let skip = if side == 0 { 0 } else { found.sizes[0] };
                let left = out(Some(left_access.address()), &left_type, skip);
                let right = out(right_access.as_ref().map(|right| right.address()), &right_type, skip);
                self.emit(found, side, kind, memory.address(), &table, left, right)?;
            }
        }
        let column = |data_type: DataType, buffer: Buffer| {
            let mut parts = ColumnParts::new(data_type, stream.device(), total).buffer(buffer);
            parts.null_count = NullCount::Known(0);
            Column::try_from_parts(parts)
        };
        Ok((column(left_type, left)?, right.map(|right| column(right_type, right)).transpose()?))
    }

    #[allow(clippy::too_many_arguments, reason = "one launch's")]
    fn emit(
        &self,
        found: &Found,
        side: usize,
        kind: i32,
        base: u64,
        table: &OpenTable<'_>,
        left: IndicesOut,
        right: IndicesOut,
    ) -> Result<()> {
        let (layout, total) = (&found.layout, found.sizes[side]);
        if total == 0 {
            return Ok(());
        }
        let kernel = Kernel::find(self.stream, "join", "join_emit_kernel", "join_emit")?;
        let (rows, tiles, total_in) = (layout.rows[side] as i64, layout.tiles[side] as i64, total as i64);
        let (starts, counts) = (base + layout.starts(side), base + layout.counts());
        let positions = base + layout.positions(side);
        // SAFETY: the kernel takes (key_table, int kind, int64 rows, starts*, counts*, grouped*, positions*, int64 tiles,
        // int64 total, indices_out, indices_out). Starts, counts and positions are what the probing launch has left for as
        // many rows and tiles, and `total` is what it counted; outputs have room for `total` results behind their first
        // address and are exclusively ours; everything is open on this stream until the launch is enqueued.
        unsafe {
            kernel.launch(
                self.stream,
                kernel.blocks(total),
                1,
                args![table.desc, kind, rows, starts, counts, table.grouped, positions, tiles, total_in, left, right],
            )
        }
    }
}
