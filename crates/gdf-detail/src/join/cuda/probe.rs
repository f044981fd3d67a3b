//! Rows looked up in the table of the build side, on CUDA: one launch that finds and counts, one wait, one launch that
//! writes. What few rows have is written by the launch that finds it, into room for as many results as the larger side
//! has rows; only if they are more, it is done the other way.

use bytemuck::{Pod, Zeroable};
use gdf_core::{Column, ColumnParts, DataType, NullCount, Result};
use gdf_driver::Stream;
use gdf_memory::{Buffer, Mailbox, Resources};

use super::super::hash_join::Request;
use super::table::{OpenTable, Table};
use crate::cuda::{Kernel, OpenKeys, args};
use crate::keys::{KeySide, row_indices};
use crate::vouch;

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

impl IndicesOut {
    /// At the address of a buffer of `data_type`, `skip` numbers on.
    fn new(buffer: Option<u64>, data_type: &DataType, skip: usize) -> Self {
        let width = width(data_type);
        let first = buffer.map_or(0, |first| first + (skip * width) as u64);
        Self { first, wide: i32::from(width == 8), unused: 0 }
    }
}

/// Bytes of the number of a row.
fn width(data_type: &DataType) -> usize {
    if *data_type == DataType::UInt32 { 4 } else { 8 }
}

