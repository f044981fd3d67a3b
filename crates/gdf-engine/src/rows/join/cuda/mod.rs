//! `concatenate` on CUDA.

mod offsets;
mod parameters;

use gdf_core::Result;
use gdf_kernels::generated::concatenate::{Concatenate, Kind, Measure, Task};
use gdf_kernels::{Arguments, TABLE_COLUMNS};
use gdf_memory::{Buffer, Mailbox};

pub(super) use self::offsets::offset_ends;
use self::parameters::{FEW, Inputs, OpenPieces, tasks};
use super::plan::Join;
use crate::Ctx;
use crate::cuda::{CudaOutput, In, Kernel, Out, open_outputs, out_table};
use crate::layout::{OutputBuffers, RowKind, characters, counted_bytes};
use crate::rows::Leaf;
use crate::rows::cuda::row_output;

const FIXED: i16 = Kind::Fixed as i16;
const STRINGS: i16 = Kind::Strings as i16;
const STRING_ROWS: i16 = Kind::StringRows as i16;

/// The buffers of slices may have more bytes of text than the slices use. If the buffers of all pieces have at most
/// this many bytes together, the operation allocates as many bytes for the result. The unused bytes of the result cost
/// less than a wait for the exact number.
const SLACK: u64 = 1 << 20;

enum Plan {
    /// The strings need not be measured. The result has at most this many bytes.
    Known(usize),
    /// The strings are measured first, and the leaf is then copied as a leaf of this kind.
    Measure(Kind),
}

fn plan(join: &Join<'_, '_>, leaf: usize, large: bool) -> Plan {
    if join.hides_bytes(leaf) {
        return Plan::Measure(Kind::StringRows);
    }
    let sizes = join.pieces(leaf).enumerate();
    let sizes =
        sizes.map(|(index, piece)| (characters(piece.view).get() as u64).saturating_mul(join.times(index) as u64));
    let bound = sizes.fold(0, u64::saturating_add);
    let fits = large || bound <= i32::MAX as u64;
    let close = bound <= SLACK || join.pieces(leaf).all(|piece| is_whole(piece, large));
    match usize::try_from(bound) {
        Ok(bound) if fits && close && join.plans().len() <= FEW => Plan::Known(bound),
        _ => Plan::Measure(Kind::Strings),
    }
}

/// Returns whether the rows of a piece seem to use all bytes of its buffers.
fn is_whole(piece: &Leaf<'_>, large: bool) -> bool {
    let width = if large { 8 } else { 4 };
    let offsets = piece.view.buffers().first().map_or(0, Buffer::len);
    // If another library has allocated the buffer of text, the length of the buffer is only an upper bound.
    let is_ours = piece.view.buffers().get(1).is_none_or(|chars| chars.foreign_owner().is_none());
    is_ours && piece.view.offset() == 0 && offsets == (piece.view.len() + 1) * width
}

pub(super) fn concatenate(join: &Join<'_, '_>, ctx: Ctx<'_>) -> Result<Vec<OutputBuffers>> {
    let pieces = OpenPieces::open(join, ctx)?;
    let inputs = Inputs::new(join, &pieces, ctx)?;
    let mut outputs: Vec<Option<CudaOutput>> = Vec::with_capacity(join.leaves());
    let has_work = |leaf: &usize| match join.leaf(*leaf).kind {
        RowKind::Null => false,
        RowKind::Validity => join.nullable(*leaf),
        _ => true,
    };
    let work: Vec<usize> = (0..join.leaves()).filter(has_work).collect();
    outputs.resize_with(join.leaves(), || None);
    // The sizes of all leaves are computed before the first copy, so that an overflow is found before anything is
    // copied.
    let planned = work.chunks(TABLE_COLUMNS).map(|leaves| CopyTasks::new(join, &inputs, leaves, ctx));
    for planned in planned.collect::<Result<Vec<_>>>()? {
        launch(join, &inputs, &planned, &mut outputs, ctx)?;
    }
    let results = outputs.into_iter().enumerate().map(|(leaf, output)| match output {
        Some(output) => output.into_buffers(),
        None => OutputBuffers::empty(join.leaf(leaf), ctx),
    });
    results.collect()
}