/// `join::matches_out`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct MatchesOut {
    left: IndicesOut,
    right: IndicesOut,
    room: i64,
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
    if let Some(columns) = lookup.at_once()? {
        return Ok(columns);
    }
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
    /// A kernel, of keys that pack or of those that do not, with its policy.
    fn kernel(&self, packed: [&str; 2], rows: [&str; 2]) -> Result<Kernel> {
        let [name, policy] = if self.build.packing.is_some() { packed } else { rows };
        Kernel::find(self.stream, "join", name, policy)
    }

    /// The types of results.
    fn types(&self) -> (DataType, DataType) {
        (row_indices(self.probe.rows()), row_indices(self.build.rows()))
    }

    /// Room for `results` results in each column.
    fn buffers(&self, results: usize) -> Result<(Buffer, Option<Buffer>)> {
        let (left, right) = self.types();
        let buffer = |data_type: &DataType| -> Result<Buffer> {
            Ok(Buffer::uninitialized(results.saturating_mul(width(data_type)), self.stream, self.mr.output)?)
        };
        Ok((buffer(&left)?, self.request.has_pairs().then(|| buffer(&right)).transpose()?))
    }

    /// The columns of `results` results.
    fn columns(&self, results: usize, left: Buffer, right: Option<Buffer>) -> Result<(Column, Option<Column>)> {
        let column = |data_type: DataType, buffer: Buffer| {
            let mut parts = ColumnParts::new(data_type, self.stream.device(), results).buffer(buffer);
            parts.null_count = NullCount::Known(0);
            vouch::result(parts)
        };
        let (left_type, right_type) = self.types();
        Ok((column(left_type, left)?, right.map(|right| column(right_type, right)).transpose()?))
    }

    /// Few rows in one launch. None if they are many, or have more results than there is room for.
    fn at_once(&self) -> Result<Option<(Column, Option<Column>)>> {
        let Self { stream, request, .. } = *self;
        let kernel =
            self.kernel(["join_match_packed_kernel", "join_match"], ["join_match_rows_kernel", "join_match"])?;
        let (rows, most) = (self.probe.rows(), kernel.rows_at_once());
        if rows == 0 || rows > most || request.full {
            return Ok(None);
        }
        // Where keys are repeated but rarely, there are somewhat more than the larger side has rows.
        let larger = self.build.rows().clamp(rows, most);
        let room = if request.has_pairs() { larger + larger / 4 } else { rows };
        let (mut left, mut right) = self.buffers(room)?;
        let mailbox = Mailbox::new(stream, 1)?;
        let left_access = left.write_on(stream)?;
        let right_access = right.as_mut().map(|right| right.write_on(stream)).transpose()?;
        let table = self.table.open(stream)?;
        let (left_type, right_type) = self.types();
        let out = MatchesOut {
            left: IndicesOut::new(Some(left_access.address()), &left_type, 0),
            right: IndicesOut::new(right_access.as_ref().map(|right| right.address()), &right_type, 0),
            room: room as i64,
        };
        let keys = OpenKeys::of_side(self.probe, stream)?;
        let (count, kind, blocks) = (rows as i64, request.kind as i32, kernel.spread_blocks(rows));
        let (scratch, words) = (stream.scratch()?, mailbox.address());
        if self.build.packing.is_some() {
            // SAFETY: the kernel takes (row_keys, key_table, int64 rows, int kind, grouped*, matches_out, scratch*,
            // mailbox*). Keys have `rows` rows, no more than a row per thread of the blocks, and are open for reading on
            // this stream, as is the table with its grouped rows; outputs have the room that they say and are exclusively
            // ours; the mailbox has a word. The launch is cooperative, as the barrier asks.
            unsafe {
                kernel.launch_cooperative(
                    stream,
                    blocks,
                    args![keys.desc, table.desc, count, kind, table.grouped, out, scratch, words],
                )?;
            }
        } else {
            let build = OpenKeys::of_side(self.build, stream)?;
            let build_rows = build.desc.rows();
            // SAFETY: as above, and the build side's columns as a row_table, open for reading on this stream.
            unsafe {
                kernel.launch_cooperative(
                    stream,
                    blocks,
                    args![keys.desc, build_rows, table.desc, count, kind, table.grouped, out, scratch, words],
                )?;
            }
        }
        drop((left_access, right_access));
        let [results, ..] = mailbox.wait()?;
        let Some(results) = usize::try_from(results).ok().filter(|results| *results <= room) else { return Ok(None) };
        let left = left.slice(0, results * width(&left_type))?;
        let right = right.map(|right| right.slice(0, results * width(&right_type))).transpose()?;
        Ok(Some(self.columns(results, left, right)?))
    }

    fn find(&self, rows_wanted: bool) -> Result<Found> {
        let Self { stream, request, .. } = *self;
        let packed = self.build.packing.is_some();
        let kernel =
            self.kernel(["join_probe_packed_kernel", "join_probe"], ["join_probe_rows_kernel", "join_probe_rows"])?;
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
        let (scratch, grouped) = (stream.scratch()?, table.grouped);
        if rows[0] > 0 {
            let keys = OpenKeys::of_side(self.probe, stream)?;
            let found = FoundRows { starts: starts(0), counts: base + layout.counts() };
            let (count, kind, positions) = (rows[0] as i64, request.kind as i32, base + layout.positions(0));
            let (tiles, words, blocks) = (layout.tiles[0] as i64, mailbox.address(), kernel.blocks(rows[0]));
            if packed {
                // SAFETY: the kernel takes (row_keys, key_table, int64 rows, int kind, found_rows, grouped*, marks*,
                // counts*, int64 tiles, scratch*, mailbox*). Keys have `rows` rows and are open for reading on this stream, as is the
                // table; the memory has a word per tile, two per row if rows are wanted, and a byte per row of the build
                // side if there are marks, and is exclusively ours; the mailbox has two words.
                unsafe {
                    kernel.launch(
                        stream,
                        blocks,
                        1,
                        args![
                            keys.desc, table.desc, count, kind, found, grouped, marks, positions, tiles, scratch, words
                        ],
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
                            keys.desc, build_rows, table.desc, count, kind, found, grouped, marks, positions, tiles,
                            scratch, words
                        ],
                    )?;
                }
            }
        }
        if rows[1] > 0 {
            let kernel = Kernel::find(stream, "join", "join_unmatched_kernel", "join_probe")?;
            let (count, starts, positions) = (rows[1] as i64, starts(1), base + layout.positions(1));
            let (tiles, words, blocks) = (layout.tiles[1] as i64, mailbox.address() + 8, kernel.blocks(rows[1]));
            // SAFETY: the kernel takes (key_table, places*, grouped*, marks*, int64 rows, starts*, counts*, int64 tiles,
            // scratch*, mailbox*); the table has a place per row of the build side, since it is no set; the rest as above.
            unsafe {
                kernel.launch(
                    stream,
                    blocks,
                    1,
                    args![table.desc, table.places, grouped, marks, count, starts, positions, tiles, scratch, words],
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
        let (left_type, right_type) = self.types();
        let total = found.sizes.iter().fold(0_usize, |sum, size| sum.saturating_add(*size));
        let (mut left, mut right) = self.buffers(total)?;
        if total > 0 {
            let left_access = left.write_on(stream)?;
            let right_access = right.as_mut().map(|right| right.write_on(stream)).transpose()?;
            let memory = found.memory.read_on(stream)?;
            let table = self.table.open(stream)?;
            for (side, kind) in [(0, request.kind as i32), (1, UNMATCHED)] {
                let skip = if side == 0 { 0 } else { found.sizes[0] };
                let left = IndicesOut::new(Some(left_access.address()), &left_type, skip);
                let right = IndicesOut::new(right_access.as_ref().map(|right| right.address()), &right_type, skip);
                self.emit(found, side, kind, memory.address(), &table, left, right)?;
            }
        }
        self.columns(total, left, right)
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