struct CopyTasks<'l> {
    leaves: &'l [usize],
    tasks: Vec<Task>,
    sizes: Measured,
}

impl<'l> CopyTasks<'l> {
    /// Creates the tasks.
    fn new(join: &Join<'_, '_>, inputs: &Inputs<'_>, leaves: &'l [usize], ctx: Ctx<'_>) -> Result<Self> {
        let mut tasks = Vec::with_capacity(leaves.len());
        let mut measured = Vec::new();
        for &leaf in leaves {
            let (kind, extra) = match join.leaf(leaf).kind {
                RowKind::Bits => (Kind::Bits, 0),
                RowKind::Bytes(width) => (Kind::Fixed, width),
                RowKind::Validity | RowKind::Null => (Kind::MaskOnly, 0),
                RowKind::Strings { large } => match plan(join, leaf, large) {
                    Plan::Known(bytes) => (Kind::Strings, bytes),
                    Plan::Measure(kind) => {
                        measured.push(tasks.len());
                        (kind, 0)
                    }
                },
            };
            let slot = measured.len().saturating_sub(1) as i16;
            tasks.push(Task { extra: extra as i64, node: leaf as i32, kind: kind as i16, slot });
        }
        let mut sizes = Measured::default();
        if !measured.is_empty() {
            let chosen: Vec<Task> = measured.iter().map(|&at| tasks[at]).collect();
            sizes = measure(join, inputs, &chosen, ctx)?;
            for (&at, &bytes) in measured.iter().zip(&sizes.bytes) {
                tasks[at].extra = counted_bytes(join.leaf(leaves[at]).kind, bytes)?.min(i64::MAX as usize) as i64;
            }
        }
        Ok(Self { leaves, tasks, sizes })
    }
}

fn launch(
    join: &Join<'_, '_>,
    inputs: &Inputs<'_>,
    planned: &CopyTasks<'_>,
    outputs: &mut [Option<CudaOutput>],
    ctx: Ctx<'_>,
) -> Result<()> {
    let kernel = Kernel::choose(inputs.kernel(), ctx.stream)?;
    let rows = join.rows();
    let CopyTasks { leaves, tasks: todo, sizes } = planned;

    // The number of units of work, from which the size of the grid is computed. A unit is a copy of 16 bytes. A mask
    // word of 32 bits counts as four units.
    let mut units = rows.div_ceil(32) * 4;
    for task in todo {
        let leaf = task.node as usize;
        let (own, extra) = (join.leaf(leaf), task.extra as usize);
        let output = row_output(own.view.data_type(), own.kind, rows, extra, ctx)?;
        outputs[leaf] = output.map(|output| output.nullable(join.nullable(leaf), ctx)).transpose()?;
        units = units.max(match task.kind {
            FIXED => rows.saturating_mul(extra).div_ceil(16),
            STRINGS => rows.max(extra.div_ceil(16)),
            STRING_ROWS => rows,
            _ => 0,
        });
    }
    let chosen = outputs.iter_mut().enumerate().filter(|(leaf, _)| leaves.contains(leaf));
    let opened = open_outputs(chosen.filter_map(|(_, output)| output.as_mut()), ctx.stream)?;
    let table = out_table(&opened)?;
    let tasks = tasks(todo)?;
    let access = inputs.read_on(ctx.stream)?;
    let many = inputs.many(access.as_ref());
    let counts_access = sizes.counts.as_ref().map(|counts| counts.read_on(ctx.stream)).transpose()?;
    let firsts_access = sizes.first_bytes.as_ref().map(|firsts| firsts.read_on(ctx.stream)).transpose()?;
    let (counts, first_byte) = (In::of_option(counts_access.as_ref()), In::of_option(firsts_access.as_ref()));
    // A block that copies strings first sums up the sizes of all pieces. The grid therefore has at most as many blocks
    // as the device runs at a time.
    let strings = todo.iter().any(|task| matches!(task.kind, STRINGS | STRING_ROWS));
    let blocks = if strings { kernel.blocks(units) } else { kernel.streaming_blocks(units) };
    let arguments = Concatenate { table, tasks, few: inputs.few, many, counts, first_byte };
    run(&kernel, blocks, todo.len(), &arguments, ctx)
}

fn run<A: Arguments>(
    kernel: &Kernel<A::Static>,
    blocks: u32,
    columns: usize,
    arguments: &A,
    ctx: Ctx<'_>,
) -> Result<()> {
    // SAFETY: The kernels read the pieces of the join and write the outputs, counts, first bytes and mailbox of the
    // arguments.
    // - The tasks and the table of outputs have an element for each column of the grid, in the same order, because
    //   leaves ascend.
    // - A measuring kernel gets only string columns. The slot of such a column is its position, and the mailbox has a
    //   word for each slot.
    // - `counts` has a word per column and tile if a column is copied row by row.
    // - `first_byte` has a word per column and piece, and one more word per column, if there are more than `FEW`
    //   pieces.
    // - The outputs have been allocated for all rows. String outputs have been allocated for at least the bytes of
    //   the pieces.
    // - Nodes, pieces, starts and parents describe the join, and no piece is empty.
    // - Kernels of offsets get at most 32 columns of validated offsets, none of which is empty. The mailbox has two
    //   words for each, and the output has as many rows as all columns together.
    // - The caller holds accesses of this stream to all buffers until the launch is enqueued.
    unsafe { kernel.launch(ctx.stream, blocks, columns as u32, arguments)? };
    Ok(())
}

#[derive(Default)]
struct Measured {
    bytes: Vec<u64>,
    /// For each tile, the position of its first byte in the result.
    counts: Option<Buffer>,
    /// For each piece, the position of its first byte in the result.
    first_bytes: Option<Buffer>,
}

fn measure(join: &Join<'_, '_>, inputs: &Inputs<'_>, columns: &[Task], ctx: Ctx<'_>) -> Result<Measured> {
    let kernel = Kernel::find(ctx.stream)?;
    let rows = join.rows();
    let by_rows = columns.iter().any(|task| task.kind == STRING_ROWS);
    let many_pieces = join.plans().len() > FEW;
    let new = |words: usize| Buffer::uninitialized(columns.len() * words * 8, ctx.stream, ctx.mr.temporary);
    let mut counts = by_rows.then(|| new(kernel.tiles(rows))).transpose()?;
    let mut first_bytes = many_pieces.then(|| new(join.plans().len() + 1)).transpose()?;
    let mailbox = Mailbox::new(ctx.stream, columns.len())?;

    let counts_access = counts.as_mut().map(|counts| counts.write_on(ctx.stream)).transpose()?;
    let firsts_access = first_bytes.as_mut().map(|firsts| firsts.write_on(ctx.stream)).transpose()?;
    let tasks = tasks(columns)?;
    let access = inputs.read_on(ctx.stream)?;
    let many = inputs.many(access.as_ref());
    let blocks = if by_rows { kernel.blocks(rows) } else { 1 };
    let arguments = Measure {
        few: inputs.few,
        many,
        tasks,
        counts: Out::of_option(counts_access.as_ref()),
        first_byte: Out::of_option(firsts_access.as_ref()),
        mailbox: Out::of(&mailbox),
    };
    run(&kernel, blocks, columns.len(), &arguments, ctx)?;
    drop((counts_access, firsts_access, access));
    let words = mailbox.wait()?;
    Ok(Measured { bytes: words[..columns.len()].to_vec(), counts, first_bytes })
}
